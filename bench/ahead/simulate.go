package main

import (
	"cmp"
	"math"
	"slices"
	"time"

	"gauntlet/internal/ahead"
	"gauntlet/internal/run"
)

// outcome is what one turn came to: how long the agent waited at its stop, and how much the
// gate ran, ahead and at the stop.
type outcome struct{ wait, spent time.Duration }

// call is the end of a tool call.
type call struct {
	at   float64
	edit bool
}

// calls are the ends of a turn's tool calls, in their order. An edit that no call ends with is
// one of its own.
func (t turn) calls() []call {
	var out []call
	for _, e := range t.Edits {
		out = append(out, call{e, true})
	}
	for _, tool := range t.Tools {
		if !slices.ContainsFunc(t.Edits, func(e float64) bool { return math.Abs(e-tool[1]) < 0.05 }) {
			out = append(out, call{tool[1], false})
		}
	}
	slices.SortStableFunc(out, func(a, b call) int { return cmp.Compare(a.at, b.at) })
	return slices.DeleteFunc(out, func(c call) bool { return c.at > t.Stop })
}

// simulate plays one turn. The process looks at the calls in its own steps; whether a run
// begins is decided by ahead.Moment, and how long a stop waits for one under way by
// run.JoinPatience. Every edit is another content.
func simulate(t turn, gate time.Duration) outcome {
	epoch := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(s float64) time.Time { return epoch.Add(seconds(s)) }
	calls, stop := t.calls(), at(t.Stop)
	m := ahead.Moment{Called: epoch, Edited: epoch.Add(-time.Hour), Quiet: 3 * time.Second, Cost: gate}
	content, proved, running := 0, 0, 0
	var began time.Time
	for m.Now = epoch; m.Now.Before(stop); m.Now = m.Now.Add(ahead.Step) {
		for len(calls) > 0 && !at(calls[0].at).After(m.Now) {
			if calls[0].edit {
				m.Edited = at(calls[0].at)
				content++
			} else {
				m.Called = at(calls[0].at)
			}
			calls = calls[1:]
		}
		switch took := m.Now.Sub(began); {
		case running > 0 && took >= gate:
			m.Spent, proved, running = m.Spent+gate, running, 0
		case running > 0 && running != content: // given up
			m.Spent, running = m.Spent+took, 0
		case running == 0 && content != proved:
			if wait, never := m.Wait(); wait == 0 && !never {
				running, began = content, m.Now
			}
		}
	}
	for _, c := range calls { // between the last step and the stop
		if c.edit {
			content++
		}
	}
	left := began.Add(gate).Sub(stop)
	switch {
	case proved == content:
		return outcome{0, m.Spent}
	case running == content && left <= run.JoinPatience(gate):
		return outcome{max(0, left), m.Spent + gate}
	case running > 0:
		m.Spent += stop.Sub(began)
	}
	return outcome{gate, m.Spent + gate}
}
