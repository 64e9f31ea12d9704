package workflow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	f := outside(t)
	if d := f.LoadProgress(t.Context(), "ship", ""); d != nil || f.said() != "" {
		t.Errorf("missing: %v, %q", d, f.said())
	}
	if _, err := os.Stat(filepath.Join(f.dir, ".claude")); err == nil {
		t.Error("looking made a directory")
	}
	path := f.path("ship-checkpoint.json")
	for content, want := range map[string]string{
		"":                                  "Checkpoint file exists but is corrupt: " + path,
		`{"version":1`:                      "Checkpoint file exists but is corrupt: " + path,
		"null":                              "Checkpoint file exists but is corrupt: " + path,
		"[1]":                               "Checkpoint file exists but is corrupt: " + path,
		`{}`:                                "Unsupported checkpoint schema version: undefined (expected 1)",
		`{"version":null}`:                  "Unsupported checkpoint schema version: null (expected 1)",
		`{"version":2}`:                     "Unsupported checkpoint schema version: 2 (expected 1)",
		`{"version":"1"}`:                   "Unsupported checkpoint schema version: 1 (expected 1)",
		`{"version":"two"}`:                 "Unsupported checkpoint schema version: two (expected 1)",
		`{"version":{"a":1}}`:               `Unsupported checkpoint schema version: {"a":1} (expected 1)`,
		`{"version":1e400}`:                 "Unsupported checkpoint schema version: 1e400 (expected 1)",
		`{"version":"2\n\u001b[31mx"}`:      "Unsupported checkpoint schema version: 2 x (expected 1)",
		`{"version":1.0}`:                   "",
		`{"version":1,"head_commit":"abc"}`: "", // no HEAD here: unknown
	} {
		f.put("ship-checkpoint.json", content)
		d := f.LoadProgress(t.Context(), "ship", "")
		if got := f.said(); got != want || (d == nil) != (want != "") {
			t.Errorf("%s: got %v and %q, want %q", content, d, got, want)
		}
		if f.content("ship-checkpoint.json") != content {
			t.Errorf("%s: loading changed the file", content)
		}
	}
}

func TestStaleness(t *testing.T) {
	f := inRepo(t)
	head := gitRun(t, f.dir, "rev-parse", "HEAD")
	if !f.SaveProgress(t.Context(), "design", doc(t, `{}`), "x") {
		t.Fatal(f.said())
	}
	if got, _ := f.LoadProgress(t.Context(), "design", "x").Get("head_commit").Text(); got != head || f.said() != "" {
		t.Errorf("head_commit %q, want %q", got, head)
	}
	gitRun(t, f.dir, "commit", "-q", "--allow-empty", "-m", "two")
	gitRun(t, f.dir, "pack-refs", "--all")
	now := gitRun(t, f.dir, "rev-parse", "HEAD")
	want := "Checkpoint is stale (saved at " + head[:7] + ", current HEAD is " + now[:7] + ")"
	for _, where := range []string{"on a branch", "detached"} {
		if d := f.LoadProgress(t.Context(), "design", "x"); d == nil || f.said() != want {
			t.Errorf("%s: want %q", where, want)
		}
		gitRun(t, f.dir, "checkout", "-q", "--detach")
	}
	f.put("design-x.json", `{"version":1,"head_commit":"`+now[:9]+`"}`)
	if f.LoadProgress(t.Context(), "design", "x"); f.said() != "" {
		t.Error("an abbreviated HEAD is taken for another commit")
	}
	// Unborn: no HEAD to compare with, null when saved.
	gitRun(t, f.dir, "checkout", "-q", "--orphan", "empty")
	if f.LoadProgress(t.Context(), "design", "x"); f.said() != "" {
		t.Error("stale without a HEAD")
	}
	f.SaveProgress(t.Context(), "design", doc(t, `{}`), "x")
	if !strings.Contains(f.content("design-x.json"), `"head_commit": null`) {
		t.Error(f.content("design-x.json"))
	}
}

func TestWorkTreesHaveTheirOwnState(t *testing.T) {
	f := inRepo(t)
	other := filepath.Join(t.TempDir(), "wt")
	gitRun(t, f.dir, "worktree", "add", "-q", other)
	sub := filepath.Join(other, "a b", "c")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	w := newFixture(t, sub)
	w.update("implement", "phase-1", Update{Status: InProgress})
	if _, err := os.Stat(filepath.Join(other, ".claude", "state", "implement-checkpoint.json")); err != nil {
		t.Error(err)
	}
	if f.LoadProgress(t.Context(), "implement", "") != nil {
		t.Error("the main work tree sees the linked one's state")
	}
}

