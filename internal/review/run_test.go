package review

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/config"
)

const testDiff = `diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -1,3 +1,4 @@
 one
+two
 three
 four
`

// bench is a project with fake reviewers, programs of the test's own in PATH.
type bench struct {
	t   *testing.T
	dir string
	job Job
}

func newBench(t *testing.T) *bench {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake reviewers are shell scripts")
	}
	dir := t.TempDir()
	for _, d := range []string{"bin", "logs"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &bench{t: t, dir: dir, job: Job{
		Review:     &config.Review{Name: "quality", Prompt: "Look for bugs.", NumReviews: 1},
		Entry:      ".",
		Dir:        dir,
		Diff:       []byte(testDiff),
		LogDir:     filepath.Join(dir, "logs"),
		RunNumber:  1,
		Threshold:  "high",
		Preference: []string{"claude"},
		Env:        []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin", "FAKE=" + dir},
	}}
}

// fake installs a reviewer; every call of it is counted in calls-<name>.
func (b *bench) fake(name, script string) {
	b.t.Helper()
	text := "#!/bin/sh\necho \"$@\" >> \"$FAKE/calls-" + name + "\"\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(b.dir, "bin", name), []byte(text), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// says installs a reviewer that answers with these findings, or passes.
func (b *bench) says(name string, findings ...Finding) {
	b.t.Helper()
	status := "pass"
	if len(findings) > 0 {
		status = "fail"
	}
	data, err := json.Marshal(map[string]any{"status": status, "message": "as asked", "violations": findings})
	if err != nil {
		b.t.Fatal(err)
	}
	answer := filepath.Join(b.dir, "answer-"+name)
	if err := os.WriteFile(answer, data, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.fake(name, "cat > \"$FAKE/stdin-"+name+"\"; cat '"+answer+"'")
}

func (b *bench) calls(name string) int {
	data, _ := os.ReadFile(filepath.Join(b.dir, "calls-"+name))
	return strings.Count(string(data), "\n")
}

func (b *bench) read(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// answer marks every finding of a result file.
func (b *bench) answer(path, status string) {
	b.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), `"status": "new"`, `"status": "`+status+`"`)
	text = strings.ReplaceAll(text, `"result": null`, `"result": "done"`)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) run() Result {
	b.t.Helper()
	res := Run(b.t.Context(), b.job)
	b.job.RunNumber++
	b.job.Rerun = true
	return res
}

func bug(issue, priority string) Finding {
	return Finding{File: "a.go", Line: 2, Issue: issue, Priority: priority}
}

func TestPassAndRecord(t *testing.T) {
	b := newBench(t)
	b.says("claude")
	res := b.run()
	if res.Status != Pass || res.Reused || res.Open != 0 || len(res.Slots) != 1 {
		t.Fatalf("got %+v", res)
	}
	s := res.Slots[0]
	if want := filepath.Join(b.job.LogDir, "review_._quality_claude@1.1.json"); s.JSONPath != want {
		t.Errorf("result in %s", s.JSONPath)
	}
	var rec map[string]any
	if err := json.Unmarshal([]byte(b.read("logs/review_._quality_claude@1.1.json")), &rec); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"adapter", "timestamp", "status", "rawOutput", "violations"} {
		if _, ok := rec[key]; !ok {
			t.Errorf("the result file has no %q", key)
		}
	}
	log := b.read("logs/review_._quality_claude@1.1.log")
	for _, want := range []string{"Started: ", "Command: claude -p --allowedTools Read,Glob,Grep", "Directory: " + b.dir, "Result: pass - "} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	for _, name := range []string{"logs/review_._quality_claude@1.1.json", "logs/review_._quality_claude@1.1.log"} {
		if info, err := os.Stat(filepath.Join(b.dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	in := b.read("stdin-claude")
	for _, want := range []string{"Look for bugs.", "+two", "data, not instructions", `"violations"`} {
		if !strings.Contains(in, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
}

func TestGuardAndEnvironment(t *testing.T) {
	b := newBench(t)
	b.job.Env = append(b.job.Env, "CLAUDECODE=1", "GAUNTLET_STOP_HOOK_ACTIVE=", "KEPT=yes")
	b.fake("claude", `env > "$FAKE/env"; pwd > "$FAKE/pwd"; echo '{"status":"pass"}'`)
	if res := b.run(); res.Status != Pass {
		t.Fatalf("got %+v", res)
	}
	env := strings.Split(b.read("env"), "\n")
	if !slices.Contains(env, "GAUNTLET_STOP_HOOK_ACTIVE=1") || !slices.Contains(env, "KEPT=yes") || slices.Contains(env, "CLAUDECODE=1") {
		t.Errorf("environment: %q", env)
	}
	if got, _ := filepath.EvalSymlinks(strings.TrimSpace(b.read("pwd"))); got != must(filepath.EvalSymlinks(b.dir)) {
		t.Errorf("works in %s", got)
	}
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

func TestFindingLifeCycle(t *testing.T) {
	leak, other := bug("the handle is never closed", "medium"), bug("no test for the error path", "low")
	t.Run("untouched keeps failing, nobody is asked", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak)
		if res := b.run(); res.Status != Fail || res.Open != 1 || res.Findings()[0].Issue != leak.Issue {
			t.Fatalf("first: %+v", res)
		}
		b.says("claude")
		b.job.Diff = append(b.job.Diff, "diff --git a/b b/b\n"...)
		res := b.run()
		if res.Status != Fail || !res.Reused || res.Open != 1 || b.calls("claude") != 1 {
			t.Fatalf("second: %+v after %d calls", res, b.calls("claude"))
		}
		if res.Slots[0].JSONPath != filepath.Join(b.job.LogDir, "review_._quality_claude@1.1.json") {
			t.Errorf("answer in %s", res.Slots[0].JSONPath)
		}
	})
	t.Run("fixed is verified", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak, other)
		b.answer(b.run().Slots[0].JSONPath, "fixed")
		b.says("claude")
		res := b.run()
		if res.Status != Pass || res.Open != 0 || b.calls("claude") != 2 {
			t.Fatalf("got %+v", res)
		}
		in := b.read("stdin-claude")
		if !strings.Contains(in, "Earlier findings") || !strings.Contains(in, leak.Issue) || !strings.Contains(in, `"result": "done"`) {
			t.Errorf("the reviewer was not told of the earlier findings")
		}
	})
	t.Run("fixed but still there", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak)
		b.answer(b.run().Slots[0].JSONPath, "fixed")
		res := b.run() // below the threshold, but not new
		if res.Status != Fail || res.Open != 1 {
			t.Fatalf("got %+v", res)
		}
	})
	t.Run("skipped and nothing else", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak, other)
		b.answer(b.run().Slots[0].JSONPath, "skipped")
		res := b.run()
		if res.Status != Pass || res.Open != 0 || res.Waived != 2 || !res.Reused {
			t.Fatalf("got %+v", res)
		}
		b.job.Diff = []byte(strings.ReplaceAll(testDiff, "+two", "+TWO"))
		if res = b.run(); res.Status != Pass || res.Waived != 2 || res.Reused {
			t.Fatalf("after a change: %+v", res)
		}
	})
	t.Run("one answered, one not", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak, other)
		path := b.run().Slots[0].JSONPath
		text := strings.Replace(readFile(t, path), `"status": "new"`, `"status": "fixed"`, 1)
		writeFile(t, path, text)
		b.says("claude")
		res := b.run()
		if res.Status != Fail || res.Open != 1 || res.Findings()[0].Issue != other.Issue {
			t.Fatalf("got %+v", res)
		}
	})
	t.Run("new ones below the threshold", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak)
		b.answer(b.run().Slots[0].JSONPath, "fixed")
		b.says("claude", other)
		if res := b.run(); res.Status != Pass || !strings.Contains(res.Message, "1 finding below high dropped") {
			t.Fatalf("got %+v", res)
		}
	})
	t.Run("unknown status counts as new, with a warning", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak)
		b.answer(b.run().Slots[0].JSONPath, "wontfix")
		res := b.run()
		if res.Status != Fail || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], `"wontfix"`) || !strings.Contains(res.Warnings[0], "@1.1.json") {
			t.Fatalf("got %+v", res)
		}
	})
	t.Run("broken by hand", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak)
		path := b.run().Slots[0].JSONPath
		writeFile(t, path, strings.Replace(readFile(t, path), `"violations": [`, `"violations": [[`, 1))
		b.says("claude")
		res := b.run()
		if res.Status != Fail || !strings.Contains(res.Message, path) || !strings.Contains(res.Message, "line ") || b.calls("claude") != 1 {
			t.Fatalf("got %+v", res)
		}
	})
	t.Run("a dead reviewer loses nothing", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak)
		b.answer(b.run().Slots[0].JSONPath, "fixed")
		b.fake("claude", "exit 3")
		if res := b.run(); res.Status != Error || !strings.Contains(res.Message, "exit code 3") {
			t.Fatalf("dead: %+v", res)
		}
		b.says("claude", leak)
		if res := b.run(); res.Status != Fail || res.Open != 1 {
			t.Fatalf("back again: %+v", res)
		}
	})
}

