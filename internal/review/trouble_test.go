package review

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/text"
)

func TestReviewerErrors(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"garbage", "echo 'I think it looks good!'", "no JSON object"},
		{"silent", "exit 0", "no JSON object"},
		{"crash", "echo nope >&2; exit 7", "exit code 7: nope"},
		{"crash after an answer", "echo '" + passObject + "'; exit 1", "exit code 1"},
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
			b.job.Diff = append(b.job.Diff, strings.Repeat(" padding\n", 50_000)...) // more than a pipe can buffer
			res := b.run()
			if res.Status != Error || !strings.Contains(res.Message, tt.want) {
				t.Errorf("got %s: %s", res.Status, res.Message)
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
	// A program in the repository itself is never used.
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
		t.Error("no line was reported")
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
	for _, shown := range []string{readFile(t, res.Slots[0].LogPath), readFile(t, res.Slots[0].JSONPath), res.Message, res.Findings()[0].Issue} {
		if strings.Contains(shown, secret) {
			t.Errorf("the secret is in %q", text.Cut(shown, 300))
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
		t.Errorf("no reviewer: %+v", h)
	}
}

func TestLongDiffIsCut(t *testing.T) {
	var diff strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&diff, "diff --git a/f%d b/f%d\n--- a/f%d\n+++ b/f%d\n@@ -0,0 +1,10 @@\n%s", i, i, i, i, strings.Repeat("+"+strings.Repeat("z", 60)+"\n", 10))
	}
	job := Job{Review: &config.Review{Prompt: "p"}, Entry: "app", Diff: []byte(diff.String())}
	p := string(prompt(job, parseDiff(job.Diff), nil, nil))
	if len(p) > maxDiff+64<<10 || !strings.Contains(p, "too long to be shown whole") || !strings.Contains(p, `"f100"`) || !strings.Contains(p, "and 1000 more") {
		t.Errorf("prompt of %d bytes", len(p))
	}
}

// Text in the diff cannot end the fence: the mark is never the same twice.
func TestFenceIsUnpredictable(t *testing.T) {
	job := Job{Review: &config.Review{Prompt: "p"}, Diff: []byte(testDiff)}
	if a, b := prompt(job, nil, nil, nil), prompt(job, nil, nil, nil); string(a) == string(b) {
		t.Error("two prompts have the same marks")
	}
}
