package meaning

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/content"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// Change is what a turn changed, and the checks that passed on the result.
type Change struct {
	Before, Now *content.Account
	Paths       []string // that differ, relative to the repository
	// Jobs are the checks with role test that passed.
	Jobs []gate.Job
	// Only reports whether a path of the project counts; nil: every path does.
	Only func(path string) bool
	// Fails reports whether a check was shown to fail in a room; nil: all of them.
	Fails func(gate.Job) bool
}

// side is one changed path: as it was, and as it is.
type side struct {
	path    string // relative to the project
	was, is git.File
	had     bool // it was there
	has     bool // it is there
}

// parts are the changes by what they are.
type parts struct {
	code  []side // not test code
	tests []side // test code, and the data of tests
	// text reads a file of either account.
	text func(git.File) string
	// other is what else changed, in a word: documentation, comments.
	other string
}

// testDirs are directories of tests and of their data.
const testDirs = " test tests spec specs __tests__ __mocks__ __snapshots__ __fixtures__ testdata fixtures golden goldens snapshots e2e testing testutil testutils "

// IsTest reports whether a path is test code, or data of tests.
func IsTest(p string) bool {
	if tool.IsTest(p) || strings.HasSuffix(p, ".snap") || strings.HasSuffix(p, ".golden") || path.Base(p) == "conftest.py" {
		return true
	}
	for dir := range strings.SplitSeq(path.Dir(p), "/") {
		if dir != "" && strings.Contains(testDirs, " "+dir+" ") {
			return true
		}
	}
	return false
}

// Concerns reports whether a question may be asked about a changed path: it is code, or a test.
func Concerns(p string) bool { return tool.Testable(p) || IsTest(p) }

// split sorts the changed paths. What a check's command resolves to is neither: it judges.
func (l Lab) split(ctx context.Context, c Change) (parts, error) {
	p := parts{other: "no code was changed"}
	var all []side
	var files []git.File
	for _, at := range c.Paths {
		rel, inside := strings.CutPrefix(at, l.prefix())
		s := side{path: rel}
		s.was, s.had = c.Before.Find(at)
		s.is, s.has = c.Now.Find(at)
		if !inside || !s.had && !s.has || c.Only != nil && !c.Only(rel) || !s.isFile() || !IsTest(rel) && (!tool.Testable(rel) || isForeign(rel) || l.judges(c.Jobs, rel)) {
			continue
		}
		all = append(all, s)
		files = append(files, s.was, s.is)
	}
	read, err := l.House.Store.Contents(ctx, slices.DeleteFunc(files, func(f git.File) bool { return f.Path == "" }))
	if err != nil {
		return p, err
	}
	p.text = func(f git.File) string {
		data, ok := read(f)
		if !ok {
			data, _ = l.House.Store.FromTree(f) // without it the file counts as empty: it differs
		}
		return string(data)
	}
	for _, s := range all {
		switch {
		case s.had && s.has && tool.Testable(s.path) && tool.Code(s.path, p.text(s.was)) == tool.Code(s.path, p.text(s.is)):
			p.other = "only comments were changed"
		case IsTest(s.path):
			p.tests = append(p.tests, s)
		default:
			p.code = append(p.code, s)
		}
	}
	if len(p.code) == 0 && len(p.tests) > 0 {
		p.other = "only tests were changed"
	}
	return p, nil
}

func (s side) isFile() bool {
	plain := func(f git.File) bool { return f.Mode == content.File || f.Mode == content.Executable }
	return (!s.had || plain(s.was)) && (!s.has || plain(s.is))
}

// isForeign reports whether code is that of others, which has its tests elsewhere.
func isForeign(p string) bool {
	for dir := range strings.SplitSeq(path.Dir(p), "/") {
		if slices.Contains([]string{"vendor", "third_party", "node_modules"}, dir) {
			return true
		}
	}
	return false
}

// judges reports whether the command of a check resolves to a path.
func (l Lab) judges(jobs []gate.Job, p string) bool {
	set := tasks.Of(l.Root)
	return slices.ContainsFunc(jobs, func(j gate.Job) bool {
		return slices.ContainsFunc(set.Judge(j.Check.Command, l.dirOf(j), []string{p}), func(part tasks.Part) bool { return part.Path == p })
	})
}

// dirOf is where a check runs, relative to the project.
func (l Lab) dirOf(j gate.Job) string {
	rel, err := filepath.Rel(l.Root, j.Dir)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(rel)
}

// inseparable is why the change of code cannot be taken back without the tests; "" if it can.
func (p parts) inseparable() string {
	deleted := true
	for _, s := range p.code {
		deleted = deleted && !s.has
		now := p.text(s.is)
		switch {
		case s.has && isGenerated(now):
			return s.path + " is generated"
		case tool.HasTestsWithin(s.path, now):
			return s.path + " has its tests in the same file"
		case s.has && !s.had:
			for _, old := range p.code {
				if !old.has && path.Ext(old.path) == path.Ext(s.path) && alike(p.text(old.was), now) {
					return fmt.Sprintf("%s was renamed to %s", old.path, s.path)
				}
			}
		}
	}
	if deleted {
		return "the change only deletes files"
	}
	return ""
}

// isGenerated reports whether a file says so in its first lines.
func isGenerated(text string) bool {
	head := text[:min(len(text), 2000)]
	return strings.Contains(head, "DO NOT EDIT") || strings.Contains(head, "@generated") || strings.Contains(head, "autogenerated") || strings.Contains(head, "auto-generated") ||
		len(text) > 5000 && strings.Count(text, "\n") < len(text)/1000 // minified
}

// alike reports whether two texts share most of their lines.
func alike(a, b string) bool {
	lines := map[string]bool{}
	for line := range strings.Lines(a) {
		if t := strings.TrimSpace(line); len(t) > 3 {
			lines[t] = true
		}
	}
	same, all := 0, 0
	for line := range strings.Lines(b) {
		if t := strings.TrimSpace(line); len(t) > 3 {
			if all++; lines[t] {
				same++
			}
		}
	}
	return a == b || same*2 > max(all, len(lines))
}

// with is the present content with some paths as they were at the prompt.
func (c Change) with(was []side) *content.Account {
	back := map[string]side{}
	out := &content.Account{NotSeen: c.Now.NotSeen, Rules: c.Now.Rules, Refs: c.Now.Refs}
	for _, s := range was {
		if s.had {
			out.Files = append(out.Files, s.was)
		}
		back[s.was.Path], back[s.is.Path] = s, s
	}
	for _, f := range c.Now.Files {
		if _, undone := back[f.Path]; !undone {
			out.Files = append(out.Files, f)
		}
	}
	slices.SortFunc(out.Files, func(a, b git.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}
