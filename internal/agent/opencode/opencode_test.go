package opencode_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/opencode"
	"gauntlet/internal/event"
	"gauntlet/internal/transcript"
)

func TestConformance(t *testing.T) { agenttest.Run(t, opencode.Adapter{}) }

func TestDecode(t *testing.T) {
	got := agenttest.Decode(t, opencode.Adapter{}, `{"agent":"opencode","hook_event_name":"Stop","session_id":"s","turn_id":"m1","cwd":"/r","stop_hook_active":true,"last_assistant_message":"x"}`)
	want := event.Event{Kind: event.Stop, SessionID: "s", TurnID: "m1", Cwd: "/r", StopHookActive: true, LastMessage: "x"}
	if got != want {
		t.Errorf("%+v", got)
	}
}

// The plugin runs against fakes of OpenCode's client and of the gauntlet binary:
// the test checks which calls it makes, when, and what it does with the answers.
func TestPlugin(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED LOUDLY: node is not installed, the OpenCode plugin was not run")
	}
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("gauntlet.mjs", (opencode.Adapter{}).Setup().Content(), 0o600)
	write("drive.mjs", driver, 0o600)
	write("gauntlet", `#!/bin/sh
event=$(cat)
echo "$event" >>"$DIR/events"
cp "$(echo "$event" | sed -n 's/.*"transcript_path":"\([^"]*\)".*/\1/p')" "$DIR/transcript.jsonl" 2>/dev/null
case "$1 $2" in
"stop-hook --agent") sleep "${SLOW:-0}"; echo '{"decision":"block","reason":"run the tests","systemMessage":"blocked"}' ;;
"hook session-start") echo 'phase two is open' ;;
esac
`, 0o700)
	cmd := exec.CommandContext(t.Context(), node, "drive.mjs")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "DIR="+dir, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := `finished: prompted "Gauntlet: run the tests" as build with m; the person sees blocked
the same answer again: nothing
a sub-agent's session: nothing
interrupted, before the error is written: nothing
interrupted, after: nothing
a tool was refused: nothing
a person went on meanwhile: nothing
planning: prompted "Gauntlet: run the tests" as plan with m; the person sees blocked
an agent that may not edit: prompted "Gauntlet: run the tests" as reader with m; the person sees blocked
held open until it was answered: prompted "Gauntlet: run the tests" as build with m; the person sees blocked
the model is told: phase two is open
without the program: nothing
`
	if string(out) != want {
		t.Errorf("got:\n%s\nwant:\n%s", out, want)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "gauntlet-opencode-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	checkEvents(t, dir)
}

