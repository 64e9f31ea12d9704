package replay

import (
	"os"
	"slices"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
)

// aftermath finds what followed recorded stops: the later stops of a session, later
// passes on the same content, and what the agent's log says.
type aftermath struct {
	bySession map[string][]int // positions of stops, oldest first
	passes    map[subject][]int
	logs      map[string]*session
}

// subject is what a gate judged.
type subject struct{ project, gate, key string }

// Logs that are read for a history; more would take minutes.
const (
	maxLogs    = 200
	maxLogSize = 64 << 20
)

func newAftermath(list []Recorded) *aftermath {
	a := &aftermath{bySession: map[string][]int{}, passes: map[subject][]int{}, logs: map[string]*session{}}
	for i, r := range list {
		v := r.Verdict
		if v.Session != "" && v.Source == history.FromStop {
			at := v.Project + "\x00" + v.Session
			a.bySession[at] = append(a.bySession[at], i)
		}
		for _, g := range r.Gates {
			if g.Status == string(gate.Pass) && g.Key != "" {
				c := subject{v.Project, g.Gate, g.Key}
				a.passes[c] = append(a.passes[c], i)
			}
		}
	}
	return a
}

// after are the positions after i.
func after(positions []int, i int) []int {
	n, _ := slices.BinarySearch(positions, i+1)
	return positions[n:]
}

// followedGate says whether a failure was right, from what followed it first: fixed,
// passed later unchanged, or switched off.
func (r *recorder) followedGate(i int, g history.Record) (Outcome, string) {
	v := r.list[i].Verdict
	unchanged := len(r.list)
	if later := after(r.after.passes[subject{v.Project, g.Gate, g.Key}], i); g.Key != "" && len(later) > 0 {
		unchanged = later[0]
	}
	released := false
	for _, p := range after(r.after.bySession[v.Project+"\x00"+v.Session], i) {
		if unchanged <= p {
			break
		}
		for _, later := range r.list[p].Gates {
			if later.Gate == g.Gate && later.Status == string(gate.Pass) && later.Key != "" && g.Key != "" {
				return Right, "the agent fixed it"
			}
		}
		switch event.Status(r.list[p].Verdict.Status) {
		case event.StopHookDisabled:
			return Wrong, "it was switched off next"
		case event.RetryLimitExceeded:
			released = true
		default:
		}
	}
	switch {
	case unchanged < len(r.list):
		return Wrong, "it passed later on the same content"
	case released:
		return Unknown, "released while still failing"
	}
	return Unknown, ""
}

// orSwitchedOff is what followed a checkpoint's block: nothing that the log shows, and
// a person who switched the hook off next, says that it was wrong.
func (r *recorder) orSwitchedOff(i int, o Outcome) Outcome {
	v := r.list[i].Verdict
	next := after(r.after.bySession[v.Project+"\x00"+v.Session], i)
	if o == Unknown && len(next) > 0 && event.Status(r.list[next[0]].Verdict.Status) == event.StopHookDisabled {
		return Wrong
	}
	return o
}

// log reads the log of a recorded stop, once; nil when it is not there any more or
// too large.
func (r *recorder) log(t *history.Transcript) *session {
	if t == nil || t.Path == "" {
		return nil
	}
	s, read := r.after.logs[t.Path]
	if !read && len(r.after.logs) < maxLogs {
		s = readLog(t.Path)
		r.after.logs[t.Path] = s
	}
	return s
}

func readLog(path string) *session {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxLogSize {
		return nil
	}
	if got := readSession(path, &Options{}); got.gap == "" && !got.broken {
		return &got
	}
	return nil
}

// afterBlock looks at what happened in a session after a moment.
func afterBlock(s *session, a action, at time.Time) (Outcome, string) {
	edited := false
	for k := range s.turns {
		t := &s.turns[k]
		if t.At.After(at) && complains(t.HumanText) {
			return Right, "the human reported a failure next"
		}
		for _, c := range t.read.Calls {
			if !c.At.After(at) {
				continue
			}
			if o, because, decided := a.shownBy(c, edited, ""); decided {
				return o, because
			}
			edited = edited || len(writtenInside(s, c)) > 0
		}
		if t.At.After(at) {
			return Unknown, "" // what a later prompt asked for says nothing about this stop
		}
	}
	return Unknown, ""
}
