//go:build unix

package page

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/replay"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
)

// act is one stop of a story: minutes after the one before.
type act struct {
	after         int
	status        string
	message       string
	gate          string // that failed
	tail          string
	added, remove int
	files         []string
	badges        []event.Badge
}

// story fills the history with what a week looks like, so that pictures mean something.
func story(d *desk) {
	shop, billing, tree := d.project, "/home/me/src/billing", "/home/me/src/billing-refunds"
	fee := "--- FAIL: TestFee (0.00s)\n    fee_test.go:14: fee(0) = 1, want 0\nFAIL\nFAIL\texample.com/shop/fee\t0.004s"
	lint := "internal/cart/total.go:31:2: Error return value of `w.Close` is not checked (errcheck)"
	python := "FAILED tests/test_refund.py::test_partial - assert Decimal('9.99') == Decimal('10.00')\n1 failed, 41 passed in 2.31s"
	days := func(n, minutes int) int { return n*24*60 + minutes }
	for i, s := range []struct {
		ago, project, tree, agent, model, prompt string
		minutes                                  int
		acts                                     []act
	}{
		{project: shop, agent: "claude", model: "claude-opus-5-5", prompt: "Charge no fee for empty carts", minutes: 12, acts: []act{
			{0, "failed", "1 of 3 gates failed: test (TestFee)", "test", fee, 14, 2, []string{"fee/fee.go", "fee/fee_test.go"}, nil},
			{4, "passed", "3 gates passed", "", "", 17, 3, []string{"fee/fee.go", "fee/fee_test.go"}, nil},
		}},
		{project: billing, tree: tree, agent: "codex", model: "gpt-5.5", prompt: "Support partial refunds in the API", minutes: 41, acts: []act{
			{0, "failed", "1 of 2 gates failed: test (test_partial)", "test", python, 120, 11, []string{"billing/refund.py", "billing/api.py", "tests/test_refund.py"}, nil},
			{6, "failed", "1 of 2 gates failed: test (test_partial)", "test", python, 131, 14, []string{"billing/refund.py", "billing/api.py", "tests/test_refund.py"}, nil},
		}},
		{project: shop, agent: "gemini", model: "gemini-2.5-pro", prompt: "Why is the checkout slow on Mondays?", minutes: 95, acts: []act{
			{0, "asked", "The agent asks: TestTotal expects 3 items but the spec says 2, which is right? (test still fails)", "test", "--- FAIL: TestTotal (0.00s)\n    total_test.go:40: got 2 items, want 3", 6, 6, []string{"cart/total.go"}, nil},
		}},
		{project: billing, agent: "claude", model: "claude-opus-5-5", prompt: "Speed up the nightly export", minutes: 190, acts: []act{
			{0, "passed", "2 gates passed", "", "", 60, 88, []string{"billing/export.py", "tests/test_export.py"}, []event.Badge{event.BadgeWeakened}},
		}},
		{project: shop, agent: "claude", model: "claude-opus-5-5", prompt: "Rename Total to Sum everywhere", minutes: days(1, 30), acts: []act{
			{0, "checkpoint", "run the tests first", "", "", 40, 40, []string{"cart/sum.go", "cart/total.go", "cart/sum_test.go"}, nil},
			{3, "passed", "3 gates passed", "", "", 40, 40, []string{"cart/sum.go", "cart/total.go", "cart/sum_test.go"}, []event.Badge{event.BadgeUnnoticed}},
		}},
		{project: shop, agent: "codex", model: "gpt-5.5", prompt: "Close the writer in the receipt printer", minutes: days(2, 200), acts: []act{
			{0, "failed", "1 of 3 gates failed: lint", "lint", lint, 3, 1, []string{"cart/receipt.go"}, nil},
			{2, "failed", "1 of 3 gates failed: lint", "lint", lint, 3, 1, []string{"cart/receipt.go"}, nil},
			{2, "retry_limit_exceeded", "lint still fails after 3 attempts", "lint", lint, 3, 1, []string{"cart/receipt.go"}, nil},
			{20, "passed", "3 gates passed", "", "", 5, 2, []string{"cart/receipt.go"}, nil},
		}},
		{project: billing, tree: tree, agent: "claude", model: "claude-opus-5-5", prompt: "Add a health check", minutes: days(4, 10), acts: []act{
			{0, "passed", "2 gates passed", "", "", 22, 0, []string{"billing/health.py", "tests/test_health.py"}, nil},
		}},
	} {
		at := s.minutes
		for k, a := range s.acts {
			at -= a.after
			recs := d.record(fmt.Sprintf("26010%d-1%d0000-aaaaaa", i+1, k), at, "passed", a.message)
			v := &recs[0]
			v.Status, v.Prompt, v.Agent, v.Model, v.Session, v.Turn = a.status, s.prompt, s.agent, s.model, fmt.Sprintf("c8bdcc4%d-a584-44c2-8e5a-407d182b6f74", i), "t"
			v.Project, v.Changed, v.ChangedTotal, v.Lines, v.Badges = s.project, a.files, len(a.files), &history.Lines{Added: a.added, Removed: a.remove}, a.badges
			if s.tree != "" {
				v.Project, v.Repository = s.tree, s.project
			}
			if a.status == "failed" || a.status == "checkpoint" {
				v.Decision, v.Reason = "block", a.message+". Fix it and stop again: the gates run again (2 attempts left).\n\n"+a.tail
			}
			for n := range recs[1:] {
				g := &recs[n+1]
				g.Project, g.Key, g.Cached, g.Source = v.Project, fmt.Sprint(i, k), false, history.FromRun
				g.DurationMS = float64(400 + 900*n + 130*i)
				if g.Gate == "check:.:"+a.gate {
					one := 1
					g.Status, g.Message, g.Tail, g.ExitCode, g.LimitMS = "fail", "exit code 1", a.tail, &one, 60000
				}
			}
			vuln := recs[1]
			vuln.Gate, vuln.Command, vuln.Status, vuln.Message, vuln.Tail = "check:.:vuln", "govulncheck ./...", "error", "govulncheck is not installed (command not found, exit code 127)", ""
			if s.project == shop {
				recs = append(recs, vuln)
			}
			d.spool(recs...)
		}
	}
}

