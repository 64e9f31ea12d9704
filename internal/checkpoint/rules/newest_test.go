package rules

import (
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
)

// A file's time is compared with the end of the run, not with the beginning of the next call:
// calls overlap, and a run may write a file of its own.
func TestAFileIsComparedWithTheEndOfTheRun(t *testing.T) {
	at := func(s int) time.Time { return corpusStart.Add(time.Duration(s) * time.Second) }
	for written, want := range map[int]Outcome{1: Clear, 10: Clear, 40: Owed} {
		in := Input{
			Config: &config.Checkpoint{Preset: "python"}, Roots: []string{corpusRoot}, TurnStart: corpusStart, Now: at(90),
			Changed: []Change{{Path: "src/a.py", ModTime: at(written)}},
			Turn: Turn{Readable: true, Calls: []event.ToolCall{
				{ID: "1", Kind: event.ToolEdit, Paths: []string{corpusRoot + "/src/a.py"}, Outcome: event.Success, At: at(1), End: at(2)},
				{ID: "2", Kind: event.ToolShell, Command: "pytest", Outcome: event.Success, HasExit: true, Output: "3 passed in 27s", At: at(3), End: at(30)},
				{ID: "3", Kind: event.ToolShell, Command: "ls", Outcome: event.Success, HasExit: true, At: at(4), End: at(5)},
				{ID: "4", Kind: event.ToolShell, Command: "sh ./tidy.sh", Outcome: event.Success, HasExit: true, At: at(35), End: at(45)},
			}},
		}
		if got := Decide(in).Outcome; got != want {
			t.Errorf("written after %d s: %s, want %s", written, got, want)
		}
	}
}
