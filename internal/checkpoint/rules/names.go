package rules

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// naming maps files in the transcript to their names in the project.
type naming struct {
	roots []string
	// folded are roots on Windows, in lower case: names there are the same in any case.
	folded []string
}

func newNaming(roots []string) naming {
	var n naming
	for _, r := range roots {
		windows := slashed(r) != r || len(r) > 2 && r[1] == ':'
		if r = strings.TrimSuffix(slashed(r), "/"); r != "" {
			n.roots = append(n.roots, r)
		}
		if !windows {
			continue
		}
		low := strings.ToLower(r)
		n.folded = append(n.folded, path.Clean(low))
		if low[1] == ':' { // the shells of Windows write D:/repo as /d/repo, too
			n.folded = append(n.folded, "/"+low[:1]+low[2:])
		}
	}
	return n
}

// slashed writes a Windows path with slashes; elsewhere a backslash is an
// ordinary character of a name.
func slashed(name string) string {
	if len(name) > 2 && (name[1] == ':' && name[2] == '\\' || name[:2] == `\\`) { // a drive, or a server
		return strings.ReplaceAll(name, `\`, "/")
	}
	return name
}

// file is name, as written by a call that worked in dir, relative to the
// project, or absolute when it is elsewhere.
func (n naming) file(name, dir string) string {
	name = strings.TrimPrefix(name, "file://")
	if name == "" {
		return ""
	}
	name = slashed(name)
	if !absolute(name) && dir != "" {
		name = strings.TrimSuffix(slashed(strings.TrimPrefix(dir, "file://")), "/") + "/" + name
	}
	name = path.Clean(name)
	for _, root := range n.roots {
		if rest, found := strings.CutPrefix(name, root+"/"); found {
			return rest
		}
	}
	for _, root := range n.folded {
		if len(name) > len(root) && name[len(root)] == '/' && strings.ToLower(name[:len(root)]) == root {
			return name[len(root)+1:]
		}
	}
	return name
}

// dir is the directory that a command ran in, relative to the project, or
// absolute when it is elsewhere; sub is a change of directory on its line.
func (n naming) dir(sub, dir string) string {
	sub = cmp.Or(sub, ".")
	name := n.file(sub, dir)
	if slices.Contains(n.roots, name) || slices.Contains(n.folded, strings.ToLower(name)) {
		return "."
	}
	return name
}

func absolute(name string) bool {
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

// sameFile compares two names of a file: they are equal, or one is absolute, the other
// relative, and the one ends in the other. Transcripts may have been written in another
// checkout of the same project.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	if absolute(a) == absolute(b) {
		return false
	}
	if absolute(b) {
		a, b = b, a
	}
	return strings.Contains(b, "/") && !strings.HasPrefix(b, "../") && strings.HasSuffix(a, "/"+b)
}

// fileSet finds names quickly, in any of their spellings.
type fileSet struct {
	byBase map[string][]string
	globs  []string
}

func newFileSet() *fileSet { return &fileSet{byBase: map[string][]string{}} }

func (s *fileSet) add(name string) {
	if name == "" {
		return
	}
	switch base := path.Base(name); {
	case isGlob(name):
		if len(s.globs) < 200 {
			s.globs = append(s.globs, name)
		}
	case !slices.Contains(s.byBase[base], name):
		s.byBase[base] = append(s.byBase[base], name)
	}
}

func (s *fileSet) has(name string) bool {
	return slices.ContainsFunc(s.byBase[path.Base(name)], func(known string) bool { return sameFile(known, name) }) ||
		slices.ContainsFunc(s.globs, func(g string) bool { return (glob{pattern: g}).match(name) })
}