// many fills the history with a variety: sessions that are blocked, fix it and pass,
// flakes, a gate that only observes, a review, and projects that differ.
func many(d *desk, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	clients := map[string][2]string{"claude": {"claude-opus-5-5", "2.1.325"}, "codex": {"gpt-5.5", "0.166.0"}, "gemini": {"gemini-2.5-pro", ""}}
	projects := []string{d.project, d.project, "/home/me/src/billing-service", "/home/me/work/a-project-with-a-rather-long-name"}
	agents := []string{"claude", "claude", "codex", "gemini"}
	var all []history.Record
	agent, project, tokens, session, minutes := "", "", int64(0), n, 0
	blocked := false
	for i := n - 1; i >= 0; i-- {
		minutes -= 4 // an agent that was blocked stops again soon
		if !blocked {
			session, minutes = i, i*73
			agent, project, tokens = agents[r.IntN(len(agents))], projects[r.IntN(len(projects))], 0
		}
		status, message := "passed", "3 gates passed"
		switch k := r.IntN(10); {
		case k < 2 && !blocked:
			status, message = "failed", "1 of 3 gates failed: test"
		case k == 3:
			status, message = "no_changes", "nothing changed in this turn"
		case k == 4:
			status, message = "passed_with_warnings", "lint would block (mode observe): 2 new problems"
		case k == 5:
			status, message = "checkpoint", "checkpoint: tests were not run after the last change"
		}
		blocked = status == "failed"
		recs := d.record(fmt.Sprintf("250101-000000-%06d", i), minutes, status, message)
		v := &recs[0]
		tokens += int64(2000 + r.IntN(30000))
		used := tokens
		v.Agent, v.Project, v.Model, v.Client, v.Tokens = agent, project, clients[agent][0], clients[agent][1], &used
		v.Session, v.Turn = fmt.Sprintf("%x-9b1f-4c52", 1000+session), fmt.Sprint(session)
		v.Changed, v.ChangedTotal, v.Prompt = []string{"internal/cart/total.go", "internal/cart/total_test.go"}, 2, fmt.Sprintf("Task %d: make the cart add up", session)
		if status == "no_changes" {
			recs = recs[:1]
		}
		for k := range recs[1:] {
			g := &recs[k+1]
			g.Project, g.Key, g.LimitMS = project, fmt.Sprint("k", i), 300000
		}
		if len(recs) > 2 {
			recs[1].DurationMS, recs[2].Cached, recs[2].Source = 300+4000*r.Float64()*r.Float64(), r.IntN(3) > 0, []history.Source{history.FromAgent, history.FromWorktree, history.FromRun}[r.IntN(3)]
			if !recs[2].Cached {
				recs[2].DurationMS = 200 + 300*r.Float64()
			}
			if status == "passed_with_warnings" {
				recs[2].Status, recs[2].Cached, recs[2].WouldBlock, recs[2].Mode, recs[2].DurationMS = "fail", false, true, "observe", 400
				recs[2].Findings = []history.Finding{{Path: "internal/cart/total.go", Line: 14, Rule: "errcheck", Message: "Error return value is not checked", New: true}}
				recs[2].FindingsTotal, recs[2].FindingsNew = 1, 1
			}
			if r.IntN(40) == 0 {
				recs[1].Flaky = true
			}
			if r.IntN(50) == 0 {
				recs[1].Warning = "ran no test"
			}
		}
		longest := 0.0
		for _, g := range recs[1:] {
			longest = max(longest, g.DurationMS)
		}
		recs[0].Steps[2].MS = longest + 4
		recs[0].DurationMS = longest + 4 + 17.4
		if status == "checkpoint" {
			recs[0].Decision, recs[0].Reason, recs[0].Owed = "block", "Run the tests before you stop.", []string{"tests"}
		}
		all = append(all, recs...)
	}
	d.spool(all...)
}

