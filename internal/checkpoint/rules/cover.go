package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"gauntlet/internal/tool"
)

// A proof covers what changed: a run of another package or of another member of a workspace
// proves nothing for a category with a folder of its own, and one outside the project nothing
// at all.

// folder is the directory that contains every file of a category; "" if there is none.
func (c *category) folder() string {
	if c == nil || len(c.paths) == 0 {
		return ""
	}
	common := strings.Split(path.Dir(c.paths[0].before+"x"), "/")
	for _, g := range c.paths[1:] {
		own := strings.Split(path.Dir(g.before+"x"), "/")
		n := 0
		for n < len(common) && n < len(own) && common[n] == own[n] {
			n++
		}
		common = common[:n]
	}
	if dir := path.Join(common...); dir != "." {
		return dir
	}
	return ""
}

// reaches reports whether a run can be about the files below a folder; "" is the project.
func (t *timeline) reaches(s *step, c ran, folder string) bool {
	if c.by != nil && !t.reaches(s, *c.by, folder) {
		return false
	}
	dir, base := t.naming.dir(c.Dir, s.Dir), s.Dir
	if c.by != nil { // the directories of a task are relative to where it runs
		dir = path.Join(t.taskDir(c.by.Command, s), c.Dir)
	}
	selected := tool.Selection{}
	for _, argv := range c.Views {
		one := tool.Of(argv).Selects()
		for _, to := range one.Dirs {
			dir = t.naming.dir(path.Join(strings.TrimPrefix(dir, "./"), to), base)
			if absolute(to) {
				dir = t.naming.dir(to, base)
			}
		}
		selected.Members = append(selected.Members, one.Members...)
		selected.Paths = one.Paths
	}
	if !t.inside(dir) {
		return false
	}
	in := func(p string) string {
		if absolute(p) {
			return t.naming.file(p, "")
		}
		if !t.isOurs(dir) {
			return path.Clean(p)
		}
		return path.Join(dir, p)
	}
	paths := pathsOf(selected.Paths)
	if len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return t.inside(in(p)) }) {
		return false
	}
	if folder == "" || !t.isOurs(dir) {
		return true
	}
	if len(selected.Members) > 0 && !slices.ContainsFunc(selected.Members, func(m string) bool { return t.isMember(m, folder) }) {
		return false
	}
	if len(paths) > 0 {
		return slices.ContainsFunc(paths, func(p string) bool { return pathReaches(in(p), folder, tool.Language(p) != "") })
	}
	return related(dir, folder) || isShared(dir)
}

// isOurs reports whether a directory is named as a part of the project.
func (t *timeline) isOurs(dir string) bool { return !absolute(dir) && !strings.HasPrefix(dir, "..") }

// inside reports whether a file or directory belongs to the project: it is below its root, or
// in another checkout of it, in which the transcript was written.
func (t *timeline) inside(name string) bool {
	return t.isOurs(name) || slices.ContainsFunc(t.checkouts, func(root string) bool { return name == root || strings.HasPrefix(name, root+"/") })
}

// otherCheckouts are the directories outside the project in which the calls worked, or edited
// a file that has changed here.
func (t *timeline) otherCheckouts(files []Change) []string {
	var out []string
	for i := range t.steps {
		s := &t.steps[i]
		if dir := t.naming.dir("", s.Dir); s.Dir != "" && !t.isOurs(dir) && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	for _, one := range t.touches {
		if t.isOurs(one.name) || one.anything {
			continue
		}
		for _, f := range files {
			if root, found := strings.CutSuffix(one.name, "/"+f.Path); found && !slices.Contains(out, root) {
				out = append(out, root)
			}
		}
	}
	return out
}

// pathsOf are the words that name files or directories; others select tests by their name.
func pathsOf(words []string) []string {
	var out []string
	for _, w := range words {
		w, _, _ = strings.Cut(w, "::")
		if w == "all" || w == "..." {
			return nil
		}
		if looksLikeFile(w) || strings.HasPrefix(w, ".") || strings.HasSuffix(w, "/") || isShared(w) {
			out = append(out, strings.TrimSuffix(strings.TrimSuffix(w, "..."), "/"))
		}
	}
	return out
}

// related reports whether one of two directories contains the other.
func related(a, b string) bool {
	a, b = path.Clean(a), path.Clean(b)
	return a == "." || b == "." || a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

// pathReaches reports whether a run on a path is about a folder: one contains the other, it is
// all tests of the project, or its name is that of the folder. Tests of sources that have no
// folder of their own lie anywhere.
func pathReaches(name, folder string, isFile bool) bool {
	if related(name, folder) || !isFile && isShared(name) || strings.HasSuffix(name, "/"+folder) {
		return true
	}
	top, _, _ := strings.Cut(name, "/")
	return isFile && isShared(top) && (!strings.Contains(folder, "/") || shareWord(name, path.Base(folder)))
}

// isShared reports whether a directory or a member is named after tests of everything.
func isShared(name string) bool {
	return slices.ContainsFunc(wordsOf(path.Base(name)), func(w string) bool {
		return slices.Contains([]string{"e2e", "integration", "acceptance", "tests", "test", "spec", "system"}, w)
	}) && !strings.Contains(path.Base(name), ".")
}

func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("-_./@", r) })
}

func shareWord(a, b string) bool {
	other := wordsOf(b)
	return slices.ContainsFunc(wordsOf(a), func(w string) bool { return slices.Contains(other, w) })
}

// isMember reports whether a word that selects members of a workspace selects the one in the
// folder: by its name, by its folder, or with others.
func (t *timeline) isMember(word, folder string) bool {
	if rest, not := strings.CutPrefix(word, "!"); not {
		return !t.isMember(rest, folder)
	}
	if strings.Contains(word, "[") { // what changed since a commit
		return true
	}
	name := strings.Trim(word, ".^{}/")
	if strings.HasPrefix(word, ".") && strings.Contains(word, "/") || strings.HasPrefix(word, "{") || path.Clean(word) == folder {
		matched, _ := doublestar.Match(name, folder)
		return matched || related(name, folder)
	}
	if name == "" || name == "*" || isShared(name) {
		return true
	}
	if t.members != nil {
		if known := t.members(folder); len(known) > 0 {
			return slices.ContainsFunc(known, func(k string) bool {
				matched, _ := doublestar.Match(name, k)
				return matched || path.Base(k) == name || path.Base(folder) == name
			})
		}
	}
	matched, _ := doublestar.Match(path.Base(name), path.Base(folder))
	return matched || shareWord(path.Base(name), path.Base(folder))
}
