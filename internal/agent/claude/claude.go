// Package claude is the adapter for Claude Code. Its parser ignores keys it does not
// know and accepts "approve", so it gets the neutral verdict unchanged.
package claude

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"runtime"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
	"gauntlet/internal/transcript"
)

// Adapter is Claude Code, and the neutral dialect for unknown clients.
type Adapter struct{}

// Name implements agent.Adapter.
func (Adapter) Name() string { return "claude" }

// Aliases implements agent.Adapter.
func (Adapter) Aliases() []string { return []string{"claude-code", "claudecode"} }

// Detect implements agent.Adapter: prompt_id and effort are Claude Code's own.
// Payloads of older builds have neither and match it as the last in the list.
func (Adapter) Detect(p wire.Payload) bool { return p.Has("prompt_id", "effort", "session_crons") }

// Decode implements agent.Adapter.
func (Adapter) Decode(p wire.Payload) event.Event {
	ev := wire.DecodeClaudeLike(p)
	ev.TurnID = p.String("prompt_id")
	if ev.Kind == event.Stop || ev.Kind == event.SubagentStop {
		ev.TranscriptLag = transcriptLag
	}
	toolEnd(&ev, p)
	return ev
}

// transcriptLag is how late the file may be: a timer flushes it up to 175 ms
// after the hook began (measured).
const transcriptLag = 300 * time.Millisecond

// toolEnd reads the outcome of a command: success and failure are different events.
func toolEnd(ev *event.Event, p wire.Payload) {
	if ev.Kind != event.ToolEnd || ev.Tool.Kind != event.ToolShell {
		return
	}
	if p.String("hook_event_name") == "PostToolUseFailure" {
		ev.Tool.Outcome = event.Failure
		if code, ok := transcript.ClaudeExit(p.String("error")); ok && code != 0 {
			wire.Ended(ev, code)
		}
		return
	}
	res := p.Object("tool_response")
	if res.String("backgroundTaskId") != "" {
		ev.Tool.Background = true
	}
	// An interpretation is a status other than 0 that the client does not count as a failure.
	if res != nil && !res.Bool("interrupted") && !res.Has("returnCodeInterpretation") {
		wire.Ended(ev, 0)
	}
}

// Encode implements agent.Adapter.
func (Adapter) Encode(ev event.Event, v event.Verdict) []byte {
	if ev.Kind != event.Stop {
		return wire.EncodeNeutral(v)
	}
	return wire.EncodeWithContext(v, "Stop")
}

// EncodeContext implements agent.Adapter: plain text reaches the model, except after a tool
// call.
func (Adapter) EncodeContext(k event.Kind, text string) []byte {
	if k == event.ToolEnd {
		return wire.ToolContext(text)
	}
	return wire.PlainContext(k, text)
}

// Sample implements agent.Adapter.
func (Adapter) Sample(cwd string) []byte {
	return wire.Line(map[string]any{
		"session_id": wire.SampleSession, "transcript_path": filepath.Join(cwd, "no-transcript.jsonl"), "cwd": cwd,
		"prompt_id": wire.SampleTurn, "permission_mode": "default", "effort": map[string]string{"level": "medium"},
		"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": wire.SampleMessage,
		"background_tasks": []string{}, "session_crons": []string{},
	})
}

