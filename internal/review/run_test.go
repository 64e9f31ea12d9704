package review

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/config"
)

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

func TestFindingLifeCycle(t *testing.T) {
	leak, other := bug("the handle is never closed", "medium"), bug("no test for the error path", "low")
	t.Run("untouched keeps failing, no reviewer runs", func(t *testing.T) {
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
	t.Run("its file changed: the reviewer is asked again", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak)
		b.run()
		b.says("claude")
		b.job.Diff = []byte(strings.ReplaceAll(testDiff, "+two", "+TWO"))
		if res := b.run(); res.Status != Pass || res.Open != 0 || b.calls("claude") != 2 {
			t.Fatalf("gone: %+v", res)
		}
		if in := b.read("stdin-claude"); !strings.Contains(in, `"status": "changed"`) {
			t.Error("the reviewer does not know that the file changed")
		}
		b = newBench(t)
		b.says("claude", leak)
		b.run()
		b.job.Diff = []byte(strings.ReplaceAll(testDiff, "+two", "+TWO"))
		if res := b.run(); res.Status != Fail || res.Open != 1 || b.calls("claude") != 2 {
			t.Fatalf("still there, below the threshold of new ones: %+v", res)
		}
		if res := b.run(); res.Status != Fail || b.calls("claude") != 2 {
			t.Fatalf("untouched since: %+v", res)
		}
		b.fake("claude", "exit 3")
		b.job.Diff = []byte(strings.ReplaceAll(testDiff, "+two", "+2"))
		if res := b.run(); res.Status != Error {
			t.Fatalf("changed, and the reviewer is dead: %+v", res)
		}
	})
	t.Run("everything was taken back", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak)
		b.run()
		b.job.Diff = nil
		if res := b.run(); res.Status != Pass || b.calls("claude") != 1 {
			t.Fatalf("%+v", res)
		}
	})
	t.Run("a record of an earlier version", func(t *testing.T) {
		b := newBench(t)
		b.says("claude", leak)
		path := b.run().Slots[0].JSONPath
		if err := os.WriteFile(path, regexp.MustCompile(`(?m),\n\s*"(seen|session)": ".*"`).ReplaceAll([]byte(readFile(t, path)), nil), 0o600); err != nil {
			t.Fatal(err)
		}
		if res := b.run(); res.Status != Fail || b.calls("claude") != 1 {
			t.Fatalf("the same diff: %+v", res)
		}
		b.says("claude")
		b.job.Diff = []byte(strings.ReplaceAll(testDiff, "+two", "+TWO"))
		if res := b.run(); res.Status != Pass || b.calls("claude") != 2 {
			t.Fatalf("another diff: %+v", res)
		}
	})
	t.Run("no session answers for another's findings", func(t *testing.T) {
		b := newBench(t)
		b.job.Session = "a"
		b.says("claude", leak)
		b.run()
		b.job.Session = "b"
		if res := b.run(); res.Status != Pass || res.Waiting != 1 || res.Open != 0 || b.calls("claude") != 1 {
			t.Fatalf("b, nothing of its own: %+v", res)
		}
		b.job.Diff = append(b.job.Diff, "diff --git a/b b/b\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+b\n"...)
		b.says("claude", leak) // the reviewer sees it, and b did not touch it
		if res := b.run(); res.Status != Pass || res.Waiting != 1 || b.calls("claude") != 2 {
			t.Fatalf("b changed another file: %+v", res)
		}
		own := leak
		own.File, own.Line, own.Issue, own.Priority = "b", 1, "b is wrong in its very own way", "high"
		b.job.Diff = []byte(strings.Replace(string(b.job.Diff), "+b\n", "+c\n", 1))
		b.says("claude", own)
		if res := b.run(); res.Status != Fail || res.Open != 1 || res.Findings()[0].File != "b" || res.Waiting != 1 {
			t.Fatalf("b's own: %+v", res)
		}
		b.job.Session = "a"
		if res := b.run(); res.Status != Fail || res.Open != 1 || res.Findings()[0].Issue != leak.Issue || res.Waiting != 1 {
			t.Fatalf("a still has its own: %+v", res)
		}
		b.job.Session = ""
		if res := b.run(); res.Status != Fail || res.Open != 2 {
			t.Fatalf("by hand everything counts: %+v", res)
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
			t.Errorf("the reviewer did not receive the earlier findings")
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

func TestFreshRunsTheReviewAgain(t *testing.T) {
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
	if res := b.run(); res.Status != Fail || !strings.Contains(res.Slots[0].Said, "I just do not like it") || strings.Contains(res.Message, "do not like") {
		t.Errorf("a refusal without findings: %+v", res)
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

	// Slot 2 continues with an available reviewer; the others passed and do not run.
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

	// All passed: then not all are skipped.
	before = b.calls("claude")
	if res = b.run(); res.Status != Pass || b.calls("claude") == before {
		t.Fatalf("no reviewer ran: %+v", res)
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

func TestEveryReviewerIsReadOnly(t *testing.T) {
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
