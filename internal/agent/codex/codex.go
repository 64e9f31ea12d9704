// Package codex is the adapter for Codex CLI. Its parser refuses any key it does not
// know and the word "approve", so it gets its native minimum: silence, a system
// message, or exactly decision and reason.
package codex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

// reasonBytes bounds the reason as Codex counts it: about 2,500 tokens of four
// bytes, after the XML escaping it applies. Above that it cuts the text itself
// and puts the rest into a file.
const reasonBytes = 9_600

// Adapter is Codex CLI.
type Adapter struct{}

// Name implements agent.Adapter.
func (Adapter) Name() string { return "codex" }

// Aliases implements agent.Adapter.
func (Adapter) Aliases() []string { return []string{"codex-cli", "openai-codex"} }

// Detect implements agent.Adapter: turn_id is Codex's own; events outside a
// turn are recognised by their rollout file.
func (Adapter) Detect(p wire.Payload) bool {
	if p.Has("prompt_id") {
		return false
	}
	base := filepath.Base(filepath.ToSlash(p.String("transcript_path")))
	return p.String("turn_id") != "" || p.Has("thread-id") || strings.HasPrefix(base, "rollout-")
}

// Decode implements agent.Adapter. The older notify program gets the end of a
// turn too, in kebab case.
func (Adapter) Decode(p wire.Payload) event.Event {
	ev := wire.DecodeClaudeLike(p)
	ev.TurnID = p.String("turn_id", "turn-id")
	if p.Has("thread-id", "type") {
		ev.SessionID = p.String("thread-id")
		ev.LastMessage = p.String("last-assistant-message")
		if prompts := p.Strings("input-messages"); len(prompts) > 0 {
			ev.Prompt = prompts[len(prompts)-1]
		}
		if p.String("type") != "agent-turn-complete" {
			ev.Kind = event.Other
		}
	}
	return ev
}

// Encode implements agent.Adapter.
func (Adapter) Encode(_ event.Event, v event.Verdict) []byte {
	return wire.EncodeNative("block", wire.Shorten(wire.Reason(v), reasonBytes, escapedSize), v)
}

// escapedSize is the size of s once & < > are written as entities.
func escapedSize(s string) int {
	return len(s) + 4*strings.Count(s, "&") + 3*strings.Count(s, "<") + 3*strings.Count(s, ">")
}

// EncodeContext implements agent.Adapter: plain text becomes a developer message.
func (Adapter) EncodeContext(k event.Kind, text string) []byte { return wire.PlainContext(k, text) }

// Sample implements agent.Adapter.
func (Adapter) Sample(cwd string) []byte {
	return bytes.TrimSpace(wire.Line(map[string]any{
		"session_id": wire.SampleSession, "turn_id": wire.SampleTurn, "transcript_path": nil, "cwd": cwd, "hook_event_name": "Stop",
		"model": "gpt-5.5", "permission_mode": "default", "stop_hook_active": false, "last_assistant_message": wire.SampleMessage,
	}))
}

// schema is everything that Codex accepts; null counts as absent.
type schema struct {
	Continue       *bool   `json:"continue"`
	StopReason     *string `json:"stopReason"`
	SuppressOutput *bool   `json:"suppressOutput"`
	SystemMessage  *string `json:"systemMessage"`
	Decision       *string `json:"decision"`
	Reason         *string `json:"reason"`
}

