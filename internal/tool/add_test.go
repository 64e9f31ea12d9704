package tool

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The record in docs/how-to-add.md is all that a new runner needs: it is read, its calls are
// what it says, its outputs are what their titles say, and the tables can be written with it.
func TestANewRunnerIsOneFile(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to-add.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```\n")
	text, _, _ := strings.Cut(rest, "```\n")
	e, err := readEntry("new.txt", text)
	if err != nil {
		t.Fatal(err)
	}
	if Known(e.names[0]) {
		t.Fatalf("%s is in the catalogue: take another example", e.names[0])
	}
	if len(e.calls) < 3 || len(e.output) < 3 {
		t.Fatalf("%d calls and %d outputs", len(e.calls), len(e.output))
	}
	for _, s := range e.calls {
		c := Of(strings.Fields(s.line))
		c.Program, c.Language, c.is = e.rec.name, e.rec.language, e.rec
		if got := describe(c); got != s.want {
			t.Errorf("%s: got %s, want %s", s.line, got, s.want)
		}
	}
	for _, s := range e.output {
		for _, l := range e.lines {
			says := kinds()[l.kind]
			if fits := regexp.MustCompile("(?m)" + l.is).MatchString(s.text); fits != (says == s.outcome) {
				t.Errorf("%q fits the output that %s: %v", l.is, s.outcome, fits)
			}
		}
	}
	if got := string(table(t, append(catalogue(t, "catalogue"), e))); !strings.Contains(got, `{"`+e.names[0]+`", `) {
		t.Errorf("%s is not in the table", e.names[0])
	}
}
