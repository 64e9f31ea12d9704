package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/event"
)

func codexLine(typ, payload string) string {
	return `{"timestamp":"2026-01-01T10:00:05Z","type":"` + typ + `","payload":` + payload + `}`
}

const codexPrompt = `{"timestamp":"2026-01-01T10:00:00Z","type":"event_msg","payload":{"type":"user_message","message":"go"}}`

func shown(c event.ToolCall) string {
	s := fmt.Sprintf("%s %s", c.Kind, c.Outcome)
	if c.Command != "" {
		s += " " + c.Command
	}
	if len(c.Paths) > 0 {
		s += " " + strings.Join(c.Paths, ",")
	}
	if c.HasExit {
		s += fmt.Sprintf(" exit=%d", c.ExitCode)
	}
	if c.Rejected {
		s += " rejected"
	}
	if c.Background {
		s += " background"
	}
	return s
}

func TestCodexOutcomes(t *testing.T) {
	call := func(id, name, args string) string {
		return codexLine("response_item", `{"type":"function_call","name":"`+name+`","call_id":"`+id+`","arguments":`+quote(args)+`}`)
	}
	out := func(id, text string) string {
		return codexLine("response_item", `{"type":"function_call_output","call_id":"`+id+`","output":`+quote(text)+`}`)
	}
	patch := "*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** Add File: b.go\n+z\n*** End Patch\n"
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"legacy pair", []string{call("1", "exec_command", `{"cmd":"make"}`), out("1", "Chunk ID: x\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\nok")}, []string{"shell success make exit=0"}},
		{"argument vector", []string{call("1", "shell", `{"command":["bash","-lc","make all"],"workdir":"/r"}`), out("1", `{"output":"no","metadata":{"exit_code":2}}`)}, []string{"shell failure make all exit=2"}},
		{"vector without a shell", []string{call("1", "shell", `{"command":["ls","a b"]}`)}, []string{"shell unknown ls 'a b'"}},
		{"the output's own words are not the harness's", []string{call("1", "exec_command", `{"cmd":"make"}`), out("1", "Chunk ID: x\nWall time: 1 seconds\nProcess exited with code 1\nOutput:\nProcess exited with code 0\n")}, []string{"shell failure make exit=1"}},
		{"the quoted command's words neither", []string{call("1", "exec_command", `{"cmd":"echo"}`), out("1", "Command: /bin/bash -lc 'echo\nProcess exited with code 0\n'\nChunk ID: x\nWall time: 1 seconds\nProcess exited with code 3\nOutput:\n")}, []string{"shell failure echo exit=3"}},
		{"running", []string{call("1", "exec_command", `{"cmd":"make"}`), out("1", "Chunk ID: x\nWall time: 10 seconds\nProcess running with session ID 7\nOutput:\n")}, []string{"shell unknown make background"}},
		{"running, polled to its end", []string{
			call("1", "exec_command", `{"cmd":"make"}`), out("1", "Chunk ID: x\nWall time: 10 seconds\nProcess running with session ID 7\nOutput:\n"),
			call("2", "write_stdin", `{"session_id":7,"chars":""}`), out("2", "Chunk ID: y\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\ndone"),
		}, []string{"shell success make exit=0", "other unknown"}},
		{"no result", []string{call("1", "exec_command", `{"cmd":"make"}`)}, []string{"shell unknown make"}},
		{"refused by a hook", []string{call("1", "exec_command", `{"cmd":"make"}`), out("1", "Command blocked by PreToolUse hook: no. Command: make")}, []string{"shell failure make rejected"}},
		{"patch in the shell", []string{call("1", "exec_command", `{"cmd":`+quote("apply_patch <<'EOF'\n"+patch+"EOF")+`}`), out("1", "Chunk ID: x\nWall time: 0 seconds\nProcess exited with code 0\nOutput:\n")}, []string{"edit success a.go exit=0", "write success b.go exit=0"}},
		{"patch that does not fit", []string{
			codexLine("response_item", `{"type":"custom_tool_call","name":"apply_patch","call_id":"1","input":`+quote(patch)+`}`),
			codexLine("response_item", `{"type":"custom_tool_call_output","call_id":"1","output":"apply_patch verification failed: no such lines"}`),
		}, []string{"edit failure a.go", "write failure b.go"}},
		{"declined command", []string{codexLine("event_msg", `{"type":"item_completed","turn_id":"t","item":{"type":"CommandExecution","id":"1","command":["/bin/bash","-lc","make"],"status":"declined"}}`)}, []string{"shell failure make rejected"}},
		{"declined patch", []string{codexLine("event_msg", `{"type":"item_completed","turn_id":"t","item":{"type":"FileChange","id":"1","changes":{"/r/a.go":{"type":"update"}},"status":"declined"}}`)}, []string{"edit failure /r/a.go rejected"}},
		{"moved file", []string{codexLine("event_msg", `{"type":"item_completed","turn_id":"t","item":{"type":"FileChange","id":"1","changes":{"/r/a.go":{"type":"update","move_path":"/r/b.go"},"/r/c.go":{"type":"delete"}},"status":"completed"}}`)}, []string{"edit success /r/a.go", "write success /r/b.go,/r/c.go"}},
		{"old event", []string{codexLine("event_msg", `{"type":"exec_command_end","call_id":"1","command":["bash","-lc","make"],"cwd":"/r","exit_code":0}`)}, []string{"shell success make exit=0"}},
		{"old local shell", []string{codexLine("response_item", `{"type":"local_shell_call","call_id":"1","action":{"type":"exec","command":["make","all"]}}`)}, []string{"shell unknown make all"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn, err := Read(write(t, append([]string{codexPrompt}, tt.lines...)...), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range turn.Calls {
				got = append(got, shown(c))
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("calls:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestCodexHuman(t *testing.T) {
	message := func(text, meta string) string {
		return codexLine("response_item", `{"type":"message","id":"m","role":"user","content":[{"type":"input_text","text":`+quote(text)+`}]`+meta+`}`)
	}
	from := func(kind string) string {
		return `,"internal_chat_message_metadata_passthrough":{"content_item_metadata":[{"provenance":{"type":"` + kind + `"}}]}`
	}
	call := codexLine("response_item", `{"type":"function_call","name":"exec_command","call_id":"1","arguments":"{\"cmd\":\"make\"}"}`)
	for _, tt := range []struct {
		name   string
		line   string
		begins bool
	}{
		{"user message item", codexLine("event_msg", `{"type":"item_completed","item":{"type":"UserMessage","id":"i","content":[{"type":"text","text":"more"}]}}`), true},
		{"user provenance", message("more", from("user")), true},
		{"hook provenance", message("more", from("harness")), false},
		{"hook prompt", message(`<hook_prompt hook_run_id="x">run tests</hook_prompt>`, ""), false},
		{"hook item", codexLine("event_msg", `{"type":"item_completed","item":{"type":"HookPrompt","id":"i","fragments":[{"text":"run tests"}]}}`), false},
		{"aborted", message("<turn_aborted>by user</turn_aborted>", ""), false},
		{"environment", message("<environment_context>x</environment_context>", ""), false},
		{"untold text, with a surer one before", message("more", ""), false},
		{"typed into the pane by Gauntlet", codexLine("event_msg", `{"type":"user_message","message":"Context-aware checkpoint\n\n1. x"}`), false},
		{"compaction", codexLine("compacted", `{"message":"summary"}`), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn, err := Read(write(t, codexPrompt, call, tt.line), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(turn.Calls) == 0; got != tt.begins {
				t.Errorf("begins a turn = %v, want %v (human %q)", got, tt.begins, turn.HumanText)
			}
		})
	}
	t.Run("untold text alone", func(t *testing.T) {
		turn, err := Read(write(t, call, message("more", "")), Options{})
		if err != nil || turn.HumanText != "more" || len(turn.Calls) != 0 {
			t.Errorf("turn = %+v, %v", turn, err)
		}
	})
}

func TestClaudeOutcomes(t *testing.T) {
	bash := func(id, input string) string {
		return `{"type":"assistant","uuid":"a","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"` + id + `","name":"Bash","input":` + input + `}]}}`
	}
	result := func(id, content, block, line string) string {
		return `{"type":"user","uuid":"r","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `","content":` + content + block + `}]}` + line + `}`
	}
	user := func(text string) string {
		return `{"type":"user","uuid":"n","sessionId":"s","message":{"content":` + quote(text) + `}}`
	}
	started := result("1", `"Command running in background with ID: b1."`, "", `,"toolUseResult":{"backgroundTaskId":"b1"}`)
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"success", []string{bash("1", `{"command":"make"}`), result("1", `"ok"`, `,"is_error":false`, "")}, "shell success make exit=0"},
		{"failure", []string{bash("1", `{"command":"make"}`), result("1", `"Exit code 2\nno"`, `,"is_error":true`, `,"toolUseResult":"Error: Exit code 2"`)}, "shell failure make exit=2"},
		{"refused by the person", []string{bash("1", `{"command":"make"}`), result("1", `"The user doesn't want to proceed with this tool use."`, `,"is_error":true`, `,"toolUseResult":"User rejected tool use"`)}, "shell failure make rejected"},
		{"refused by the harness", []string{bash("1", `{"command":"make"}`), result("1", `"<tool_use_error>no</tool_use_error>"`, `,"is_error":true`, "")}, "shell failure make rejected"},
		{"interrupted", []string{bash("1", `{"command":"make"}`), result("1", `""`, "", `,"toolUseResult":{"interrupted":true}`)}, "shell unknown make"},
		{"a status that is not a failure", []string{bash("1", `{"command":"grep x y"}`), result("1", `""`, "", `,"toolUseResult":{"returnCodeInterpretation":"No matches found"}`)}, "shell success grep x y exit=1"},
		{"background", []string{bash("1", `{"command":"make","run_in_background":true}`), started}, "shell unknown make background"},
		{"background, no result", []string{bash("1", `{"command":"make","run_in_background":true}`)}, "shell unknown make background"},
		{"background, ended well", []string{bash("1", `{"command":"make"}`), started, user("<task-notification>\n<tool-use-id>1</tool-use-id>\n<status>completed</status>\n<summary>Background command \"x\" completed (exit code 0)</summary>\n</task-notification>")}, "shell success make exit=0"},
		{"background, ended badly", []string{bash("1", `{"command":"make"}`), started, user("<task-notification>\n<tool-use-id>1</tool-use-id>\n<status>failed</status>\n<summary>Background command \"x\" failed (exit code 1)</summary>\n</task-notification>")}, "shell failure make exit=1"},
		{"background, the notice names the task only", []string{bash("1", `{"command":"make"}`), started, user("<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n<summary>Background command \"x\" completed (exit code 0)</summary>\n</task-notification>\nRead the output file")}, "shell success make exit=0"},
		{"background, failed with a status", []string{bash("1", `{"command":"make"}`), started, user("<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>\n<summary>Background command \"x\" failed with exit code 143</summary>\n</task-notification>")}, "shell failure make exit=143"},
		{"background, the notice of another task", []string{bash("1", `{"command":"make"}`), started, user("<task-notification>\n<task-id>b2</task-id>\n<status>completed</status>\n<summary>Background command \"y\" completed (exit code 0)</summary>\n</task-notification>")}, "shell unknown make background"},
		{"background, the task is named in the text only", []string{bash("1", `{"command":"make"}`), result("1", `"Command running in background with ID: b7. Output is being written to: /tmp/b7"`, "", ""), user("<task-notification>\n<task-id>b7</task-id>\n<status>completed</status>\n<summary>Background command \"x\" completed (exit code 0)</summary>\n</task-notification>")}, "shell success make exit=0"},
		{"background, killed", []string{bash("1", `{"command":"make"}`), started, user("<task-notification>\n<tool-use-id>1</tool-use-id>\n<status>killed</status>\n<summary>stopped</summary>\n</task-notification>")}, "shell unknown make background"},
		{"background, polled", []string{bash("1", `{"command":"make"}`), started, result("2", `"x"`, "", `,"toolUseResult":{"task":{"task_id":"b1","status":"completed","exitCode":0,"output":"fine"}}`)}, "shell success make exit=0"},
		{"background, polled while running", []string{bash("1", `{"command":"make"}`), started, result("2", `"x"`, "", `,"toolUseResult":{"task":{"task_id":"b1","status":"running","exitCode":null}}`)}, "shell unknown make background"},
		{"twice in the file", []string{bash("1", `{"command":"make"}`), bash("1", `{"command":"make"}`), result("1", `"ok"`, "", "")}, "shell success make exit=0"},
		{"a command too long to keep", []string{bash("1", `{"command":"`+strings.Repeat("x", commandBytes)+`"}`), result("1", `"ok"`, "", "")}, "shell success exit=0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn, err := Read(write(t, append([]string{claudePrompt}, tt.lines...)...), Options{})
			if err != nil || len(turn.Calls) != 1 {
				t.Fatalf("calls = %+v, %v", turn.Calls, err)
			}
			if got := shown(turn.Calls[0]); got != tt.want {
				t.Errorf("call = %s, want %s", got, tt.want)
			}
		})
	}
}

// The output file of a background command shows what it printed, once it has ended.
func TestClaudeOutputFiles(t *testing.T) {
	use := func(id, name, input string) string {
		return `{"type":"assistant","uuid":"a","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":` + input + `}]}}`
	}
	result := func(id, text, line string) string {
		return `{"type":"user","uuid":"r","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `","content":` + quote(text) + `}]}` + line + `}`
	}
	const tail = `{"command":"tail -5 /tmp/c/tasks/b1.output"}`
	started := result("1", "moved to the background (ID: b1)", `,"toolUseResult":{"backgroundTaskId":"b1"}`)
	ended := `{"type":"user","uuid":"n","sessionId":"s","message":{"content":"<task-notification>\n<task-id>b1</task-id>\n<summary>Background command \"x\" completed (exit code 0)</summary>\n</task-notification>"}}`
	for name, tt := range map[string]struct {
		lines []string
		want  string
	}{
		"after the notice":       {[]string{ended, use("2", "Bash", tail), result("2", "5 passed", "")}, "success: 5 passed"},
		"after a while":          {[]string{ended, use("2", "Bash", `{"command":"sleep 5 && cat '/tmp/c/tasks/b1.output'"}`), result("2", "5 passed", "")}, "success: 5 passed"},
		"before its end":         {[]string{use("2", "Bash", tail), result("2", "5 passed", "")}, "unknown: moved to the background (ID: b1)"},
		"with its status":        {[]string{use("2", "Bash", tail), result("2", "5 passed\n[exited with code 0]", "")}, "success: 5 passed\n[exited with code 0]"},
		"with another status":    {[]string{use("2", "Bash", tail), result("2", "5 passed\n[exited with code 1]", "")}, "failure: moved to the background (ID: b1)"},
		"by the read tool":       {[]string{ended, use("2", "Read", `{"file_path":"/tmp/c/tasks/b1.output"}`), result("2", "     1\t4 skipped\n     2\t5 passed", "")}, "success: 4 skipped\n5 passed"},
		"of another task":        {[]string{ended, use("2", "Bash", `{"command":"cat /tmp/c/tasks/b2.output"}`), result("2", "5 passed", "")}, "success: moved to the background (ID: b1)"},
		"through a filter":       {[]string{ended, use("2", "Bash", `{"command":"cat /tmp/c/tasks/b1.output | grep passed"}`), result("2", "5 passed", "")}, "success: moved to the background (ID: b1)"},
		"beside something else":  {[]string{ended, use("2", "Bash", `{"command":"tail -5 x /tmp/c/tasks/b1.output"}`), result("2", "5 passed", "")}, "success: moved to the background (ID: b1)"},
		"and could not be shown": {[]string{ended, use("2", "Bash", tail), `{"type":"user","uuid":"r","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"2","content":"Exit code 1\n5 passed","is_error":true}]}}`}, "success: moved to the background (ID: b1)"},
	} {
		turn, err := Read(write(t, append([]string{claudePrompt, use("1", "Bash", `{"command":"pytest | tail"}`), started}, tt.lines...)...), Options{})
		if err != nil || len(turn.Calls) != 2 {
			t.Fatalf("%s: calls = %+v, %v", name, turn.Calls, err)
		}
		if c := turn.Calls[0]; string(c.Outcome)+": "+c.Output != tt.want {
			t.Errorf("%s: %s: %q, want %q", name, c.Outcome, c.Output, tt.want)
		}
	}
}

func TestParallelCallsPairById(t *testing.T) {
	use := func(id string) string {
		return `{"type":"assistant","uuid":"a","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"` + id + `","name":"Bash","input":{"command":"` + id + `"}}]}}`
	}
	res := func(id string, failed bool) string {
		return fmt.Sprintf(`{"type":"user","uuid":"r","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":"x","is_error":%v}]}}`, id, failed)
	}
	turn, err := Read(write(t, claudePrompt, use("a"), use("b"), use("c"), res("c", false), res("a", true), res("zz", true)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range turn.Calls {
		got = append(got, c.Command+"="+string(c.Outcome))
	}
	if strings.Join(got, " ") != "a=failure b=unknown c=success" {
		t.Errorf("calls = %v", got)
	}
}

func TestSubagents(t *testing.T) {
	put := func(t *testing.T, name string, lines ...string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	commands := func(t *testing.T, file string) string {
		t.Helper()
		turn, err := Read(file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, c := range turn.Calls {
			if c.Kind == event.ToolShell {
				out = append(out, c.Command+"@"+c.Subagent)
			}
		}
		return strings.Join(out, " ")
	}
	side := func(cmd, at string) string {
		return `{"type":"assistant","uuid":"x","isSidechain":true,"agentId":"ag1","sessionId":"s","timestamp":"` + at + `","message":{"id":"m","content":[{"type":"tool_use","id":"` + cmd + `","name":"Bash","input":{"command":"` + cmd + `"}}]}}`
	}
	main := func(cmd, at string) string {
		return `{"type":"assistant","uuid":"x","sessionId":"s","timestamp":"` + at + `","message":{"id":"m","content":[{"type":"tool_use","id":"` + cmd + `","name":"Bash","input":{"command":"` + cmd + `"}}]}}`
	}
	launch := `{"type":"assistant","uuid":"x","sessionId":"s","timestamp":"2026-01-01T10:00:01Z","message":{"id":"m","content":[{"type":"tool_use","id":"L","name":"Agent","input":{"prompt":"p"}}]}}`
	launched := func(id string) string {
		return `{"type":"user","uuid":"x","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"L","content":"launched"}]},"toolUseResult":{"isAsync":true,"agentId":` + quote(id) + `}}`
	}
	t.Run("claude, merged by time", func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir+"/s/subagents/agent-ag1.jsonl", side("sub1", "2026-01-01T10:00:03Z"), side("sub2", "2026-01-01T10:00:07Z"))
		f := put(t, dir+"/s.jsonl", claudePrompt, launch, launched("ag1"), main("one", "2026-01-01T10:00:02Z"), main("two", "2026-01-01T10:00:05Z"))
		if got := commands(t, f); got != "one@ sub1@ag1 two@ sub2@ag1" {
			t.Errorf("calls = %s", got)
		}
	})
	t.Run("claude, still at work", func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir+"/s/subagents/agent-ag1.jsonl", side("sub1", "2026-01-01T10:00:03Z"))
		put(t, dir+"/s/subagents/agent-ag1.meta.json", `{"agentType":"x","toolUseId":"L"}`)
		put(t, dir+"/s/subagents/agent-ag2.jsonl", side("other", "2026-01-01T10:00:03Z"))
		put(t, dir+"/s/subagents/agent-ag2.meta.json", `{"agentType":"x","toolUseId":"M"}`)
		if got := commands(t, put(t, dir+"/s.jsonl", claudePrompt, launch)); got != "sub1@ag1" {
			t.Errorf("calls = %s", got)
		}
	})
	t.Run("claude, launched in an earlier turn", func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir+"/s/subagents/agent-ag1.jsonl", side("sub1", "2026-01-01T10:00:03Z"))
		f := put(t, dir+"/s.jsonl", claudePrompt, launch, launched("ag1"), claudePrompt, main("one", "2026-01-01T10:00:02Z"))
		if got := commands(t, f); got != "one@" {
			t.Errorf("calls = %s", got)
		}
	})
	t.Run("claude, an id that leaves the directory", func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir+"/evil.jsonl", side("sub1", "2026-01-01T10:00:03Z"))
		f := put(t, dir+"/s.jsonl", claudePrompt, launch, launched("x/../../../evil"), main("one", "2026-01-01T10:00:02Z"))
		if got := commands(t, f); got != "one@" {
			t.Errorf("calls = %s", got)
		}
	})
	t.Run("claude, an agent that launches itself", func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir+"/s/subagents/agent-ag1.jsonl", launch, launched("ag1"), side("sub1", "2026-01-01T10:00:03Z"))
		if got := commands(t, put(t, dir+"/s.jsonl", claudePrompt, launch, launched("ag1"))); got != "sub1@ag1" {
			t.Errorf("calls = %s", got)
		}
	})
	t.Run("claude, side chain in the main file", func(t *testing.T) {
		if got := commands(t, write(t, claudePrompt, launch, side("sub1", "2026-01-01T10:00:03Z"), main("one", "2026-01-01T10:00:04Z"))); got != "sub1@ag1 one@" {
			t.Errorf("calls = %s", got)
		}
	})
	t.Run("gemini", func(t *testing.T) {
		dir := t.TempDir()
		header := func(id, at string) string {
			return `{"sessionId":"` + id + `","projectHash":"h","startTime":"` + at + `","lastUpdated":"` + at + `","kind":"main"}`
		}
		shell := func(id, cmd, at string) string {
			return `{"id":"` + id + `","timestamp":"` + at + `","type":"gemini","content":"","toolCalls":[{"id":"c` + id + `","name":"run_shell_command","args":{"command":"` + cmd + `"},"status":"success","result":[]}]}`
		}
		put(t, dir+"/chats/sess-1/new.jsonl", header("new", "2026-01-01T10:00:02Z"), shell("1", "sub1", "2026-01-01T10:00:03Z"))
		put(t, dir+"/chats/sess-1/old.jsonl", header("old", "2026-01-01T09:00:02Z"), shell("1", "sub0", "2026-01-01T09:00:03Z"))
		f := put(t, dir+"/chats/session-x.jsonl", header("sess-1", "2026-01-01T09:00:00Z"),
			`{"id":"u","timestamp":"2026-01-01T10:00:00Z","type":"user","content":[{"text":"go"}]}`,
			`{"id":"g","timestamp":"2026-01-01T10:00:01Z","type":"gemini","content":"","toolCalls":[{"id":"L","name":"invoke_agent","args":{"agent_name":"x"},"status":"success","result":[]}]}`,
			shell("h", "one", "2026-01-01T10:00:09Z"))
		if got := commands(t, f); got != "sub1@new one@" {
			t.Errorf("calls = %s", got)
		}
	})
}

