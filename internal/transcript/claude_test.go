package transcript

import (
	"os"
	"path/filepath"
	"testing"

	"gauntlet/internal/event"
)

// A file that the human mentioned, or that is shown again after a compaction,
// was shown.
func TestAttachedFilesAreShown(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.jsonl")
	text := `{"type":"user","uuid":"h1","timestamp":"2026-01-01T10:00:00Z","message":{"role":"user","content":"fix @src/a.py"}}
{"type":"attachment","uuid":"a1","attachment":{"type":"file","filename":"/repo/src/a.py","content":{"type":"text"}}}
{"type":"attachment","uuid":"a2","attachment":{"type":"model","filename":"/repo/src/b.py"}}
`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	turn, err := Read(name, Options{})
	if err != nil || len(turn.Calls) != 1 || turn.Calls[0].Kind != event.ToolRead || turn.Calls[0].Paths[0] != "/repo/src/a.py" {
		t.Errorf("%v %+v", err, turn.Calls)
	}
}

// The kind of a server's tool follows from its name.
func TestServerTools(t *testing.T) {
	for name, want := range map[string]event.ToolKind{
		"mcp__filesystem__write_file":        event.ToolWrite,
		"mcp__filesystem__read_text_file":    event.ToolRead,
		"mcp__serena__replace_symbol_body":   event.ToolWrite,
		"mcp__github__list_issues":           event.ToolOther,
		"mcp__filesystem__list_directory":    event.ToolOther,
		"TodoWrite":                          event.ToolOther,
		"WebFetch":                           event.ToolOther,
		"mcp__":                              event.ToolOther,
		"mcp__filesystem__edit_file":         event.ToolWrite,
		"mcp__x__insert_after_symbol":        event.ToolWrite,
		"mcp__x__readme":                     event.ToolRead,
		"mcp__x__search_for_pattern__unread": event.ToolOther,
	} {
		if got := serverTool(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A call that was refused never ran; one that failed did.
func TestRefusedCalls(t *testing.T) {
	for text, want := range map[string]bool{
		"This command requires approval": true,
		"This Bash command contains multiple operations. The following parts require approval: rm": true,
		"Claude requested permissions to use Bash, but you haven't granted it yet.":                true,
		"Permission to use Bash has been denied.":                                                  true,
		"<tool_use_error>String to replace not found in file.":                                     true,
		"Exit code 1\nThis command requires approval of the board":                                 false,
		"cat: x: Permission denied":                                                                false,
	} {
		if got := claudeRefusal(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
