package git

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gauntlet/internal/safefile"
)

// ignoreRules decides which paths are certainly ignored: those that a .gitignore
// names in full, where no rule takes anything back.
type ignoreRules struct {
	root string
	read map[string]*ignoreList // by directory
}

// ignoreList is what is understood of one .gitignore.
type ignoreList struct {
	names     map[string]bool // its lines without the pattern characters
	takesBack bool
}

// certain reports whether a path is ignored for certain. The directories it lies
// in are in the index. A list further down comes first, and info/exclude and the
// user's own list come last: they cannot take back what a .gitignore says.
func (r *ignoreRules) certain(p string) bool {
	name := path.Base(p)
	info, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(p)))
	if err != nil {
		return false
	}
	for dir, anchor := path.Dir(p), "/"+name; ; dir, anchor = path.Dir(dir), "/"+path.Base(dir)+anchor {
		list := r.list(dir)
		if list == nil || list.takesBack {
			return false
		}
		for _, rule := range []string{name, anchor, anchor[1:]} {
			if list.names[rule] || info.IsDir() && list.names[rule+"/"] {
				return true
			}
		}
		if dir == "." {
			return false
		}
	}
}

// list reads the .gitignore of a directory; nil where it cannot be read.
func (r *ignoreRules) list(dir string) *ignoreList {
	if l, known := r.read[dir]; known {
		return l
	}
	var l *ignoreList
	file := filepath.Join(r.root, filepath.FromSlash(dir), ".gitignore")
	switch info, err := os.Lstat(file); {
	case errors.Is(err, fs.ErrNotExist):
		l = &ignoreList{}
	case err == nil && info.Mode().IsRegular(): // whether git follows a link depends on its version
		if text, err := safefile.Read("", file, maxConfig); err == nil {
			l = parseIgnore(string(text))
		}
	}
	r.read[dir] = l
	return l
}

func parseIgnore(text string) *ignoreList {
	l := &ignoreList{names: map[string]bool{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		l.takesBack = l.takesBack || strings.Contains(line, "!")
		if !strings.ContainsAny(line, "#*?[]\\ \t!\r") {
			l.names[line] = true
		}
	}
	return l
}
