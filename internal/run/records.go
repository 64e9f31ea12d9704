package run

import (
	"cmp"
	"strings"
	"time"

	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/proof"
)

// Records is a run's gates as the history keeps them.
func Records(id string, at time.Time, root string, res Result) []history.Record {
	var out []history.Record
	for _, g := range res.Gates {
		rec := history.Record{
			Type: history.Gate, ID: id, Time: at, Project: root, Status: string(g.Status), DurationMS: float64(g.DurationMS),
			Message: g.Message, Gate: g.ID, Kind: string(g.Kind), Cached: g.Cached, LogPath: g.LogPath,
			Key: g.Key, Tree: res.Tree, Command: g.Command, ExitCode: g.ExitCode, Mode: string(g.Mode), WouldBlock: g.WouldBlock,
			Flaky: g.Flaky || g.FailedBefore || g.Flake != nil, Flake: g.Flake, Attempt: g.Attempt, FindingsTotal: len(g.Findings), SavedMS: float64(max(g.SavedMS, 0)),
			Source: history.FromRun, AgentAgreed: g.AgentAgreed, Warning: g.Warning, LimitMS: float64(g.LimitMS),
		}
		if g.Status == gate.Fail || g.Status == gate.Error {
			rec.Tail = evidence(g)
		}
		if g.Proof != nil {
			rec.Source = history.Source(g.Proof.Source)
			if g.Proof.StartedBy == proof.ByAhead && g.Proof.Source == proof.Run {
				rec.Source = history.FromAhead
			}
		}
		for _, f := range g.Findings {
			isNew := f.State == gate.StateNew
			if isNew {
				rec.FindingsNew++
			}
			rec.Findings = append(rec.Findings, history.Finding{Path: f.File, Line: f.Line, Rule: f.Rule, Message: f.Issue, Print: f.Print, New: isNew})
		}
		out = append(out, rec)
	}
	return out
}

// evidence is what a gate printed that did not pass; a review's findings.
func evidence(g gate.Result) string {
	if g.Kind != gate.KindReview {
		return cmp.Or(g.Output, g.Tail, "(no output)")
	}
	var lines []string
	for _, f := range g.Findings {
		lines = append(lines, f.String())
	}
	return strings.TrimSpace(strings.Join(append(lines, g.Tail), "\n"))
}