func TestSaveIsCanonicalAndKeepsUnknownKeys(t *testing.T) {
	f := outside(t)
	in := doc(t, `{"zebra": 1.50, "html": "<&>", "version": 1, "state": {"x": "caf\u00e9"}, "phases": {}, "big": 12345678901234567890}`)
	if !f.SaveProgress(t.Context(), "review", in, "") {
		t.Fatal(f.said())
	}
	want := `{
  "zebra": 1.50,
  "html": "<&>",
  "version": 1,
  "command": "review",
  "feature": null,
  "head_commit": null,
  "started_at": "2026-01-02T03:04:06.678Z",
  "updated_at": "2026-01-02T03:04:06.678Z",
  "state": {
    "x": "caf\u00e9"
  },
  "phases": {},
  "big": 12345678901234567890
}`
	if got := f.content("review-checkpoint.json"); got != want {
		t.Errorf("got\n%s", got)
	}
	// A second round trip changes nothing but the time.
	f.SaveProgress(t.Context(), "review", f.LoadProgress(t.Context(), "review", ""), "")
	want = strings.Replace(want, `"updated_at": "2026-01-02T03:04:06.678Z"`, `"updated_at": "2026-01-02T03:04:07.678Z"`, 1)
	if got := f.content("review-checkpoint.json"); got != want {
		t.Errorf("second time: got\n%s", got)
	}
	// A record without a start keeps the one it had.
	f.SaveProgress(t.Context(), "review", doc(t, `{"version":1}`), "")
	if got := f.content("review-checkpoint.json"); !strings.Contains(got, `"started_at": "2026-01-02T03:04:06.678Z"`) {
		t.Errorf("start lost:\n%s", got)
	}
}

func TestSaveChecksBeforeItWrites(t *testing.T) {
	f := outside(t)
	long := strings.TrimSpace(strings.Repeat("w ", 501))
	for in, want := range map[string]string{
		`[]`:               "the checkpoint is not a JSON object",
		`null`:             "the checkpoint is not a JSON object",
		`{"version":2}`:    "Unsupported checkpoint schema version: 2 (expected 1)",
		`{"version":"1"}`:  "Unsupported checkpoint schema version: 1 (expected 1)",
		`{"version":null}`: "Unsupported checkpoint schema version: null (expected 1)",
		`{"phases":{"a":{"context_summary":"ok"},"b":{"context_summary":"` + long + `"}}}`: "Context summary exceeds 500 token limit (actual: 501 tokens)\nin phases.b.context_summary",
		`{"phases":{"a":{"tasks":[{"context_summary":"` + long + `"}]}}}`:                  "Context summary exceeds 500 token limit (actual: 501 tokens)\nin phases.a.tasks[0].context_summary",
		`{"context_summary":"` + strings.Repeat("x", 9000) + `"}`:                          "Context summary exceeds 8192 byte limit (actual: 9000 bytes)\nin context_summary",
		`{"phases":{"a":{"context_summary":["x"]}}}`:                                       "Context summary is not a string\nin phases.a.context_summary",
	} {
		if f.SaveProgress(t.Context(), "ship", doc(t, in), "") {
			t.Errorf("%.40s: saved", in)
		}
		if got := f.said(); got != want {
			t.Errorf("%.40s: got %q, want %q", in, got, want)
		}
	}
	if f.UpdatePhase(t.Context(), "ship", "gate", Update{Summary: &long}, "") {
		t.Error("update with a summary over the limit")
	}
	if got := f.said(); !strings.HasPrefix(got, "Context summary exceeds 500 token limit (actual: 501 tokens)") {
		t.Errorf("got %q", got)
	}
	if entries, _ := os.ReadDir(f.dir); len(entries) != 0 {
		t.Errorf("something was written: %v", entries)
	}
	if f.SaveProgress(t.Context(), "", doc(t, `{}`), "") || f.said() == "" {
		t.Error("saved without a command")
	}
}

func TestSaveStampsTheGate(t *testing.T) {
	f := inRepo(t)
	head := gitRun(t, f.dir, "rev-parse", "HEAD")
	for in, want := range map[string]string{
		`{"gate":{"ship_allowed":true,"blockers":[]}}`:             `{"ship_allowed":true,"blockers":[],"head_commit":"` + head + `"}`,
		`{"gate":{"ship_allowed":true,"head_commit":"elsewhere"}}`: `{"ship_allowed":true,"head_commit":"elsewhere"}`,
		`{"gate":{}}`: `{}`,
	} {
		if !f.SaveProgress(t.Context(), "ship", doc(t, in), "") {
			t.Fatal(f.said())
		}
		if got := string(f.LoadProgress(t.Context(), "ship", "").Get("gate").Compact()); got != want {
			t.Errorf("%s: got %s", in, got)
		}
	}
}

