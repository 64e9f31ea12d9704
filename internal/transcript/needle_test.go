package transcript

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gauntlet/internal/event"
)

// A needle finds what bytes.Index finds.
func TestNeedleFindsWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab_x]{1,4}`).Draw(t, "text")
		line := []byte(rapid.StringMatching(`[ab_x]{0,300}`).Draw(t, "line"))
		if got, want := newNeedle(text).index(line), bytes.Index(line, []byte(text)); got != want {
			t.Fatalf("index %d, want %d", got, want)
		}
	})
}

// What an earlier turn showed is found among many irrelevant lines.
func TestEarlierTurnsExplainAnEdit(t *testing.T) {
	const (
		first  = `{"type":"user","uuid":"h1","timestamp":"2026-01-01T10:00:00Z","message":{"role":"user","content":"look"}}`
		second = `{"type":"user","uuid":"h2","timestamp":"2026-01-01T11:00:00Z","message":{"role":"user","content":"fix"}}`
		edit   = `{"type":"assistant","uuid":"e1","message":{"content":[{"type":"tool_use","id":"e1","name":"Edit","input":{"file_path":"/repo/src/a.py"}}]}}`
		edited = `{"type":"user","uuid":"e2","message":{"content":[{"type":"tool_result","tool_use_id":"e1","content":"ok"}]}}`
		noise  = `{"type":"assistant","uuid":"n1","message":{"content":[{"type":"tool_use","id":"n1","name":"Bash","input":{"command":"ls"}}]}}`
	)
	call := func(name, input string) string {
		return `{"type":"assistant","uuid":"c1","message":{"content":[{"type":"tool_use","id":"c1","name":"` + name + `","input":` + input + `}]}}`
	}
	result := func(rest string) string {
		return `{"type":"user","uuid":"r1","message":{"content":[{"type":"tool_result","tool_use_id":"c1",` + rest + `}]}}`
	}
	for _, c := range []struct {
		name    string
		lines   []string
		earlier int
		outcome event.CallOutcome
		output  string
	}{
		{"nothing", nil, 0, "", ""},
		{"read", []string{call("Read", `{"file_path":"/repo/src/a.py"}`), result(`"content":"x"`)}, 1, event.Unknown, ""},
		{"failed read", []string{call("Read", `{"file_path":"/repo/src/a.py"}`), result(`"content":"no", "is_error": true`)}, 1, event.Failure, ""},
		{"another file", []string{call("Read", `{"file_path":"/repo/src/b.py"}`), result(`"content":"x"`)}, 0, "", ""},
		{"a pattern", []string{call("Bash", `{"command":"cat src/*.py"}`), result(`"content":"x"`)}, 1, event.Unknown, ""},
		{"a search", []string{call("Grep", `{"pattern":"x","path":"src"}`), result(`"content":"src/a.py:1:x"`)}, 1, event.Success, "src/a.py:1:x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := append([]string{first}, c.lines...)
			for range 50 {
				lines = append(lines, noise)
			}
			lines = append(lines, second, edit, edited)
			name := filepath.Join(t.TempDir(), "t.jsonl")
			if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			turn, err := Read(name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(turn.Calls) != 1 || len(turn.Earlier) != c.earlier {
				t.Fatalf("%d calls, %d before them: %+v", len(turn.Calls), len(turn.Earlier), turn.Earlier)
			}
			if c.earlier == 1 && (turn.Earlier[0].Outcome != c.outcome || turn.Earlier[0].Output != c.output) {
				t.Errorf("%+v", turn.Earlier[0])
			}
		})
	}
}
