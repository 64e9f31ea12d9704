// Package asktest checks a database against the answers for a small, known history: every
// database that the page can be shown from passes it.
package asktest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
)

// Monday is when the sample begins.
var Monday = time.Date(2026, 11, 9, 10, 0, 0, 0, time.UTC)

// Sample is a small history: a session that is blocked, fixes it and passes, a run by hand,
// and another project.
func Sample() []history.Record {
	stop := func(id string, after time.Duration, project, session, status string, blocked bool) history.Record {
		r := history.Record{Type: history.Verdict, ID: id, Time: Monday.Add(after), Project: project, Session: session, Status: status, Source: history.FromStop, Agent: "claude", Model: "opus", DurationMS: 100, Message: "message of " + id, Decision: "approve"}
		if blocked {
			r.Decision = "block"
		}
		return r
	}
	gate := func(id string, after time.Duration, project, name, status string, ms float64, cached bool, source history.Source) history.Record {
		r := history.Record{Type: history.Gate, ID: id, Time: Monday.Add(after), Project: project, Gate: name, Kind: "check", Status: status, DurationMS: ms, Cached: cached, Source: source}
		if cached {
			r.SavedMS = 500
		}
		return r
	}
	tokens := func(r history.Record, n int64) history.Record {
		r.Tokens = &n
		return r
	}
	first := gate("a", 0, "/p", "test", "fail", 40, false, history.FromRun)
	first.LimitMS, first.Tail = 300000, "--- FAIL: TestFee\n    fee_test.go:14: 100% wrong"
	second := gate("b", 2*time.Minute, "/p", "test", "pass", 60, false, history.FromRun)
	second.LimitMS, second.Warning = 300000, "ran no test"
	weakened := tokens(stop("b", 2*time.Minute, "/p", "s1", "passed", false), 1900)
	weakened.Prompt, weakened.Changed, weakened.Lines = "Fix the fee", []string{"fee.go", "fee_test.go"}, &history.Lines{Added: 3, Removed: 1}
	weakened.Outcome, weakened.Badges = event.OutcomePassed, []event.Badge{event.BadgeWeakened}
	tree := stop("e", time.Minute, "/w", "s3", "retry_limit_exceeded", false)
	missing := gate("e", time.Minute, "/w", "lint", "error", 5, false, history.FromRun)
	missing.Message = "lint is not installed"
	tree.Repository, tree.Message = "/p", "x"
	run := stop("c", 3*time.Minute, "/p", "", "passed", false)
	run.Source, run.Agent = history.FromRun, ""
	return []history.Record{
		tokens(stop("a", 0, "/p", "s1", "failed", true), 1000), first, gate("a", 0, "/p", "lint", "pass", 5, false, history.FromRun),
		weakened, second, gate("b", 2*time.Minute, "/p", "lint", "pass", 0, true, history.FromAgent),
		run, gate("c", 3*time.Minute, "/p", "test", "pass", 0, true, ""),
		tree, missing,
		stop("d", 8*24*time.Hour, "/q_x", "s2", "no_changes", false),
		{Type: history.Label, ID: "a", Time: Monday.Add(time.Hour), Label: "wrong"},
		{Type: history.Label, ID: "a", Time: Monday.Add(2 * time.Hour), Label: "right"},
	}
}

