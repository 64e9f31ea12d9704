package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/event"
)

func readLines(t *testing.T, lines ...string) Turn {
	t.Helper()
	name := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	turn, err := Read(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// Gauntlet's reason is never a human's prompt, even if no memory of it exists: the record
// of the hook is in the file.
func TestReasonOfABlockIsNotAPrompt(t *testing.T) {
	for file, human := range map[string]string{
		"droid/d-blocked.jsonl": "Repair the build.", "copilot/blocked.events.jsonl": "Add a greeting.", "opencode/lines.jsonl": "Rename the flag.",
	} {
		turn, err := Read(filepath.Join("testdata", file), Options{})
		if err != nil || turn.HumanText != human {
			t.Errorf("%s: the turn begins with %q, %v", file, turn.HumanText, err)
		}
	}
	// The same words typed by a person, with no hook before them, are a prompt.
	turn := readLines(t,
		`{"type":"session_start","id":"s","cwd":"/repo"}`,
		`{"type":"message","id":"1","timestamp":"2026-03-01T09:00:00Z","message":{"role":"user","content":[{"type":"text","text":"One."}]}}`,
		`{"type":"message","id":"2","timestamp":"2026-03-01T09:00:01Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}]}}`,
		`{"type":"message","id":"3","timestamp":"2026-03-01T09:00:02Z","message":{"role":"user","content":[],"hookEventName":"Stop","hookResults":[{"stdout":"{\"decision\":\"block\",\"reason\":\"Fix it.\"}"}]}}`,
		`{"type":"message","id":"4","timestamp":"2026-03-01T09:00:03Z","message":{"role":"user","content":[{"type":"text","text":"Two."}]}}`)
	if turn.HumanText != "Two." {
		t.Errorf("the turn begins with %q", turn.HumanText)
	}
}

func TestFirstPromptOfAFileIsFound(t *testing.T) {
	turn := readLines(t, `{"type":"message","id":"1","timestamp":"2026-03-01T09:00:00Z","message":{"role":"user","content":[{"type":"text","text":"One."}]}}`)
	if turn.HumanText != "One." {
		t.Errorf("the turn begins with %q", turn.HumanText)
	}
}

func TestSubagentsAtWork(t *testing.T) {
	turn, err := Read("testdata/copilot/background.events.jsonl", Options{})
	if err != nil || turn.Running != 1 || !turn.Flushed {
		t.Errorf("running %d, flushed %v, %v", turn.Running, turn.Flushed, err)
	}
	whole, err := os.ReadFile("testdata/copilot/blocked.events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(whole)), "\n")
	if turn := readLines(t, lines[:len(lines)-1]...); turn.Flushed || turn.Running != 0 {
		t.Errorf("without its last record: %+v", turn)
	}
	// A sub-agent's stop is not the main agent's.
	lines[len(lines)-1] = strings.Replace(lines[len(lines)-1], `"id"`, `"agentId":"a1","id"`, 1)
	if turn := readLines(t, lines...); turn.Flushed {
		t.Errorf("a sub-agent's stop: %+v", turn)
	}
}

func TestCalledBy(t *testing.T) {
	for file, want := range map[string]string{
		"droid/d-child.jsonl": "d-parent", "droid/d-parent.jsonl": "", "copilot/blocked.events.jsonl": "", "no-such-file": "",
	} {
		if got := CalledBy(filepath.Join("testdata", file)); got != want {
			t.Errorf("%s: called by %q, want %q", file, got, want)
		}
	}
}

// A command without an exit status proves nothing, whatever else is recorded.
func TestNoExitStatusProvesNothing(t *testing.T) {
	const call = `{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"bash","arguments":{"command":"make"}},"id":"1","timestamp":"2026-03-01T09:00:00Z"}`
	for name, end := range map[string]string{
		"success alone":     `{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"ok"}},"id":"2","timestamp":"2026-03-01T09:00:01Z"}`,
		"printed, not said": `{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"<shellId: 0 completed with exit code 0>\nmore"}},"id":"2","timestamp":"2026-03-01T09:00:01Z"}`,
	} {
		turn := readLines(t, call, end)
		if len(turn.Calls) != 1 || turn.Calls[0].Outcome != event.Unknown {
			t.Errorf("%s: %+v", name, turn.Calls)
		}
	}
}

// What an earlier turn read is known in this one.
func TestEarlierReads(t *testing.T) {
	turn, err := Read("testdata/qwen/chats/q-two-turns.jsonl", Options{})
	if err != nil || len(turn.Earlier) != 1 || turn.Earlier[0].Kind != event.ToolRead {
		t.Errorf("%+v, %v", turn.Earlier, err)
	}
}
