package wire

import "gauntlet/internal/event"

// claudeKind reads the event names of the Claude family; clients outside it have
// their own table.
func claudeKind(name string) event.Kind {
	switch name {
	case "SubagentStop":
		return event.SubagentStop
	case "UserPromptSubmit":
		return event.Prompt
	case "SessionStart":
		return event.SessionStart
	case "SessionEnd":
		return event.SessionEnd
	case "PreToolUse":
		return event.ToolStart
	case "PostToolUse", "PostToolUseFailure":
		return event.ToolEnd
	case "TaskCompleted", "TeammateIdle":
		return event.TaskStop
	case "PostToolBatch", "Notification", "UserPromptExpansion",
		"StopFailure", "SubagentStart", "PreCompact", "PostCompact", "PermissionRequest", "PermissionDenied",
		"Setup", "TaskCreated", "Elicitation", "ElicitationResult", "ConfigChange",
		"WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged", "MessageDisplay",
		"PreModelSwitch", "PostModelSwitch", "DirectoryAdded":
		return event.Other
	}
	// "Stop", no name, or an unknown one: a client that calls the stop hook
	// means a stop.
	return event.Stop
}

// DecodeClaudeLike reads the fields that the Claude family of clients has in
// common, in both spellings. The turn id is each client's own.
func DecodeClaudeLike(p Payload) event.Event {
	ev := event.Event{
		Kind:               claudeKind(p.String("hook_event_name", "hookEventName")),
		SessionID:          p.String("session_id", "sessionId"),
		Cwd:                p.String("cwd"),
		TranscriptPath:     p.String("transcript_path", "transcriptPath"),
		StopHookActive:     p.Bool("stop_hook_active", "stopHookActive"),
		LastMessage:        p.String("last_assistant_message", "lastAssistantMessage"),
		Prompt:             p.String("prompt"),
		Model:              p.String("model"),
		PermissionMode:     p.String("permission_mode", "permissionMode"),
		SubagentID:         p.String("agent_id", "agentId"),
		SubagentType:       p.String("agent_type", "agentType"),
		SubagentTranscript: p.String("agent_transcript_path", "agentTranscriptPath"),
		Context:            contextWindow(p),
	}
	// A stop that carries an agent id is that agent's, whatever it is called.
	if ev.Kind == event.Stop && ev.SubagentID != "" {
		ev.Kind = event.SubagentStop
	}
	switch ev.Kind {
	case event.ToolStart, event.ToolEnd:
		ev.Tool = ToolCall(p)
	case event.Stop, event.SubagentStop, event.Prompt, event.SessionStart, event.SessionEnd, event.TaskStop, event.Other:
	}
	for _, task := range p.Objects("background_tasks") {
		// Clients whose tasks have no type list sub-agents only.
		if typ := task.String("type"); typ != "subagent" && typ != "" || ev.SubagentID != "" && task.String("id") == ev.SubagentID {
			continue
		}
		switch task.String("status") {
		case "running", "pending":
			ev.BackgroundAgents++
		}
	}
	return ev
}
