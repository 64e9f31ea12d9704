package store

import (
	"slices"

	"gauntlet/internal/history"
)

type gateKey struct{ project, gate string }

// gateSum sums up one gate.
type gateSum struct {
	GateStat
	times []float64
	seen  map[string]string // proof key → first result on it
	flaky map[string]bool   // proof keys with both results
}

func (g *gateSum) add(rec history.Record) {
	switch rec.Status {
	case "pass":
		g.Pass++
	case "fail":
		g.Fail++
	case "error":
		g.Error++
	case "skipped":
		g.Skipped++
		return
	}
	if rec.WouldBlock {
		g.WouldBlock++
	}
	if rec.Cached {
		g.Cached++
		g.SavedMS += rec.SavedMS
		switch rec.Source {
		case history.FromAgent:
			g.Agent++
		case history.FromWorktree:
			g.Worktree++
		case history.FromRemote:
			g.Remote++
		case history.FromRun, history.FromStop:
			g.Reused++
		default: // lines of the first version do not say
			g.Reused++
		}
		return
	}
	g.Runs++
	if rec.AgentAgreed != nil {
		g.AgentChecked++
		if *rec.AgentAgreed {
			g.AgentAgreed++
		}
	}
	if rec.Status == "fail" {
		g.Failures++
	}
	g.SpentMS += rec.DurationMS
	g.times = append(g.times, rec.DurationMS)
	key := rec.Key
	if key == "" {
		key = rec.ID // without a key only a retry tells
	}
	if first := g.seen[key]; rec.Flaky || first != "" && first != rec.Status && rec.Status != "error" {
		g.flaky[key] = true
	}
	if rec.Status != "error" && g.seen[key] == "" {
		g.seen[key] = rec.Status
	}
}

func (g *gateSum) stat() GateStat {
	g.Flakes = len(g.flaky)
	if n := len(g.times); n > 0 {
		slices.Sort(g.times)
		median := g.times[n/2]
		if n%2 == 0 {
			median = (median + g.times[n/2-1]) / 2
		}
		g.MedianMS, g.MaxMS = &median, &g.times[n-1]
	}
	return g.GateStat
}
