package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/event"
)

// A document of the older form whose beginning was cut off: what is still there is read,
// and what is no longer shown is not known.
func TestDocumentWithoutItsBeginning(t *testing.T) {
	const whole = `{
  "sessionId": "s",
  "projectHash": "p",
  "startTime": "2026-01-01T10:00:00.000Z",
  "messages": [
    {
      "id": "1",
      "timestamp": "2026-01-01T10:00:00.000Z",
      "type": "user",
      "content": "go"
    },
    {
      "id": "2",
      "timestamp": "2026-01-01T10:00:01.000Z",
      "type": "gemini",
      "content": "",
      "toolCalls": [
        {
          "id": "run_shell_command-1",
          "name": "run_shell_command",
          "args": {
            "command": "make first"
          },
          "status": "success",
          "result": [
            {
              "functionResponse": {
                "id": "run_shell_command-1",
                "name": "run_shell_command",
                "response": {
                  "output": "Output: ok\nExit Code: 0"
                }
              }
            }
          ]
        }
      ]
    },
    {
      "id": "3",
      "timestamp": "2026-01-01T10:00:02.000Z",
      "type": "gemini",
      "content": "",
      "toolCalls": [
        {
          "id": "run_shell_command-2",
          "name": "run_shell_command",
          "args": {
            "command": "make second"
          },
          "status": "success"
        }
      ]
    }
  ]
}
`
	read := func(text string) (Turn, error) {
		path := filepath.Join(t.TempDir(), "session.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Read(path, Options{})
	}
	commands := func(turn Turn) string {
		var out []string
		for _, c := range turn.Calls {
			if c.Kind == event.ToolShell {
				out = append(out, c.Command)
			}
		}
		return strings.Join(out, ", ")
	}
	turn, err := read(whole)
	if err != nil || turn.Truncated || commands(turn) != "make first, make second" {
		t.Fatalf("whole: %v, truncated %v, %s", err, turn.Truncated, commands(turn))
	}
	cut := map[string]string{
		"after the person's message": `      "id": "2"`,
		"within a message":           `          "args": {`,
		"within a line":              `make first`,
	}
	want := map[string]string{"after the person's message": "make second", "within a message": "make second", "within a line": "make second"}
	for name, at := range cut {
		turn, err := read(whole[strings.Index(whole, at):])
		if err != nil || !turn.Readable || !turn.Truncated || commands(turn) != want[name] {
			t.Errorf("%s: %v, truncated %v, %s", name, err, turn.Truncated, commands(turn))
		}
	}
	if _, err := read("no document\n}\n"); err == nil {
		t.Error("any text is a session")
	}
}
