package rules

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
)

func anyCommand() *rapid.Generator[string] {
	simple := rapid.SampledFrom([]string{
		"make restart", "make status", "pytest -q", "pytest tests/test_a.py", "instrukt-ai-logs teleclaude", "telec init", "pip install -e .",
		"agent-restart", "pkill -SIGUSR2 -f x", "echo done", "false", "true", "cat teleclaude/daemon.py", "sed -i s/a/b/ teleclaude/daemon.py",
		"echo x > config.yml", "git commit -am x", "python fix.py", "gofmt -w .", "grep x y", "cd teleclaude", "make -n restart", "rm tests/test_a.py",
	})
	joint := rapid.SampledFrom([]string{" && ", "; ", " | ", " || ", " & ", "\n", " || exit 1; "})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(t, "parts") {
			if i > 0 {
				b.WriteString(joint.Draw(t, "joint"))
			}
			b.WriteString(simple.Draw(t, "command"))
		}
		switch rapid.IntRange(0, 8).Draw(t, "wrap") {
		case 0:
			return "bash -lc '" + b.String() + "'"
		case 1:
			return "set -euo pipefail; " + b.String()
		case 2:
			return rapid.String().Draw(t, "noise")
		}
		return b.String()
	})
}

func anyPath() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom([]string{
		"teleclaude/daemon.py", "teleclaude/hooks/a.py", "teleclaude/cli/tui/app.py", "config.yml", "pyproject.toml", "agents/a.md", "tests/test_a.py",
		"docs/a.md", "README.md", ".gitattributes", "scripts/x.sh", "a/b", "b/c", "c/d", "d/e",
	}), rapid.String())
}

func anyCall() *rapid.Generator[event.ToolCall] {
	return rapid.Custom(func(t *rapid.T) event.ToolCall {
		c := event.ToolCall{
			Kind: rapid.SampledFrom([]event.ToolKind{
				event.ToolShell, event.ToolShell, event.ToolShell, event.ToolEdit, event.ToolWrite, event.ToolRead, event.ToolSearch, event.ToolAgent, event.ToolOther,
			}).Draw(t, "kind"),
			Outcome:    rapid.SampledFrom([]event.CallOutcome{event.Success, event.Success, event.Failure, event.Unknown}).Draw(t, "outcome"),
			Rejected:   rapid.IntRange(0, 9).Draw(t, "rejected") == 0,
			Background: rapid.IntRange(0, 9).Draw(t, "background") == 0,
			Output:     rapid.SampledFrom([]string{"", "3 passed in 1s\n", "1 failed, 2 passed\n", "Traceback (most recent call last)\n  File \"teleclaude/daemon.py\"\n", "0\n"}).Draw(t, "output"),
			At:         corpusStart.Add(time.Duration(rapid.IntRange(0, 600).Draw(t, "at")) * time.Second),
		}
		if c.Kind == event.ToolShell {
			c.Command = anyCommand().Draw(t, "command")
		} else {
			c.Paths = rapid.SliceOfN(anyPath(), 0, 2).Draw(t, "paths")
		}
		return c
	})
}

func anyConfig() *rapid.Generator[*config.Checkpoint] {
	return rapid.Custom(func(t *rapid.T) *config.Checkpoint {
		cfg := &config.Checkpoint{
			Preset: rapid.SampledFrom([]string{"teleclaude", "teleclaude", "go", "node", "python", "rust", "", "other"}).Draw(t, "preset"),
		}
		if rapid.Bool().Draw(t, "own") {
			for range rapid.IntRange(1, 30).Draw(t, "categories") {
				c := config.Category{Name: rapid.String().Draw(t, "name"), Paths: []string{rapid.SampledFrom([]string{"**", "a/**", "[", "{a,b", ""}).Draw(t, "path")}, Order: rapid.IntRange(-2, 120).Draw(t, "order"), Only: rapid.Bool().Draw(t, "only")}
				for range rapid.IntRange(0, 3).Draw(t, "actions") {
					c.Actions = append(c.Actions, config.Action{ID: rapid.String().Draw(t, "id"), Run: rapid.String().Draw(t, "run"), Text: rapid.String().Draw(t, "text"), After: rapid.String().Draw(t, "after")})
				}
				cfg.Categories = append(cfg.Categories, c)
			}
		}
		return cfg
	})
}

