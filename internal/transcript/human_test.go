package transcript

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a transcript of lines.
func write(t *testing.T, lines ...string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(p, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A prompt, a call, the line in question, another call: if the line begins a
// turn, only the second call is in it.
func TestClaudeTurnBegins(t *testing.T) {
	prompt := `{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-01-01T10:00:00Z","message":{"role":"user","content":"first"}}`
	call := func(id string) string {
		return `{"type":"assistant","uuid":"a` + id + `","sessionId":"s","message":{"id":"m` + id + `","content":[{"type":"tool_use","id":"` + id + `","name":"Bash","input":{"command":"` + id + `"}}]}}`
	}
	user := func(content, more string) string {
		return `{"type":"user","uuid":"u2","sessionId":"s","timestamp":"2026-01-01T11:00:00Z","message":{"role":"user","content":` + content + `}` + more + `}`
	}
	for _, tt := range []struct {
		name   string
		lines  []string
		begins bool
		text   string
	}{
		{"typed", []string{user(`"do more"`, `,"origin":{"kind":"human"},"promptSource":"typed"`)}, true, "do more"},
		{"sdk prompt", []string{user(`"do more"`, `,"promptSource":"sdk","turnOrigin":"sdk"`)}, true, "do more"},
		{"old build", []string{user(`"do more"`, ``)}, true, "do more"},
		{"text blocks", []string{user(`[{"type":"text","text":"look"},{"type":"image","source":{}}]`, ``)}, true, "look"},
		{"a picture alone", []string{user(`[{"type":"image","source":{}}]`, ``)}, true, ""},
		{"with a reminder", []string{user(`"<system-reminder>x</system-reminder>do more"`, ``)}, true, "<system-reminder>x</system-reminder>do more"},
		{"says interrupted", []string{user(`"[Request interrupted by user] was shown, why? please look into what happened there"`, ``)}, true, ""},
		{"slash command with expansion", []string{
			user(`"<command-message>gate is running</command-message>\n<command-name>/gate</command-name>\n<command-args>alpha beta</command-args>"`, ``),
			user(`[{"type":"text","text":"Run the gates for alpha beta"}]`, `,"isMeta":true`),
		}, true, "/gate alpha beta"},
		{"slash command answered at once", []string{user(`"<command-name>/gate</command-name>\n<command-message>gate</command-message>\n<command-args></command-args>"`, ``)}, true, "/gate"},

		{"tool result", []string{user(`[{"type":"tool_result","tool_use_id":"zz","content":"ok"}]`, ``)}, false, ""},
		{"tool result with text", []string{user(`[{"type":"tool_result","tool_use_id":"zz","content":"ok"},{"type":"text","text":"note"}]`, ``)}, false, ""},
		{"hook feedback", []string{user(`"Stop hook feedback:\nrun tests"`, `,"isMeta":true`)}, false, ""},
		{"hook feedback of an old build", []string{user(`"Stop hook feedback:\n- run tests"`, ``)}, false, ""},
		{"sub-agent hook feedback", []string{user(`"SubagentStop hook feedback:\n- run tests"`, ``)}, false, ""},
		{"system reminder", []string{user(`"<system-reminder>\nbe nice\n</system-reminder>"`, ``)}, false, ""},
		{"task notification", []string{user(`"<task-notification>\n<task-id>x</task-id>\n</task-notification>"`, `,"origin":{"kind":"task-notification"},"promptSource":"system","turnOrigin":"task_notification"`)}, false, ""},
		{"task notification without marks", []string{user(`"<task-notification>\n<task-id>x</task-id>\n</task-notification>"`, ``)}, false, ""},
		{"other system prompt", []string{user(`"wake up"`, `,"origin":{"kind":"cron"},"promptSource":"system"`)}, false, ""},
		{"local command", []string{
			user(`"<local-command-caveat>below</local-command-caveat>"`, `,"isMeta":true`),
			user(`"<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args></command-args>"`, ``),
			user(`"<local-command-stdout>Set model</local-command-stdout>"`, ``),
		}, false, ""},
		{"shell mode", []string{user(`"<bash-input>ls</bash-input>"`, ``), user(`"<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>"`, ``)}, false, ""},
		{"compaction summary", []string{user(`"This session is being continued from a previous conversation"`, `,"isCompactSummary":true`)}, false, ""},
		{"side chain prompt", []string{user(`"list files"`, `,"isSidechain":true,"agentId":"x"`)}, false, ""},
		{"interrupt", []string{user(`[{"type":"text","text":"[Request interrupted by user for tool use]"}]`, `,"interruptedMessageId":"m"`)}, false, ""},
		{"queued notification", []string{`{"type":"attachment","uuid":"q","sessionId":"s","attachment":{"type":"queued_command","prompt":"<task-notification>\n</task-notification>","commandMode":"task-notification"}}`}, false, ""},
		{"our checkpoint typed by us", []string{user(`"Context-aware checkpoint\n\n1. Run tests"`, ``)}, false, ""},
		{"a request copied into the log", []string{`{"type":"api-request-blob","sessionId":"s","message":{"role":"user","content":"do more"}}`}, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := append([]string{prompt, call("one")}, tt.lines...)
			turn, err := Read(write(t, append(lines, call("two"))...), Options{})
			if err != nil || !turn.Readable {
				t.Fatalf("Read: %v", err)
			}
			var got []string
			for _, c := range turn.Calls {
				got = append(got, c.Command)
			}
			want, id := "one two", "u1"
			if tt.begins {
				want = "two"
			}
			if strings.Join(got, " ") != want {
				t.Errorf("calls = %v, want %s", got, want)
			}
			if !tt.begins && turn.HumanID != id {
				t.Errorf("human id = %q, want %q", turn.HumanID, id)
			}
			if tt.begins && tt.text != "" && turn.HumanText != tt.text {
				t.Errorf("human text = %q, want %q", turn.HumanText, tt.text)
			}
		})
	}
}

// Gemini logs the reason of a block like a prompt: what Gauntlet sent, and what the human
// typed according to the event, distinguish them.
func TestGeminiOwnReason(t *testing.T) {
	const file = "testdata/gemini/blocked-then-passed.jsonl"
	reason := "calc.go changed but no test was run after the change. Run go test ./... and report the result."
	for _, tt := range []struct {
		name  string
		opts  Options
		human string
		calls int
	}{
		{"nothing known", Options{}, reason, 1},
		{"sent by us", Options{Own: func(s string) bool { return s == reason }}, "Fix the bug in Add.", 2},
		{"prompt of the event", Options{Prompt: "Fix the bug in Add."}, "Fix the bug in Add.", 2},
		{"prompt with other space around", Options{Prompt: " Fix the bug in Add.\n"}, "Fix the bug in Add.", 2},
		{"prompt that is not there", Options{Prompt: "something else"}, reason, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn, err := Read(file, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if turn.HumanText != tt.human || len(turn.Calls) != tt.calls {
				t.Errorf("human %q with %d calls, want %q with %d", turn.HumanText, len(turn.Calls), tt.human, tt.calls)
			}
			if turn.LastInput != reason {
				t.Errorf("last input = %q", turn.LastInput)
			}
		})
	}
}

func TestGeminiReplay(t *testing.T) {
	header := `{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T10:00:00Z","lastUpdated":"2026-01-01T10:00:00Z","kind":"main"}`
	user := func(id, s string) string {
		return `{"id":"` + id + `","timestamp":"2026-01-01T10:00:00Z","type":"user","content":[{"text":` + quote(s) + `}]}`
	}
	shell := func(id, cmd, out string) string {
		return `{"id":"` + id + `","timestamp":"2026-01-01T10:00:01Z","type":"gemini","content":"","tokens":{"input":100},"model":"g","toolCalls":[{"id":"c` + id + `","name":"run_shell_command","args":{"command":"` + cmd + `"},"status":"success","result":[{"functionResponse":{"response":{"output":` + quote(out) + `}}}]}]}`
	}
	for _, tt := range []struct {
		name  string
		lines []string
		human string
		want  string
		usage int
	}{
		{"later line replaces", []string{header, user("1", "go"), `{"id":"2","timestamp":"2026-01-01T10:00:01Z","type":"gemini","content":""}`, shell("2", "a", "Output: x")}, "go", "a=success", 100},
		{"later line without calls keeps them", []string{header, user("1", "go"), shell("2", "a", "Output: x"), `{"id":"2","timestamp":"2026-01-01T10:00:01Z","type":"gemini","content":"done"}`}, "go", "a=success", 0},
		{"rewound", []string{header, user("1", "go"), shell("2", "a", "Output: x"), user("3", "wrong"), shell("4", "b", "Output: x"), `{"$rewindTo":"3"}`, shell("5", "c", "Output: x")}, "go", "a=success c=success", 100},
		{"resumed", []string{
			header, user("1", "go"), shell("2", "a", "Output: x"), header,
			`{"$set":{"messages":[` + user("1", "go") + `,{"id":"2","type":"gemini","content":[{"functionCall":{"name":"run_shell_command","args":{"command":"a"}}}]}]}}`,
			shell("3", "b", "Output: x"),
		}, "go", "a=success b=success", 100},
		{"a file that begins with a resume", []string{header, `{"$set":{"messages":[` + user("1", "go") + `]}}`, shell("3", "b", "Output: x")}, "go", "b=success", 100},
		{"compressed within the turn", []string{
			header, user("1", "go"), shell("2", "a", "Output: x"),
			`{"$set":{"messages":[` + user("8", "<session_context>x") + `,` + user("9", "<state_snapshot>y</state_snapshot>") + `]}}`,
			`{"id":"3","timestamp":"2026-01-01T10:00:01Z","type":"gemini","content":"ok"}`,
		}, "go", "a=success", 0},
		{"hook reason shown as something else", []string{header, user("1", "go"), shell("2", "a", "Output: x"), `{"id":"3","type":"user","content":[{"text":"Run tests"}],"displayContent":[{"functionResponse":{}}]}`, shell("4", "b", "Output: x")}, "go", "a=success b=success", 100},
		{"file named in the prompt spelled out", []string{header, user("1", "go"), shell("2", "a", "Output: x"), `{"id":"3","type":"user","content":[{"text":"look at @x"},{"text":"content of x"}],"displayContent":[{"text":"look at @x"}]}`, shell("4", "b", "Output: x")}, "look at @x\ncontent of x", "b=success", 100},
		{"exit code in the output itself", []string{header, user("1", "go"), shell("2", "a", "Output: Exit Code: 0\nExit Code: 3\nProcess Group PGID: 5")}, "go", "a=failure", 100},
		{"old result form", []string{header, user("1", "go"), shell("2", "a", "Command: a\nDirectory: (root)\nOutput: x\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 5")}, "go", "a=success", 100},
		{"unknown text", []string{header, user("1", "go"), shell("2", "a", "something else")}, "go", "a=unknown", 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn, err := Read(write(t, tt.lines...), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range turn.Calls {
				got = append(got, c.Command+"="+string(c.Outcome))
			}
			if turn.HumanText != tt.human || strings.Join(got, " ") != tt.want {
				t.Errorf("human %q calls %v, want %q %s", turn.HumanText, got, tt.human, tt.want)
			}
			usage := 0
			if turn.Usage != nil {
				usage = turn.Usage.Tokens
			}
			if usage != tt.usage {
				t.Errorf("usage = %d, want %d", usage, tt.usage)
			}
		})
	}
}

// Logs of unsupported clients have no format, whatever they look like.
func TestForeignFormats(t *testing.T) {
	path := write(t,
		`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/repo"}`,
		`{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-01T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"do it"}]}}`,
		`{"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-01T10:00:02.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"ok"}],"isError":false}}`,
		`{"type":"message","id":"m3","parentId":"m2","timestamp":"2026-01-01T10:00:03.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"provider":"x","stopReason":"stop"}}`,
	)
	if turn, err := Read(path, Options{}); !errors.Is(err, ErrFormat) || turn.Readable {
		t.Errorf("readable %v as %q, %v", turn.Readable, turn.Format, err)
	}
}

// Refusals have many texts; what a command printed is not one of them.
func TestRefused(t *testing.T) {
	for text, want := range map[string]bool{
		"Permission for this tool use was denied. The tool use was rejected.": true,
		"Permission for this action was denied by the auto mode classifier.":  true,
		"The user doesn't want to proceed with this tool use.":                true,
		"User rejected the command":                                           true,
		"<tool_use_error>Sibling tool call errored</tool_use_error>":          true,
		"This command was blocked by a hook":                                  true,
		"Tool call cancelled by the user":                                     true,
		"Permission denied (publickey).":                                      false,
		"bash: ./deploy: Permission denied":                                   false,
		"error: 3 tests failed":                                               false,
		"fatal: refusing to merge unrelated histories":                        false,
		"": false,
	} {
		if got := refused(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A Codex prompt that is only a picture begins a turn; a heartbeat does not.
func TestCodexPictures(t *testing.T) {
	event := func(payload string) string {
		return `{"timestamp":"2026-01-01T10:00:00Z","type":"event_msg","payload":` + payload + `}`
	}
	run := `{"timestamp":"2026-01-01T10:00:00Z","type":"response_item","payload":{"type":"function_call","call_id":"c","name":"exec_command","arguments":"{\"cmd\":\"ls\"}"}}`
	first := event(`{"type":"user_message","message":"do it"}`)
	for name, tt := range map[string]struct{ line, human string }{
		"legacy":    {event(`{"type":"user_message","message":"","images":["data:image/png;base64,x"]}`), "[image]"},
		"local":     {event(`{"type":"user_message","message":"","images":[],"local_images":["/tmp/a.png"]}`), "[image]"},
		"paginated": {event(`{"type":"item_completed","turn_id":"t","item":{"type":"UserMessage","id":"u","content":[{"type":"image","image_url":"x"}]}}`), "[image]"},
		"empty":     {event(`{"type":"user_message","message":"","images":[]}`), "do it"},
		"heartbeat": {event(`{"type":"user_message","message":"<heartbeat>\nstill there\n</heartbeat>"}`), "do it"},
		"goal":      {event(`{"type":"user_message","message":"/goal simplify this"}`), "/goal simplify this"},
	} {
		turn, err := Read(write(t, first, run, tt.line, run), Options{})
		if err != nil || turn.HumanText != tt.human {
			t.Errorf("%s: human %q, want %q (%v)", name, turn.HumanText, tt.human, err)
		}
	}
}

// Spans cut a session where stops were, and reading up to one shows that turn.
func TestSpans(t *testing.T) {
	const (
		ask  = `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"one"}}`
		call = `{"type":"assistant","uuid":"c1","sessionId":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"first"}}]}}`
		end  = `{"type":"assistant","uuid":"e","sessionId":"s","message":{"role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"Done."}]}}`
		more = `{"type":"user","uuid":"u2","sessionId":"s","message":{"role":"user","content":"two"}}`
		work = `{"type":"assistant","uuid":"c2","sessionId":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"c2","name":"Bash","input":{"command":"second"}}]}}`
	)
	path := write(t, ask, call, end, more, work)
	format, spans, err := Spans(path)
	if err != nil || format != FormatClaude || len(spans) != 2 || !spans[0].Stopped || spans[1].Stopped || spans[0].End != spans[1].Start {
		t.Fatalf("%s %+v %v", format, spans, err)
	}
	for i, want := range []string{"first", "second"} {
		turn, err := Read(path, Options{End: spans[i].End})
		if err != nil || turn.HumanID != spans[i].HumanID || len(turn.Calls) != 1 || turn.Calls[0].Command != want {
			t.Errorf("span %d: %+v %v", i, turn, err)
		}
	}
}

// A prompt typed while the agent works begins a turn, but what the agent did
// before it, since the last stop, is still part of its work.
func TestPromptTypedIntoWork(t *testing.T) {
	const (
		first  = `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"do it"}}`
		queued = `{"type":"attachment","uuid":"q","sessionId":"s","attachment":{"type":"queued_command","prompt":"also this","commandMode":"prompt"}}`
		second = `{"type":"user","uuid":"q","sessionId":"s","message":{"role":"user","content":"also this"}}`
		broken = `{"type":"user","uuid":"i","sessionId":"s","message":{"role":"user","content":"[Request interrupted by user]"}}`
		end    = `{"type":"assistant","uuid":"e","sessionId":"s","message":{"role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"Done."}]}}`
	)
	call := func(cmd string) string {
		return `{"type":"assistant","uuid":"c` + cmd + `","sessionId":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"` + cmd + `","name":"Bash","input":{"command":"` + cmd + `"}}]}}`
	}
	event := func(payload string) string {
		return `{"timestamp":"2026-01-01T10:00:00Z","type":"event_msg","payload":` + payload + `}`
	}
	run := func(cmd string) string {
		return `{"timestamp":"2026-01-01T10:00:00Z","type":"response_item","payload":{"type":"function_call","call_id":"` + cmd + `","name":"exec_command","arguments":"{\"cmd\":\"` + cmd + `\"}"}}`
	}
	const (
		started  = `{"type":"task_started","turn_id":"t"}`
		complete = `{"type":"task_complete","turn_id":"t"}`
		aborted  = `{"type":"turn_aborted","turn_id":"t"}`
		asks     = `{"type":"user_message","message":"do it"}`
		steers   = `{"type":"user_message","message":"also this"}`
	)
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"claude, queued", []string{first, call("one"), queued, call("two")}, "one two"},
		{"claude, after a stop", []string{first, call("zero"), end, second, call("one"), queued, call("two")}, "one two"},
		{"claude, interrupted", []string{first, call("one"), broken, second, call("two")}, "one two"},
		{"claude, no word about an end", []string{first, call("one"), second, call("two")}, "two"},
		{"codex, steered", []string{event(started), event(asks), run("one"), event(steers), run("two")}, "one two"},
		{"codex, aborted", []string{event(started), event(asks), run("one"), event(aborted), event(started), event(steers), run("two")}, "one two"},
		{"codex, after a stop", []string{event(started), event(asks), run("one"), event(complete), event(started), event(steers), run("two")}, "two"},
		{"codex, no word about turns", []string{event(asks), run("one"), event(steers), run("two")}, "two"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn, err := Read(write(t, tt.lines...), Options{})
			if err != nil || turn.HumanText != "also this" {
				t.Fatalf("Read: %v, human %q", err, turn.HumanText)
			}
			var got []string
			for _, c := range turn.Calls {
				got = append(got, c.Command)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("calls = %v, want %s", got, tt.want)
			}
		})
	}
}

func TestGeminiDocument(t *testing.T) {
	doc := map[string]any{
		"sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T10:00:00Z",
		"messages": []map[string]any{
			{"id": "1", "timestamp": "2026-01-01T10:00:00Z", "type": "user", "content": "before"},
			{"id": "2", "timestamp": "2026-01-01T10:00:01Z", "type": "gemini", "content": "", "toolCalls": []map[string]any{{
				"id": "r", "name": "read_file", "args": map[string]any{"absolute_path": "/repo/calc.go"}, "status": "success", "result": []any{},
			}}},
			{"id": "3", "timestamp": "2026-01-01T10:05:00Z", "type": "user", "content": "fix it\nplease"},
			{"id": "4", "timestamp": "2026-01-01T10:05:01Z", "type": "gemini", "content": "ok", "model": "g", "tokens": map[string]any{"input": 77}, "toolCalls": []map[string]any{
				{"id": "e", "name": "replace", "args": map[string]any{"file_path": "/repo/calc.go"}, "status": "success", "result": []any{}},
				{"id": "x", "name": "run_shell_command", "args": map[string]any{"command": "go test"}, "status": "success", "result": []any{
					map[string]any{"functionResponse": map[string]any{"response": map[string]any{"output": "Output: ok\nExit Code: 0"}}},
				}},
			}},
		},
	}
	pretty, _ := json.MarshalIndent(doc, "", "  ")
	plain, _ := json.Marshal(doc)
	torn := pretty[:len(pretty)-2]
	for name, data := range map[string][]byte{"pretty": pretty, "one line": plain, "torn": torn} {
		t.Run(name, func(t *testing.T) {
			p := filepath.Join(t.TempDir(), "session.json")
			if err := os.WriteFile(p, data, 0o600); err != nil {
				t.Fatal(err)
			}
			turn, err := Read(p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if turn.Format != FormatGemini || turn.HumanText != "fix it\nplease" || len(turn.Calls) != 2 || len(turn.Earlier) != 1 || turn.Earlier[0].Paths[0] != "/repo/calc.go" {
				t.Errorf("turn = %+v", turn)
			}
			if turn.Usage == nil || turn.Usage.Tokens != 77 {
				t.Errorf("usage = %+v", turn.Usage)
			}
		})
	}
	t.Run("longer than the bound", func(t *testing.T) {
		p := filepath.Join(t.TempDir(), "session.json")
		if err := os.WriteFile(p, pretty, 0o600); err != nil {
			t.Fatal(err)
		}
		turn, err := Read(p, Options{MaxBytes: 700})
		if err != nil || !turn.Truncated && turn.HumanText == "" {
			t.Errorf("turn = %+v, %v", turn, err)
		}
	})
}