// schema is what Claude Code validates: other keys are dropped, a known key of
// the wrong type makes the whole answer an error.
type schema struct {
	Continue       *bool   `json:"continue"`
	SuppressOutput *bool   `json:"suppressOutput"`
	StopReason     *string `json:"stopReason"`
	Decision       *string `json:"decision"`
	Reason         *string `json:"reason"`
	SystemMessage  *string `json:"systemMessage"`
	Specific       *struct {
		Event   *string `json:"hookEventName"`
		Context *string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
	Async *bool `json:"async"`
}

// React implements agent.Adapter by the rules measured on 2.1.325.
func (Adapter) React(r wire.Reply) wire.Reaction {
	if r.TimedOut {
		return r.Failed()
	}
	text := wire.TrimOutput(r.Stdout)
	if r.ExitCode == 2 && wire.Payload(wire.Keys(text)).String("decision") != "block" {
		return exitTwo(r)
	}
	failed := r.Failed()
	if len(text) == 0 || text[0] != '{' || !json.Valid(text) {
		switch {
		case r.ExitCode != 0:
			return failed
		case len(text) > 0 && text[0] == '{' && text[len(text)-1] == '}':
			return wire.Reaction{Outcome: wire.Misread, Why: "looks like JSON but is not"}
		}
		return wire.Reaction{Outcome: wire.Allowed} // plain text goes to the transcript only
	}
	if wire.HasNull(text, "continue", "suppressOutput", "stopReason", "decision", "reason", "systemMessage", "hookSpecificOutput") {
		return wire.Reaction{Outcome: wire.Misread, Why: "a known key is null"}
	}
	var s schema
	if err := json.Unmarshal(text, &s); err != nil {
		return wire.Reaction{Outcome: wire.Misread, Why: err.Error()}
	}
	return s.reaction(failed, r.ExitCode)
}

func (s schema) reaction(failed wire.Reaction, exit int) wire.Reaction {
	shown := wire.Deref(s.SystemMessage)
	switch d := wire.Deref(s.Decision); {
	case s.Decision != nil && d != "approve" && d != "block":
		return wire.Reaction{Outcome: wire.Misread, Why: "decision " + d}
	case s.Specific != nil && wire.Deref(s.Specific.Event) != "Stop":
		return wire.Reaction{Outcome: wire.Misread, Why: "hookSpecificOutput for another event"}
	case s.Continue != nil && !*s.Continue:
		return wire.Reaction{Outcome: wire.Halted, Shown: shown}
	case d == "block":
		reason := cmp.Or(wire.Deref(s.Reason), "Blocked by hook")
		return wire.Reaction{Outcome: wire.Blocked, Prompt: reason, Shown: shown}
	case s.Specific != nil && wire.Deref(s.Specific.Context) != "":
		context := *s.Specific.Context
		if len(context) > 10_000 {
			context = "Output too large" // it goes to a file, the model gets a preview
		}
		return wire.Reaction{Outcome: wire.Blocked, Prompt: context, Shown: shown}
	case exit != 0:
		return failed
	}
	return wire.Reaction{Outcome: wire.Allowed, Shown: shown}
}

// exitTwo is the reaction to exit code 2: stderr blocks, unless it reads like a missing script.
func exitTwo(r wire.Reply) wire.Reaction {
	if len(wire.TrimOutput(r.Stdout)) == 0 && wire.ContainsFold(r.Stderr, "no such file", "can't open") {
		return wire.Reaction{Outcome: wire.Misread, Why: "taken for a missing script"}
	}
	prompt := cmp.Or(string(wire.TrimOutput(r.Stderr)), "No stderr output")
	return wire.Reaction{Outcome: wire.Blocked, Prompt: prompt}
}

// Setup implements agent.Adapter. Only events that old builds know are used:
// they drop a whole file over one event name they do not know.
func (Adapter) Setup() wire.Setup {
	return wire.Setup{
		Label: "Claude Code", Programs: []string{"claude"}, Marks: []string{".claude", "CLAUDE.md"}, Skills: ".claude/skills",
		Shape: wire.Grouped, Root: "hooks",
		Path: func(s wire.Scope, d wire.Dirs) string {
			switch s {
			case wire.User:
				return wire.Join(wire.EnvDir(d, "CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
			case wire.Project:
				return wire.Join(d.Project, ".claude", "settings.json")
			case wire.Local:
				return wire.Join(d.Project, ".claude", "settings.local.json")
			}
			return ""
		},
		Unit: time.Second, TimeoutKey: "timeout", CommandKey: "command", Typed: true, PowerShell: true,
		Extra: []wire.Member{{Key: "statusMessage", JSON: `"Running the gauntlet"`}},
		Hooks: append(wire.ClaudeHooks("claude"), append(wire.ToolHooks("claude", "PreToolUse", "PostToolUse", "Bash", "Edit|MultiEdit|Write|NotebookEdit"),
			wire.Hook{Event: "SessionEnd", Kind: event.SessionEnd, Args: "hook tool --agent claude"})...),
		TaskHooks: []wire.Hook{
			{Event: "TaskCompleted", Kind: event.TaskStop, Args: "stop-hook --agent claude"},
			{Event: "TeammateIdle", Kind: event.TaskStop, Args: "stop-hook --agent claude"},
		},
		ProjectNotes: []string{"Claude Code reads project settings only when it is started in this directory; use --user to cover subdirectories too."},
		StatusLine:   "statusLine",
		Merged:       true,
		Pitfalls:     wire.AllHooksOff,
		Elsewhere:    []wire.Elsewhere{{File: managedSettings, Pitfalls: managedPitfalls}},
	}
}

// managedSettings is what an administrator sets for every user of the machine.
func managedSettings(d wire.Dirs) string {
	dir := "/etc/claude-code"
	switch runtime.GOOS {
	case "darwin":
		dir = "/Library/Application Support/ClaudeCode"
	case "windows":
		dir = `C:\Program Files\ClaudeCode`
	}
	return filepath.Join(d.System, dir, "managed-settings.json")
}

func managedPitfalls(text []byte) []string {
	settings := wire.Settings(text)
	out := wire.AllHooksOff(settings)
	if settings.Bool("allowManagedHooksOnly") {
		out = append(out, `"allowManagedHooksOnly" is true: only an administrator's hooks run; ask for Gauntlet's to be added there`)
	}
	return out
}