// Saving a record again must not turn an old judgement into one of this commit.
func TestSaveDoesNotRenewAGate(t *testing.T) {
	f := inRepo(t)
	const old = `{"version":1,"gate":{"ship_allowed":true,"head_commit":null}}`
	f.put("ship-checkpoint.json", old)
	if !f.SaveProgress(t.Context(), "ship", doc(t, old), "") {
		t.Fatal(f.said())
	}
	if got := f.LoadProgress(t.Context(), "ship", "").Get("gate", "head_commit"); !got.Empty() {
		t.Errorf("the gate now says %s", got.Compact())
	}
}

func TestComplete(t *testing.T) {
	f := outside(t)
	if f.CompleteProgress(t.Context(), "ship", "") || f.said() != "Cannot complete checkpoint: no checkpoint found" {
		t.Error("completed nothing")
	}
	if _, err := os.Stat(filepath.Join(f.dir, ".claude")); err == nil {
		t.Error("completing nothing made a directory")
	}
	f.update("ship", "gate", Update{Status: InProgress, Task: ptr("t1")})
	if !f.CompleteProgress(t.Context(), "ship", "") {
		t.Fatal(f.said())
	}
	once := f.content("ship-checkpoint.json")
	for _, want := range []string{`"completed_at": "2026-`, `"current_phase": null`, `"current_task": null`} {
		if !strings.Contains(once, want) {
			t.Errorf("no %s in\n%s", want, once)
		}
	}
	if !f.CompleteProgress(t.Context(), "ship", "") || f.content("ship-checkpoint.json") != once {
		t.Error("completing twice is not completing once")
	}
	if got := show(f.GetResumePoint(t.Context(), "ship", "")); got != "null null" {
		t.Errorf("resume point of a complete record: %s", got)
	}
	f.update("ship", "preview", Update{Status: InProgress})
	if got := show(f.GetResumePoint(t.Context(), "ship", "")); got != `"preview" null` {
		t.Errorf("work after completion does not reopen: %s", got)
	}
	f.put("ship-checkpoint.json", "{torn")
	if f.CompleteProgress(t.Context(), "ship", "") {
		t.Error("completed a corrupt record")
	}
	if got := f.said(); !strings.Contains(got, "is corrupt") || !strings.HasSuffix(got, "Cannot complete checkpoint: no checkpoint found") {
		t.Errorf("got %q", got)
	}
	if f.content("ship-checkpoint.json") != "{torn" {
		t.Error("a corrupt record was touched")
	}
}

func TestResumePoint(t *testing.T) {
	for in, want := range map[string]string{
		`{"version":1}`: "null null",
		`{"version":1,"state":{"current_phase":"b","completed_phases":["a"],"pending_phases":["c"]},"phases":{"a":{"context_summary":"sum a"},"x":{"status":"failed"}}}`:            `"b" "sum a"`,
		`{"version":1,"state":{"completed_phases":["a","b"],"pending_phases":["c"]},"phases":{"a":{"context_summary":"A"},"b":{},"x":{"status":"failed"},"y":{"status":"failed"}}}`: `"x" "A"`,
		`{"version":1,"state":{"current_phase":null,"completed_phases":["a","b"],"pending_phases":["c","d"]},"phases":{"a":{"context_summary":"A"},"b":{"context_summary":"B"}}}`:   `"c" "B"`,
		`{"version":1,"phases":{"a":{"status":"complete"},"b":{"status":"pending"}}}`:                                                                                               `"b" null`,
		`{"version":1,"state":{"current_phase":null},"phases":{"a":{"status":"in_progress"},"b":{"status":"complete"}}}`:                                                            `"a" null`,
		`{"version":1,"phases":{"a":{"status":"in_progress"},"b":{"status":"pending"}}}`:                                                                                            `"b" null`,
		`{"version":1,"completed_at":"2026-01-01T00:00:00.000Z","state":{"current_phase":"b"}}`:                                                                                     "null null",
		`{"version":1,"completed_at":null,"state":{"current_phase":"b"}}`:                                                                                                           `"b" null`,
		`{"version":1,"state":7,"phases":[1]}`: "null null",
		`{"version":1,"state":{"current_phase":7,"completed_phases":"x","pending_phases":[1,"p"]},"phases":{"a":5}}`: `"p" null`,
	} {
		f := outside(t)
		f.put("design-checkpoint.json", in)
		if got := show(f.GetResumePoint(t.Context(), "design", "")); got != want {
			t.Errorf("%s:\ngot %s, want %s", in, got, want)
		}
	}
	f := outside(t)
	if got := show(f.GetResumePoint(t.Context(), "design", "none")); got != "null null" || f.said() != "" {
		t.Errorf("no record: %s", got)
	}
}

// The functions fail silently even on a bug of their own.
func TestPanicsBecomeALine(t *testing.T) {
	f := outside(t)
	f.Store.names = names{}
	f.Store.now = nil
	if f.UpdatePhase(t.Context(), "ship", "gate", Update{}, "") {
		t.Error("true")
	}
	if got := f.said(); !strings.HasPrefix(got, "internal error: ") {
		t.Errorf("got %q", got)
	}
}
