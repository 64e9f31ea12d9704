package autonomy

import (
	"context"
	"errors"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/session"
)

// Sections of the session memory.
const (
	memorySection = "autonomy"
	statusSection = "statusline"
)

// memoryTime bounds the wait for the memory's lock.
const memoryTime = 2 * time.Second

// StatusLine is the figure that the status line saw last.
type StatusLine struct {
	// Known: Tokens is a figure; before the first reply only the window is known.
	Known  bool   `json:"known,omitempty"`
	Tokens int    `json:"tokens,omitempty"`
	Window int    `json:"window,omitempty"`
	Model  string `json:"model,omitempty"`
}

var errNotDue = errors.New("another hook has just made it")

// claim records the save before it is made, and returns its number in the session: if
// the memory cannot be written, it must not be made again and again. again: the last one of
// this session was interrupted.
func claim(ctx context.Context, in Input, percent, threshold int, again bool) (number int, err error) {
	ctx, cancel := context.WithTimeout(ctx, memoryTime)
	defer cancel()
	due := false
	err = in.Memory.Update(ctx, in.Event.SessionID, func(s *session.State) bool {
		var m Memory
		s.Get(memorySection, &m)
		if due, _ = m.due(percent, threshold); again {
			due = m.allowed(percent, threshold)
		}
		if !due {
			return false
		}
		m.record(percent)
		number = m.Count
		return s.Set(memorySection, m) == nil
	})
	if err == nil && !due {
		err = errNotDue
	}
	return number, err
}

// observe records that the use has dropped.
func observe(st *session.State, percent int) error {
	var m Memory
	st.Get(memorySection, &m)
	if !m.observe(percent) {
		return nil
	}
	return st.Set(memorySection, m)
}

// NeedsUsage reports whether only the transcript can show how full the context window is.
func NeedsUsage(ev event.Event, st *session.State) bool {
	var line StatusLine
	return !usable(ev.Context) && !(st.Get(statusSection, &line) && line.Known && line.Window > 0)
}

// Remember stores what the status line saw, and a drop of the use with it. It writes only
// when something is new.
func Remember(ctx context.Context, store session.Store, id string, line StatusLine) error {
	ctx, cancel := context.WithTimeout(ctx, memoryTime)
	defer cancel()
	percent := event.ContextUse{Tokens: line.Tokens, Window: line.Window}.Percent()
	news := func(s *session.State) bool {
		var m Memory
		var old StatusLine
		s.Get(memorySection, &m)
		changed := false
		if line.Known && m.observe(percent) {
			changed = s.Set(memorySection, m) == nil
		}
		if !s.Get(statusSection, &old) || old != line {
			changed = s.Set(statusSection, line) == nil || changed
		}
		return changed
	}
	if s, err := store.Load(id); err == nil && !news(s) {
		return nil
	}
	return store.Update(ctx, id, news)
}
