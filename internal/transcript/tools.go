package transcript

import (
	"strings"
	"time"

	"gauntlet/internal/event"
)

// toolKind is what a tool does, by its name: the clients give no two meanings
// to one name.
func toolKind(name string) event.ToolKind {
	switch name {
	case "Bash", "bash", "PowerShell", "powershell", "Execute", "run_shell_command", "local_shell",
		"exec_command", "shell", "shell_command", "container.exec":
		return event.ToolShell
	case "Read", "NotebookRead", "read", "view", "read_file", "read_many_files":
		return event.ToolRead
	case "Edit", "MultiEdit", "NotebookEdit", "edit", "multiedit", "smart_edit", "replace", "str_replace", "insert",
		"apply_patch", "ApplyPatch", "patch":
		return event.ToolEdit
	case "Write", "Create", "write", "create", "write_file":
		return event.ToolWrite
	case "Grep", "Glob", "LS", "grep", "glob", "rg", "list", "grep_search", "search_file_content", "list_directory":
		return event.ToolSearch
	case "Agent", "Task", "agent", "task", "invoke_agent", "delegate_to_agent", "spawn_agent":
		return event.ToolAgent
	}
	return serverTool(name)
}

// serverTool is what a tool of an MCP server does, by its name:
// mcp__filesystem__write_file writes. Others than those that read and write
// files are not understood.
func serverTool(name string) event.ToolKind {
	if !strings.HasPrefix(name, "mcp__") {
		return event.ToolOther
	}
	verb := name[strings.LastIndex(name, "__")+2:]
	for _, v := range []string{"write", "edit", "replace", "insert", "create", "patch", "move", "delete"} {
		if strings.HasPrefix(verb, v) {
			return event.ToolWrite
		}
	}
	if strings.HasPrefix(verb, "read") {
		return event.ToolRead
	}
	return event.ToolOther
}

// newCall is a call of which nothing but its name is known yet.
func newCall(id, name string, at time.Time) *event.ToolCall {
	return &event.ToolCall{ID: id, Name: name, Kind: toolKind(name), Outcome: event.Unknown, At: at}
}

// Call is a call by what a client says of it before it ends.
func Call(id, name string, input []byte) *event.ToolCall {
	call := newCall(id, name, time.Time{})
	toolInput(call, input)
	return call
}

// toolInput reads what a call was given, in any of the clients' spellings.
func toolInput(call *event.ToolCall, input []byte) {
	shell, patch := call.Kind == event.ToolShell, input
	for k, v := range members(input) {
		switch string(k) {
		case "command":
			if shell {
				call.Command = command(v)
			}
		case "cwd", "workdir", "dir_path", "directory":
			if dir := text(v); shell && dir != "" {
				call.Dir = dir
			}
		case "run_in_background", "is_background", "fireAndForget":
			call.Background = shell && isTrue(v)
		case "file_path", "filePath", "notebook_path", "absolute_path", "relative_path", "path":
			if p := text(v); p != "" && !shell && call.Kind != event.ToolAgent {
				call.Paths = append(call.Paths, p)
			}
		case "include", "paths":
			if call.Kind == event.ToolRead {
				for p := range elements(v, 256) {
					call.Paths = append(call.Paths, text(p))
				}
			}
		case "input", "patch", "patchText":
			patch = v
		}
	}
	switch call.Name {
	case "apply_patch", "ApplyPatch", "patch":
		t := patchPaths(text(bounded(patch)))
		call.Paths = append(t.edited, t.other...)
	}
}

// command decodes a command line. One too long to keep whole is not kept at
// all: half a command line would prove what the other half denies.
func command(raw []byte) string {
	if len(raw) > commandBytes {
		return ""
	}
	return text(raw)
}
