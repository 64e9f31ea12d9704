package rules

import (
	"path"
	"slices"
	"strings"
)

// mentioned are the names of files in a command and its output.
type mentioned struct {
	byBase map[string][]string
	// modules are dotted names: an import error names those, not files
	modules map[string]bool
}

const maxMentioned = 5000

func (t *timeline) filesAbout(s *step) *mentioned {
	m := &mentioned{byBase: map[string][]string{}, modules: map[string]bool{}}
	n := 0
	add := func(word string) bool {
		n++
		word = strings.TrimRight(word, ".")
		if strings.Count(word, ".") > 0 && !strings.Contains(word, "/") {
			m.modules[word] = true
		}
		if looksLikeFile(word) {
			name := t.naming.file(strings.TrimSuffix(word, "/..."), s.Dir)
			m.byBase[path.Base(name)] = append(m.byBase[path.Base(name)], name)
			if s.Dir != "" && !absolute(word) {
				// the output may name files from the project root or from the directory
				m.byBase[path.Base(name)] = append(m.byBase[path.Base(name)], path.Clean(word))
			}
		}
		return n < maxMentioned
	}
	for _, p := range s.Paths {
		add(p)
	}
	words(s.Command, add)
	for line := range strings.SplitSeq(s.Output, "\n") {
		if !isPassLine(line) {
			words(line, add)
		}
		if n >= maxMentioned {
			break
		}
	}
	return m
}

// isPassLine reports whether a line of test output is about what passed, not about the
// error.
func isPassLine(line string) bool {
	return strings.HasPrefix(line, "ok \t") || strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") ||
		strings.HasPrefix(line, "PASS ") || strings.Contains(line, " PASSED") || strings.HasSuffix(line, "... ok")
}

// words calls add with everything in text that could be a name.
func words(text string, add func(string) bool) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r <= ' ' || strings.ContainsRune(`"'()[]{}<>,;=:|&$*!`+"`", r)
	}) {
		if !add(word) {
			return
		}
	}
}

// mentions reports whether a file is named, absolutely, relatively, by its bare name, or as
// a module.
func (m *mentioned) mentions(name string) bool {
	for _, known := range m.byBase[path.Base(name)] {
		switch {
		case known == name || sameFile(known, name):
			return true
		case absolute(known) || absolute(name):
		case strings.HasSuffix(name, "/"+known) || strings.HasSuffix(known, "/"+name) && strings.Contains(name, "/"):
			return true // tools name files relative to where they run
		}
	}
	module := strings.ReplaceAll(strings.TrimSuffix(name, path.Ext(name)), "/", ".")
	return m.modules[module]
}

// ends reports whether a package path in the output ends in the target of a test run.
func (m *mentioned) ends(target string) bool {
	return slices.ContainsFunc(m.byBase[path.Base(target)], func(known string) bool { return strings.HasSuffix(known, "/"+target) })
}

// callAbout reports whether a later shell call names one of the files, other than to commit
// it.
func (t *timeline) callAbout(s *step, about *mentioned) bool {
	sub := t.subjectOf(s)
	return slices.ContainsFunc(sub.files, about.mentions) || slices.ContainsFunc(sub.targets, about.ends)
}

// subject is what a call is about: what it ran, files, and targets of test runs.
type subject struct {
	runs, files, targets []string
	tasks                []ran
	hidesFailure         bool
}

// subjectOf computes the subject once: a turn may have thousands of calls, and as many
// errors that each of them may have dealt with.
func (t *timeline) subjectOf(s *step) *subject {
	if s.subject != nil {
		return s.subject
	}
	sub := &subject{hidesFailure: hidesFailure(s), tasks: passedTasks(s)}
	s.subject = sub
	for _, c := range s.line.Commands {
		sub.runs = append(sub.runs, runNames(c)...)
		if c.Name() == "git" || c.Name() == "echo" || c.Name() == "printf" {
			continue
		}
		for i, arg := range c.Views[0] {
			if i == 0 && !strings.Contains(arg, "/") {
				continue
			}
			words(arg, func(word string) bool {
				if target, local := strings.CutPrefix(word, "./"); local && c.TestRun() {
					sub.targets = append(sub.targets, strings.TrimSuffix(target, "/..."))
				}
				if looksLikeFile(word) {
					name := path.Join(c.Dir, word)
					if absolute(word) || c.Dir == "" {
						name = word
					}
					name = strings.TrimSuffix(strings.TrimSuffix(name, "/..."), "/")
					sub.files = append(sub.files, t.naming.file(name, s.Dir))
				}
				return true
			})
		}
	}
	for _, f := range s.line.Written {
		sub.files = append(sub.files, t.naming.file(f.Path, s.Dir))
	}
	return sub
}
