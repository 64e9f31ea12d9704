package report

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"gauntlet/internal/config"
	"gauntlet/internal/git"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
	"gauntlet/internal/trust"
)

// Policy is what a policy would run and, if another one was allowed before, everything
// that changed: in full, because what is cut or redacted could be what matters.
func Policy(at *site.Site, d trust.Decision, whole bool) (string, error) {
	cfg, err := at.OnDisk()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 4, 2, ' ', 0)
	if d.Trusted() {
		c := at.Compare()
		fmt.Fprintf(w, "Changed in %s since it was allowed, effective values:\n", config.Dir)
		for _, s := range c.Settings {
			fmt.Fprintf(w, "  %s\t%s\t%s\t→ %s\n", inCell(s.File), inCell(s.Field), inCell(s.Old), inCell(s.New))
		}
		_ = w.Flush()
		old := at.Allowed().Current()
		for _, name := range c.Files {
			fmt.Fprintf(&out, "\n%s", text.Visible(git.Patch(config.Dir+"/"+name, bytesOf(old, name), bytesOf(at.Disk(), name))))
		}
		fmt.Fprintln(&out)
	} else if whole {
		for _, name := range at.Disk().Names() {
			fmt.Fprintf(&out, "%s\n", text.Visible(git.Patch(config.Dir+"/"+name, nil, bytesOf(at.Disk(), name))))
		}
	}
	fmt.Fprintf(w, "%s would run, with your rights:\n", config.Dir)
	runs := trust.Runs(cfg)
	for _, line := range runs {
		fmt.Fprintf(w, "  %s\t%s\n", line.Gate, strings.ReplaceAll(line.Runs, "\n", "\n  \t"))
	}
	if len(runs) == 0 {
		fmt.Fprintln(w, "  nothing")
	}
	err = w.Flush()
	return out.String(), err
}

// bytesOf is the content of a file of a policy, nil if it is not there.
func bytesOf(p config.Policy, name string) []byte {
	f, ok := p[name]
	if !ok {
		return nil
	}
	return append([]byte{}, f.Data...)
}

// inCell shows a value in a cell of a table. The diff below it shows all lines.
func inCell(s string) string {
	first, rest, more := strings.Cut(strings.TrimRight(s, "\n"), "\n")
	if s == "" {
		return "-"
	}
	first = text.Visible(strings.ReplaceAll(first, "\t", " "))
	if more {
		first += fmt.Sprintf(" … (%s)", text.Count(strings.Count(rest, "\n")+2, "line"))
	}
	return first
}
