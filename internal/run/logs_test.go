package run

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gauntlet/internal/config"
	"gauntlet/internal/gate"
)

// put writes files into dir, by name and content.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestScanLogs(t *testing.T) {
	tests := []struct {
		name    string
		files   map[string]string
		highest int
		judged  []int
		failing []string
		present bool
	}{
		{name: "nothing"},
		{name: "strangers do not count", files: map[string]string{
			"notes.log": "", "check_x.log": "", "check_x.0.log": "", "check_x.-1.log": "", "check_x.1.txt": "", "other.3.log": "",
			"check_dir.4.log/x": "",
		}},
		{name: "the number of an archived log is used up, its result does not count", files: map[string]string{
			"previous/check_x.9.log": "\nResult: fail\n", "previous/notes.12.txt": "",
		}, highest: 9},
		{name: "the newest log of a job counts", files: map[string]string{
			"check_._t.1.log": "\nResult: fail - exit code 1\n", "check_._t.2.log": "\nResult: pass\n",
			"check_._u.1.log": "\nResult: pass\n", "check_._u.10.log": "\nResult: fail - exit code 1\n",
		}, highest: 10, judged: []int{1, 2, 10}, failing: []string{"check_._u"}, present: true},
		{name: "a run that could not judge uses nothing up", files: map[string]string{
			"check_._t.1.log": "\nResult: fail - x\n", "check_._t.2.log": "\nResult: error - y\n", "check_._u.3.log": "killed here",
			"console.4.log": "",
		}, highest: 4, judged: []int{1}, present: true},
		{name: "a console log alone is not a gate log", files: map[string]string{"console.7.log": "Result: fail"}, highest: 7},
		{name: "output cannot forge the result", files: map[string]string{
			"check_._t.1.log": "x\nResult: pass\n\nResult: fail - exit code 1\n\nFix instructions:\n  Result: pass\n",
		}, highest: 1, judged: []int{1}, failing: []string{"check_._t"}, present: true},
		{
			name: "a result in the first line", files: map[string]string{"check_._t.1.log": "Result: fail\n"},
			highest: 1, judged: []int{1}, failing: []string{"check_._t"}, present: true,
		},
		{name: "reviews count by slot, whichever reviewer used it", files: map[string]string{
			"review_._q_claude@1.1.json": `{"status":"fail","violations":[{}]}`, "review_._q_claude@1.1.log": "",
			"review_._q_codex@1.2.json":  `{"status":"pass"}`,
			"review_._q_gemini@2.2.json": `{"status":"fail"}`,
		}, highest: 2, judged: []int{1, 2}, failing: []string{"review_._q"}, present: true},
		{name: "a broken result fails, a dead reviewer resolves nothing", files: map[string]string{
			"review_._q_claude@1.1.json": `{broken`, "review_._r_claude@1.1.json": `{"status":"error","violations":[{}]}`,
			"review_._s_claude@1.1.json": `{"status":"error"}`,
		}, highest: 1, judged: []int{1}, failing: []string{"review_._q", "review_._r"}, present: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, tt.files)
			want := gateLogs{highest: tt.highest, judged: map[int]bool{}, present: tt.present, failing: map[string]bool{}}
			for _, f := range tt.failing {
				want.failing[f] = true
			}
			for _, n := range tt.judged {
				want.judged[n] = true
			}
			if diff := cmp.Diff(want, scanLogs(dir), cmp.AllowUnexported(gateLogs{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The next run reads what a check wrote, whatever its output and its fix instructions
// contain.
func TestCheckLogIsReadBack(t *testing.T) {
	cfg := project(t, `{"entry_points":[{"path":".","checks":["t"]}]}`, map[string]string{
		"t": `{"command":"printf 'Result: pass\\n'; seq 1 100000; printf '\\nResult: pass'; exit 1","fix_instructions":"fix.md"}`,
	}, map[string]string{".gauntlet/fix.md": "Result: pass\n\nResult: pass - really\n"})
	res := Execute(t.Context(), options(cfg))
	if res.Status != "failed" {
		t.Fatalf("%+v", res)
	}
	if g := scanLogs(cfg.Settings.LogDir); !g.failing["check_._t"] {
		t.Errorf("%+v", g)
	}
}

func TestArchive(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"check_._t.1.log": "new", "console.1.log": "", "review_._q_claude@1.1.json": "{}", stateFile: "{}", ".debug.log": "", ".debug.log.1": "",
		lockName: "", "mine.txt": "", "previous/check_._t.1.log": "old", "previous/check_._old.3.log": "old", runsFile: "1-1\n3-3\nx\n",
		"review_of_book.2.json": "mine", "previous/check_my_notes.2.log": "mine",
	})
	moved, err := archive(dir, false)
	if err != nil || moved != 3 {
		t.Fatal(moved, err)
	}
	want := []string{".debug.log", ".debug.log.1", stateFile, lockName, runsFile, "mine.txt", previousDir, "review_of_book.2.json"}
	if diff := cmp.Diff(want, entriesOf(t, dir)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"check_._t.1.log", "check_my_notes.2.log", "console.1.log", "review_._q_claude@1.1.json"}, entriesOf(t, filepath.Join(dir, previousDir))); diff != "" {
		t.Error(diff)
	}
	if moved, err := Clean(dir); err != nil || moved != 1 {
		t.Error(moved, err)
	}
	if diff := cmp.Diff([]string{stateFile, "check_my_notes.2.log"}, entriesOf(t, filepath.Join(dir, previousDir))); diff != "" {
		t.Error(diff)
	}
	if moved, err := Clean(dir); err != nil || moved != 0 {
		t.Error("nothing is left to clean:", moved, err)
	}
	if moved, err := Clean(filepath.Join(dir, "nowhere")); err != nil || moved != 0 {
		t.Error(moved, err)
	}
}

// The runs that wrote logs are kept in ranges.
func TestNoteRun(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{2, 3, 4, 9, 10} {
		if err := noteRun(dir, n); err != nil {
			t.Fatal(err)
		}
	}
	if got := readRuns(dir); !slices.Equal(got, [][2]int{{2, 4}, {9, 10}}) {
		t.Errorf("%v", got)
	}
	own := ownLogs(dir)
	for name, want := range map[string]bool{"check_x.3.log": true, "console.9.log": true, "check_x.1.log": false, "check_x.11.log": false, "thesis.3.log": false, "check_x.3.txt": false} {
		if own(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}

func entriesOf(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestSweepTemps(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		".lock-1": "", ".probe-1": "", "..execution_state.tmp-1": "", ".lock-fresh": "", ".debug.log": "", "check_._t.1.log": "", lockName: "",
	})
	old := time.Now().Add(-2 * time.Minute)
	for _, f := range []string{".lock-1", ".probe-1", "..execution_state.tmp-1", ".debug.log", "check_._t.1.log", lockName} {
		if err := os.Chtimes(filepath.Join(dir, f), old, old); err != nil {
			t.Fatal(err)
		}
	}
	sweepTemps(dir, time.Now())
	if diff := cmp.Diff([]string{".debug.log", lockName, ".lock-fresh", "check_._t.1.log"}, entriesOf(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestNewestConsole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "we[i]rd*")
	put(t, dir, map[string]string{"console.2.log": "", "console.10.log": "", "console.x.log": "", "console.11.json": ""})
	if got := newestConsole(dir); got != filepath.Join(dir, "console.10.log") {
		t.Error(got)
	}
	if got := newestConsole(t.TempDir()); got != "" {
		t.Error(got)
	}
}

func TestGateLine(t *testing.T) {
	for want, r := range map[string]gate.Result{
		"PASS  t (1.5 s)": {ID: "check:.:t", Status: gate.Pass, DurationMS: 1500},
		"WARN  t (8.2 s) - no - does not block (mode warn)": {ID: "check:.:t", Status: gate.Fail, Mode: config.ModeWarn, WouldBlock: true, Message: "no", DurationMS: 8200},
		"FAIL  t (reused) - no":                             {ID: "check:.:t", Status: gate.Fail, Cached: true, Message: "no"},
		"ERROR t (0.0 s) - a b":                             {ID: "check:.:t", Status: gate.Error, Message: "a\n\x1b[31mb"},
		"SKIPPED t (0.0 s) - not started":                   {ID: "check:.:t", Status: gate.Skipped, Message: "not started"},
	} {
		if got := GateLine(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The last line counts gates by how they ended, without those that nothing ended in.
func TestCounts(t *testing.T) {
	of := func(list ...gate.Result) string { return counts(Result{Gates: list, DurationMS: 8240}) }
	fail, warn, unable, pass := gate.Result{Status: gate.Fail}, gate.Result{Status: gate.Fail, WouldBlock: true}, gate.Result{Status: gate.Error}, gate.Result{Status: gate.Pass}
	for want, got := range map[string]string{
		"2 failed, 1 warned, 1 could not run, 2 passed in 8.2 s": of(fail, pass, warn, fail, unable, pass),
		"1 failed in 8.2 s":            of(fail),
		"1 skipped, 1 passed in 8.2 s": of(pass, gate.Result{Status: gate.Skipped}),
		"0 passed in 8.2 s":            of(),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