// checkEvents decodes what the plugin sent with the adapter.
func checkEvents(t *testing.T, dir string) {
	t.Helper()
	events, err := os.ReadFile(filepath.Join(dir, "events"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(events)) {
		ev := agenttest.Decode(t, opencode.Adapter{}, line)
		s := fmt.Sprintf("%s %s turn=%s active=%v mode=%s", ev.Kind, ev.SessionID, ev.TurnID, ev.StopHookActive, ev.PermissionMode)
		if ev.Tool != nil {
			s = fmt.Sprintf("%s %s %q %s", ev.Kind, ev.Tool.ID, ev.Tool.Command, ev.Tool.Outcome)
		}
		got = append(got, s)
	}
	want := []string{
		"stop ses turn=u1 active=false mode=default",
		"stop ses turn=u1 active=true mode=default",
		"stop ses turn=u3 active=false mode=plan",
		"stop ses turn=u4 active=false mode=plan",
		"stop ses turn=u5 active=false mode=default",
		"prompt ses turn=u6 active=false mode=",
		"session_start ses turn= active=false mode=",
		`tool_start c1 "make test" unknown`,
		`tool_end c1 "make test" failure`,
		`tool_end c2 "make test" unknown`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	turn, err := transcript.Read(filepath.Join(dir, "transcript.jsonl"), transcript.Options{})
	if err != nil || turn.HumanID != "u5" || len(turn.Calls) != 2 || turn.Calls[1].Subagent != "kid" || turn.Calls[1].Outcome != event.Success {
		t.Errorf("the conversation reads as %+v, %v", turn, err)
	}
}

const driver = `
import { Gauntlet } from "./gauntlet.mjs"
const model = { providerID: "p", modelID: "m" }
const user = (id, text, agent = "build") => ({ info: { id, role: "user", agent, model, time: { created: 1 } }, parts: [{ type: "text", text }] })
let n = 0
const bot = (info = { finish: "stop" }, parts = []) => ({ info: { id: "b" + ++n, role: "assistant", time: { created: 2 }, ...info }, parts: [...parts, { type: "text", text: "done" }] })
const tool = (name, metadata) => ({ type: "tool", callID: name, tool: name, state: { status: "completed", input: { command: "make test" }, output: "", metadata } })
let session = { id: "ses", directory: process.cwd() }
let messages = [user("u1", "fix it"), bot()]
let meanwhile = () => {}
let prompts = [], toasts = []
const client = {
  tui: { showToast: async (t) => { toasts.push(t.body.message); throw new Error("no screen") } },
  app: { agents: async () => ({ data: [
    { name: "build", permission: [{ permission: "*", pattern: "*", action: "allow" }] },
    { name: "reader", permission: [{ permission: "*", pattern: "*", action: "allow" }, { permission: "edit", pattern: "*", action: "deny" }] },
  ] }) },
  session: {
    get: async () => ({ data: session }),
    messages: async ({ path }) => { meanwhile(); return { data: path.id === "kid" ? [bot({ finish: "stop" }, [tool("bash", { exit: 0 })])] : [...messages] } },
    prompt: async (p) => {
      await new Promise((done) => setTimeout(done, 100))
      prompts.push(p.body)
      messages.push(user("ours", p.body.parts[0].text, p.body.agent))
    },
  },
}
const plugin = await Gauntlet({ client, directory: process.cwd() })
const idle = () => plugin.event({ event: { type: "session.idle", properties: { sessionID: "ses" } } })
const say = async (s) => {
  await new Promise((done) => setTimeout(done, 180))
  const p = prompts.map((p) => "prompted " + JSON.stringify(p.parts[0].text) + " as " + p.agent + " with " + p.model.modelID)
  console.log(s + ": " + (p.length || toasts.length ? [...p, "the person sees " + toasts].join("; ") : "nothing"))
  prompts = []; toasts = []
}
await plugin.event({ event: { type: "session.updated", properties: {} } })
await idle(); await say("finished")
messages.pop(); await idle(); await say("the same answer again")
session.parentID = "p"; messages.push(bot()); await idle(); delete session.parentID; await say("a sub-agent's session")
messages.push(bot({})); await idle(); await say("interrupted, before the error is written")
messages.at(-1).info.error = { name: "MessageAbortedError" }; messages.at(-1).info.finish = "stop"; await idle(); await say("interrupted, after")
messages.push(bot({ finish: "tool-calls" })); await idle(); await say("a tool was refused")
messages.push(user("x", "Gauntlet: again"), bot()); let looks = 0
meanwhile = () => { if (++looks === 2) messages.push(user("u2", "wait, another thing")) }
await idle(); meanwhile = () => {}; toasts = []; await say("a person went on meanwhile")
messages.push(user("u3", "plan it", "plan"), bot()); await idle(); await say("planning")
messages.push(user("u4", "read it", "reader"), bot()); await idle(); await say("an agent that may not edit")
messages.push(user("u5", "go on"), bot({ finish: "stop" }, [tool("task", { sessionId: "kid" })]))
process.env.SLOW = "0.5"; const judging = idle(); await plugin.dispose(); await judging; await say("held open until it was answered")
await plugin["chat.message"]({ sessionID: "ses" }, { message: { id: "u6" }, parts: [{ type: "text", text: "next" }] })
await plugin["chat.message"]({ sessionID: "ses" }, { message: { id: "u7" }, parts: [{ type: "text", text: "Gauntlet: run" }] })
const system = []
for (let i = 0; i < 2; i++) await plugin["experimental.chat.system.transform"]({ sessionID: "ses" }, { system })
console.log("the model is told: " + [...new Set(system)])
await plugin["tool.execute.before"]({ tool: "bash", sessionID: "ses", callID: "c1" }, { args: { command: "make test" } })
await plugin["tool.execute.after"]({ tool: "bash", sessionID: "ses", callID: "c1", args: { command: "make test" } }, { metadata: { exit: 3 } })
await plugin["tool.execute.after"]({ tool: "bash", sessionID: "ses", callID: "c2", args: { command: "make test" } }, { metadata: { exit: null } })
await plugin["tool.execute.before"]({ tool: "read", sessionID: "ses", callID: "c3" }, { args: {} })
process.env.PATH = "/nonexistent"; messages.push(user("u8", "more"), bot()); await idle(); await say("without the program")
`