func TestUsage(t *testing.T) {
	reply := func(id, model string, in, created, cached int, more string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"a","sessionId":"s"%s,"message":{"id":%q,"model":%q,"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":999},"content":[{"type":"text","text":"x"}]}}`, more, id, model, in, created, cached)
	}
	boundary := `{"type":"system","subtype":"compact_boundary","uuid":"b","sessionId":"s"}`
	for _, tt := range []struct {
		name  string
		lines []string
		want  int
	}{
		{"sum of three", []string{claudePrompt, reply("m1", "x", 1, 20, 300, "")}, 321},
		{"newest", []string{claudePrompt, reply("m1", "x", 1, 0, 0, ""), reply("m2", "x", 2, 0, 0, "")}, 2},
		{"same reply on several lines", []string{claudePrompt, reply("m1", "x", 5, 0, 0, ""), reply("m1", "x", 5, 0, 0, "")}, 5},
		{"not of side chains", []string{claudePrompt, reply("m1", "x", 1, 0, 0, ""), reply("m2", "x", 900, 0, 0, `,"isSidechain":true`)}, 1},
		{"not of synthetic replies", []string{claudePrompt, reply("m1", "x", 1, 0, 0, ""), reply("m2", "<synthetic>", 900, 0, 0, "")}, 1},
		{"not of errors", []string{claudePrompt, reply("m1", "x", 1, 0, 0, ""), reply("m2", "x", 900, 0, 0, `,"isApiErrorMessage":true`)}, 1},
		{"empty figures", []string{claudePrompt, reply("m1", "x", 1, 0, 0, ""), reply("m2", "x", 0, 0, 0, "")}, 1},
		{"nothing since the compaction", []string{claudePrompt, reply("m1", "x", 900, 0, 0, ""), boundary}, 0},
		{"after the compaction", []string{claudePrompt, reply("m1", "x", 900, 0, 0, ""), boundary, reply("m2", "x", 7, 0, 0, "")}, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, err := readUsage(write(t, tt.lines...))
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			if u != nil {
				got = u.Tokens
			}
			if got != tt.want {
				t.Errorf("tokens = %d, want %d", got, tt.want)
			}
		})
	}
}

func readUsage(path string) (*Usage, error) {
	turn, err := Read(path, Options{})
	return turn.Usage, err
}