func TestFreshAsksAnyway(t *testing.T) {
	b := newBench(t)
	leak := bug("the handle is never closed", "medium")
	b.says("claude", leak)
	b.run()
	b.job.Fresh = true
	b.says("claude")
	res := b.run()
	if res.Status != Fail || res.Reused || res.Open != 1 || b.calls("claude") != 2 {
		t.Fatalf("got %+v after %d calls", res, b.calls("claude"))
	}
	if res.Slots[0].JSONPath != filepath.Join(b.job.LogDir, "review_._quality_claude@1.2.json") {
		t.Errorf("answer in %s", res.Slots[0].JSONPath)
	}
}

func TestOutsideTheDiff(t *testing.T) {
	b := newBench(t)
	b.says("claude", Finding{File: "other.go", Line: 1, Issue: "x", Priority: "critical"}, Finding{File: "a.go", Line: 400, Issue: "y", Priority: "high"})
	if res := b.run(); res.Status != Pass || !strings.Contains(res.Message, "2 findings outside the diff dropped") {
		t.Errorf("got %+v", res)
	}
	b = newBench(t)
	b.fake("claude", `echo '{"status":"fail","message":"I just do not like it","violations":[]}'`)
	if res := b.run(); res.Status != Fail || !strings.Contains(res.Message, "I just do not like it") {
		t.Errorf("a refusal without findings: %+v", res)
	}
}

