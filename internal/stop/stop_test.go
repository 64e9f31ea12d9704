package stop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gauntlet/internal/event"
)

// hooked is a project and an agent that stops in it.
type hooked struct {
	t   testing.TB
	dir string
	env map[string]string
	now time.Time
}

func newHooked(t testing.TB, cfg string, checks map[string]string) *hooked {
	t.Helper()
	base := t.TempDir()
	h := &hooked{t: t, dir: filepath.Join(base, "repo"), env: map[string]string{"HOME": filepath.Join(base, "home"), "GAUNTLET_TRUST": "all", "GAUNTLET_SLOTS": "0", "GAUNTLET_AHEAD": "0"}, now: time.Now()}
	h.write(".gitignore", "gauntlet_logs\n")
	h.write(".gauntlet/config.yml", cfg)
	for name, c := range checks {
		h.write(".gauntlet/checks/"+name+".yml", c)
	}
	h.git("init", "-q", "-b", "main")
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "base")
	return h
}

func (h *hooked) write(name, content string) {
	h.t.Helper()
	name = filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hooked) git(args ...string) {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), "git", append([]string{"-c", "user.name=d", "-c", "user.email=d@e"}, args...)...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// answer is the verdict as sent to the client.
type answer struct {
	Decision, Status, Message, Reason, SystemMessage string
	keys                                             []string
}

func (h *hooked) raw(payload []byte) answer {
	h.t.Helper()
	hook := Hook{
		Stdin: bytes.NewReader(payload), Stderr: io.Discard, Getenv: func(k string) string { return h.env[k] }, Environ: os.Environ(),
		Cwd: h.dir, Now: func() time.Time { return h.now },
		Interruptible: func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithCancel(ctx) },
	}
	out := hook.Run(h.t.Context())
	if bytes.Count(out, []byte("\n")) != 1 || !bytes.HasSuffix(out, []byte("\n")) {
		h.t.Fatalf("not one line: %q", out)
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(out, &keys); err != nil {
		h.t.Fatal(err)
	}
	for k := range keys {
		a.keys = append(a.keys, k)
	}
	if (a.Decision == "block") != event.Status(a.Status).Blocks() || (a.Reason != "") != (a.Decision == "block") || a.Message == "" ||
		strings.Contains(a.Message, "\n") {
		h.t.Fatalf("not a sound verdict: %s", out)
	}
	return a
}

func (h *hooked) stop(turn string, active bool) answer {
	h.t.Helper()
	b, err := json.Marshal(map[string]any{"hook_event_name": "Stop", "session_id": "s", "prompt_id": turn, "stop_hook_active": active, "cwd": h.dir})
	if err != nil {
		h.t.Fatal(err)
	}
	return h.raw(b)
}

// For any input on stdin and any configuration there is a verdict, and only a failed gate
// blocks.
func TestEveryInputGetsAVerdict(t *testing.T) {
	h := newHooked(t, "entry_points: []\ncheckpoint: {}\n", nil)
	known := []string{"hook_event_name", "session_id", "prompt_id", "turn_id", "cwd", "stop_hook_active", "transcript_path", "background_tasks", "agent_id", "prompt"}
	value := rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return rapid.String().Draw(t, "string")
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.Float64().Draw(t, "number")
		case 3:
			return nil
		case 4:
			return []any{map[string]any{"type": "subagent", "status": "running"}, 7}
		case 5:
			return map[string]any{"a": 1}
		default:
			return rapid.SampledFrom([]string{"Stop", "SubagentStop", "AfterAgent", "agent-turn-complete", "/", h.dir, "/nowhere\x00", "../../etc/passwd"}).Draw(t, "word")
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		ev := map[string]any{}
		for _, k := range known {
			if rapid.Bool().Draw(t, k) {
				ev[k] = value.Draw(t, "value")
			}
		}
		b, err := json.Marshal(ev)
		if err != nil {
			t.Skip("not a JSON value")
		}
		if cut := rapid.IntRange(0, 3*len(b)).Draw(t, "cut"); cut < len(b) {
			b = b[:cut]
		}
		b = append(b, rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "rest")...)
		hook := Hook{
			Stdin: bytes.NewReader(b), Stderr: io.Discard, Getenv: func(k string) string { return h.env[k] }, Cwd: h.dir, Now: time.Now,
			Interruptible: func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithCancel(ctx) },
		}
		out := hook.Run(h.t.Context())
		var v map[string]any
		if len(out) > 0 && (json.Unmarshal(out, &v) != nil || bytes.Count(out, []byte("\n")) != 1) {
			t.Fatalf("%q for %q", out, b)
		}
		if d := v["decision"]; d == "block" || d == "deny" {
			t.Fatalf("nothing is owed here: %s for %q", out, b)
		}
	})
}

