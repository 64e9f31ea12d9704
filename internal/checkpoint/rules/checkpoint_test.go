package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
)

func TestParsePlan(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"none", "# Plan\n\nSome words about `a.py`.\n", nil},
		{"plain", "# Plan\n\n## Files to Change\n\n| File | Change |\n| --- | --- |\n| `src/a.py` | more |\n| `src/b.py` | less |\n\n## Next\n\n| File | x |\n| --- | --- |\n| `c.py` | y |\n", []string{"src/a.py", "src/b.py"}},
		{"without backticks", "### Files to Change\n| File | What |\n|---|---|\n| src/a.py | x |\n| Makefile | y |\n", []string{"src/a.py", "Makefile"}},
		{"the file is in the second column", "## Files to change\n| # | Path | What |\n|:-:|:--|---|\n| 1 | `src/a.py` | see `b.py` |\n", []string{"src/a.py"}},
		{"several in a cell", "## Files to Change\n| File |\n|---|\n| `a.py`, `b.py` |\n", []string{"a.py", "b.py"}},
		{"lines, directories, leading dots", "## Files to Change\n| File |\n|---|\n| `./src/a.py:42` |\n| `lib/` |\n", []string{"src/a.py", "lib/"}},
		{"bold title", "**Files to Change**\n\n| File |\n|---|\n| a.py |\n", []string{"a.py"}},
		{"numbered title", "## 3. Files to Change (estimate)\n\n| File |\n|---|\n| a.py |\n", []string{"a.py"}},
		{"a link", "## Files to Change\n| File |\n|---|\n| [the daemon](src/a.py) |\n", []string{"src/a.py"}},
		{"words are not files", "## Files to Change\n| File |\n|---|\n| to be done |\n", nil},
		{"out of the project", "## Files to Change\n| File |\n|---|\n| `../x.py` |\n| `a.py` |\n", []string{"a.py"}},
		{"title without a table", "## Files to Change\n\nnone yet\n", nil},
		{"windows line ends", "## Files to Change\r\n| File |\r\n|---|\r\n| a.py |\r\n", []string{"a.py"}},
		{"an escaped bar", "## Files to Change\n| What | File |\n|---|---|\n| a \\| b | a.py |\n", []string{"a.py"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, ParsePlan(tt.text)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func FuzzParsePlan(f *testing.F) {
	f.Add("## Files to Change\n| File |\n|---|\n| `a.py` |\n")
	f.Fuzz(func(_ *testing.T, text string) { ParsePlan(text) })
}

func TestGlobs(t *testing.T) {
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"teleclaude/**/*.py", "teleclaude/daemon.py", true},
		{"teleclaude/**/*.py", "teleclaude/a/b/c.py", true},
		{"teleclaude/**/*.py", "teleclaude/a.pyc", false},
		{"teleclaude/**/*.py", "other/teleclaude/a.py", false},
		{"**/*.md", "README.md", true},
		{"**/*.md", "a/b/README.md", true},
		{"**/go.mod", "go.mod", true},
		{"**/go.mod", "a/go.mod", true},
		{"**/go.mod", "ago.mod", false},
		{"docs/**", "docs/a", true},
		{"docs", "docs/a/b", true},
		{"docs/", "docs/a/b", true},
		{"docs", "docs2/a", false},
		{"./docs/**", "docs/a", true},
		{"requirements*.txt", "requirements-dev.txt", true},
		{"requirements*.txt", "a/requirements.txt", false},
		{"**/*.{js,ts}", "a/b.ts", true},
		{"**/*.{js,ts}", "a/b.tsx", false},
		{"a/[bc]/*", "a/b/x", true},
		{"[", "a", false},
		{"", "a", false},
		{"**", "a/b", true},
		{"*.py", "a/b.py", false},
		{"a b/*.py", "a b/c d.py", true},
		{"ä/**", "ä/ö.py", true},
		{".husky/pre-commit", ".husky/pre-commit", true},
		{"**/AGENTS.master.md", "AGENTS.master.md", true},
	}
	for _, tt := range tests {
		if got := newGlobs([]string{tt.pattern}).match(tt.path); got != tt.want {
			t.Errorf("%q matches %q: %v, want %v", tt.pattern, tt.path, got, tt.want)
		}
	}
}