// Answers checks a database that contains the sample against the known answers.
func Answers(t *testing.T, db ask.DB) {
	ctx := t.Context()
	for _, tt := range []struct {
		f    ask.Filter
		want string
	}{
		{ask.Filter{}, "[d c b e a]"},
		{ask.Filter{Projects: []string{"/p"}}, "[c b e a]"}, // its work trees belong to it
		{ask.Filter{Projects: []string{"/w"}}, "[e]"},
		{ask.Filter{Blocked: true}, "[a]"},
		{ask.Filter{Gate: "lint"}, "[b e a]"},
		{ask.Filter{Gate: "checkpoint"}, "[]"},
		{ask.Filter{Agent: "claude", Status: "passed"}, "[b]"},
		{ask.Filter{Text: "MESSAGE OF A"}, "[a]"},
		{ask.Filter{Text: "q_"}, "[d]"},
		{ask.Filter{Text: "100%"}, "[a]"},
		{ask.Filter{Text: "1%0"}, "[]"},
		{ask.Filter{Text: "--- fail: testFEE"}, "[a]"},
		{ask.Filter{Text: "fee_test.go"}, "[b a]"},
		{ask.Filter{Text: "fix the FEE"}, "[b]"},
		{ask.Filter{Since: Monday.Add(time.Hour)}, "[d]"},
		{ask.Filter{Checked: true}, "[c b e a]"},
		{ask.Filter{Checked: true, Outcome: "not checked"}, "[d]"},
		{ask.Filter{Outcome: "sent back"}, "[a]"},
		{ask.Filter{Outcome: "let go unfixed"}, "[e]"},
		{ask.Filter{Badge: "weakened"}, "[b]"},
		{ask.Filter{Badge: "weak"}, "[]"},
		{ask.Filter{Session: "s1"}, "[b a]"},
	} {
		page, err := ask.Stops(ctx, db, tt.f, "")
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, s := range page.Stops {
			ids = append(ids, s.ID)
		}
		if got := fmt.Sprint(ids); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.f, got, tt.want)
		}
	}
	d, err := ask.One(ctx, db, "", "a")
	if err != nil || len(d.Gates) != 2 || d.Label != "right" || len(d.Before) != 0 || len(d.After) != 1 || d.After[0].ID != "b" || d.Message != "message of a" {
		t.Errorf("one: %+v, %v", d, err)
	}
	if _, err := ask.One(ctx, db, "", "nope"); !errors.Is(err, ask.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
	facts, err := ask.Load(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	sums(t, facts)
	sessions(t, facts)
	// Reading again changes nothing.
	if err := facts.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	sums(t, facts)
}

// sessions checks what the page shows first.
func sessions(t *testing.T, facts *ask.Facts) {
	t.Helper()
	ctx := t.Context()
	brief := func(list []ask.Session) (out []string) {
		for _, s := range list {
			var ids []string
			for _, d := range s.Stops {
				ids = append(ids, d.ID)
			}
			out = append(out, s.ID+fmt.Sprint(ids))
		}
		return out
	}
	for _, tt := range []struct {
		f    ask.Filter
		want string
	}{
		{ask.Filter{}, "[s2[d] [c] s1[a b] s3[e]]"},
		{ask.Filter{Checked: true}, "[[c] s1[a b] s3[e]]"},
		{ask.Filter{Badge: "weakened"}, "[s1[a b]]"},
		{ask.Filter{Outcome: "let go unfixed"}, "[s3[e]]"},
		{ask.Filter{Text: "testfee"}, "[s1[a b]]"},
		{ask.Filter{Text: "testfee", Agent: "codex"}, "[]"},
		{ask.Filter{Projects: []string{"/p"}, Gate: "lint"}, "[s1[a b] s3[e]]"},
	} {
		list, more, err := facts.Sessions(ctx, tt.f, 0)
		if got := fmt.Sprint(brief(list)); got != tt.want || more || err != nil {
			t.Errorf("sessions of %+v: %s, want %s (%v, %v)", tt.f, got, tt.want, more, err)
		}
	}
	s, newer, older, err := facts.Session(ctx, "", "s1")
	if err != nil || s.Prompt != "Fix the fee" || s.Files != 2 || s.Lines == nil || s.Lines.Added != 3 || len(s.Stops[0].Gates) != 2 || s.Stops[0].Label != "right" || newer == nil || newer.Stops[0].ID != "c" || older.ID != "s3" {
		t.Errorf("session: %+v, %+v, %+v, %v", s, newer, older, err)
	}
	if older.Project != "/p" || older.Tree != "/w" {
		t.Errorf("the work tree is not folded: %+v", older)
	}
	for _, id := range []string{"", "nope", "s"} {
		if _, _, _, err := facts.Session(ctx, "", id); !errors.Is(err, ask.ErrNotFound) {
			t.Errorf("session %q: %v", id, err)
		}
	}
	for name, look := range map[string]func(context.Context, ask.Filter) ([]ask.Detail, error){"[]": facts.Asked, "[b e]": facts.Missed} {
		list, err := look(ctx, ask.Filter{})
		var ids []string
		for _, d := range list {
			ids = append(ids, d.ID)
		}
		if fmt.Sprint(ids) != name || err != nil {
			t.Errorf("%v, want %s (%v)", ids, name, err)
		}
	}
	spans := facts.Trend(ask.Filter{Gate: "test", Projects: []string{"/p"}}, 7*24*time.Hour)
	if len(spans) != 1 || spans[0].Pass != 2 || spans[0].Fail != 1 || *spans[0].MedianMS != 50 {
		t.Errorf("trend: %+v", spans)
	}
	why, err := facts.WhyNot(ctx, facts.Gates(ask.Filter{Gate: "lint"})[0])
	if err != nil || why != "lint is not installed" {
		t.Errorf("%q, %v", why, err)
	}
}

func sums(t *testing.T, facts *ask.Facts) {
	t.Helper()
	gates := facts.Gates(ask.Filter{})
	if len(gates) != 2 {
		t.Fatalf("gates: %+v", gates)
	}
	g := gates[0]
	if g.Gate != "test" || g.Pass != 2 || g.Fail != 1 || g.Runs != 2 || g.Reused != 1 || g.Blocked != 1 || g.Right != 1 || g.Wrong != 0 || g.SpentMS != 100 || g.SavedMS != 500 || *g.MedianMS != 50 || *g.MaxMS != 60 || len(g.Recent) != 2 || *g.LimitMS != 300000 || g.RanNoTest != 1 {
		t.Errorf("test: %+v", g)
	}
	if l := gates[1]; l.Project != "/p" || l.Agent != 1 || l.Reused != 0 || l.Runs != 2 || l.Error != 1 || l.LimitMS != nil {
		t.Errorf("lint: %+v", l)
	}
	if one := facts.Gates(ask.Filter{Gate: "lint", Agent: "claude"}); len(one) != 1 || one[0].Gate != "lint" || one[0].Pass != 2 {
		t.Errorf("one gate: %+v", one)
	}
	want := ask.Total{
		Stops: 4, Blocked: 1, Runs: 1, Right: 1, SpentMS: 110, SavedMS: 1000, Gates: 6,
		Measured: 1, BlockedMS: 120000, Tokens: 900, TokensMeasured: 1,
	}
	if total := facts.Totals(ask.Filter{}); total != want {
		t.Errorf("total: %+v", total)
	}
	if got := fmt.Sprint(facts.Endings(ask.Filter{})); got != "{map[let go unfixed:1 not checked:1 passed:1 sent back:1] map[weakened:1]}" {
		t.Errorf("endings: %s", got)
	}
	weeks := facts.Weeks(ask.Filter{}, ask.ByModel)
	if len(weeks) != 2 || weeks[0].Key != "opus" || weeks[0].Stops != 3 || weeks[0].Blocked != 1 || !weeks[0].Start.Equal(time.Date(2026, 11, 9, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("weeks: %+v", weeks)
	}
	days := facts.Days(ask.Filter{})
	if len(days) != 1 || days[0].SpentMS != 110 || days[0].SavedMS != 1000 {
		t.Errorf("days: %+v", days)
	}
	c := facts.Choices(ask.Filter{})
	if fmt.Sprint(c.Projects, c.Agents, c.Gates) != "[/p /q_x] [claude] [lint test]" {
		t.Errorf("choices: %+v", c)
	}
	if got := facts.Totals(ask.Filter{Projects: []string{"/nowhere"}}); got != (ask.Total{}) {
		t.Errorf("an unknown project has %+v", got)
	}
}
