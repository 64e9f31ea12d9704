package wire

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/event"
)

// What the self-test sends. A session of its own never touches a real one.
const (
	SampleSession = "gauntlet-doctor"
	SampleTurn    = "gauntlet-doctor-turn"
	SampleMessage = "Self-test of gauntlet doctor."
)

// PlainContext is context for clients that give a hook's plain output to the model.
func PlainContext(k event.Kind, text string) []byte {
	text = strings.TrimSpace(Clean(text))
	if text == "" || k != event.SessionStart && k != event.Prompt {
		return nil
	}
	return []byte(text + "\n")
}

// SpecificContext is context for clients that want hookSpecificOutput; prompt is
// their name for a prompt.
func SpecificContext(k event.Kind, prompt, text string) []byte {
	name := "SessionStart"
	switch k {
	case event.SessionStart:
	case event.Prompt:
		name = prompt
	case event.Stop, event.SubagentStop, event.SessionEnd, event.ToolStart, event.ToolEnd, event.TaskStop, event.Other:
		return nil
	}
	return specificContext(name, text)
}

// ToolContext is context in answer to a finished tool call, for clients with Claude Code's
// event names.
func ToolContext(text string) []byte { return specificContext("PostToolUse", text) }

func specificContext(name, text string) []byte {
	if text = strings.TrimSpace(Clean(text)); text == "" {
		return nil
	}
	type specific struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	return Line(struct {
		Specific specific `json:"hookSpecificOutput"`
	}{specific{Event: name, Context: text}})
}

// StartContext is context for clients that take it at the start of a session
// only, under a key of their own.
func StartContext(k event.Kind, key, text string) []byte {
	if text = strings.TrimSpace(Clean(text)); k != event.SessionStart || text == "" {
		return nil
	}
	return Line(map[string]string{key: text})
}

// ClaudeHooks are the hooks of clients with Claude Code's event names.
func ClaudeHooks(agent string) []Hook {
	return []Hook{
		{Event: "Stop", Kind: event.Stop, Args: "stop-hook --agent " + agent},
		{Event: "SubagentStop", Kind: event.SubagentStop, Args: "stop-hook --agent " + agent},
		{Event: "SubagentStop", Kind: event.SubagentStop, Args: "hook subagent-stop --agent " + agent},
		{Event: "UserPromptSubmit", Kind: event.Prompt, Args: "hook prompt --agent " + agent},
		{Event: "SessionStart", Kind: event.SessionStart, Args: "hook session-start --agent " + agent},
	}
}

// ToolHooks are the event before a shell call, and the one after a shell call or an edit, by
// the client's names for the events and the tools; the tools are "" where the client cannot
// choose.
func ToolHooks(agent, before, after, shell, edits string) []Hook {
	args := "hook tool --agent " + agent
	return []Hook{
		{Event: before, Kind: event.ToolStart, Args: args, Matcher: shell},
		{Event: after, Kind: event.ToolEnd, Args: args, Matcher: strings.Trim(shell+"|"+edits, "|")},
	}
}

// TrimOutput returns a hook's output as clients read it: white space and a byte
// order mark at its ends do not count.
func TrimOutput(b []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(b), []byte("\xef\xbb\xbf")))
}

// HasNull reports whether one of the object's members under keys is null.
func HasNull(object []byte, keys ...string) bool {
	m := Keys(object)
	return slices.ContainsFunc(keys, func(k string) bool { return string(m[k]) == "null" })
}

// Keys are the top-level keys of an object, nil when b is not one.
func Keys(b []byte) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(b, &m) != nil {
		return nil
	}
	return m
}

// ContainsFold reports whether b contains one of the texts, in any case.
func ContainsFold(b []byte, texts ...string) bool {
	low := bytes.ToLower(b)
	return slices.ContainsFunc(texts, func(t string) bool { return bytes.Contains(low, []byte(t)) })
}

// UnderDir reports whether path contains a directory called name.
func UnderDir(path, name string) bool {
	// A Windows path may be read on another platform: both separators count everywhere.
	return strings.Contains(strings.ReplaceAll(path, `\`, "/"), "/"+name+"/")
}

// Deref is *s, or "" for nil.
func Deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Join is filepath.Join, but empty below an unknown directory.
func Join(dir string, elem ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, elem...)...)
}