func TestKeyAndAbout(t *testing.T) {
	cfg := &config.Checkpoint{Preset: "teleclaude"}
	edit := event.ToolCall{Kind: event.ToolWrite, Paths: []string{"/repo/teleclaude/daemon.py"}, Outcome: event.Success}
	base := Input{
		Config: cfg, Roots: []string{"/repo"}, Now: corpusStart.Add(time.Hour), TurnStart: corpusStart,
		Changed: []Change{{Path: "teleclaude/daemon.py"}, {Path: "docs/a.md"}, {Path: "scripts/x.sh"}},
		Turn:    Turn{Readable: true, Calls: []event.ToolCall{edit}},
	}
	first := Decide(base)
	if got := first.About(); !slices.Equal(got, []string{"scripts/x.sh", "teleclaude/daemon.py"}) {
		t.Errorf("about %v", got)
	}
	later := base
	later.Now = later.Now.Add(30 * time.Minute)
	if Decide(later).Key() != first.Key() {
		t.Error("the log window changed the key")
	}
	blind := base
	blind.Turn = Turn{}
	if Decide(blind).Key() != first.Key() {
		t.Error("an unreadable transcript changed the key")
	}
	done := base
	done.Turn.Calls = append(slices.Clone(base.Turn.Calls), event.ToolCall{Kind: event.ToolShell, Command: "make restart", Outcome: event.Success})
	if Decide(done).Key() == first.Key() {
		t.Error("a shorter list has the same key")
	}
	failed := base
	failed.Turn.Calls = append(slices.Clone(base.Turn.Calls), event.ToolCall{Kind: event.ToolShell, Command: "make build", Outcome: event.Failure, HasExit: true, ExitCode: 2})
	if r := Decide(failed); r.Key() == first.Key() || !slices.Contains(r.About(), "scripts/x.sh") {
		t.Errorf("an error has the same key, or is about %v", r.About())
	}
}

func TestEvidenceIsNamed(t *testing.T) {
	at := corpusStart.Add(time.Minute)
	r := Decide(Input{
		Config: &config.Checkpoint{Preset: "go"}, Changed: []Change{{Path: "main.go"}}, Now: at,
		Turn: Turn{Readable: true, Calls: []event.ToolCall{{Kind: event.ToolShell, Command: "go test ./... | tail", Output: "ok  \tx\t0.1s\n", Outcome: event.Success, At: at}}},
	})
	want := []Suppressed{{ID: "tests", By: Evidence{Command: "go test ./... | tail", At: at}}}
	if diff := cmp.Diff(want, r.Suppressed); diff != "" {
		t.Error(diff)
	}
}

func TestBackgroundProvesNothing(t *testing.T) {
	in := Input{
		Config: &config.Checkpoint{Preset: "go"}, Changed: []Change{{Path: "main.go"}},
		Turn: Turn{Readable: true, Calls: []event.ToolCall{{Kind: event.ToolShell, Command: "go test ./...", Outcome: event.Success, Background: true}}},
	}
	if r := Decide(in); len(r.Suppressed) > 0 || !r.Blocks() {
		t.Errorf("%+v", r)
	}
}

func TestOptions(t *testing.T) {
	seconds := 5.0
	now := corpusStart
	for _, tt := range []struct {
		cfg  *config.Checkpoint
		age  time.Duration
		want bool
	}{
		{nil, 29 * time.Second, false},
		{nil, 30 * time.Second, true},
		{&config.Checkpoint{MinTurnSeconds: &seconds}, 5 * time.Second, true},
		{&config.Checkpoint{MinTurnSeconds: &seconds}, 4 * time.Second, false},
	} {
		if got := OldEnough(tt.cfg, now.Add(-tt.age), now); got != tt.want {
			t.Errorf("%v old: %v", tt.age, got)
		}
	}
	if !OldEnough(nil, now.AddDate(1, 0, 0), now) {
		t.Error("a turn that begins in a year, after the clock was set back, is too young for a year")
	}
	if !OldEnough(nil, time.Time{}, now) {
		t.Error("an unknown start is old enough")
	}
	changed := []Change{{Path: "a.py"}, {Path: "docs/a.md"}}
	gate := &config.Checkpoint{CommitGate: &config.CommitGate{Paths: []string{"**/*.py", "config.yml"}}}
	if got := CommitGate(gate, changed); !slices.Equal(got, []string{"a.py"}) {
		t.Errorf("gate wants %v", got)
	}
	if CommitGate(gate, changed[1:]) != nil || CommitGate(nil, changed) != nil {
		t.Error("gate wants something")
	}
	if TestsDue(&config.Checkpoint{}, changed) || TestsDue(&config.Checkpoint{Tests: &config.Tests{Command: "x"}}, nil) {
		t.Error("tests due")
	}
	if !TestsDue(&config.Checkpoint{Tests: &config.Tests{Command: "x"}}, changed) || !TestsDue(&config.Checkpoint{Tests: &config.Tests{Command: "x", When: []string{"**/*.py"}}}, changed) {
		t.Error("tests not due")
	}
	if TestsDue(&config.Checkpoint{Tests: &config.Tests{Command: "x", When: []string{"**/*.py"}}}, changed[1:]) {
		t.Error("tests due for docs")
	}
}

