package transcript

import (
	"strings"
	"testing"
)

func TestProgramCalls(t *testing.T) {
	for name, tt := range map[string]struct {
		source, want string
		whole        bool
	}{
		"one":          {`const r = await tools.exec_command({cmd:"go test ./...", workdir:"/repo", yield_time_ms:1000}); text(r.output);`, "go test ./...@/repo", true},
		"quoted keys":  {`const r = await tools.exec_command({"cmd":"echo \"a\"\nls","workdir":"/repo"});`, "echo \"a\"\nls@/repo", true},
		"side by side": {"await Promise.all([\n tools.exec_command({cmd:'a'}),\n tools.exec_command({cmd:`b`}),\n])", "a@; b@", true},
		"a constant":   {`const cmd = "make test"; const r = await tools.exec_command({cmd, workdir:"/r"});`, "make test@/r", true},
		"joined":       {`const d = "x"; tools.exec_command({cmd:"cd " + d + " && ls"})`, "cd x && ls@", true},
		"a template":   {"tools.exec_command({cmd:`cd ${dir} && go test ./...`})", "cd $js && go test ./...@", true},
		"a loop":       {`const cmds=["go vet ./...","go test ./..."]; for (const cmd of cmds) { const r = await tools.exec_command({cmd}); text(r.output) }`, "go vet ./...@; go test ./...@", true},
		"computed":     {`const r = await tools.exec_command({cmd: build(x)});`, "", false},
		"in a text":    {`text("tools.exec_command({cmd:'rm -rf x'})"); // tools.exec_command({cmd:"y"})`, "", true},
		"a poll":       {`const r = await tools.write_stdin({session_id:62953,chars:"",yield_time_ms:1000}); text(r.output)`, "poll 62953", true},
		"not closed":   {`tools.exec_command({cmd:"go test`, "", false},
	} {
		calls, whole := programCalls(tt.source)
		var got []string
		for _, c := range calls {
			if c.session != "" {
				got = append(got, "poll "+c.session)
			} else {
				got = append(got, c.command+"@"+c.dir)
			}
		}
		if text := strings.Join(got, "; "); text != tt.want || whole != tt.whole {
			t.Errorf("%s: %q whole=%v, want %q %v", name, text, whole, tt.want, tt.whole)
		}
		for i := range tt.source { // nothing breaks, wherever the text is cut off
			programCalls(tt.source[:i])
			programCalls(tt.source[i:])
		}
	}
}

// A session as OpenCode exports it is one document.
func TestOpenCodeExport(t *testing.T) {
	doc := `{
  "info": {
    "id": "ses_1",
    "directory": "/repo",
    "title": "t"
  },
  "messages": [
    {
      "info": {"id": "m1", "role": "user", "time": {"created": 1767261600000}},
      "parts": [{"type": "text", "text": "do it"}]
    },
    {
      "info": {"id": "m2", "role": "assistant", "time": {"created": 1767261601000}},
      "parts": [{"type": "tool", "tool": "bash", "callID": "c1", "state": {"status": "completed", "input": {"command": "go test ./..."}, "output": "ok", "metadata": {"exit": 0}}}]
    }
  ]
}
`
	turn, err := Read(write(t, strings.TrimSuffix(doc, "\n")), Options{})
	if err != nil || turn.Format != FormatOpenCode || turn.HumanText != "do it" || len(turn.Calls) != 1 || turn.Calls[0].Command != "go test ./..." || turn.Torn {
		t.Fatalf("%+v %v", turn, err)
	}
	torn, err := Read(write(t, doc[:len(doc)-12]), Options{})
	if err != nil || !torn.Torn || torn.HumanText != "do it" {
		t.Errorf("torn: %+v %v", torn, err)
	}
}

// What a program printed when it polled a command, itself or in a later program, belongs to
// that command.
func TestProgramPolls(t *testing.T) {
	program := func(id, source string, printed ...string) []string {
		items := []string{`{"type":"input_text","text":"Script completed\nWall time 1.2 seconds\nOutput:\n"}`}
		for _, text := range printed {
			items = append(items, `{"type":"input_text","text":`+quote(text)+`}`)
		}
		return []string{
			codexLine("response_item", `{"type":"custom_tool_call","name":"exec","call_id":"`+id+`","input":`+quote(source)+`}`),
			codexLine("response_item", `{"type":"custom_tool_call_output","call_id":"`+id+`","output":[`+strings.Join(items, ",")+`]}`),
		}
	}
	const between = "\n--- RESULT ---\n"
	running := func(lines []string) []string {
		return append(lines[:1:1], append([]string{strings.Replace(lines[1], "Script completed", "Script running with cell ID 206", 1)}, lines[2:]...)...)
	}
	for name, lines := range map[string][]string{
		"in the same program": program("1", `const r = await tools.exec_command({cmd:"pnpm test"}); text(r.output); if (r.session_id) { const p = await tools.write_stdin({session_id:r.session_id}); text(p.output); }`,
			"> vitest run\n", "Tests  24 passed (24)\n"),
		"by waiting for the program": append(append(
			program("1", `const all = await Promise.all([tools.exec_command({cmd:"pnpm test"}), tools.exec_command({cmd:"pnpm build"})]); for (const r of all) { text(JSON.stringify({cmd: r.output, exit_code: r.exit_code})); }`),
			codexLine("response_item", `{"type":"function_call","name":"wait","call_id":"2","arguments":"{\"cell_id\":\"206\"}"}`)),
			strings.Replace(program("2", "", `{"cmd":"> vitest run\n","exit_code":0}`, `{"cmd":"built","exit_code":1}`)[1], "custom_tool_call_output", "function_call_output", 1)),
		"in a later program, with a line between results": append(
			program("1", `const all = await Promise.all([tools.exec_command({cmd:"pnpm lint"}), tools.exec_command({cmd:"pnpm test"})]); for (const r of all) { text(JSON.stringify(r)); text("\n--- RESULT ---\n"); }`,
				`{"exit_code":0,"output":"clean"}`, between, `{"session_id":58577,"output":"> vitest run\n"}`, between),
			program("2", `const r = await tools.write_stdin({session_id:58577,chars:""}); text(JSON.stringify(r));`, `{"exit_code":0,"output":"Tests  24 passed (24)\n"}`)...),
	} {
		if strings.HasPrefix(name, "by waiting") {
			lines = running(lines)
		}
		turn, err := Read(write(t, append([]string{codexPrompt}, lines...)...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, c := range turn.Calls {
			if c.Command == "pnpm test" {
				found = strings.Contains(c.Output, "24 passed") || c.HasExit && c.ExitCode == 0
			}
		}
		if !found {
			t.Errorf("%s: the end of the test run is not seen: %+v", name, turn.Calls)
		}
	}
}
