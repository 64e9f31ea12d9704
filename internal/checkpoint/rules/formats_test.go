package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/transcript"
)

// The same corpus, written in the transcript formats of the agents: a rule that is correct
// for values has to be correct for what the clients really write.

type obj = map[string]any

// format writes a turn the way one client does; ok is false when the format cannot express
// the situation.
type format struct {
	name  string
	write func(calls []event.ToolCall) (text string, ok bool)
}

func formats() []format {
	return []format{
		{"claude", claudeTranscript},
		{"codex", codexPaginated},
		{"codex legacy", codexLegacy},
		{"codex programs", codexPrograms},
		{"gemini", geminiLog},
		{"gemini document", geminiDocument},
	}
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func lines(list []obj) string {
	var b strings.Builder
	for _, o := range list {
		data, err := json.Marshal(o)
		if err != nil {
			panic(err)
		}
		b.Write(data)
		b.WriteByte('\n')
	}
	return b.String()
}

func claudeTranscript(calls []event.ToolCall) (string, bool) {
	n := 0
	entry := func(kind string, at time.Time, cwd string, message obj, more obj) obj {
		n++
		if cwd == "" {
			cwd = corpusRoot
		}
		o := obj{
			"type": kind, "uuid": "u" + strconv.Itoa(n), "isSidechain": false, "timestamp": stamp(at), "cwd": cwd,
			"sessionId": "s", "version": "2.1.325", "message": message,
		}
		for k, v := range more {
			o[k] = v
		}
		return o
	}
	list := []obj{entry("user", corpusStart, "", obj{"role": "user", "content": "do it"}, obj{"promptId": "p1", "promptSource": "typed", "origin": obj{"kind": "human"}})}
	for _, c := range calls {
		input := obj{}
		name := map[event.ToolKind]string{event.ToolShell: "Bash", event.ToolRead: "Read", event.ToolEdit: "Edit", event.ToolWrite: "Write", event.ToolSearch: "Grep"}[c.Kind]
		switch c.Kind {
		case event.ToolShell:
			input["command"] = c.Command
			if c.Background {
				input["run_in_background"] = true
			}
		case event.ToolSearch:
			input["pattern"], input["path"] = "x", c.Paths[0]
		default:
			input["file_path"] = c.Paths[0]
		}
		list = append(list, entry("assistant", c.At, c.Dir, obj{
			"id": "m" + c.ID, "role": "assistant", "model": "claude-opus-5",
			"content": []obj{{"type": "tool_use", "id": c.ID, "name": name, "input": input}},
		}, nil))
		result := obj{"type": "tool_result", "tool_use_id": c.ID, "content": strings.TrimSuffix(c.Output, "\n")}
		more := obj{"toolUseResult": obj{"stdout": c.Output, "stderr": "", "interrupted": false}}
		switch {
		case c.Background:
			result["content"] = "Command running in background with ID: bash_1. Output is being written to: /tmp/x"
			more = obj{"toolUseResult": obj{"stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "bash_1"}}
		case c.Outcome == event.Unknown:
			continue
		case c.Outcome == event.Success && c.ExitCode != 0:
			more = obj{"toolUseResult": obj{"stdout": c.Output, "stderr": "", "interrupted": false, "returnCodeInterpretation": "No matches found"}}
		case c.Rejected:
			result["is_error"], result["content"] = true, "The user doesn't want to proceed with this tool use. The tool use was rejected."
			more = obj{"toolUseResult": "User rejected tool use"}
		case c.Outcome == event.Failure:
			text := strings.TrimSuffix(c.Output, "\n")
			if c.HasExit && !strings.HasPrefix(text, "Exit code") {
				text = strings.TrimSuffix(fmt.Sprintf("Exit code %d\n%s", c.ExitCode, text), "\n")
			}
			result["is_error"], result["content"] = true, text
			more = obj{"toolUseResult": "Error: " + text}
		}
		list = append(list, entry("user", c.At.Add(400*time.Millisecond), c.Dir, obj{"role": "user", "content": []obj{result}}, more))
	}
	return lines(list), true
}

// codexCall converts a call to one that Codex has: it reads and searches by shell.
func codexCall(c event.ToolCall) (event.ToolCall, bool) {
	switch c.Kind {
	case event.ToolRead:
		c.Kind, c.Command, c.HasExit = event.ToolShell, "cat "+c.Paths[0], true
	case event.ToolSearch:
		c.Kind, c.Command, c.HasExit = event.ToolShell, "grep -n x "+c.Paths[0], true
		if c.Outcome == event.Failure {
			c.ExitCode = 1
		}
	case event.ToolShell, event.ToolEdit, event.ToolWrite, event.ToolAgent, event.ToolOther:
	}
	// refusals and edits without a result leave no trace of a known shape
	if c.Rejected || c.Kind != event.ToolShell && c.Outcome != event.Success {
		return c, false
	}
	if c.Kind == event.ToolShell && c.Outcome == event.Failure && c.ExitCode == 0 {
		c.ExitCode = 1
	}
	c.Paths = slices.Clone(c.Paths)
	return c, true
}

func codexOutput(c event.ToolCall) string {
	if c.Background {
		return "Chunk ID: 1\nWall time: 10.0 seconds\nProcess running with session ID 7\nOriginal token count: 1\nOutput:\n" + c.Output
	}
	return fmt.Sprintf("Chunk ID: 1\nWall time: 0.4 seconds\nProcess exited with code %d\nOriginal token count: 1\nOutput:\n%s", c.ExitCode, c.Output)
}

func patchText(c event.ToolCall) (text, kind string) {
	name := strings.TrimPrefix(c.Paths[0], corpusRoot+"/")
	if c.Kind == event.ToolWrite {
		return "*** Begin Patch\n*** Add File: " + name + "\n+x\n*** End Patch\n", "add"
	}
	return "*** Begin Patch\n*** Update File: " + name + "\n@@\n-x\n+y\n*** End Patch\n", "update"
}

func codexPaginated(calls []event.ToolCall) (string, bool) {
	return codex(calls, true)
}

func codexLegacy(calls []event.ToolCall) (string, bool) {
	return codex(calls, false)
}

func codex(calls []event.ToolCall, paginated bool) (string, bool) {
	var list []obj
	add := func(at time.Time, kind string, payload obj) {
		o := obj{"timestamp": stamp(at), "type": kind, "payload": payload}
		if paginated {
			o["ordinal"] = len(list)
		}
		list = append(list, o)
	}
	item := func(at time.Time, it obj) {
		add(at.Add(400*time.Millisecond), "event_msg", obj{
			"type": "item_completed", "thread_id": "t", "turn_id": "turn-1", "item": it,
			"started_at_ms": at.UnixMilli(), "completed_at_ms": at.UnixMilli() + 400,
		})
	}
	meta := obj{"id": "t", "cwd": corpusRoot, "originator": "codex_exec", "cli_version": "0.166.0", "source": "exec"}
	if paginated {
		meta["history_mode"], meta["session_id"] = "paginated", "t"
	}
	add(corpusStart, "session_meta", meta)
	add(corpusStart, "turn_context", obj{"turn_id": "turn-1", "cwd": corpusRoot, "model": "gpt-5.5"})
	if paginated {
		item(corpusStart.Add(-400*time.Millisecond), obj{"type": "UserMessage", "id": "u1", "content": []obj{{"type": "text", "text": "do it"}}})
	} else {
		add(corpusStart, "event_msg", obj{"type": "user_message", "message": "do it"})
	}
	for _, c := range calls {
		c, expressible := codexCall(c)
		if !expressible {
			return "", false
		}
		if c.Kind != event.ToolShell {
			patch, kind := patchText(c)
			change := obj{c.Paths[0]: obj{"type": kind, "unified_diff": "@@ -1 +1 @@\n-x\n+y\n", "content": "x\n"}}
			add(c.At, "response_item", obj{"type": "custom_tool_call", "status": "completed", "call_id": c.ID, "name": "apply_patch", "input": patch})
			if paginated {
				item(c.At, obj{"type": "FileChange", "id": c.ID, "changes": change, "status": "completed"})
			} else {
				add(c.At, "event_msg", obj{"type": "patch_apply_end", "call_id": c.ID, "success": true, "changes": change, "status": "completed"})
			}
			add(c.At, "response_item", obj{"type": "custom_tool_call_output", "call_id": c.ID, "output": "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n"})
			continue
		}
		args := obj{"cmd": c.Command}
		dir := corpusRoot
		if c.Dir != "" {
			args["workdir"], dir = c.Dir, c.Dir
		}
		data, err := json.Marshal(args)
		if err != nil {
			panic(err)
		}
		add(c.At, "response_item", obj{"type": "function_call", "name": "exec_command", "arguments": string(data), "call_id": c.ID})
		if c.Outcome == event.Unknown && !c.Background {
			continue
		}
		if paginated && !c.Background {
			status := "completed"
			if c.ExitCode != 0 {
				status = "failed"
			}
			item(c.At, obj{
				"type": "CommandExecution", "id": c.ID, "command": []string{"/bin/bash", "-lc", c.Command}, "cwd": "file://" + dir,
				"status": status, "aggregated_output": c.Output, "exit_code": c.ExitCode,
			})
		}
		add(c.At.Add(500*time.Millisecond), "response_item", obj{"type": "function_call_output", "call_id": c.ID, "output": codexOutput(c)})
	}
	return lines(list), true
}

// codexPrograms is the legacy layout in code mode: every command is in a program that
// prints its result, with or without a status.
func codexPrograms(calls []event.ToolCall) (string, bool) {
	list := []obj{{"timestamp": stamp(corpusStart), "type": "session_meta", "payload": obj{"id": "t", "cwd": corpusRoot, "cli_version": "0.144.1", "history_mode": "legacy"}}}
	add := func(at time.Time, kind string, payload obj) {
		list = append(list, obj{"timestamp": stamp(at), "type": kind, "payload": payload})
	}
	add(corpusStart, "event_msg", obj{"type": "task_started", "turn_id": "turn-1"})
	add(corpusStart, "event_msg", obj{"type": "user_message", "message": "do it"})
	for _, c := range calls {
		c, expressible := codexCall(c)
		if !expressible || c.Background || c.Rejected {
			return "", false
		}
		end := c.At.Add(500 * time.Millisecond)
		printed := []obj{{"type": "input_text", "text": "Script completed\nWall time 0.2 seconds\nOutput:\n"}}
		source := ""
		if c.Kind != event.ToolShell {
			patch, kind := patchText(c)
			source = "const patch = " + quoted(patch) + ";\ntext(await tools.apply_patch(patch));\n"
			add(c.At, "response_item", obj{"type": "custom_tool_call", "status": "completed", "call_id": c.ID, "name": "exec", "input": source})
			change := obj{c.Paths[0]: obj{"type": kind, "unified_diff": "@@ -1 +1 @@\n-x\n+y\n", "content": "x\n"}}
			add(c.At, "event_msg", obj{"type": "patch_apply_end", "call_id": "exec-" + c.ID, "success": true, "changes": change, "status": "completed"})
			printed = append(printed, obj{"type": "input_text", "text": "{}"})
		} else {
			dir := c.Dir
			if dir == "" {
				dir = corpusRoot
			}
			source = "const r = await tools.exec_command({cmd:" + quoted(c.Command) + ", workdir:" + quoted(dir) + ", yield_time_ms:10000});\n"
			if c.Ended {
				source += "text(r.output);\n"
				printed = append(printed, obj{"type": "input_text", "text": c.Output})
			} else {
				source += "text(JSON.stringify(r));\n"
				result, err := json.Marshal(obj{"chunk_id": "1", "exit_code": c.ExitCode, "output": c.Output})
				if err != nil {
					panic(err)
				}
				printed = append(printed, obj{"type": "input_text", "text": string(result)})
			}
			add(c.At, "response_item", obj{"type": "custom_tool_call", "status": "completed", "call_id": c.ID, "name": "exec", "input": source})
			if c.Outcome == event.Unknown && !c.Ended {
				continue
			}
		}
		add(end, "response_item", obj{"type": "custom_tool_call_output", "call_id": c.ID, "output": printed})
	}
	return lines(list), true
}

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func geminiMessages(calls []event.ToolCall) ([]obj, bool) {
	list := []obj{{"id": "u1", "timestamp": stamp(corpusStart), "type": "user", "content": []obj{{"text": "do it"}}}}
	for i, c := range calls {
		name := map[event.ToolKind]string{
			event.ToolShell: "run_shell_command", event.ToolRead: "read_file", event.ToolEdit: "replace",
			event.ToolWrite: "write_file", event.ToolSearch: "grep_search",
		}[c.Kind]
		args, response, status := obj{}, obj{}, "success"
		switch c.Kind {
		case event.ToolShell:
			args["command"] = c.Command
			if c.Dir != "" {
				args["dir_path"] = c.Dir
			}
			out := "Output: " + c.Output
			if c.Output == "" {
				out = "Output: (empty)\n"
			}
			if c.ExitCode != 0 {
				out += fmt.Sprintf("Exit Code: %d\n", c.ExitCode)
			}
			response["output"] = "<untrusted_context>\n" + out + "Process Group PGID: 31646\n</untrusted_context>"
			if c.Background {
				args["is_background"] = true
				response["output"] = "Command moved to background (PID: 5). Output hidden. Press Ctrl+B to view."
			}
		case event.ToolSearch:
			args["pattern"] = "x"
			response["output"] = "Found 1 match for pattern \"x\" in path \".\":\n---\nFile: " + strings.TrimPrefix(c.Paths[0], corpusRoot+"/") + "\nL1: x\n---"
		default:
			args["file_path"] = c.Paths[0]
			response["output"] = c.Output
		}
		switch {
		case c.Rejected:
			status = "cancelled"
			response = obj{"error": "[Operation Cancelled] Reason: User cancelled"}
		case c.Outcome == event.Failure && c.Kind != event.ToolShell:
			status = "error"
			response = obj{"error": c.Output + " "}
		}
		call := obj{"id": c.ID, "name": name, "args": args, "status": status, "timestamp": stamp(c.At.Add(400 * time.Millisecond))}
		if c.Outcome == event.Unknown && !c.Background {
			call["status"] = "executing"
		} else {
			call["result"] = []obj{{"functionResponse": obj{"id": c.ID, "name": name, "response": response}}}
		}
		id := "g" + strconv.Itoa(i)
		list = append(list, obj{"id": id, "timestamp": stamp(c.At), "type": "gemini", "content": "", "model": "gemini-2.5-pro", "toolCalls": []obj{call}})
	}
	return list, true
}

func geminiLog(calls []event.ToolCall) (string, bool) {
	list, expressible := geminiMessages(calls)
	head := obj{"sessionId": "s", "projectHash": "h", "startTime": stamp(corpusStart), "lastUpdated": stamp(corpusStart), "kind": "main"}
	return lines(append([]obj{head}, list...)), expressible
}

func geminiDocument(calls []event.ToolCall) (string, bool) {
	list, expressible := geminiMessages(calls)
	data, err := json.MarshalIndent(obj{"sessionId": "s", "projectHash": "h", "startTime": stamp(corpusStart), "lastUpdated": stamp(corpusStart), "messages": list}, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(data), expressible
}

func TestCorpusInEveryFormat(t *testing.T) {
	all := loadCorpus(t)
	dir := t.TempDir()
	for _, f := range formats() {
		t.Run(f.name, func(t *testing.T) {
			written := 0
			var sc score
			for i, s := range all {
				if !s.formats || len(s.in.Turn.Calls) == 0 || len(s.in.Turn.Earlier) > 0 {
					continue
				}
				text, expressible := f.write(s.in.Turn.Calls)
				ended := slices.ContainsFunc(s.in.Turn.Calls, func(c event.ToolCall) bool { return c.Ended })
				mild := slices.ContainsFunc(s.in.Turn.Calls, func(c event.ToolCall) bool { return c.Outcome == event.Success && c.ExitCode != 0 })
				if !expressible || ended && f.name != "codex programs" || mild && f.name != "claude" { // the others always record a status, and take all but 0 for a failure
					continue
				}
				written++
				path := filepath.Join(dir, strings.ReplaceAll(f.name, " ", "-")+strconv.Itoa(i)+".jsonl")
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				turn, err := transcript.Read(path, transcript.Options{})
				if err != nil || !turn.Readable || turn.Truncated || len(turn.Calls) != len(s.in.Turn.Calls) {
					t.Errorf("%s: %s: read as %s with %d of %d calls: %v", s.file, s.title, turn.Format, len(turn.Calls), len(s.in.Turn.Calls), err)
					continue
				}
				s.in.Turn = TurnOf(turn)
				before := sc
				sc.compare(t, f.name, s, Decide(s.in))
				if sc != before {
					t.Logf("%s", text)
				}
			}
			if written < 150 {
				t.Errorf("only %d situations could be written", written)
			}
			t.Logf("%d situations: %d false nudges, %d missed gaps", written, sc.falseNudges, sc.missedGaps)
		})
	}
}
