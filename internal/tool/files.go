package tool

import (
	"path"
	"strings"
)

// language is what the catalogue says of the files of a language.
type language struct {
	name  string
	files string // endings: .py
	tests string // names of test files, with * at one end or both; directories end in /
	runs  string // the same for files that are tests if they are run as programs
	// spoil is a line that no tool of the language accepts.
	spoil string
	// comment are the texts that begin a comment: the one line, or a block. within are lines
	// that begin tests beside the code that they test.
	comment, within string
}

// Language is what a file is written in; "" if the catalogue does not know its ending.
func Language(name string) string { return languageOf(name).name }

func languageOf(name string) language {
	ext := strings.ToLower(path.Ext(name))
	if ext == "" {
		return language{}
	}
	for i := range languages {
		if hasWord(languages[i].files, ext) {
			return languages[i]
		}
	}
	return language{}
}

// IsTest reports whether a file is a test by the conventions of its language.
func IsTest(name string) bool { return isNamed(name, languageOf(name).tests) }

// IsTestProgram reports whether a file that is run as a program is a test by its name or
// place: node tests/all.js, tsx scripts/test-login.ts. What it prints shows whether it is one.
func IsTestProgram(name string) bool { return IsTest(name) || isNamed(name, languageOf(name).runs) }

func isNamed(name, patterns string) bool {
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	for pattern := range strings.FieldsSeq(patterns) {
		if dir, isDir := strings.CutSuffix(pattern, "/"); isDir {
			if strings.Contains("/"+path.Dir(name)+"/", "/"+dir+"/") {
				return true
			}
		} else if glob(pattern, stem) {
			return true
		}
	}
	return false
}

// Spoiled is a line that breaks a file of this name, so that no tool of its language may
// accept it; "" if there is none.
func Spoiled(name string) string { return languageOf(name).spoil }

// Testable reports whether tests can be expected to notice a change of a file: it is code, and
// its language has a form for tests.
func Testable(name string) bool { return languageOf(name).tests != "" }

// HasTestsWithin reports whether a file of code contains tests, too.
func HasTestsWithin(name, text string) bool {
	for mark := range strings.FieldsSeq(languageOf(name).within) {
		if strings.HasPrefix(text, mark+"\n") || strings.Contains(text, "\n"+mark+"\n") || strings.Contains(text, " "+mark+"\n") || strings.Contains(text, "\n"+mark+" ") {
			return true
		}
	}
	return false
}

// Code is the text of a file without comments and layout: if it is the same, the program is.
func Code(name, text string) string {
	l := languageOf(name)
	var out strings.Builder
	end, keep := "", false // a block that goes on, and whether it is code
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(line)
		switch {
		case end != "":
			if strings.Contains(t, end) {
				end = ""
			}
			if !keep {
				continue
			}
		case t == "" || l.beginsComment(t):
			continue
		case hasWord(l.comment, "/*") && strings.HasPrefix(t, "/*"):
			if !strings.Contains(t, "*/") {
				end, keep = "*/", false
			}
			continue
		case l.comment == "#": // a string of several lines is a comment if it is a statement
			if end, keep = docstring(t); !keep {
				continue
			}
		}
		line = l.withoutComment(line)
		if hasWord(l.comment, "//") { // elsewhere the layout may have a meaning
			line = strings.Join(strings.Fields(line), "")
		}
		out.WriteString(strings.TrimRight(line, " \t\r\n"))
		if !hasWord(l.comment, "//") {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// docstring reports whether a line begins a text of several lines, and whether it is code:
// one that stands alone is a comment.
func docstring(line string) (end string, code bool) {
	for _, quote := range []string{`"""`, "'''"} {
		starts := strings.HasPrefix(line, quote)
		if strings.Count(line, quote)%2 == 1 {
			return quote, !starts
		}
		if starts && len(line) > len(quote) && strings.HasSuffix(line, quote) {
			return "", false
		}
	}
	return "", true
}

// withoutComment is a line without the comment that ends it. A mark within quotes is text.
func (l language) withoutComment(line string) string {
	for mark := range strings.FieldsSeq(l.comment) {
		i := strings.Index(line, " "+mark)
		if i > 0 && mark != "/*" && strings.Count(line[:i], `"`)%2+strings.Count(line[:i], "'")%2+strings.Count(line[:i], "`")%2 == 0 {
			line = line[:i]
		}
	}
	return line
}

// beginsComment reports whether a line is nothing but a comment.
func (l language) beginsComment(line string) bool {
	for mark := range strings.FieldsSeq(l.comment) {
		if mark != "/*" && strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// SameLanguage reports whether tools of the one are tools of the other, too: deno runs what
// node runs.
func SameLanguage(a, b string) bool {
	return a == b || family(a) == family(b)
}

func family(name string) string {
	switch name {
	case "deno":
		return "node"
	}
	return name
}