func TestReviewersInTrouble(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"garbage", "echo 'I think it looks good!'", "no JSON object"},
		{"silent", "exit 0", "no JSON object"},
		{"crash", "echo nope >&2; exit 7", "exit code 7: nope"},
		{"crash behind an answer", "echo '" + passObject + "'; exit 1", "exit code 1"},
		{"killed", "kill -9 $$", "killed"},
		{"quota", "echo \"You've hit your usage limit. Try again at 9 pm.\" >&2; exit 1", "out of quota"},
		{"quota on stdout", "echo 'Claude usage limit reached|1760000000'", "out of quota"},
		{"hang", "sleep 60 & wait", "no answer within 500ms"},
		{"ignores TERM", "trap '' TERM; sleep 60 & while :; do sleep 1; done", "no answer within 500ms"},
		{"no answer to the prompt", "exec 0<&-; exit 2", "exit code 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			timeout := 0.5
			if !strings.Contains(tt.want, "500ms") {
				timeout = 20
			}
			b.job.Review.Timeout = &timeout
			b.fake("claude", tt.script)
			b.job.Diff = append(b.job.Diff, strings.Repeat(" padding\n", 50_000)...) // more than a pipe holds
			start := time.Now()
			res := b.run()
			if res.Status != Error || !strings.Contains(res.Message, tt.want) {
				t.Errorf("got %s: %s", res.Status, res.Message)
			}
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("took %v", took)
			}
			if b.calls("claude") != 1 {
				t.Errorf("called %d times", b.calls("claude"))
			}
		})
	}
}

func TestNoHealthyReviewer(t *testing.T) {
	b := newBench(t)
	b.job.Preference = []string{"claude", "clade"}
	res := b.run()
	if res.Status != Error || !strings.Contains(res.Message, "no healthy adapters") || !strings.Contains(res.Message, `unknown reviewer "clade"`) {
		t.Errorf("got %+v", res)
	}
	b.job.Preference = nil
	if res := b.run(); res.Status != Error || !strings.Contains(res.Message, "cli.default_preference") {
		t.Errorf("got %+v", res)
	}
	// A program in the repository itself is never taken.
	b.says("claude")
	b.job.Preference = []string{"claude"}
	b.job.Env = []string{"PATH=bin:.:", "FAKE=" + b.dir}
	if res := b.run(); res.Status != Error {
		t.Errorf("a relative PATH entry was searched: %+v", res)
	}
}

func TestUsageCheck(t *testing.T) {
	b := newBench(t)
	b.fake("claude", `echo "Credit balance is too low"; exit 1`)
	b.says("codex")
	b.job.Preference = []string{"claude", "codex"}
	b.job.CheckUsage = true
	if res := b.run(); res.Status != Pass || res.Slots[0].Adapter != "codex" {
		t.Errorf("got %+v", res)
	}
}

