package ask_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/test/asktest"
)

func open(t *testing.T, recs ...history.Record) *store.Store {
	t.Helper()
	dir := t.TempDir()
	if err := history.Append(dir, recs...); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestAnswers(t *testing.T) { asktest.Answers(t, open(t, asktest.Sample()...)) }

func TestPagesFollowEachOther(t *testing.T) {
	var recs []history.Record
	for i := range 250 {
		recs = append(recs, history.Record{Type: history.Verdict, ID: fmt.Sprintf("v%03d", i), Time: asktest.Monday.Add(time.Duration(i/7) * time.Second), Status: "passed", Source: history.FromStop})
	}
	db := open(t, recs...)
	seen, before := map[string]bool{}, ""
	for range 10 {
		page, err := ask.Stops(t.Context(), db, ask.Filter{}, before)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page.Stops {
			if seen[s.ID] {
				t.Errorf("%s twice", s.ID)
			}
			seen[s.ID] = true
		}
		if page.Next == "" {
			break
		}
		before = page.Next
	}
	if len(seen) != 250 {
		t.Errorf("%d of 250 seen", len(seen))
	}
}

func at(n int, typ history.Type, status string) history.Record {
	return history.Record{Type: typ, ID: fmt.Sprintf("v%03d", n), Time: asktest.Monday.Add(time.Duration(n) * time.Minute), Project: "/p", Status: status}
}

func gate(n int, name, status string, ms float64) history.Record {
	r := at(n, history.Gate, status)
	r.Gate, r.Kind, r.DurationMS = name, "check", ms
	return r
}

func load(t *testing.T, recs ...history.Record) *ask.Facts {
	t.Helper()
	f, err := ask.Load(t.Context(), open(t, recs...))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestStats(t *testing.T) {
	blocked := at(60*24, history.Verdict, "failed") // the next day
	blocked.Decision = "block"
	cached := gate(3, "lint", "pass", 0)
	cached.Cached = true
	elsewhere := at(5, history.Verdict, "passed")
	elsewhere.Project = "/other"
	f := load(t, at(1, history.Verdict, "passed"), at(2, history.Verdict, "failed"), blocked, elsewhere,
		gate(1, "lint", "pass", 10), gate(2, "lint", "fail", 30), cached, gate(4, "lint", "error", 20), gate(1, "unit", "skipped", 0))
	st := f.Stats(ask.Filter{Projects: []string{"/p", "/also/p"}, Since: asktest.Monday.Add(-time.Hour)})
	if st.Verdicts != 3 || st.Blocks != 1 || len(st.Days) != 2 || st.Days[1] != (ask.DayStat{Day: "2026-11-10", Verdicts: 1, Stops: 1, Blocks: 1}) {
		t.Errorf("got %+v", st)
	}
	if len(st.Gates) != 2 || st.Gates[1].Skipped != 1 || st.Gates[1].MedianMS != nil {
		t.Fatalf("got %+v", st.Gates)
	}
	mid, p95, most := 20.0, 30.0, 30.0
	want := ask.Gate{
		Project: "/p", Gate: "lint", Kind: "check", Pass: 2, Fail: 1, Error: 1, Cached: 1, Runs: 3, Failures: 1, Reused: 1, SpentMS: 60,
		MedianMS: &mid, P95MS: &p95, MaxMS: &most, Recent: []float64{10, 30}, Last: st.Gates[0].Last, LastError: st.Gates[0].LastError,
	}
	if diff := cmp.Diff(want, st.Gates[0]); diff != "" {
		t.Error(diff)
	}
	if st := f.Stats(ask.Filter{Since: asktest.Monday.Add(1000 * time.Hour)}); st.Verdicts != 0 || len(st.Gates) != 0 {
		t.Errorf("nothing happened since, but %+v", st)
	}
}

// The same key with both results is a flake; the sources of proofs are distinguished.
func TestStatsByKeyAndSource(t *testing.T) {
	with := func(n int, status, key string, source history.Source, cached bool) history.Record {
		r := gate(n, "test", status, 10)
		r.Key, r.Source, r.Cached, r.WouldBlock = key, source, cached, status == "fail"
		if cached {
			r.SavedMS = 500
		}
		return r
	}
	f := load(t,
		with(1, "fail", "k1", history.FromRun, false), with(2, "pass", "k1", history.FromRun, false), with(3, "pass", "k1", history.FromRun, false),
		with(4, "fail", "k2", history.FromRun, false), with(5, "pass", "k3", history.FromRun, false),
		with(6, "pass", "k3", history.FromAgent, true), with(7, "pass", "k3", history.FromWorktree, true), with(8, "pass", "k3", history.FromRemote, true),
		with(9, "pass", "k3", history.FromRun, true))
	g := f.Gates(ask.Filter{})[0]
	if g.Flakes != 1 || g.Runs != 5 || g.Failures != 2 || g.Agent != 1 || g.Worktree != 1 || g.Remote != 1 || g.Reused != 1 || g.SavedMS != 2000 || g.WouldBlock != 2 {
		t.Errorf("%+v", g)
	}
}

// What followed a failure shows whether it was right; the first event counts, and a
// person's label most.
func TestOutcomeAfterFailure(t *testing.T) {
	stop := func(n int, session, status, key, gateStatus string) []history.Record {
		v := at(n, history.Verdict, status)
		v.Session, v.Source, v.Decision = session, history.FromStop, "approve"
		if status == "failed" {
			v.Decision = "block"
		}
		if gateStatus == "" {
			return []history.Record{v}
		}
		g := gate(n, "test", gateStatus, 10)
		g.Key = key
		return []history.Record{v, g}
	}
	label := func(n int, word string) []history.Record {
		r := at(n, history.Label, "")
		r.Label = word
		return []history.Record{r}
	}
	weakened := func(recs []history.Record) []history.Record {
		recs[0].Badges = []event.Badge{event.BadgeWeakened}
		return recs
	}
	for _, tt := range []struct {
		name                  string
		then                  [][]history.Record
		right, wrong, unknown int
	}{
		{"nothing", nil, 0, 0, 1},
		{"fixed", [][]history.Record{stop(2, "s", "passed", "k2", "pass")}, 1, 0, 0},
		{"fixed, by another session", [][]history.Record{stop(2, "t", "passed", "k2", "pass")}, 0, 0, 1},
		{"passed unchanged", [][]history.Record{stop(2, "t", "passed", "k1", "pass")}, 0, 1, 0},
		{"fixed, then the old content passed", [][]history.Record{stop(2, "s", "passed", "k2", "pass"), stop(3, "s", "passed", "k1", "pass")}, 1, 0, 0},
		{"switched off", [][]history.Record{stop(2, "s", "stop_hook_disabled", "", "")}, 0, 1, 0},
		{"fixed, then switched off", [][]history.Record{stop(2, "s", "passed", "k2", "pass"), stop(3, "s", "stop_hook_disabled", "", "")}, 1, 0, 0},
		{"released", [][]history.Record{stop(2, "s", "retry_limit_exceeded", "k1", "fail")}, 0, 0, 1},
		{"failed again where it did not block", [][]history.Record{stop(2, "s", "passed_with_warnings", "k2", "fail"), stop(3, "s", "passed", "k3", "pass")}, 1, 0, 0},
		{"passed with skipped tests", [][]history.Record{weakened(stop(2, "s", "passed", "k2", "pass"))}, 0, 0, 1},
		{"weakened, then passed", [][]history.Record{weakened(stop(2, "s", "passed_with_warnings", "k2", "fail")), stop(3, "s", "passed", "k3", "pass")}, 0, 0, 1},
		{"fixed, weakened later", [][]history.Record{stop(2, "s", "passed", "k2", "pass"), weakened(stop(3, "s", "passed", "k3", "pass"))}, 1, 0, 0},
		{"fixed, but a person says wrong", [][]history.Record{stop(2, "s", "passed", "k2", "pass"), label(1, "wrong")}, 0, 1, 0},
	} {
		recs := stop(1, "s", "failed", "k1", "fail")
		for _, r := range tt.then {
			recs = append(recs, r...)
		}
		f := load(t, recs...)
		total, g := f.Totals(ask.Filter{}), f.Gates(ask.Filter{})[0]
		if total.Right != tt.right || total.Wrong != tt.wrong || total.Unknown != tt.unknown {
			t.Errorf("%s: %+v", tt.name, total)
		}
		if g.Right != tt.right || g.Wrong != tt.wrong || g.Unknown != tt.unknown || g.Blocked != 1 {
			t.Errorf("%s: %+v", tt.name, g)
		}
	}
}

func TestSharedStoreSeesNewRecords(t *testing.T) {
	dir := t.TempDir()
	if err := history.Append(dir, asktest.Sample()...); err != nil {
		t.Fatal(err)
	}
	page, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close() //nolint:errcheck // read only
	if err := page.Share(); err != nil {
		t.Fatal(err)
	}
	before := mark(t, page)
	// Another process reads and writes meanwhile.
	other, err := store.Open(context.WithoutCancel(t.Context()), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := history.Append(dir, history.Record{Type: history.Verdict, ID: "new", Time: asktest.Monday, Status: "passed"}); err != nil {
		t.Fatal(err)
	}
	if err := page.Refresh(dir); err != nil { // the other holds the lock
		t.Fatal(err)
	}
	if mark(t, page) != before {
		t.Error("changed while another process has the store")
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := page.Refresh(dir); err != nil {
		t.Fatal(err)
	}
	if mark(t, page) == before {
		t.Error("the new record is not seen")
	}
}

func mark(t *testing.T, db ask.DB) string {
	t.Helper()
	m, err := db.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A checkpoint blocks like a gate and runs nothing. What the agent's log shows decides,
// unless a person or the off switch says otherwise.
func TestWhatFollowedACheckpoint(t *testing.T) {
	stop := func(n int, status string, would bool) history.Record {
		v := at(n, history.Verdict, status)
		v.Session, v.Source, v.Decision, v.WouldBlock = "s", history.FromStop, "approve", would
		if status == "checkpoint" {
			v.Decision = "block"
		}
		return v
	}
	label := at(1, history.Label, "")
	label.Label = "right"
	logWrong := map[string]ask.Word{"v001": {Aftermath: "wrong", Because: "it passed without an edit in between"}}
	for _, tt := range []struct {
		name    string
		recs    []history.Record
		log     map[string]ask.Word
		outcome ask.Word
	}{
		{"nothing", []history.Record{stop(1, "checkpoint", false)}, nil, ask.Word{Aftermath: "unknown"}},
		{"the log", []history.Record{stop(1, "checkpoint", false)}, logWrong, logWrong["v001"]},
		{"only recorded", []history.Record{stop(1, "passed_with_warnings", true)}, logWrong, logWrong["v001"]},
		{"switched off next", []history.Record{stop(1, "checkpoint", false), stop(2, "stop_hook_disabled", false)}, nil, ask.Word{Aftermath: "wrong", Because: "the hook was switched off next"}},
		{"a person", []history.Record{stop(1, "checkpoint", false), label}, logWrong, ask.Word{Aftermath: "right", Because: "a person said so"}},
	} {
		f := load(t, tt.recs...)
		f.Settle(tt.log)
		got, known := f.Aftermath("", "v001")
		if !known || got != tt.outcome {
			t.Errorf("%s: %+v, %v", tt.name, got, known)
		}
		g := f.Gates(ask.Filter{})
		if len(g) != 1 || g[0].Gate != ask.Checkpoint || g[0].Blocked+g[0].WouldBlock != 1 || g[0].Runs != 0 || g[0].MedianMS != nil {
			t.Fatalf("%s: %+v", tt.name, g)
		}
		word := map[string]int{"right": g[0].Right + g[0].WouldRight, "wrong": g[0].Wrong + g[0].WouldWrong, "unknown": g[0].Unknown + g[0].WouldUnknown}
		if word[tt.outcome.Aftermath] != 1 || g[0].Right+g[0].Wrong+g[0].Unknown != g[0].Blocked || g[0].WouldRight+g[0].WouldWrong+g[0].WouldUnknown != g[0].WouldBlock {
			t.Errorf("%s: the row says %+v", tt.name, word)
		}
		page, err := ask.Stops(t.Context(), open(t, tt.recs...), ask.Filter{Gate: ask.Checkpoint}, "")
		if err != nil || len(page.Stops) != 1 || page.Stops[0].ID != "v001" {
			t.Errorf("%s: found %+v, %v", tt.name, page.Stops, err)
		}
	}
	f := load(t, stop(1, "passed", false))
	if w, known := f.Aftermath("", "v001"); known {
		t.Errorf("a stop that was not blocked: %+v", w)
	}
}

// A gate that only observes did not block the stop that another one blocked.
func TestAnObservingGateBlocksNothing(t *testing.T) {
	v := at(1, history.Verdict, "failed")
	v.Decision, v.Source = "block", history.FromStop
	watching := gate(1, "lint", "fail", 5)
	watching.WouldBlock = true
	for _, g := range load(t, v, gate(1, "test", "fail", 5), watching).Gates(ask.Filter{}) {
		if want := map[string]int{"test": 1, "lint": 0}[g.Gate]; g.Blocked != want {
			t.Errorf("%s blocked %d, want %d", g.Gate, g.Blocked, want)
		}
	}
}

// A look back covers whole days, and whole weeks where weeks are counted.
func TestWhereALookBackBegins(t *testing.T) {
	now := time.Date(2026, 11, 15, 17, 30, 0, 0, time.FixedZone("", 3600))
	if got := ask.Since(now, 30); !got.Equal(time.Date(2026, 10, 17, 0, 0, 0, 0, now.Location())) {
		t.Errorf("since %v", got)
	}
	early := at(0, history.Verdict, "passed")
	early.Time = time.Date(2026, 10, 13, 12, 0, 0, 0, time.UTC) // a Tuesday
	f := load(t, early)
	if weeks := f.Weeks(ask.Filter{Since: ask.Since(now, 30)}, ask.ByAll); len(weeks) != 1 || weeks[0].Stops != 1 {
		t.Errorf("the first week is cut: %+v", weeks)
	}
	if !f.First().Equal(early.Time) {
		t.Errorf("begins %v", f.First())
	}
}

// What is red is the same from the database and from memory: the newest result of a gate that
// no mode excused is a failure.
func TestRedNow(t *testing.T) {
	result := func(n int, project, name, status, mode string) []history.Record {
		v, g := at(n, history.Verdict, "failed"), gate(n, name, status, 5)
		v.Source, v.Session, v.Project, v.Message, g.Project, g.Mode = history.FromStop, "s", project, fmt.Sprint("message ", n), project, mode
		return []history.Record{v, g}
	}
	var recs []history.Record
	for _, r := range [][]history.Record{
		result(1, "/p", "test", "pass", ""), result(2, "/p", "test", "fail", "enforce"), result(3, "/p", "test", "error", ""), result(4, "/p", "test", "fail", "enforce"),
		result(5, "/p", "lint", "fail", ""), result(6, "/p", "lint", "pass", ""), result(7, "/q", "test", "fail", "observe"), result(8, "/q", "lint", "fail", "enforce"),
	} {
		recs = append(recs, r...)
	}
	db := open(t, recs...)
	now, err := ask.Now(t.Context(), db, ask.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := ask.Load(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	red, err := f.Red(t.Context(), ask.Filter{})
	if err != nil || len(red) != 2 || len(now.Red) != 2 {
		t.Fatalf("%+v, %+v, %v", red, now.Red, err)
	}
	for i, r := range red {
		if n := now.Red[i]; r.Project != n.Project || r.Gate != n.Gate || !r.Since.Equal(n.Since) || r.Stop != n.Stop || r.Last.ID != n.Stop {
			t.Errorf("memory says %+v, the database %+v", r.Red, n)
		}
	}
	if red[1].Gate != "test" || red[1].Stop != "v004" || !red[1].Since.Equal(asktest.Monday.Add(2*time.Minute)) || red[1].Last.Message != "message 4" {
		t.Errorf("%+v", red[1])
	}
}
