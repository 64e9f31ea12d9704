package agent

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
	"gauntlet/internal/event/eventtest"
)

func TestEveryCaptureIsRecognised(t *testing.T) {
	for _, name := range []string{"claude", "codex", "gemini", "qwen", "droid", "copilot"} {
		files, _ := filepath.Glob(filepath.Join(name, "testdata", "events", "*.json"))
		if len(files) < 10 {
			t.Fatalf("%s: only %d captured events", name, len(files))
		}
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			adapter, ev, err := Decode("", raw)
			if err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			if adapter.Name() != name || ev.Agent != name {
				t.Errorf("%s: taken for %s", f, adapter.Name())
			}
			if ev.SessionID == "" || ev.Cwd == "" {
				t.Errorf("%s: session or cwd lost: %+v", f, ev)
			}
		}
	}
}

func TestDetectDocumentedClients(t *testing.T) {
	cases := []struct{ name, want, payload string }{
		{"cursor", "cursor", `{"conversation_id":"c","generation_id":"g","hook_event_name":"stop","cursor_version":"2.0","workspace_roots":["/r"],"status":"completed","loop_count":0}`},
		{"copilot camel", "copilot", `{"sessionId":"s","timestamp":1767225600000,"cwd":"/r","transcriptPath":"/t","stopReason":"end_turn","stop_hook_active":false}`},
		{"copilot snake", "copilot", `{"hook_event_name":"Stop","session_id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/r","transcript_path":"/t","stop_reason":"end_turn","stop_hook_active":false}`},
		{"qwen", "qwen", `{"session_id":"s","transcript_path":"/h/.qwen/x.jsonl","cwd":"/r","hook_event_name":"Stop","timestamp":"2026-01-01T00:00:00Z","stop_hook_active":true}`},
		{"droid camel", "droid", `{"sessionId":"s","transcriptPath":"/t","cwd":"/r","hookEventName":"Stop","stopHookActive":false}`},
		{"droid snake", "droid", `{"session_id":"s","transcript_path":"/h/.factory/projects/x.jsonl","cwd":"/r","hook_event_name":"Stop","stop_hook_active":false}`},
		{"opencode", "opencode", `{"agent":"opencode","session_id":"s","hook_event_name":"Stop","cwd":"/r"}`},
		{"old claude", "claude", `{"session_id":"s","transcript_path":"/t","cwd":"/r","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false}`},
		{"nobody", "claude", `{}`},
		{"event of no known client", "claude", `{"hook_event_name":"Farewell"}`},
	}
	for _, c := range cases {
		adapter, ev, err := Decode("", []byte(c.payload))
		if err != nil || adapter.Name() != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, adapter.Name(), err, c.want)
		}
		if ev.Kind != event.Stop {
			t.Errorf("%s: kind %s, want stop", c.name, ev.Kind)
		}
	}
}

func TestNameWinsAndUnknownNamesAreNeutral(t *testing.T) {
	adapter, ev, err := Decode("codex", []byte(`{"session_id":"s","hook_event_name":"Stop"}`))
	if err != nil || adapter.Name() != "codex" || ev.SessionID != "s" {
		t.Errorf("%v %v %v", adapter.Name(), ev, err)
	}
	for _, name := range []string{"claude-code", "CLAUDE", " claude "} {
		if adapter, _, _ := Decode(name, []byte(`{"turn_id":"x"}`)); adapter.Name() != "claude" {
			t.Errorf("%q: %s", name, adapter.Name())
		}
	}
	if adapter, _, _ := Decode("windsurf", []byte(`{"session_id":"s"}`)); adapter.Name() != "claude" {
		t.Errorf("unknown name: %s", adapter.Name())
	}
	// Copilot too: an approval in Claude's words would cancel a block.
	for _, f := range []string{"Stop", "UserPromptSubmit", "SessionStart", "PostToolUse", "SessionEnd"} {
		raw, err := os.ReadFile(filepath.Join("copilot", "testdata", "events", "claude."+f+".json"))
		if err != nil {
			t.Fatal(err)
		}
		adapter, ev, _ := Decode("claude", raw)
		if adapter.Name() != "copilot" || ev.At.IsZero() {
			t.Errorf("copilot's %s through claude's settings: %s, %+v", f, adapter.Name(), ev)
		}
	}
	// Cursor runs the hooks it finds in Claude's settings, but obeys only its own answers.
	if adapter, _, _ := Decode("claude", []byte(`{"hook_event_name":"stop","cursor_version":"2"}`)); adapter.Name() != "cursor" {
		t.Errorf("cursor through claude's settings: %s", adapter.Name())
	}
}

func TestGarbageStillHasADialect(t *testing.T) {
	for _, in := range []string{"", " \n", "null", "[]", `"x"`, "1", "{", `{"a":`, "not json", "\x00", strings.Repeat("[", 20000)} {
		for _, name := range []string{"", "codex", "gemini", "nobody"} {
			adapter, ev, err := Decode(name, []byte(in))
			if !errors.Is(err, wire.ErrNotObject) {
				t.Errorf("%q: error %v", in, err)
			}
			if adapter == nil || ev.Agent != adapter.Name() {
				t.Fatalf("%q: no adapter", in)
			}
			if (name == "codex" || name == "gemini") && adapter.Name() != name {
				t.Errorf("%q: dialect %s, want %s", in, adapter.Name(), name)
			}
		}
	}
}

func TestOneWrongTypeLosesOneField(t *testing.T) {
	_, ev, err := Decode("", []byte(`{"session_id":42,"cwd":"/r","hook_event_name":"Stop","stop_hook_active":"yes","prompt_id":["x"],
		"transcript_path":{"a":1},"last_assistant_message":"done","background_tasks":"none","permission_mode":null}`))
	if err != nil {
		t.Fatal(err)
	}
	want := event.Event{Agent: "claude", Kind: event.Stop, Cwd: "/r", LastMessage: "done", TranscriptLag: 300 * time.Millisecond}
	if ev != want {
		t.Errorf("got %+v\nwant %+v", ev, want)
	}
}

func TestInputAfterTheFirstValueIsIgnored(t *testing.T) {
	_, ev, err := Decode("", []byte("\xef\xbb\xbf {\"session_id\":\"s\"}\n{\"session_id\":\"t\"} rubbish"))
	if err != nil || ev.SessionID != "s" {
		t.Errorf("%+v %v", ev, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"session_id":"s","hook_event_name":"Stop"}`, `{"background_tasks":[1,{"type":"subagent","status":"running"}]}`, `{`, ``} {
		f.Add("", s)
		f.Add("gemini", s)
	}
	f.Fuzz(func(t *testing.T, name, payload string) {
		adapter, ev, _ := Decode(name, []byte(payload))
		for _, st := range eventtest.Statuses() {
			out := adapter.Encode(ev, event.Verdict{Status: st, Message: payload, Reason: payload, SystemMessage: name})
			if n := strings.Count(string(out), "\n"); n > 2 || n > 1 && adapter.Name() != "copilot" || len(out) > 0 && (out[len(out)-1] != '\n') {
				t.Fatalf("%s %s: not one line: %q", adapter.Name(), st, out)
			}
		}
	})
}
