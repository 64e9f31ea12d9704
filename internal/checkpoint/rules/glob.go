package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// glob is one path pattern with true globstar. A pattern that names a directory
// covers what is in it.
type glob struct {
	pattern string
	// before and after are the literal ends of the pattern: a path without them cannot
	// match, which excludes nearly all of 20,000 paths.
	before, after string
	// directory is the last name in the pattern, when that may be a directory
	directory string
}

type globs []glob

func newGlobs(patterns []string) globs {
	list := make(globs, 0, len(patterns))
	for _, p := range patterns {
		p = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(p), "./"), "/")
		p = strings.TrimSuffix(p, "/")
		if p == "" {
			continue
		}
		g := glob{pattern: p, before: p}
		if last := path.Base(p); !strings.ContainsAny(last, `*?[{\`) {
			g.directory = last
		}
		if i := strings.IndexAny(p, `*?[{\`); i >= 0 {
			g.before = p[:i]
			// **/go.mod is also go.mod at the top
			g.after = strings.TrimPrefix(p[strings.LastIndexAny(p, `*?]}\`)+1:], "/")
		}
		list = append(list, g)
	}
	return list
}

func (list globs) match(name string) bool {
	return slices.ContainsFunc(list, func(g glob) bool { return g.match(name) })
}

func (g glob) match(name string) bool {
	if !strings.HasPrefix(name, g.before) {
		return false
	}
	if strings.HasSuffix(name, g.after) {
		if matched, err := doublestar.Match(g.pattern, name); err == nil && matched {
			return true
		}
	}
	if g.directory == "" || !strings.Contains(name, g.directory+"/") {
		return false
	}
	matched, err := doublestar.Match(g.pattern+"/**", name)
	return err == nil && matched
}
