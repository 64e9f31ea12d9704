package rules

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/event"
	"gauntlet/internal/shell"
	"gauntlet/internal/text"
)

// The sentences of the observations whose text is fixed.
const (
	unreadText = "Files were edited without being read first this turn — verify changes are correct"
	blastText  = "Changes span multiple subsystems — consider committing completed work incrementally"
)

// maxDirectories is how many top-level directories a change may span.
const maxDirectories = 3

// gapText says that something was not observed only if it was not: what ran, but failed,
// hid its status or came before the last change, is another sentence.
func gapText(category string, missing []string, tried bool) string {
	verb := "was"
	if strings.HasSuffix(category, "s") {
		verb = "were"
	}
	if what, only := strings.CutSuffix(category, " only"); only {
		category, verb = "only "+what, "were"
	}
	name := category
	if r, n := utf8.DecodeRuneInString(category); r != utf8.RuneError {
		name = string(unicode.ToUpper(r)) + category[n:]
	}
	seen := "was"
	if len(missing) > 1 {
		seen = "were"
	}
	what := " not observed this turn"
	if tried {
		what = " not seen to succeed after the last change"
	}
	return name + " " + verb + " modified but " + strings.Join(missing, " and ") + " " + seen + what
}

func driftText(slug string) string {
	return "Active work item " + code(text.Cut(slug, 100)) + " expects changes in different files — verify you are working on the right task"
}

// wideBlast reports whether the change spans more than three top-level directories.
func wideBlast(files []Change) bool {
	directories := map[string]bool{}
	for _, f := range files {
		if top, _, below := strings.Cut(f.Path, "/"); below {
			directories[top] = true
		}
	}
	return len(directories) > maxDirectories
}

// unreadEdits lists files of the project that were edited although the whole conversation
// had not shown them before. Uncertain cases are not listed.
func (t *timeline) unreadEdits(turn Turn) []string {
	if turn.Truncated || !turn.Whole || turn.ReadsFirst {
		return nil
	}
	seen := newFileSet()
	before := make([]step, len(turn.Earlier), len(turn.Earlier)+len(t.steps))
	for i := range turn.Earlier {
		s := &before[i]
		s.ToolCall = &turn.Earlier[i]
		if s.Kind == event.ToolShell {
			s.line = shell.Parse(s.Command)
		}
		if hidesReading(s) {
			return nil
		}
		t.look(seen, s)
	}
	var out []string
	for i := range t.steps {
		s := &t.steps[i]
		if s.Kind == event.ToolEdit && s.happened() {
			for _, p := range s.Paths {
				name := t.naming.file(p, s.Dir)
				if seen.has(name) || absolute(name) || strings.HasPrefix(name, "../") || loadedByClient(name) || named(before, name) || slices.Contains(out, name) {
					continue
				}
				out = append(out, name)
			}
		}
		if hidesReading(s) {
			return out
		}
		t.look(seen, s)
		before = append(before, *s)
	}
	return out
}

// hidesReading reports whether the call may have read any file.
func hidesReading(s *step) bool {
	switch s.Kind {
	case event.ToolShell:
		return !s.Rejected && !s.line.Parsed
	case event.ToolAgent, event.ToolOther:
		return !s.Rejected && s.Outcome != event.Failure
	case event.ToolRead, event.ToolSearch, event.ToolEdit, event.ToolWrite:
	}
	return false
}

// named reports whether an earlier call printed the file's name, so that it may have
// printed its content too.
func named(calls []step, name string) bool {
	base := path.Base(name)
	return slices.ContainsFunc(calls, func(s step) bool {
		return s.Kind == event.ToolShell && s.Outcome != event.Failure && strings.Contains(s.Output, base)
	})
}

// loadedByClient reports whether a file contains instructions for the agent, which clients
// read on their own.
func loadedByClient(name string) bool {
	return slices.Contains([]string{
		"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "qwen.md", "copilot-instructions.md", ".cursorrules", "skill.md", "memory.md",
	}, strings.ToLower(path.Base(name)))
}

// nameList shows the first names.
func nameList(files []string) string {
	parts := make([]string, 0, len(files))
	for _, f := range files {
		parts = append(parts, code(text.Cut(f, 60)))
	}
	return text.Some(parts, 3)
}

// look adds the files that a call showed or wrote.
func (t *timeline) look(seen *fileSet, s *step) {
	if s.Rejected {
		return
	}
	switch s.Kind {
	case event.ToolRead, event.ToolEdit, event.ToolWrite, event.ToolSearch:
		if s.Outcome == event.Failure {
			return
		}
		for _, p := range s.Paths {
			seen.add(t.naming.file(p, s.Dir))
		}
		if s.Kind == event.ToolSearch {
			t.quoted(seen, s)
		}
	case event.ToolShell:
		for _, f := range s.line.Written {
			seen.add(t.naming.file(f.Path, s.Dir))
		}
		for _, f := range s.line.Shown {
			// a line may fail although this file was shown; then the output reports it
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
	return slices.Contains([]string{"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "find", "fd", "fdfind", "pgrep", "locate"}, name)
}

// looksLikeFile reports a word that has an extension or is in a directory.
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