// look completes the machine: hooks are installed and have fired, gates run while another
// stop waits, and a replay has been made.
func look(d *desk) {
	d.must(os.MkdirAll(filepath.Join(d.project, ".claude"), 0o755))
	d.must(os.WriteFile(filepath.Join(d.project, ".claude", "settings.json"), []byte(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"gauntlet stop-hook","timeout":300}]}]}}`), 0o644))
	memory := session.Open(filepath.Join(d.project, ".git"), d.project, seal.New(filepath.Join(d.home, ".local", "state")))
	for i, beat := range []session.Heartbeat{{Agent: "claude", Event: "stop"}, {Agent: "claude", Event: "prompt"}, {Agent: "codex", Event: "stop"}} {
		beat.At = time.Now().Add(-time.Duration(i*i*90+3) * time.Minute)
		d.must(memory.Beat(beat))
	}
	d.must(os.MkdirAll(filepath.Join(d.project, "gauntlet_logs"), 0o755))
	for name, who := range map[string]string{"lock": "claude", "wait.1": "codex"} {
		b, err := json.Marshal(map[string]any{"pid": os.Getpid(), "host": "here", "started_at": time.Now().Add(-2 * time.Minute), "agent": who, "session": "3f2a-" + who + "-9b1f-4c52"})
		d.must(err)
		d.must(os.WriteFile(filepath.Join(d.project, "gauntlet_logs", ".gauntlet-run."+name), b, 0o600))
	}
	report := replay.Report{
		Source: "sessions", Coverage: replay.Coverage{Sessions: 212, Turns: 1480, Stops: 1391, Changed: 604, Unreadable: 3, Formats: map[string]int{"claude": 180, "codex": 32}, Gaps: []replay.Gap{{Why: "turns that the human interrupted", Count: 89}}},
		Stops: 604, Blocks: 71, Suggestions: []replay.Suggestion{{Kind: "evidence", Rule: "action:test", Count: 22, Text: `add "make verify" to the evidence of the action test: 22 stops asked for it after that had passed`}},
		Rules:   []replay.Rule{{Rule: "checkpoint", Stops: 604, WouldBlock: 71, Right: 30, Wrong: 22, Unknown: 19, Interval: replay.Wilson(30, 52)}, {Rule: "check:.:test", Stops: 410, WouldBlock: 4, Right: 4}},
		Samples: []replay.Sample{{ID: "r-3f9a1c2b4d", Rules: []string{"checkpoint", "action:test"}, Outcome: replay.Wrong, Because: "tests had passed already: make verify"}, {ID: "r-81d0aa9c11", Rules: []string{"checkpoint"}, Outcome: replay.Unknown}},
	}
	other := report
	other.Blocks, other.Rules = 49, []replay.Rule{{Rule: "checkpoint", Stops: 604, WouldBlock: 49, Right: 30, Wrong: 1, Unknown: 18, Interval: replay.Wilson(30, 31)}}
	report.Against, report.Changed = &other, []replay.Change{{ID: "r-3f9a1c2b4d", From: "block", To: "approve"}}
	d.must(replay.Save(filepath.Join(d.home, ".local", "state", "gauntlet", "replay"), report))
}