func anyInput() *rapid.Generator[Input] {
	return rapid.Custom(func(t *rapid.T) Input {
		in := Input{
			Config:    anyConfig().Draw(t, "config"),
			Roots:     []string{"/repo"},
			GitFailed: rapid.IntRange(0, 20).Draw(t, "git") == 0,
			TurnStart: corpusStart,
			Now:       corpusStart.Add(time.Duration(rapid.IntRange(-100, 10000).Draw(t, "age")) * time.Second),
			Turn: Turn{
				Readable:  rapid.IntRange(0, 5).Draw(t, "readable") > 0,
				Truncated: rapid.IntRange(0, 5).Draw(t, "truncated") == 0,
				Calls:     rapid.SliceOfN(anyCall(), 0, 12).Draw(t, "calls"),
				Earlier:   rapid.SliceOfN(anyCall(), 0, 3).Draw(t, "earlier"),
			},
		}
		for _, p := range rapid.SliceOfNDistinct(anyPath(), 0, 12, func(s string) string { return s }).Draw(t, "changed") {
			in.Changed = append(in.Changed, Change{Path: p, ModTime: corpusStart.Add(time.Duration(rapid.IntRange(0, 700).Draw(t, "mtime")) * time.Second)})
		}
		if rapid.IntRange(0, 3).Draw(t, "plan") == 0 {
			in.Plan = &Plan{Slug: rapid.String().Draw(t, "slug"), Files: rapid.SliceOfN(anyPath(), 0, 3).Draw(t, "planned")}
		}
		if rapid.IntRange(0, 3).Draw(t, "tests") == 0 {
			in.Tests = &TestRun{Command: rapid.String().Draw(t, "command"), Passed: rapid.Bool().Draw(t, "passed"), Output: rapid.StringN(0, 4000, 8000).Draw(t, "output"), Err: rapid.SampledFrom([]string{"", "", "gone"}).Draw(t, "err")}
		}
		return in
	})
}

func ids(r Result) []string {
	var out []string
	for _, a := range r.Actions {
		out = append(out, a.ID)
	}
	return out
}

func TestEveryInputGivesAnOutcome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput().Draw(t, "input")
		r := Decide(in)
		switch r.Outcome {
		case Owed:
			if len(r.Actions) == 0 && len(r.Observations) == 0 {
				t.Fatal("owed, but nothing is")
			}
			if !strings.Contains(r.Message, Header) {
				t.Fatalf("no header:\n%s", r.Message)
			}
		case Clear, Capture, Generic:
			if r.Blocks() {
				t.Fatal("blocks")
			}
		default:
			t.Fatalf("outcome %q", r.Outcome)
		}
		if len(r.Message) >= 2000 || !utf8.ValidString(r.Message) {
			t.Fatalf("message of %d bytes, valid %v", len(r.Message), utf8.ValidString(r.Message))
		}
		said := map[string]bool{}
		for _, o := range r.Observations {
			if said[o.Text] && o.Kind != Gap {
				t.Fatalf("said twice: %s", o.Text)
			}
			said[o.Text] = true
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{`"changed":[`, `"categories":[`, `"actions":[`, `"suppressed":[`, `"observations":[`} {
			if !strings.Contains(string(data), key) {
				t.Fatalf("%s is not a list in %s", key, data)
			}
		}
		if again := Decide(in); again.Key() != r.Key() || again.Message != r.Message {
			t.Fatal("decided differently the second time")
		}
	})
}

func TestEvidenceOnlyRemoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput().Draw(t, "input")
		in.Tests = nil
		blind := in
		blind.Turn = Turn{}
		floor := ids(Decide(blind))
		for _, id := range ids(Decide(in)) {
			if id != "commit" && !slices.Contains(floor, id) {
				t.Fatalf("the transcript added %q to %q", id, floor)
			}
		}
	})
}

func TestUnreadableNeverRemoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput().Draw(t, "input")
		in.Tests = nil
		in.Turn.Readable = false
		blind := in
		blind.Turn = Turn{}
		if got, want := ids(Decide(in)), ids(Decide(blind)); !slices.Equal(got, want) {
			t.Fatalf("%q, without a transcript %q", got, want)
		}
	})
}

// One more successful call that writes nothing never makes more owed.
func TestDoingMoreNeverOwesMore(t *testing.T) {
	harmless := rapid.SampledFrom([]string{"make restart", "make status", "pytest", "instrukt-ai-logs x", "pip install -e .", "telec init", "agent-restart"})
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput().Draw(t, "input")
		for i := range in.Changed {
			in.Changed[i].ModTime = time.Time{}
		}
		before := Decide(in)
		more := in
		more.Turn.Calls = append(slices.Clone(in.Turn.Calls), event.ToolCall{Kind: event.ToolShell, Command: harmless.Draw(t, "one more"), Outcome: event.Success, At: in.Now})
		after := Decide(more)
		for _, id := range ids(after) {
			if !slices.Contains(ids(before), id) {
				t.Fatalf("%q is now owed", id)
			}
		}
	})
}
