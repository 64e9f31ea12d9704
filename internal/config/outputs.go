package config

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// outputs are the patterns of what the checks leave behind, relative to the project root. A
// check may write them relative to the root, its entry points or its working directory.
func (l *Loaded) outputs() (out []string) {
	at := func(dir string, c *Check) {
		if c == nil {
			return
		}
		for _, p := range c.Outputs {
			if p = path.Join(filepath.ToSlash(dir), filepath.ToSlash(p)); p != ".." && !strings.HasPrefix(p, "../") {
				out = append(out, p, p+"/**") // a glob may name directories
			}
		}
	}
	for _, c := range l.Checks {
		at("", c)
		at(c.WorkingDirectory, c)
	}
	for _, ep := range l.Project.EntryPoints {
		for _, name := range ep.Checks {
			at(ep.Path, l.Checks[name])
		}
	}
	return out
}

// IsOutput returns what reports whether a path, relative to the project root, is something
// that a check leaves behind: neither a change nor an input.
func (l *Loaded) IsOutput() func(p string) bool {
	patterns := l.outputs()
	if len(patterns) == 0 {
		return func(string) bool { return false }
	}
	return func(p string) bool { return Matches(patterns, p) }
}

// Under reports whether path p is dir or in it, by whole names.
func Under(p, dir string) bool {
	return dir == "." || p == dir || strings.HasPrefix(p, dir) && len(p) > len(dir) && p[len(dir)] == '/'
}

// HasMeta reports whether a pattern is a glob.
func HasMeta(p string) bool { return strings.ContainsAny(p, "*?[{") }

// Matches reports whether any pattern, a glob or a directory, covers p.
func Matches(patterns []string, p string) bool {
	for _, pat := range patterns {
		pat = strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(pat), "./"), "/")
		if pat == "" {
			continue
		}
		if Under(p, pat) {
			return true
		}
		if HasMeta(pat) {
			if ok, err := doublestar.Match(pat, p); err == nil && ok {
				return true
			}
		}
	}
	return false
}