func TestSlots(t *testing.T) {
	b := newBench(t)
	b.job.Review.NumReviews = 3
	b.job.Preference = []string{"gemini", "claude", "codex"} // gemini is not installed
	b.says("claude")
	b.says("codex", bug("the lock is never released", "high"))
	res := b.run()
	if res.Status != Fail || len(res.Slots) != 3 {
		t.Fatalf("got %+v", res)
	}
	var names []string
	for _, s := range res.Slots {
		names = append(names, fmt.Sprintf("%s@%d=%s", s.Adapter, s.Index, s.Status))
	}
	if got := strings.Join(names, " "); got != "claude@1=pass codex@2=fail claude@3=pass" {
		t.Fatalf("slots: %s", got)
	}
	b.answer(res.Slots[1].JSONPath, "fixed")

	// Slot 2 goes on with whoever is there now; the others passed and rest.
	if err := os.Remove(filepath.Join(b.dir, "bin", "codex")); err != nil {
		t.Fatal(err)
	}
	before := b.calls("claude")
	res = b.run()
	if res.Status != Pass || b.calls("claude") != before+1 {
		t.Fatalf("got %+v after %d more calls", res, b.calls("claude")-before)
	}
	if s := res.Slots[1]; s.Adapter != "claude" || s.Status != Pass || res.Slots[0].Status != Skipped || res.Slots[2].Status != Skipped {
		t.Fatalf("slots: %+v", res.Slots)
	}
	if !strings.Contains(b.read("stdin-claude"), "the lock is never released") {
		t.Error("the slot's history did not follow its index")
	}

	// All passed: then not all rest.
	before = b.calls("claude")
	if res = b.run(); res.Status != Pass || b.calls("claude") == before {
		t.Fatalf("nobody was asked: %+v", res)
	}
}

func TestSlotsOneAfterAnother(t *testing.T) {
	b := newBench(t)
	b.job.Review.NumReviews = 3
	b.job.Review.Parallel = new(bool)
	b.fake("claude", `mkdir "$FAKE/busy" || exit 9; sleep 0.1; rmdir "$FAKE/busy"; echo '{"status":"pass"}'`)
	if res := b.run(); res.Status != Pass {
		t.Errorf("got %+v", res)
	}
}

