package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/history"
)

func policy(t *testing.T, yaml string, checks map[string]string) *config.Loaded {
	t.Helper()
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(".gauntlet/config.yml", yaml)
	for name, text := range checks {
		put(".gauntlet/checks/"+name+".yml", text)
	}
	cfg, err := config.Load(root, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

const testsOwed = `checkpoint:
  min_turn_seconds: 0
  commit_step: false
  categories:
    - {name: code, paths: ["src/**"], actions: [{id: tests, run: go test ./..., evidence: [go test]}]}
`

// log writes a session of turns in the format of one client.
type log struct {
	lines []string
	n     int
	at    time.Time
}

func newLog() *log { return &log{at: time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)} }

func (l *log) add(kind string, message any) {
	l.n++
	l.at = l.at.Add(time.Second)
	b, _ := json.Marshal(map[string]any{
		"type": kind, "uuid": fmt.Sprint("u", l.n), "sessionId": "s", "cwd": "/home/dev/app", "timestamp": l.at.Format(time.RFC3339), "message": message,
	})
	l.lines = append(l.lines, string(b))
}

func (l *log) human(text string) *log {
	l.add("user", map[string]any{"role": "user", "content": text})
	return l
}

func (l *log) call(name string, input map[string]any, output string, failed bool) *log {
	id := fmt.Sprint("t", l.n)
	l.add("assistant", map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": name, "input": input}}})
	l.add("user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed}}})
	return l
}

func (l *log) edit(file string) *log {
	return l.call("Write", map[string]any{"file_path": "/home/dev/app/" + file}, "ok", false)
}

func (l *log) sh(command, output string, failed bool) *log {
	return l.call("Bash", map[string]any{"command": command}, output, failed)
}

func (l *log) done() *log {
	l.add("assistant", map[string]any{"role": "assistant", "stop_reason": "end_turn", "content": []any{map[string]any{"type": "text", "text": "Done."}}})
	return l
}

func (l *log) write(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(strings.Join(l.lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func sessions(t *testing.T, opts Options) Report {
	t.Helper()
	r, err := Sessions(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func row(t *testing.T, r Report, name string) Rule {
	t.Helper()
	for _, rule := range r.Rules {
		if rule.Rule == name {
			return rule
		}
	}
	t.Fatalf("no rule %s in %+v", name, r.Rules)
	return Rule{}
}

// What happened next decides whether a block would have been right.
func TestRightWrongUnknown(t *testing.T) {
	pass, fail := "ok  \texample.com/app\t0.1s\n", "--- FAIL: TestA\nFAIL\texample.com/app\t0.1s\n"
	cases := []struct {
		name string
		log  *log
		want Outcome
	}{
		{"failed when it was run later", newLog().human("add a").edit("src/a.go").done().human("run the tests").sh("go test ./...", fail, true).done(), Right},
		{"passed later without an edit", newLog().human("add a").edit("src/a.go").done().human("run the tests").sh("go test ./...", pass, false).done(), Wrong},
		{"passed later after an edit", newLog().human("add a").edit("src/a.go").done().human("go on").edit("src/b.go").sh("go test ./...", pass, false).done(), Unknown},
		{"failed later after an edit", newLog().human("add a").edit("src/a.go").done().human("go on").edit("src/b.go").sh("go test ./...", fail, true).done(), Unknown},
		{"the human reports it", newLog().human("add a").edit("src/a.go").done().human("the tests are failing now").done(), Right},
		{"nothing of the kind", newLog().human("add a").edit("src/a.go").done().human("thanks").done(), Unknown},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := sessions(t, Options{Policy: policy(t, testsOwed, nil), Files: []string{c.log.write(t, "s.jsonl")}})
			if len(r.Samples) == 0 || r.Samples[0].Outcome != c.want {
				t.Errorf("%+v", r)
			}
			labelled := sessions(t, Options{
				Policy: policy(t, testsOwed, nil), Files: []string{c.log.write(t, "s.jsonl")},
				Labels: map[string]string{r.Samples[0].ID: "wrong"},
			})
			if labelled.Samples[0].Outcome != Wrong || row(t, labelled, "action:tests").Wrong == 0 {
				t.Errorf("a person's word does not count most: %+v", labelled.Samples[0])
			}
		})
	}
}

// Tests that ran in a form that the rule does not recognise make the block wrong, and the
// command is suggested as evidence.
func TestSuggestsEvidence(t *testing.T) {
	l := newLog()
	for i := range 4 {
		l.human("next").edit(fmt.Sprintf("src/%d.go", i)).sh("./ci/all.sh 2>&1 | tail -3", "ok  \texample.com/app\t0.1s\n12 passed\n", false).done()
	}
	r := sessions(t, Options{Policy: policy(t, testsOwed, nil), Files: []string{l.write(t, "s.jsonl")}})
	if r.Blocks == 0 || r.Samples[0].Outcome != Wrong {
		t.Fatalf("%+v", r)
	}
	if len(r.Suggestions) == 0 || r.Suggestions[0].Kind != "evidence" || !strings.Contains(r.Suggestions[0].Text, "./ci/all.sh") {
		t.Errorf("suggestions: %+v", r.Suggestions)
	}
}

// The agent's own run of a gate's command counts as the gate's result.
func TestGatesByTheAgent(t *testing.T) {
	cfg := policy(t, "entry_points: [{path: ., checks: [test]}]\n", map[string]string{"test": "command: go test ./...\n"})
	l := newLog().
		human("a").edit("src/a.go").sh("cd /home/dev/app && go test ./...", "ok", false).done().
		human("b").edit("src/b.go").sh("go test ./...", "FAIL", true).done().
		human("c").edit("src/c.go").sh("go test ./... -run X", "ok", false).done()
	r := sessions(t, Options{Policy: cfg, Files: []string{l.write(t, "s.jsonl")}})
	g := row(t, r, "check:.:test")
	if g.Stops != 3 || g.Proved != 1 || g.WouldBlock != 1 || g.Right != 1 {
		t.Errorf("%+v", g)
	}
}

func TestCoverageNamesGaps(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	good := newLog().human("a").edit("src/a.go").done()
	write("good.jsonl", strings.Join(good.lines, "\n")+"\n")
	write("torn.jsonl", strings.Join(good.lines, "\n")[:len(good.lines[0])+40])
	write("empty.jsonl", "")
	write("foreign.jsonl", "{\"hello\":\"world\"}\n")
	write("binary.jsonl", string([]byte{0, 1, 2, 255, 254, '\n', 0}))
	write("deep.jsonl", strings.Repeat("[", 200_000)+"\n")
	files, err := Find([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	r := sessions(t, Options{Policy: policy(t, testsOwed, nil), Files: files})
	if r.Coverage.Sessions != 6 || r.Coverage.Unreadable < 4 || r.Coverage.Formats["claude"] == 0 || len(r.Coverage.Gaps) == 0 {
		t.Errorf("%+v", r.Coverage)
	}
	if r.Blocks != 1 {
		t.Errorf("the good one was lost among the others: %+v", r)
	}
	if _, err := Find([]string{filepath.Join(dir, "nothing")}); err == nil {
		t.Error("a directory that is not there was accepted")
	}
	// Older stops are left out, for given files too.
	r = sessions(t, Options{Policy: policy(t, testsOwed, nil), Files: files, Since: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)})
	if r.Coverage.Turns != 0 || r.Stops != 0 {
		t.Errorf("older turns were judged: %+v", r.Coverage)
	}
	r = sessions(t, Options{Policy: policy(t, testsOwed, nil), Files: files, Project: "/home/dev/other"})
	if r.Stops != 0 {
		t.Errorf("another project's turns were judged: %+v", r.Coverage)
	}
}

func TestSameInputSameReport(t *testing.T) {
	var files []string
	for i := range 20 {
		files = append(files, newLog().human("a").edit(fmt.Sprintf("src/%d.go", i)).done().human("it does not work").edit("src/z.go").done().write(t, fmt.Sprintf("s%d.jsonl", i)))
	}
	cfg := policy(t, testsOwed, nil)
	first, _ := json.Marshal(sessions(t, Options{Policy: cfg, Files: files}))
	for range 5 {
		if again, _ := json.Marshal(sessions(t, Options{Policy: cfg, Files: files})); string(again) != string(first) {
			t.Fatalf("\n%s\n%s", first, again)
		}
	}
}

func TestTwoPolicies(t *testing.T) {
	file := newLog().human("a").edit("src/a.go").done().human("b").edit("web/b.js").done().write(t, "s.jsonl")
	other := strings.Replace(testsOwed, "src/**", "web/**", 1)
	r := sessions(t, Options{Policy: policy(t, testsOwed, nil), Against: policy(t, other, nil), Files: []string{file}})
	if r.Blocks != 1 || r.Against == nil || r.Against.Blocks != 1 || len(r.Changed) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestRedacted(t *testing.T) {
	file := newLog().human("the secret plan").edit("src/private.go").sh("deploy-to-customer", "ok", false).done().write(t, "s.jsonl")
	r := sessions(t, Options{Policy: policy(t, testsOwed, nil), Files: []string{file}})
	b, _ := json.Marshal(r.Redacted())
	for _, word := range []string{"secret plan", "private", "customer", "/home/dev"} {
		if strings.Contains(string(b), word) {
			t.Errorf("%q is in the redacted report: %s", word, b)
		}
	}
	if r.Samples[0].Prompt == "" {
		t.Error("the report itself was changed")
	}
}

func TestWilson(t *testing.T) {
	if Wilson(5, 19) != nil {
		t.Error("a percentage below 20 samples")
	}
	i := Wilson(187, 417) // 44.8 %
	if math.Abs(i.Low-0.4014) > 0.002 || math.Abs(i.High-0.4964) > 0.002 {
		t.Errorf("%+v", i)
	}
	if all := Wilson(20, 20); all.High != 1 || all.Low > 0.85 || all.Low < 0.8 {
		t.Errorf("%+v", all)
	}
}

func TestHistory(t *testing.T) {
	cfg := policy(t, "entry_points: [{path: ., checks: [test, lint]}]\n", map[string]string{"test": "command: x\n", "lint": "command: y\nmode: observe\n"})
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	n := 0
	stop := func(session, status string, gates ...history.Record) Recorded {
		n++
		v := history.Record{Schema: 2, Type: history.Verdict, ID: fmt.Sprint("v", n), Time: at.Add(time.Duration(n) * time.Minute), Project: "/p", Session: session, Source: history.FromStop, Status: status}
		return Recorded{v, gates}
	}
	g := func(name, status, key string) history.Record {
		return history.Record{Type: history.Gate, Gate: "check:.:" + name, Kind: "check", Status: status, Key: key, DurationMS: 1000}
	}
	list := []Recorded{
		stop("fixed", "failed", g("test", "fail", "k1")), stop("fixed", "passed", g("test", "pass", "k2")),
		stop("flake", "failed", g("test", "fail", "k3")), stop("other", "passed", g("test", "pass", "k3")),
		stop("off", "failed", g("test", "fail", "k4")), stop("off", "stop_hook_disabled"),
		stop("released", "failed", g("test", "fail", "k5")), stop("released", "retry_limit_exceeded", g("test", "fail", "k5")),
		stop("observed", "passed_with_warnings", g("lint", "fail", "k6"), g("gone", "fail", "k7")),
	}
	var newest []Recorded
	for i := len(list) - 1; i >= 0; i-- {
		newest = append(newest, list[i])
	}
	r := History(Options{Policy: cfg}, newest)
	test := row(t, r, "check:.:test")
	if test.Stops != 7 || test.WouldBlock != 5 || test.Right != 1 || test.Wrong != 2 || test.Unknown != 2 || test.MedianMS == nil {
		t.Errorf("%+v", test)
	}
	lint := row(t, r, "check:.:lint")
	if lint.Raised != 1 || lint.WouldBlock != 1 || r.Observed != 1 {
		t.Errorf("a gate that is only observed: %+v, %d", lint, r.Observed)
	}
	if len(r.Coverage.Gaps) < 2 {
		t.Errorf("%+v", r.Coverage)
	}
	r = History(Options{Policy: cfg, Labels: map[string]string{"v7": "right"}}, newest)
	if test := row(t, r, "check:.:test"); test.Right != 2 {
		t.Errorf("with a label: %+v", test)
	}
}

func TestSamplesAreKeptForShow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "replay")
	r := sessions(t, Options{Policy: policy(t, testsOwed, nil), Files: []string{newLog().human("a").edit("src/a.go").done().write(t, "s.jsonl")}})
	if err := Save(dir, r); err != nil {
		t.Fatal(err)
	}
	id := r.Samples[0].ID
	if got := Show(dir, id[2:]); len(got) != 1 || got[0].ID != id || got[0].Said == "" {
		t.Errorf("%+v", got)
	}
	if got := Show(dir, "nothing"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "samples.json"), []byte("{torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Show(dir, id); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// What the agent's log shows after a live block of the checkpoint decides whether it was
// right.
func TestHistoryOfCheckpoints(t *testing.T) {
	cfg := policy(t, testsOwed, nil)
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		then func(*log) *log
		want string
	}{
		{"failed when it was run", func(l *log) *log { return l.sh("go test ./...", "--- FAIL: TestX", true) }, "right 1 wrong 0 unknown 0"},
		{"passed at once", func(l *log) *log { return l.sh("go test ./...", "ok  \tp\t0.1s", false) }, "right 0 wrong 1 unknown 0"},
		{"passed after an edit", func(l *log) *log { return l.edit("src/a.go").sh("go test ./...", "ok  \tp\t0.1s", false) }, "right 0 wrong 0 unknown 1"},
		{"never run", func(l *log) *log { return l.sh("ls", "", false) }, "right 0 wrong 0 unknown 1"},
		{"the human complains", func(l *log) *log { return l.done().human("the tests fail") }, "right 1 wrong 0 unknown 0"},
		{"run for another prompt", func(l *log) *log {
			return l.done().human("now the next thing").edit("src/b.go").done().human("and?").sh("go test ./...", "ok  \tp\t0.1s", false)
		}, "right 0 wrong 0 unknown 1"},
	} {
		l := newLog().human("a").edit("src/a.go")
		block := l.at
		file := tt.then(l).done().write(t, "s.jsonl")
		v := history.Record{
			Schema: 2, Type: history.Verdict, ID: "v1", Time: block, Project: "/p", Session: "s", Source: history.FromStop, Status: "checkpoint", Decision: "block",
			Owed: []string{"tests"}, Transcript: &history.Transcript{Path: file},
		}
		r := History(Options{Policy: cfg}, []Recorded{{Verdict: v}})
		for _, name := range []string{"checkpoint", "action:tests"} {
			got := row(t, r, name)
			if s := fmt.Sprintf("right %d wrong %d unknown %d", got.Right, got.Wrong, got.Unknown); s != tt.want {
				t.Errorf("%s: %s: %s, want %s", tt.name, name, s, tt.want)
			}
		}
	}
	gone := history.Record{
		Schema: 2, Type: history.Verdict, ID: "v1", Time: at, Project: "/p", Session: "s", Source: history.FromStop, Status: "checkpoint", Decision: "block",
		Owed: []string{"tests"}, Transcript: &history.Transcript{Path: "/nowhere.jsonl"},
	}
	off := gone
	off.ID, off.Time, off.Status, off.Owed = "v2", at.Add(time.Minute), "stop_hook_disabled", nil
	if got := row(t, History(Options{Policy: cfg}, []Recorded{{Verdict: gone}}), "checkpoint"); got.Unknown != 1 {
		t.Errorf("a log that is gone: %+v", got)
	}
	if got := row(t, History(Options{Policy: cfg}, []Recorded{{Verdict: off}, {Verdict: gone}}), "checkpoint"); got.Wrong != 1 {
		t.Errorf("switched off next: %+v", got)
	}
}
