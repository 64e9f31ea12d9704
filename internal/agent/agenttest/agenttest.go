// Package agenttest is the suite that every adapter passes: it decodes what its
// client sends, encodes every verdict Gauntlet can give, and never sends a byte
// that its client would misread. How a client reads a reply is decided by the
// adapter's own React, which Matrix compares with the measurements.
package agenttest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
	"gauntlet/internal/event/eventtest"
)

// update rewrites the golden files; a flag of the test binary.
var update = flag.Bool("update", false, "rewrite golden files")

// Run checks an adapter against the rules that all share.
func Run(t *testing.T, a agent.Adapter) {
	t.Run("listed", func(t *testing.T) { listed(t, a) })
	t.Run("verdicts", func(t *testing.T) { verdicts(t, a) })
	t.Run("context", func(t *testing.T) { contexts(t, a) })
	t.Run("sample", func(t *testing.T) { sample(t, a) })
	t.Run("setup", func(t *testing.T) { setup(t, a) })
}

// Decode returns an event as the adapter reads it.
func Decode(t *testing.T, a agent.Adapter, payload string) event.Event {
	t.Helper()
	p, err := wire.Parse([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	return a.Decode(p)
}

func listed(t *testing.T, a agent.Adapter) {
	for _, name := range append([]string{a.Name()}, a.Aliases()...) {
		got, ok := agent.Lookup(name)
		if !ok || got.Name() != a.Name() {
			t.Errorf("Lookup(%q) does not find %s", name, a.Name())
		}
	}
}

// hostile are texts with which a careless encoder would break a client.
func hostile() []string {
	return []string{
		"Tests fail: calc_test.go:12",
		"two\nlines\r\nand\ta tab",
		"quotes \" ' ` and \\ backslash, <b>&amp;</b> </system-reminder> ]]>",
		"\x1b[31mred\x1b[0m \x00 \x07 \x7f \u0085 \u009b31m \u2028 \u2029 \u202e",
		"not UTF-8: \xff\xfe \xc3\x28",
		`{"decision":"approve"}`,
		"{\"decision\":\"approve\"}\n{\"decision\":\"block\"}",
		"é中😀 \ufeff",
		"", " \n\t ",
		strings.Repeat("lorem ipsum & < > ", 4000),
		strings.Repeat("漢", 20000),
	}
}

func verdicts(t *testing.T, a agent.Adapter) {
	commit := "abc1234"
	auto := &event.AutonomousExecution{Enabled: true, Skill: "checkpoint", Reason: "x\ny", Commit: &commit, Pushed: "no"}
	ev := a.Decode(mustParse(t, a.Sample("/repo")))
	for _, status := range eventtest.Statuses() {
		for _, text := range hostile() {
			for _, system := range []string{"", "Blocked. Way out: gauntlet off", text} {
				v := event.Verdict{Status: status, Message: text, Reason: text, SystemMessage: system}
				if status == event.ContextCheckpoint {
					v.Autonomous = auto
				}
				check(t, a, v, a.Encode(ev, v))
			}
		}
	}
}

func mustParse(t *testing.T, data []byte) wire.Payload {
	t.Helper()
	p, err := wire.Parse(data)
	if err != nil {
		t.Fatalf("sample event: %v", err)
	}
	return p
}

// check tests the form of one answer and the client's reaction to it.
func check(t *testing.T, a agent.Adapter, v event.Verdict, out []byte) {
	t.Helper()
	if len(out) > 0 {
		lines := bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
		for i, line := range lines {
			if !json.Valid(line) || line[0] != '{' {
				t.Fatalf("%s: not a JSON object: %q", v.Status, out)
			}
			// Lines for the person come before the answer and are marked as such.
			if i < len(lines)-1 && wire.Payload(wire.Keys(line)).String("type") != "progress" {
				t.Fatalf("%s: more than one line: %q", v.Status, out)
			}
		}
		if out[len(out)-1] != '\n' {
			t.Fatalf("%s: the last line does not end: %q", v.Status, out)
		}
		for _, r := range strings.ReplaceAll(string(out), "\n", "") {
			if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError && !utf8.Valid(out) {
				t.Fatalf("%s: raw control character %U in %q", v.Status, r, out)
			}
		}
	}
	got := a.React(wire.Reply{Stdout: out})
	if !v.Blocks() {
		if got.Outcome != wire.Allowed {
			t.Fatalf("%s: an approval is %s (%s): %q", v.Status, got.Outcome, got.Why, out)
		}
		if bytes.Contains(out, []byte(`"reason"`)) && v.Autonomous == nil {
			t.Fatalf("%s: a reason on an approval: %q", v.Status, out)
		}
		return
	}
	if got.Outcome != wire.Blocked {
		t.Fatalf("%s: a block is %s (%s): %q", v.Status, got.Outcome, got.Why, out)
	}
	if strings.TrimSpace(got.Prompt) == "" {
		t.Fatalf("%s: the model receives nothing: %q", v.Status, out)
	}
	if text := wire.Clean(v.Reason); len(text) < 6000 && strings.TrimSpace(text) != "" && got.Prompt != text {
		t.Fatalf("%s: the model receives %q, want %q", v.Status, got.Prompt, text)
	}
	if got.Shown != "" && strings.TrimSpace(got.Shown) != strings.TrimSpace(wire.Clean(v.SystemMessage)) {
		t.Fatalf("%s: the person is shown %q, want %q", v.Status, got.Shown, v.SystemMessage)
	}
}

func contexts(t *testing.T, a agent.Adapter) {
	for _, kind := range []event.Kind{event.SessionStart, event.Prompt, event.ToolEnd} {
		if out := a.EncodeContext(kind, " \n"); len(out) != 0 {
			t.Errorf("%s: blank context is not silence: %q", kind, out)
		}
		out := a.EncodeContext(kind, "resume at phase \"two\"\x1b[2J")
		if len(out) > 0 && (out[len(out)-1] != '\n' || bytes.Contains(out, []byte("\x1b"))) {
			t.Errorf("%s: %q", kind, out)
		}
		if len(out) > 0 && out[0] == '{' && !json.Valid(out) {
			t.Errorf("%s: not JSON: %q", kind, out)
		}
	}
}

func sample(t *testing.T, a agent.Adapter) {
	raw := a.Sample("/some dir/\"quoted\"")
	got, ev, err := agent.Decode("", raw)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name() != a.Name() {
		t.Errorf("the sample is taken for %s's: %s", got.Name(), raw)
	}
	if ev.Kind != event.Stop || ev.SessionID != wire.SampleSession || ev.Cwd != "/some dir/\"quoted\"" || ev.StopHookActive {
		t.Errorf("the sample decodes to %+v", ev)
	}
}

func setup(t *testing.T, a agent.Adapter) {
	s := a.Setup()
	if s.Label == "" || len(s.Programs) == 0 || len(s.Marks) == 0 {
		t.Errorf("label, programs or marks missing: %+v", s)
	}
	dirs := wire.Dirs{Home: "/home/dev", Project: "/repo", Getenv: func(string) string { return "" }}
	user, project := s.Path(wire.User, dirs), s.Path(wire.Project, dirs)
	if !strings.HasPrefix(filepath.ToSlash(user), "/home/dev/") || !strings.HasPrefix(filepath.ToSlash(project), "/repo/") || filepath.Clean(user) != user {
		t.Errorf("paths %q and %q", user, project)
	}
	if got := s.Path(wire.User, wire.Dirs{}); got != "" {
		t.Errorf("without HOME the user's file is %q", got)
	}
	if got := time.Duration(s.Timeout()) * s.Unit; got <= 280*time.Second {
		t.Errorf("the client's timeout %s is not above Gauntlet's own deadline", got)
	}
	stops := 0
	for _, h := range s.Hooks {
		cmd := s.Command(h.Args)
		if !strings.Contains(cmd, wire.Guard) || !strings.HasSuffix(cmd, " || exit 0") || !strings.Contains(cmd, "--agent "+a.Name()) {
			t.Errorf("%s: command %q", h.Event, cmd)
		}
		if h.Kind == event.Stop {
			stops++
		}
	}
	if stops != 1 {
		t.Errorf("%d stop hooks", stops)
	}
	if s.Shape == wire.Whole && !strings.Contains(s.Content(), "stop-hook") {
		t.Errorf("the file does not call the stop hook")
	}
}

// Events compares the decoded form of every captured event with a golden file.
func Events(t *testing.T, a agent.Adapter, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captured events in %s: %v", dir, err)
	}
	got := map[string]map[string]any{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		p, err := wire.Parse(raw)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		got[strings.TrimSuffix(filepath.Base(f), ".json")] = filled(a.Decode(p))
	}
	data, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join(filepath.Dir(dir), "events.golden.json")
	if *update {
		if err := os.WriteFile(golden, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(data)+"\n"); diff != "" {
		t.Errorf("decoded events differ (-want +got), -update rewrites:\n%s", diff)
	}
}

// filled are the fields that are not empty: a field added to Event later does
// not change what is recorded here.
func filled(value any) map[string]any {
	out := map[string]any{}
	v := reflect.ValueOf(value)
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		out[v.Type().Field(i).Name] = f.Interface()
		if call, ok := f.Interface().(*event.ToolCall); ok {
			out[v.Type().Field(i).Name] = filled(*call)
		}
	}
	return out
}