func TestMessageStaysSmall(t *testing.T) {
	cfg := &config.Checkpoint{}
	for i := range 60 {
		cfg.Categories = append(cfg.Categories, config.Category{
			Name: fmt.Sprintf("category %d %s", i, strings.Repeat("ö", 100)), Paths: []string{"**"},
			Actions: []config.Action{{ID: fmt.Sprint(i), Run: strings.Repeat("make `x` ", 40)}},
		})
	}
	r := Decide(Input{
		Config: cfg, Changed: []Change{{Path: "a/b"}, {Path: "b/b"}, {Path: "c/b"}, {Path: "d/b"}}, Turn: Turn{Readable: true},
		Plan:  &Plan{Slug: strings.Repeat("slug\n", 100), Files: []string{"x"}},
		Tests: &TestRun{Command: strings.Repeat("pytest ", 100), Output: strings.Repeat("FAILED ```\x1b[31m x\n", 1000)},
	})
	if len(r.Message) >= 2000 {
		t.Errorf("%d bytes", len(r.Message))
	}
	if len(r.Actions) != 62 || len(r.Observations) != 62 {
		t.Errorf("%d actions, %d observations: the JSON is not cut", len(r.Actions), len(r.Observations))
	}
	for _, want := range []string{"Tests: FAILED", Header, "1. Fix failing tests", "more: `gauntlet explain --next --json` shows all", "Commit only after", "Observations:"} {
		if !strings.Contains(r.Message, want) {
			t.Errorf("message lacks %q:\n%s", want, r.Message)
		}
	}
	if strings.Contains(r.Message, "\x1b") {
		t.Error("control characters")
	}
}

func TestFirstLineIsTheTestRun(t *testing.T) {
	r := Decide(Input{
		Config: &config.Checkpoint{Preset: "teleclaude"}, Changed: []Change{{Path: "teleclaude/daemon.py"}},
		Tests: &TestRun{Command: "pytest tests/unit/ -x -q", Output: "token=ghp_0123456789abcdefghijklmnopqrstuvwxyz01\nE assert 1 == 2\n1 failed in 2s\n", Duration: 2 * time.Second},
	})
	first, rest, _ := strings.Cut(r.Message, "\n")
	if first != "Tests: FAILED in 2.0s (`pytest tests/unit/ -x -q`)" {
		t.Errorf("first line %q", first)
	}
	if !strings.HasPrefix(rest, "```\n") || !strings.Contains(rest, "E assert 1 == 2") || strings.Contains(rest, "ghp_0123456789") {
		t.Errorf("output not fenced or not redacted:\n%s", rest)
	}
	if !r.Blocks() || r.Actions[0].ID != "fix-tests" {
		t.Errorf("%+v", r.Actions)
	}
}

func TestNames(t *testing.T) {
	n := newNaming([]string{"/private/tmp/x", "/tmp/x"})
	for _, tt := range []struct{ name, dir, want string }{
		{"/tmp/x/a.py", "", "a.py"},
		{"/private/tmp/x/a.py", "", "a.py"},
		{"a.py", "/tmp/x/sub", "sub/a.py"},
		{"../a.py", "/tmp/x/sub", "a.py"},
		{"./a.py", "", "a.py"},
		{"file:///tmp/x/a.py", "", "a.py"},
		{"/tmp/xy/a.py", "", "/tmp/xy/a.py"},
		{`C:\repo\a.py`, "", "C:/repo/a.py"},
	} {
		if got := n.file(tt.name, tt.dir); got != tt.want {
			t.Errorf("%q in %q is %q, want %q", tt.name, tt.dir, got, tt.want)
		}
	}
}

// Thousands of errors, and as many calls that may have dealt with them, must not make a
// stop slow.
func TestManyErrors(t *testing.T) {
	var calls []event.ToolCall
	add := func(command string, outcome event.CallOutcome) {
		calls = append(calls, event.ToolCall{Kind: event.ToolShell, Command: command, Outcome: outcome, Output: "in pkg/x" + strconv.Itoa(len(calls)) + ".go:12"})
	}
	const n = 1500
	for i := range n {
		add("./run"+strconv.Itoa(i)+".sh", event.Failure)
	}
	for i := range n {
		add("cat dir"+strconv.Itoa(i)+"/q.go", event.Success)
	}
	for i := range n {
		add("./run"+strconv.Itoa(i)+".sh -v", event.Success)
	}
	got := Decide(Input{Changed: []Change{{Path: "a.go"}}, Turn: Turn{Readable: true, Calls: calls}})
	if len(got.Observations) > 0 {
		t.Errorf("observed %+v", got.Observations)
	}
}