// A configuration of arbitrary bytes is an error that lets the agent stop.
func TestAnyConfigurationGetsAVerdict(t *testing.T) {
	h := newHooked(t, "x", nil)
	rapid.Check(t, func(rt *rapid.T) {
		cfg := rapid.OneOf(rapid.String(), rapid.StringMatching(`(stop_hook|entry_points|max_retries|log_dir): [\[\]{}"'a-z0-9:, \n-]{0,20}`)).Draw(rt, "config")
		h.write(".gauntlet/config.yml", cfg)
		if a := h.stop("p", false); a.Decision != "approve" {
			rt.Fatalf("%q: %+v", cfg, a)
		}
	})
}

// The order of the pipeline: the earlier step wins.
func TestPipelineOrder(t *testing.T) {
	h := newHooked(t, "entry_points: [{path: ., checks: [no]}]\n", map[string]string{"no": "command: \"false\"\n"})
	h.write("change", "x")
	type given struct {
		guard, invalid, subagent, background, active, noConfig, untrusted, badConfig, off bool
	}
	for _, tt := range []struct {
		want  event.Status
		given given
	}{
		{event.StopHookActive, given{guard: true, invalid: true, active: true, off: true}},
		{event.InvalidInput, given{invalid: true, noConfig: true, off: true}},
		{event.Subagent, given{subagent: true, background: true, active: true, badConfig: true}},
		{event.BackgroundWork, given{background: true, active: true, badConfig: true, off: true}},
		{event.StopHookActive, given{active: true, noConfig: true, off: true}},
		{event.StopHookActive, given{active: true, badConfig: true}},
		{event.NoConfig, given{noConfig: true, off: true}},
		{event.StopHookActive, given{active: true, untrusted: true}},
		{event.NoConfig, given{noConfig: true, untrusted: true}},
		{event.Untrusted, given{untrusted: true, badConfig: true, off: true}},
		{event.Error, given{badConfig: true, off: true}},
		{event.StopHookDisabled, given{off: true}},
		{event.Failed, given{}},
	} {
		ev := map[string]any{"hook_event_name": "Stop", "session_id": "s", "prompt_id": "p", "stop_hook_active": tt.given.active, "cwd": h.dir}
		clear(h.env)
		h.env["HOME"] = filepath.Join(filepath.Dir(h.dir), "home")
		if !tt.given.untrusted {
			h.env["GAUNTLET_TRUST"] = "all"
		}
		h.write(".gauntlet/config.yml", "entry_points: [{path: ., checks: [no]}]\n")
		if tt.given.guard {
			h.env[event.GuardVar] = "1"
		}
		if tt.given.subagent {
			ev["hook_event_name"], ev["agent_id"] = "SubagentStop", "a"
		}
		if tt.given.background {
			ev["background_tasks"] = []any{map[string]any{"id": "b", "type": "subagent", "status": "running"}}
		}
		if tt.given.noConfig {
			ev["cwd"] = t.TempDir()
		}
		if tt.given.badConfig {
			h.write(".gauntlet/config.yml", "max_retries: many\n")
		}
		if tt.given.off {
			h.env["GAUNTLET_STOP_HOOK_ENABLED"] = "false"
		}
		b, err := json.Marshal(ev)
		if err != nil {
			t.Fatal(err)
		}
		if tt.given.invalid {
			b = b[:len(b)/2]
		}
		if a := h.raw(b); a.Status != string(tt.want) {
			t.Errorf("%+v: %s, want %s", tt.given, a.Status, tt.want)
		}
	}
}