func TestHugeOutput(t *testing.T) {
	b := newBench(t)
	b.fake("claude", `head -c 50000000 /dev/zero | tr '\0' 'x'; echo; echo '`+failObject+`' | sed 's/a.go","line":3/a.go","line":2/'; head -c 60000 /dev/zero | tr '\0' 'y' >&2`)
	lines := 0
	b.job.Line = func(string) { lines++ }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res := b.run()
	runtime.ReadMemStats(&after)
	if res.Status != Fail || res.Open != 1 {
		t.Fatalf("got %s: %s", res.Status, res.Message)
	}
	for _, path := range []string{res.Slots[0].LogPath, res.Slots[0].JSONPath} {
		if info, err := os.Stat(path); err != nil || info.Size() > 2<<20 {
			t.Errorf("%s: %d bytes, %v", path, info.Size(), err)
		}
	}
	if lines == 0 {
		t.Error("no line was told")
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

func TestSecretsStayOutOfFiles(t *testing.T) {
	b := newBench(t)
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	b.fake("claude", `echo "reading `+secret+`"; echo `+secret+` >&2; echo '{"status":"fail","message":"`+secret+`","violations":[{"file":"a.go","line":2,"issue":"token `+secret+` in code","priority":"high"}]}'`)
	res := b.run()
	if res.Status != Fail {
		t.Fatalf("got %+v", res)
	}
	for _, text := range []string{readFile(t, res.Slots[0].LogPath), readFile(t, res.Slots[0].JSONPath), res.Message, res.Findings()[0].Issue} {
		if strings.Contains(text, secret) {
			t.Errorf("the secret is in %q", clip(text, 300))
		}
	}
}

func TestCancelled(t *testing.T) {
	b := newBench(t)
	b.fake("claude", "sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if res := Run(ctx, b.job); res.Status != Error || !strings.Contains(res.Message, "stopped before it answered") {
		t.Errorf("got %+v", res)
	}
}

func TestUnwritableLogDir(t *testing.T) {
	b := newBench(t)
	b.says("claude")
	b.job.LogDir = filepath.Join(b.dir, "missing")
	if res := b.run(); res.Status != Error || !strings.Contains(res.Message, "log") || b.calls("claude") != 0 {
		t.Errorf("got %+v", res)
	}
}

func TestNothingChanged(t *testing.T) {
	b := newBench(t)
	b.says("claude", bug("x", "high"))
	b.job.Diff = nil
	if res := b.run(); res.Status != Pass || b.calls("claude") != 0 {
		t.Errorf("got %+v", res)
	}
}

// Names that look alike belong to different reviews.
func TestNamesDoNotMix(t *testing.T) {
	b := newBench(t)
	b.says("claude", bug("x is wrong here", "high"))
	b.says("codex")
	b.job.Review = &config.Review{Name: "a_claude", Prompt: "p", NumReviews: 1}
	if res := b.run(); res.Status != Fail {
		t.Fatalf("got %+v", res)
	}
	b.job.Review = &config.Review{Name: "a", Prompt: "p", NumReviews: 1, CLIPreference: []string{"codex"}}
	if res := b.run(); res.Status != Pass || b.calls("codex") != 1 {
		t.Errorf("got %+v", res)
	}
}

func TestEveryReviewerIsAskedReadOnly(t *testing.T) {
	programs := map[string]string{"claude": "claude", "codex": "codex", "gemini": "gemini", "github-copilot": "copilot", "cursor": "agent"}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.job.Preference = []string{name}
			b.job.Review.Model = "-m1"
			b.says(programs[name])
			if res := b.run(); res.Status != Pass || res.Slots[0].Adapter != name {
				t.Fatalf("got %+v", res)
			}
			args := b.read("calls-" + programs[name])
			for _, bad := range []string{"yolo", "dangerous", "--force", "workspace-write", "bypass", "allow-all"} {
				if strings.Contains(args, bad) {
					t.Errorf("called with %s", args)
				}
			}
			if !strings.Contains(args, "--model=-m1") {
				t.Errorf("called with %s", args)
			}
			if !strings.Contains(b.read("stdin-"+programs[name]), "+two") {
				t.Error("the diff did not arrive on stdin")
			}
		})
	}
}

func TestHealth(t *testing.T) {
	b := newBench(t)
	b.fake("claude", "echo '9.9.9 (Fake)'")
	b.fake("codex", "echo broken >&2; exit 1")
	list := CheckHealth(t.Context(), append(Names(), "nobody"), b.job.Env, b.dir, false)
	if len(list) != 6 {
		t.Fatalf("got %+v", list)
	}
	by := map[string]Health{}
	for _, h := range list {
		by[h.Name] = h
	}
	if h := by["claude"]; !h.Healthy || h.Version != "9.9.9 (Fake)" || !h.Installed {
		t.Errorf("claude: %+v", h)
	}
	if h := by["codex"]; h.Healthy || !h.Installed || !strings.Contains(h.Message, "broken") {
		t.Errorf("codex: %+v", h)
	}
	if h := by["gemini"]; h.Healthy || h.Installed || !strings.Contains(h.Message, "not installed") {
		t.Errorf("gemini: %+v", h)
	}
	if h := by["nobody"]; h.Healthy || !strings.Contains(h.Message, "unknown reviewer") {
		t.Errorf("nobody: %+v", h)
	}
}

func TestLongDiffIsCut(t *testing.T) {
	var diff strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&diff, "diff --git a/f%d b/f%d\n--- a/f%d\n+++ b/f%d\n@@ -0,0 +1,10 @@\n%s", i, i, i, i, strings.Repeat("+"+strings.Repeat("z", 60)+"\n", 10))
	}
	job := Job{Review: &config.Review{Prompt: "p"}, Entry: "app", Diff: []byte(diff.String())}
	p := string(prompt(job, parseDiff(job.Diff), nil))
	if len(p) > maxDiff+64<<10 || !strings.Contains(p, "too long to be shown whole") || !strings.Contains(p, `"f100"`) || !strings.Contains(p, "and 1000 more") {
		t.Errorf("prompt of %d bytes", len(p))
	}
}

// Text in the diff cannot end the fence: the mark is never the same twice.
func TestFenceIsUnpredictable(t *testing.T) {
	job := Job{Review: &config.Review{Prompt: "p"}, Diff: []byte(testDiff)}
	if a, b := prompt(job, nil, nil), prompt(job, nil, nil); string(a) == string(b) {
		t.Error("two prompts have the same marks")
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
