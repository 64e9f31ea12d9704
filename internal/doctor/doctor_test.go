package doctor

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
	"gauntlet/internal/install"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
)

func places(t *testing.T) install.Places {
	t.Helper()
	dir := t.TempDir()
	p := install.Places{
		Home: filepath.Join(dir, "home"), Cwd: filepath.Join(dir, "project"), Project: filepath.Join(dir, "project"), State: filepath.Join(dir, "home", ".local", "state", "gauntlet"),
		Getenv:   func(string) string { return "" },
		LookPath: func(string) (string, error) { return "", exec.ErrNotFound },
	}
	for _, d := range []string{p.Home, p.Project} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func adapter(t *testing.T, name string) agent.Adapter {
	t.Helper()
	a, ok := agent.Lookup(name)
	if !ok {
		t.Fatalf("no agent %s", name)
	}
	return a
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mustInstall(t *testing.T, p install.Places, a agent.Adapter, r install.Request) {
	t.Helper()
	changes, err := p.PlanInstall(a, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(changes); err != nil {
		t.Fatal(err)
	}
}

// examine checks p with a fake of the gauntlet binary.
func examine(t *testing.T, p install.Places, script string) *Doctor {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "gauntlet")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Dir(bin) + string(os.PathListSeparator) + os.Getenv("PATH")
	p.Getenv = func(k string) string {
		if k == "PATH" {
			return path
		}
		return ""
	}
	p.LookPath = func(name string) (string, error) {
		switch name {
		case "gauntlet":
			return bin, nil
		case "sh":
			return exec.LookPath("sh")
		}
		return "", exec.ErrNotFound
	}
	p.Site = site.Here(p.Project, p.Getenv)
	return &Doctor{Places: p, Executable: bin, Version: "test", Environ: os.Environ(), Now: time.Now(), SelfTest: true}
}

func find(checks []Check, agent, name string) Check {
	for _, c := range checks {
		if c.Agent == agent && c.Name == name {
			return c
		}
	}
	return Check{}
}

// Every bad answer of a binary is detected, with its consequence.
func TestSelfTestFindsBadAnswers(t *testing.T) {
	cases := []struct{ name, agent, script, want string }{
		{"never blocks", "claude", `echo '{"decision":"approve"}'`, "a failing gate would not block"},
		{"always blocks", "claude", `echo '{"decision":"block","reason":"no"}'`, "the agent could not stop where nothing is configured"},
		{"neutral answer to a strict client", "codex", `echo '{"decision":"approve","status":"passed","message":"m"}'`, "unknown field"},
		{"a crash", "gemini", `echo oops; exit 3`, "a failing gate would not block"},
		{"two lines", "claude", `echo '{"decision":"approve"}'; echo '{"decision":"approve"}'`, "looks like JSON but is not"},
	}
	for _, c := range cases {
		p, a := places(t), adapter(t, c.agent)
		mustInstall(t, p, a, install.Request{Scope: wire.Project})
		got := find(examine(t, p, c.script).Examine(t.Context()), c.agent, "self-test")
		if got.State != Fail || !strings.Contains(got.Message, c.want) || got.Fix == "" {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestSelfTestAcceptsGoodAnswers(t *testing.T) {
	p, a := places(t), adapter(t, "gemini")
	mustInstall(t, p, a, install.Request{Scope: wire.Project})
	script := `case "$PWD" in */project) echo '{"decision":"deny","reason":"fix it"}';; *) echo noise >&2;; esac`
	checks := examine(t, p, script).Examine(t.Context())
	if got := find(checks, "gemini", "self-test"); got.State != OK {
		t.Errorf("%+v", got)
	}
}

// The self-test never touches the person's own home directories or variables.
func TestSelfTestIsIsolated(t *testing.T) {
	p, a := places(t), adapter(t, "claude")
	mustInstall(t, p, a, install.Request{Scope: wire.Project})
	out := filepath.Join(t.TempDir(), "env")
	d := examine(t, p, `env >> `+out+`; case "$PWD" in */project) echo '{"decision":"block","reason":"x"}';; esac`)
	d.Environ = append(d.Environ, "GAUNTLET_STOP_HOOK_ACTIVE=1", "GIT_DIR=/elsewhere", "XDG_STATE_HOME=/mine", "CI=true")
	if got := find(d.Examine(t.Context()), "claude", "self-test"); got.State != OK {
		t.Fatalf("%+v", got)
	}
	env := get(t, out)
	for _, bad := range []string{"GAUNTLET_", "GIT_DIR=", "XDG_STATE_HOME=/mine", "HOME=" + p.Home, "\nCI="} {
		if strings.Contains(env, bad) {
			t.Errorf("%s reached the command", bad)
		}
	}
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "gauntlet-doctor-*"))
	for _, dir := range left {
		if st, err := os.Stat(dir); err == nil && time.Since(st.ModTime()) < time.Second {
			t.Errorf("%s was left behind", dir)
		}
	}
}

func TestDoctorWithoutBinary(t *testing.T) {
	p, a := places(t), adapter(t, "claude")
	mustInstall(t, p, a, install.Request{Scope: wire.Project})
	d := examine(t, p, "exit 0")
	d.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	checks := d.Examine(t.Context())
	if got := find(checks, "", "binary"); got.State != Fail || !strings.Contains(got.Fix, "PATH") {
		t.Errorf("%+v", got)
	}
	if got := find(checks, "claude", "self-test"); got.Name != "" {
		t.Errorf("tested without a binary: %+v", got)
	}
}

func TestHeartbeats(t *testing.T) {
	p, a := places(t), adapter(t, "claude")
	p.State = filepath.Join(p.Home, "state", "gauntlet")
	mustInstall(t, p, a, install.Request{Scope: wire.Project})
	d := examine(t, p, "exit 0")
	d.SelfTest = false
	d.Site = site.Here(p.Project, func(name string) string {
		return map[string]string{"XDG_STATE_HOME": filepath.Join(p.Home, "state")}[name]
	})
	memory := d.Site.Memory
	beat := session.Heartbeat{Agent: "claude", Event: string(event.Stop), At: d.Now.Add(-3 * time.Hour), Binary: d.Executable, Status: "passed"}
	if err := memory.Beat(beat); err != nil {
		t.Fatal(err)
	}
	if got := find(d.Examine(t.Context()), "claude", "heartbeat"); got.State != OK || !strings.Contains(got.Message, "3 hours ago (passed)") {
		t.Errorf("%+v", got)
	}
	if err := memory.Beat(session.Heartbeat{Agent: "claude", Event: string(event.Prompt), At: d.Now.Add(-2 * time.Minute)}); err != nil {
		t.Fatal(err)
	}
	if got := find(d.Examine(t.Context()), "claude", "heartbeat"); !strings.Contains(got.Message, "(passed), UserPromptSubmit 2 minutes ago") {
		t.Errorf("%+v", got)
	}
	beat.Binary = "/somewhere/else/gauntlet"
	if err := memory.Beat(beat); err != nil {
		t.Fatal(err)
	}
	if got := find(d.Examine(t.Context()), "claude", "heartbeat"); got.State != Warn || got.Fix == "" {
		t.Errorf("%+v", got)
	}
}

// Every problem comes with a fix.
func TestEveryProblemHasItsFix(t *testing.T) {
	p := places(t)
	for _, name := range []string{"claude", "codex", "gemini", "cursor"} {
		mustInstall(t, p, adapter(t, name), install.Request{Scope: wire.Project})
		mustInstall(t, p, adapter(t, name), install.Request{Scope: wire.User})
	}
	put(t, filepath.Join(p.Project, ".qwen", "settings.json"), "{")
	put(t, filepath.Join(p.Project, ".factory", "x"), "")
	put(t, filepath.Join(p.Project, ".gauntlet", "config.yml"), "entry_points: 3\n")
	d := examine(t, p, "exit 1")
	d.Executable = "/another/gauntlet"
	seen := map[State]int{}
	for _, c := range d.Examine(t.Context()) {
		seen[c.State]++
		if (c.State == Fail || c.State == Warn) && c.Fix == "" {
			t.Errorf("no fix: %+v", c)
		}
		if c.Message == "" {
			t.Errorf("no message: %+v", c)
		}
	}
	if seen[Fail] < 5 || seen[Warn] < 3 {
		t.Errorf("found only %v", seen)
	}
}

// The same entry twice judges every stop twice.
func TestDoubledEntries(t *testing.T) {
	p, a := places(t), adapter(t, "claude")
	mustInstall(t, p, a, install.Request{Scope: wire.Project})
	file := filepath.Join(p.Project, ".claude", "settings.json")
	var doc map[string]map[string][]any
	if err := json.Unmarshal([]byte(get(t, file)), &doc); err != nil {
		t.Fatal(err)
	}
	doc["hooks"]["Stop"] = append(doc["hooks"]["Stop"], doc["hooks"]["Stop"][0])
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	d := examine(t, p, "exit 0")
	d.SelfTest = false
	if got := find(d.Examine(t.Context()), "claude", "hooks"); got.State != Warn || !strings.Contains(got.Message, "the stop hook is there 2 times") {
		t.Errorf("%+v", got)
	}
}

// A slow script in front of the binary is reported.
func TestSlowShim(t *testing.T) {
	p, a := places(t), adapter(t, "claude")
	mustInstall(t, p, a, install.Request{Scope: wire.Project})
	d := examine(t, p, "sleep 0.1")
	var got Check
	for _, c := range d.Examine(t.Context()) {
		if c.Name == "binary" && c.State == Warn && strings.Contains(c.Message, "is a script") {
			got = c
		}
	}
	if !strings.Contains(got.Message, "ms to start gauntlet") || got.Fix == "" {
		t.Errorf("%+v", got)
	}
}
