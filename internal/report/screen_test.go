package report

import (
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 40, "short"},
		{"a sentence that does not fit into one line of forty columns", 40, "a sentence that does not fit into one\nline of forty columns"},
		{"  indented words go on under themselves", 24, "  indented words go on\n  under themselves"},
		{"name      a text in the second column", 30, "name      a text in the second\n          column"},
		{"+ an added line of a diff - which only looks like two", 30, "+ an added line of a diff -\n    which only looks like two"},
		{"see /a/path/that/is/longer/than/the/line whole", 20, "see /a/path/that/is/longer/than/the/line\nwhole"},
		{"\x1b[31mred words that have to be broken\x1b[0m", 20, "\x1b[31mred words that have\nto be broken\x1b[0m"},
		{"日本語 日本語 日本語", 14, "日本語 日本語\n日本語"},
		{"", 40, ""},
		{"        ", 4, "        "},
	} {
		if got := Fold(tt.in, tt.width); got != tt.want {
			t.Errorf("%q at %d:\n%q, not\n%q", tt.in, tt.width, got, tt.want)
		}
	}
}

// No word is lost, whatever the width; no line is wider than a word must be.
func FuzzFold(f *testing.F) {
	f.Add("a  b   c", 3)
	f.Add("ok    name   text text text", 12)
	f.Fuzz(func(t *testing.T, line string, width int) {
		if strings.ContainsAny(line, "\n\r\x1b") || width < 1 || width > 200 {
			return // lines and escapes are split before Fold
		}
		if got, want := strings.Fields(Fold(line, width)), strings.Fields(line); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q at %d: %q", line, width, got)
		}
	})
}

func TestScreenWrapsWholeLines(t *testing.T) {
	var b strings.Builder
	s := NewScreen(&b, func(name string) string { return map[string]string{"COLUMNS": "20"}[name] })
	for _, part := range []string{"one two ", "three four five", " six\nseven eight", "? "} {
		if _, err := s.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.String(); got != "one two three four\nfive six\n" {
		t.Errorf("before the question is shown: %q", got)
	}
	s.Flush()
	if got := b.String(); got != "one two three four\nfive six\nseven eight? " {
		t.Errorf("got %q", got)
	}
	if d := s.Terminal(); d.Seen || d.Live || d.Colour || d.Width() != 20 {
		t.Errorf("COLUMNS alone is no terminal: %+v", d)
	}
}

func TestOutputForProgramsIsNotWrapped(t *testing.T) {
	var b strings.Builder
	s := NewScreen(&b, func(string) string { return "" })
	long := strings.Repeat("word ", 100) + "\n"
	if _, err := s.Write([]byte(long)); err != nil || b.String() != long {
		t.Errorf("%v %q", err, b.String())
	}
}
