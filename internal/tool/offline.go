package tool

import (
	"slices"
	"strings"
)

// Offline is the command in the form that fetches nothing: npx --no-install jest, ruff
// instead of uvx ruff; and as people type it: npm test.
func (c Call) Offline() []string {
	for line := range strings.Lines(c.is.offline) {
		when, how, _ := strings.Cut(strings.TrimSpace(line), ":")
		rest, ok := c.after(when)
		how = strings.TrimSpace(how)
		switch {
		case !ok:
		case how == ".": // what it would run
			if len(rest) > 0 && rest[0] != "" && rest[0][0] != '-' && !strings.Contains(rest[0], "@") {
				return rest
			}
		case strings.HasPrefix(how, "-"):
			return slices.Insert(slices.Clone(c.argv), 1, how)
		default:
			return slices.Concat(c.argv[:1], strings.Fields(how), rest)
		}
	}
	return c.argv
}

// ForCI are the words of the command that only CI needs: reports, and what an earlier step
// built. The value of a flag is one of them, too.
func (c Call) ForCI() []string {
	var out []string
	if len(c.argv) == 0 || c.is.forCI == "" {
		return nil
	}
	for line := range strings.Lines(c.is.forCI) {
		when, drops, _ := strings.Cut(strings.TrimSpace(line), ":")
		if _, ok := c.fits(when); !ok {
			continue
		}
		for i, arg := range c.argv[1:] {
			name, _, glued := strings.Cut(arg, "=")
			goal, _, _ := strings.Cut(arg, ":")
			if !hasWord(drops, name) && !hasWord(drops, goal) {
				continue
			}
			out = append(out, arg)
			if next := i + 2; !glued && hasWord(c.is.values, name) && next < len(c.argv) && !strings.HasPrefix(c.argv[next], "-") {
				out = append(out, c.argv[next])
			}
		}
	}
	return out
}
