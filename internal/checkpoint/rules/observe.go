package rules

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/event"
	"gauntlet/internal/shellcmd"
)

// The sentences of the observations that say the same every time.
const (
	unreadText = "Files were edited without being read first this turn — verify changes are correct"
	blastText  = "Changes span multiple subsystems — consider committing completed work incrementally"
)

// maxFolders is how many top-level folders a change may span.
const maxFolders = 3

func gapText(category string, missing []string) string {
	verb := "was"
	if strings.HasSuffix(category, "s") {
		verb = "were"
	}
	name := category
	if r, n := utf8.DecodeRuneInString(category); r != utf8.RuneError {
		name = string(unicode.ToUpper(r)) + category[n:]
	}
	seen := "was"
	if len(missing) > 1 {
		seen = "were"
	}
	return name + " " + verb + " modified but " + strings.Join(missing, " and ") + " " + seen + " not observed this turn"
}

func driftText(slug string) string {
	return "Active work item " + code(clip(slug, 100)) + " expects changes in different files — verify you are working on the right task"
}

// wideBlast: more than three top-level folders.
func wideBlast(files []Change) bool {
	folders := map[string]bool{}
	for _, f := range files {
		if top, _, below := strings.Cut(f.Path, "/"); below {
			folders[top] = true
		}
	}
	return len(folders) > maxFolders
}

// unreadEdits reports whether a file was edited that the conversation, as far
// as it was read, had not shown before.
func (t *timeline) unreadEdits(turn Turn) bool {
	seen := newFileSet()
	for i := range turn.Earlier {
		s := &step{ToolCall: &turn.Earlier[i]}
		if s.Kind == event.ToolShell {
			s.line = shellcmd.Parse(s.Command)
		}
		t.look(seen, s)
	}
	for i := range t.steps {
		s := &t.steps[i]
		if s.Kind == event.ToolEdit && s.happened() {
			for _, p := range s.Paths {
				if !seen.has(t.naming.file(p, s.Dir)) {
					return true
				}
			}
		}
		t.look(seen, s)
	}
	return false
}

// look adds the files that a call showed or wrote.
func (t *timeline) look(seen *fileSet, s *step) {
	if s.Rejected {
		return
	}
	switch s.Kind {
	case event.ToolRead, event.ToolEdit, event.ToolWrite:
		if s.Outcome != event.Failure {
			for _, p := range s.Paths {
				seen.add(t.naming.file(p, s.Dir))
			}
		}
	case event.ToolSearch:
		if s.Outcome != event.Failure {
			for _, p := range s.Paths {
				seen.add(t.naming.file(p, s.Dir))
			}
			t.quoted(seen, s)
		}
	case event.ToolShell:
		for _, f := range s.line.Written {
			seen.add(t.naming.file(f.Path, s.Dir))
		}
		for _, f := range s.line.Shown {
			// a line may fail although this file was shown; then it says so
			if s.Outcome != event.Failure || s.Output != "" && !strings.Contains(s.Output, path.Base(f.Path)+": No such") {
				seen.add(t.naming.file(f.Path, s.Dir))
			}
		}
		for _, c := range s.line.Commands {
			if name := c.Name(); isSearch(name) || name == "git" {
				t.quoted(seen, s)
				break
			}
		}
	case event.ToolAgent, event.ToolOther:
	}
}

// quoted adds the files whose lines the output quotes: `name:12: text` of a
// search, or `File: name` above its matches, `+++ b/name` of a diff.
func (t *timeline) quoted(seen *fileSet, s *step) {
	n := 0
	for line := range strings.SplitSeq(s.Output, "\n") {
		if n++; n > 5000 {
			return
		}
		if name, found := strings.CutPrefix(line, "+++ b/"); found {
			seen.add(t.naming.file(name, ""))
			continue
		}
		if name, found := strings.CutPrefix(line, "File: "); found {
			seen.add(t.naming.file(name, s.Dir))
			continue
		}
		name, _, found := strings.Cut(line, ":")
		if found && len(name) < 1024 && looksLikeFile(name) {
			seen.add(t.naming.file(name, s.Dir))
		}
	}
}

func isSearch(name string) bool {
	switch name {
	case "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "find", "fd", "fdfind", "pgrep", "locate":
		return true
	}
	return false
}

// looksLikeFile: a word that has an extension or is in a folder.
func looksLikeFile(word string) bool {
	if word == "" || strings.HasPrefix(word, "//") || strings.ContainsAny(word, "\t<>|*") {
		return false
	}
	base := path.Base(word)
	if knownName(base) {
		return true
	}
	dot := strings.LastIndexByte(base, '.')
	if dot > 0 && dot < len(base)-1 && len(base)-dot <= 11 {
		c := base[dot+1] | 0x20
		return c >= 'a' && c <= 'z'
	}
	return strings.Contains(strings.Trim(word, "/."), "/")
}
