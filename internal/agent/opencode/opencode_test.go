package opencode_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/opencode"
	"gauntlet/internal/event"
)

func TestConformance(t *testing.T) { agenttest.Run(t, opencode.Adapter{}) }

func TestDecode(t *testing.T) {
	got := agenttest.Decode(t, opencode.Adapter{}, `{"agent":"opencode","hook_event_name":"Stop","session_id":"s","turn_id":"m1","cwd":"/r","stop_hook_active":true,"last_assistant_message":"x"}`)
	want := event.Event{Kind: event.Stop, SessionID: "s", TurnID: "m1", Cwd: "/r", StopHookActive: true, LastMessage: "x"}
	if got != want {
		t.Errorf("%+v", got)
	}
}

// The plugin is driven by a stand-in for OpenCode's client: a blocked stop
// becomes a prompt, the same reason again does not, children and failed turns are let be.
func TestPlugin(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED LOUDLY: node is not installed, the OpenCode plugin was not run")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "gauntlet.mjs"), []byte((opencode.Adapter{}).Setup().Content()), 0o600); err != nil {
		t.Fatal(err)
	}
	stub := "#!/bin/sh\ncat >>\"" + dir + "/events\"; echo >>\"" + dir + "/events\"; cat \"" + dir + "/reply\"\n"
	if err := os.WriteFile(filepath.Join(dir, "gauntlet"), []byte(stub), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "reply"), []byte(`{"decision":"block","reason":"run the tests","systemMessage":"blocked"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "drive.mjs"), []byte(driver), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "drive.mjs")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := "1 prompt after the first stop: Gauntlet: run the tests; the person sees: blocked\n1 prompt after the same reason\n1 prompt after a child\n1 prompt after a failed turn\n2 prompts after a new turn\n2 prompts without the program\n"
	if string(out) != want {
		t.Errorf("got:\n%s\nwant:\n%s", out, want)
	}
	events, err := os.ReadFile(filepath.Join(dir, "events"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(events)), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d events: %s", len(lines), events)
	}
	for i, active := range []bool{false, true, false} {
		ev := agenttest.Decode(t, opencode.Adapter{}, lines[i])
		if ev.StopHookActive != active || ev.SessionID != "ses" || ev.TurnID == "" || ev.LastMessage != "done" {
			t.Errorf("event %d: %+v", i, ev)
		}
	}
}

const driver = `
import { Gauntlet } from "./gauntlet.mjs"
const user = (id, text) => ({ info: { id, role: "user" }, parts: [{ type: "text", text }] })
const bot = (error) => ({ info: { id: "b", role: "assistant", error }, parts: [{ type: "text", text: "done" }] })
let session = { id: "ses", directory: process.cwd() }
let messages = [user("m1", "fix it"), bot()]
const prompts = []
const toasts = []
const client = { tui: { showToast: async (t) => { toasts.push(t.body.message); throw new Error("no screen") } }, session: {
  get: async () => ({ data: session }),
  messages: async () => ({ data: messages }),
  prompt: async (p) => { prompts.push(p.body.parts[0].text) },
} }
const plugin = await Gauntlet({ client, directory: process.cwd() })
const idle = async () => { await plugin.event({ event: { type: "session.idle", properties: { sessionID: "ses" } } }) }
const say = (s) => console.log(prompts.length + (prompts.length === 1 ? " prompt " : " prompts ") + s)
await plugin.event({ event: { type: "session.updated", properties: {} } })
await idle(); say("after the first stop: " + prompts[0] + "; the person sees: " + toasts)
messages.push(user("m2", prompts[0]), bot()); await idle(); say("after the same reason")
session.parentID = "p"; await idle(); delete session.parentID; say("after a child")
messages.push(bot({ name: "MessageAbortedError" })); await idle(); messages.pop(); say("after a failed turn")
messages.push(user("m3", "and now this"), bot()); await idle(); say("after a new turn")
process.env.PATH = "/nonexistent"; messages.push(user("m4", "more"), bot()); await idle(); say("without the program")
`
