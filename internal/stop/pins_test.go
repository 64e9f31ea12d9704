package stop

import (
	"testing"

	"gauntlet/internal/event"
)

// An agent that looks at its own transcript is not one that writes to it.
func TestMayWrite(t *testing.T) {
	const file = "/home/dev/.client/logs/5f0c.jsonl"
	shell := func(line string) event.ToolCall { return event.ToolCall{Kind: event.ToolShell, Command: line} }
	for name, tc := range map[string]struct {
		call event.ToolCall
		want bool
	}{
		"appended":           {shell("printf x >> /home/dev/.client/logs/5f0c.jsonl"), true},
		"by tee":             {shell("echo x | tee -a ~/.client/logs/5f0c.jsonl"), true},
		"by a program":       {shell(`python3 -c 'open("/home/dev/.client/logs/5f0c.jsonl","a")'`), true},
		"not shell":          {shell("echo 'x >> 5f0c.jsonl"), true},
		"edited":             {event.ToolCall{Kind: event.ToolEdit, Paths: []string{file}}, true},
		"edited, refused":    {event.ToolCall{Kind: event.ToolEdit, Paths: []string{file}, Rejected: true}, false},
		"another file":       {event.ToolCall{Kind: event.ToolWrite, Paths: []string{"/home/dev/5f0c.jsonl"}}, false},
		"read":               {event.ToolCall{Kind: event.ToolRead, Paths: []string{file}}, false},
		"shown":              {shell("tail -5 ~/.client/logs/5f0c.jsonl"), false},
		"searched":           {shell("grep -c tool_use /home/dev/.client/logs/5f0c.jsonl"), false},
		"copied":             {shell("cat ~/.client/logs/5f0c.jsonl > copy.jsonl"), false},
		"nothing to do with": {shell("go test ./..."), false},
	} {
		if got := mayWrite(tc.call, file); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