// React implements agent.Adapter by the rules measured on 0.166.0.
func (Adapter) React(r wire.Reply) wire.Reaction {
	misread := func(why string) wire.Reaction { return wire.Reaction{Outcome: wire.Misread, Why: why} }
	switch {
	case r.TimedOut:
		return r.Failed()
	case r.ExitCode == 2:
		if prompt := strings.TrimSpace(string(r.Stderr)); prompt != "" {
			return wire.Reaction{Outcome: wire.Blocked, Prompt: prompt}
		}
		return misread("exit code 2 without stderr")
	case r.ExitCode != 0:
		return r.Failed()
	}
	text := wire.TrimOutput(r.Stdout)
	if len(text) == 0 {
		return wire.Reaction{Outcome: wire.Allowed}
	}
	var s schema
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return misread(err.Error())
	}
	if dec.More() {
		return misread("more than one JSON value")
	}
	shown := wire.Deref(s.SystemMessage)
	switch d := wire.Deref(s.Decision); {
	case s.Decision != nil && d != "block":
		return misread("decision " + d)
	case s.Continue != nil && !*s.Continue:
		return wire.Reaction{Outcome: wire.Halted, Shown: shown}
	case d == "block" && strings.TrimSpace(wire.Deref(s.Reason)) == "":
		return misread("block without a reason")
	case d == "block":
		return wire.Reaction{Outcome: wire.Blocked, Prompt: *s.Reason, Shown: shown}
	}
	return wire.Reaction{Outcome: wire.Allowed, Shown: shown}
}

// Setup implements agent.Adapter.
func (Adapter) Setup() wire.Setup {
	home := func(d wire.Dirs) string { return wire.EnvDir(d, "CODEX_HOME", ".codex") }
	return wire.Setup{
		Label: "Codex", Programs: []string{"codex"}, Marks: []string{".codex"}, Skills: ".agents/skills",
		Shape: wire.Grouped, Root: "hooks",
		Path: wire.UserAndProject(func(d wire.Dirs) string { return wire.Join(home(d), "hooks.json") }, ".codex", "hooks.json"),
		Unit: time.Second, TimeoutKey: "timeout", CommandKey: "command", Typed: true, PowerShell: true, WindowsKey: "commandWindows",
		Hooks: append(wire.ClaudeHooks("codex"), wire.Hook{Event: "PostToolUse", Kind: event.ToolEnd, Args: "hook tool --agent codex"}),
		Pitfalls: func(top wire.Payload) []string {
			for key := range top {
				if key != "hooks" && key != "description" {
					return []string{fmt.Sprintf("Codex skips the whole file because of the key %q: only \"hooks\" and \"description\" are allowed; remove it", key)}
				}
			}
			return nil
		},
		Elsewhere: []wire.Elsewhere{
			{File: func(d wire.Dirs) string { return wire.Join(home(d), "config.toml") }, Pitfalls: featureOff},
			{File: func(d wire.Dirs) string { return wire.Join(d.Project, ".codex", "config.toml") }, Pitfalls: featureOff},
		},
		Trust: &wire.Trust{
			File:  func(d wire.Dirs) string { return wire.Join(home(d), "config.toml") },
			Table: trustTable,
			Hash:  trustHash,
			How:   "start codex and trust the hooks when it asks, or type /hooks",
		},
	}
}

// featureOff finds the switch of all hooks in config.toml, under its present and its
// former name: a table, dotted keys or an inline table.
func featureOff(text []byte) []string {
	table := ""
	for raw := range bytes.Lines(text) {
		line, _, _ := strings.Cut(strings.TrimSpace(string(raw)), "#")
		if strings.HasPrefix(line, "[") {
			table = strings.ReplaceAll(strings.Trim(line, "[] \t"), `"`, "")
			continue
		}
		if inner, ok := strings.CutPrefix(strings.ReplaceAll(line, " ", ""), "features={"); ok && table == "" {
			line = "features." + strings.ReplaceAll(strings.TrimSuffix(inner, "}"), ",", "\nfeatures.")
		}
		for pair := range strings.Lines(line) {
			key, value, _ := strings.Cut(pair, "=")
			key = strings.ReplaceAll(strings.TrimSpace(key), `"`, "")
			if table != "" {
				key = table + "." + key
			}
			if (key == "features.hooks" || key == "features.codex_hooks") && strings.TrimSpace(value) == "false" {
				return []string{fmt.Sprintf("%q is false: no hook runs; remove it", key)}
			}
		}
	}
	return nil
}