// The blocks of a human turn are bounded whatever the agent reports and does: by one when
// its flag is right, by the budget when its flag is wrong.
func TestBlocksAreBounded(t *testing.T) {
	gate := map[string]string{"t": "command: cat change; false\n"}
	for _, mode := range []struct {
		name, cfg string
		lies      bool
		most      int
	}{
		{"once", "max_retries: 1000\nstop_hook: {run_interval_minutes: 0}\n", false, 1},
		{"until_pass", "max_retries: 1000\nstop_hook: {run_interval_minutes: 0, reentry: until_pass, max_blocks: 2}\n", false, 2},
		{"until_pass and a flag that lies", "max_retries: 1000\nstop_hook: {run_interval_minutes: 0, reentry: until_pass, max_blocks: 2}\n", true, 2},
		{"a budget of nothing", "max_retries: 1000\nstop_hook: {run_interval_minutes: 0, reentry: until_pass, max_blocks: 0}\n", false, 0},
	} {
		t.Run(mode.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, uint64(len(mode.name))))
			h := newHooked(t, mode.cfg+"entry_points: [{path: ., checks: [t]}]\n", gate)
			all := 0
			for turn := range 4 {
				blocks, active := 0, false
				for stop := range 5 {
					if rnd.IntN(4) > 0 {
						h.write("change", fmt.Sprint(turn, stop))
					}
					flag := active
					if mode.lies {
						flag = rnd.IntN(2) == 0
					}
					a := h.stop(fmt.Sprint("turn", turn), flag)
					active = a.Decision == "block"
					if active {
						blocks++
					}
					if !active && !mode.lies {
						break // the agent stopped; the human's prompt is next
					}
				}
				if blocks > mode.most {
					t.Fatalf("turn %d was blocked %d times", turn, blocks)
				}
				// A gate that fails blocks at least once in every turn, or nothing is enforced.
				if mode.most > 0 && !mode.lies && blocks == 0 {
					t.Fatalf("a failing gate did not block in turn %d", turn)
				}
				all += blocks
			}
			if mode.most > 0 && all == 0 {
				t.Error("a failing gate never blocked")
			}
		})
	}
}

// No memory, no block that could be the start of a loop.
func TestUntilPassWithoutMemory(t *testing.T) {
	h := newHooked(t, "stop_hook: {run_interval_minutes: 0, reentry: until_pass}\nentry_points: [{path: ., checks: [t]}]\n", map[string]string{"t": "command: \"false\"\n"})
	h.write("change", "1")
	if a := h.stop("p", true); a.Status != string(event.RetryLimitExceeded) {
		t.Errorf("flag and nothing remembered: %+v", a)
	}
	if a := h.stop("p", false); a.Status != string(event.Failed) {
		t.Fatalf("%+v", a)
	}
	if err := os.RemoveAll(filepath.Join(h.dir, ".git", "gauntlet", "sessions")); err != nil {
		t.Fatal(err)
	}
	h.write(".git/gauntlet/sessions", "a file in the way")
	h.write("change", "2")
	for _, active := range []bool{true, false} {
		if a := h.stop("p", active); a.Status != string(event.RetryLimitExceeded) {
			t.Errorf("memory that cannot be kept: %+v", a)
		}
	}
}

// What blocked, failed, broke or was not judged is reported to a person, and nothing else.
func TestSystemMessage(t *testing.T) {
	h := newHooked(t, "entry_points: [{path: ., checks: [t]}]\n", map[string]string{"t": "command: test ! -e bad\n"})
	if a := h.stop("p", false); a.Status != string(event.NoChanges) || len(a.keys) != 3 {
		t.Errorf("%+v", a)
	}
	h.write("bad", "x")
	if a := h.stop("p", false); a.Status != string(event.Failed) || a.SystemMessage == "" || len(a.keys) != 5 {
		t.Errorf("%+v", a)
	}
	h.write(".gauntlet/checks/t.yml", "command: no-such-command-anywhere\n")
	if a := h.stop("p", false); a.Status != string(event.InfrastructureErr) || a.SystemMessage == "" || len(a.keys) != 4 {
		t.Errorf("%+v", a)
	}
	h.write(".gauntlet/checks/t.yml", "command: \"true\"\n")
	h.now = h.now.Add(time.Hour)
	if a := h.stop("p", false); a.Status != string(event.Passed) || len(a.keys) != 3 {
		t.Errorf("%+v", a)
	}
	h.now = h.now.Add(4 * time.Minute)
	if a := h.stop("p", false); a.Status != string(event.IntervalNotElapsed) || !strings.Contains(a.Message, "6m") || a.SystemMessage == "" || len(a.keys) != 4 {
		t.Errorf("%+v", a)
	}
	if a := h.stop("p", false); a.Status != string(event.IntervalNotElapsed) || a.SystemMessage != "" {
		t.Errorf("reported twice in one turn: %+v", a)
	}
	if a := h.stop("p2", false); a.Status != string(event.IntervalNotElapsed) || a.SystemMessage == "" {
		t.Errorf("not reported in another turn: %+v", a)
	}
}
