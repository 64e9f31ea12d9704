package stack

import (
	"slices"
	"strings"
)

// makeTargets are the names under which people keep each role.
func makeTargets(role string) []string {
	switch role {
	case Test:
		return []string{"test", "tests"}
	case Lint:
		return []string{"lint"}
	case Typecheck:
		return []string{"typecheck", "type-check", "types"}
	case Format:
		return []string{"fmt-check", "format-check", "check-fmt", "check-format", "checkfmt"}
	case Check:
		return []string{"check"}
	}
	return nil
}

func (f folder) makefile() (Project, bool) {
	name := f.first("GNUmakefile", "makefile", "Makefile")
	if name == "" {
		return Project{}, false
	}
	p := Project{Kind: Make, Tool: "make", Manifest: f.where(name)}
	targets := targetsOf(f.read(name))
	for _, role := range roles() {
		for _, target := range makeTargets(role) {
			if !slices.Contains(targets, target) {
				continue
			}
			if role == Check && len(p.Commands) > 0 {
				break // check is the usual name for all of the above
			}
			p.Commands = append(p.Commands, Command{Role: role, Run: "make " + target, Why: p.Manifest + ": " + target, Evidence: []string{"make " + target}})
			break
		}
	}
	return p, len(p.Commands) > 0
}

// targetsOf lists the plain targets of a Makefile.
func targetsOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line == "" || strings.ContainsAny(line[:1], "\t #.") {
			continue
		}
		line, _, _ = strings.Cut(line, "#")
		names, rest, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(rest, "=") || strings.ContainsAny(names, "=$%") {
			continue
		}
		out = append(out, strings.Fields(names)...)
	}
	return out
}
