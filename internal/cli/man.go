package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/internal/buildinfo"
)

// manCmd prints the man page. It is made from the command tree, so that it cannot differ
// from --help.
func (app *App) manCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the man page",
		Long:    "Print the man page, gauntlet(1), in roff.",
		Example: "  gauntlet man > ~/.local/share/man/man1/gauntlet.1\n  gauntlet man | man -l -",
		Hidden:  true,
		RunE: func(*cobra.Command, []string) error {
			return writeMan(under(app.Out), app.root(nil))
		},
	}
}

func writeMan(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH GAUNTLET 1 \"\" \"gauntlet %s\" \"User Commands\"\n", roff(buildinfo.Version()))
	fmt.Fprintf(&b, ".SH NAME\ngauntlet \\- %s\n", roff(lowerFirst(root.Short)))
	b.WriteString(".SH SYNOPSIS\n.B gauntlet\n.I command\n[\\fIflags\\fR]\n")
	if root.Long != "" {
		b.WriteString(".SH DESCRIPTION\n" + paragraphs(root.Long))
	}
	b.WriteString(".SH COMMANDS\n")
	manCommands(&b, root)
	b.WriteString(".SH EXIT STATUS\nHook commands (stop\\-hook, hook, statusline, notify) always exit 0. For the others 0 is success, 1 a failure that was found, 2 wrong usage or a fault.\n")
	b.WriteString(".SH FILES\n.TP\n.I .gauntlet/config.yml\nThe project's configuration.\n.TP\n.I $XDG_STATE_HOME/gauntlet\nHistory and records, by default below ~/.local/state.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// manCommands describes every command that people see, sub-commands in place.
func manCommands(b *strings.Builder, parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.Name() == "man" || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		fmt.Fprintf(b, ".SS %s\n", roff(c.CommandPath()))
		long := cmp.Or(c.Long, c.Short+".")
		b.WriteString(paragraphs(long))
		if c.HasAvailableSubCommands() {
			manCommands(b, c)
			continue
		}
		fmt.Fprintf(b, ".PP\nUsage: \\fB%s\\fR\n", roff(c.UseLine()))
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			name, usage := pflag.UnquoteUsage(f)
			if name != "" {
				name = " " + name
			}
			short := ""
			if f.Shorthand != "" {
				short = `\fB\-` + roff(f.Shorthand) + `\fR, `
			}
			fmt.Fprintf(b, ".TP\n%s\\fB\\-\\-%s\\fR%s\n%s\n", short, roff(f.Name), roff(name), roff(usage))
		})
		if c.Example != "" {
			fmt.Fprintf(b, ".PP\nExamples:\n.PP\n.nf\n%s\n.fi\n", roff(c.Example))
		}
	}
}

// paragraphs keeps blank lines as breaks and indented lines unchanged.
func paragraphs(text string) string {
	var b strings.Builder
	for _, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(p, " ") {
			b.WriteString(".PP\n.nf\n" + roff(p) + "\n.fi\n")
			continue
		}
		b.WriteString(".PP\n" + roff(p) + "\n")
	}
	return b.String()
}

// roff escapes what the formatter would interpret.
func roff(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r > 126:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	s = b.String()
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
