package content

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
)

// Rules are ignore lists, by where they are: `.gitignore` and `.git/info/exclude` with the
// directory before them, and userRules.
type Rules map[string]string

const (
	ignoreFile  = ".gitignore"
	excludeFile = ".git/info/exclude"
	// userRules is the list that core.excludesFile names.
	userRules = "core.excludesFile"
	// maxRules bounds an ignore list. A larger one hides nothing.
	maxRules = 1 << 20
)

// Changed lists the lines that came into the rules since earlier ones, with where they are.
func (r Rules) Changed(earlier Rules) (out []string) {
	for where, text := range r {
		if text == earlier[where] {
			continue
		}
		was := "\n" + earlier[where] + "\n"
		for line := range strings.Lines(text) {
			if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' && !strings.Contains(was, "\n"+line+"\n") {
				out = append(out, line+" ("+where+")")
			}
		}
	}
	return out
}

// readRules reads a list that is a regular file; "" for any other.
func readRules(root, path string) string {
	text, err := safefile.Read(root, path, maxRules)
	if err != nil {
		return ""
	}
	return string(text)
}

// userList is the user's own ignore list.
func userList(ctx context.Context, q Question) string {
	path, certain := q.Repo.ExcludesFile(q.User)
	if !certain { // settings that hold under a condition: only git knows whether it is met
		out, err := q.Repo.Run(ctx, "config", "--type=path", "--get", "core.excludesFile")
		if path = strings.TrimSpace(string(out)); err != nil {
			path = q.User.Ignore
		}
	}
	if path == "" {
		return ""
	}
	text, err := safefile.ReadLinked(path, maxRules)
	if err != nil {
		return ""
	}
	return string(text)
}

// sets is how many sets of rules a path is compared with: those of now, those of the prompt.
const sets = 2

// level is the ignore lists of a directory, and of those above it in the same repository.
type level struct {
	above *level
	dir   string // in the account, "" for the top
	lists [sets]*list
}

// ignores reports what a set of rules says of a path.
func (l *level) ignores(set int, path string, isDir bool) bool {
	for ; l != nil; l = l.above {
		rel := path
		if l.dir != "" {
			rel = path[len(l.dir)+1:]
		}
		switch l.lists[set].match(rel, isDir) {
		case ignored:
			return true
		case kept:
			return false
		case silent:
		}
	}
	return false
}

// begin makes the levels of a repository: the user's list counts least, then the one in the
// git directory.
func (w *walker) begin(repo git.Repo, dir string) *level {
	l := w.level(nil, dir, userRules, w.user)
	return w.level(l, dir, joined(dir, excludeFile), readRules(repo.CommonDir, filepath.Join(repo.CommonDir, "info", "exclude")))
}

// level adds a list to those above it; the prompt may have had another in its place.
func (w *walker) level(above *level, dir, where, text string) *level {
	before := text
	if w.asked.Earlier != nil {
		before = w.asked.Earlier[where]
	}
	if text == "" && before == "" {
		return above
	}
	l := &level{above: above, dir: dir}
	if text != "" {
		l.lists[0] = parseList(text)
		w.mu.Lock()
		w.rules[where] = text
		w.mu.Unlock()
	}
	switch before {
	case text:
		l.lists[1] = l.lists[0]
	case "":
	default:
		l.lists[1] = parseList(before)
	}
	return l
}

func joined(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// isGit reports whether a name is that of a git directory, on any file system.
func isGit(name []byte) bool { return bytes.EqualFold(name, []byte(".git")) }
