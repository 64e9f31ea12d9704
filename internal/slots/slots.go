package slots

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"gauntlet/internal/safefile"
)

// Class is who may go first.
type Class int

// The classes, in the order in which they are served.
const (
	Stop  Class = iota // an agent waits
	Hand               // a person waits
	Ahead              // nothing waits
)

// Who wants or has a slot.
type Who struct {
	Class Class `json:"class"`
	// Repo identifies the repository: no repository gets every slot while another waits.
	Repo string `json:"repo"`
	// What runs and Root, the project in which it does, are shown to people.
	What  string    `json:"what"`
	Root  string    `json:"root"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// Machine is the slots of this machine for one user. The zero values of Busy, Now and Pause
// are the real ones.
type Machine struct {
	Dir   string // where the locks are
	Count int    // how many slots there are; below 1: half the processors
	Busy  func() bool
	Now   func() time.Time
	// Pause waits between two looks; false: ctx is done.
	Pause func(context.Context, time.Duration) bool
}

// In is the machine whose locks are in a state home, with as many slots as the user's
// configuration says.
func In(stateHome string, count int) Machine {
	return Machine{Dir: filepath.Join(stateHome, "gauntlet", "slots"), Count: count}
}

// Slot is the right to run. One without a lock is a run that did not have to wait, or
// could not be made to.
type Slot struct {
	m      Machine
	held   []*safefile.Lock
	Waited time.Duration
}

// Release gives the slot back; nil has nothing to give.
func (s *Slot) Release() {
	if s == nil {
		return
	}
	for _, l := range s.held {
		_ = l.Release()
	}
	s.held = nil
}

// poll is how often a waiting run looks.
const poll = 50 * time.Millisecond

// Take returns a slot as soon as one is free and this run's turn has come, when the machine
// is not busy, when limit is over, or when ctx is done, whichever comes first. waiting is
// called once, before the first wait, with who has the slots.
func (m Machine) Take(ctx context.Context, who Who, limit time.Duration, waiting func([]Who)) *Slot {
	m, who = m.real(), m.real().named(who)
	s := &Slot{m: m}
	if err := safefile.MakeDir(m.Dir, 0o700); err != nil {
		return s
	}
	ahead, _ := m.tickets()
	if len(ahead) == 0 {
		if l, err := m.free(who); l != nil || err != nil {
			s.hold(l)
			return s
		}
	}
	if !m.Busy() {
		return s
	}
	mine, err := m.queue(who)
	if err != nil {
		return s
	}
	defer func() { _ = mine.Remove() }()
	if waiting != nil {
		waiting(m.Holders())
	}
	for {
		s.Waited = m.Now().Sub(who.Since)
		if s.Waited >= limit || !m.Busy() || !m.Pause(ctx, poll) {
			return s
		}
		if !m.next(who) {
			continue
		}
		if l, err := m.free(who); l != nil || err != nil {
			s.hold(l)
			return s
		}
	}
}

// TakeAll waits until nothing else runs, at most limit: a run whose result must not depend
// on what else the machine does.
func (m Machine) TakeAll(ctx context.Context, who Who, limit time.Duration) *Slot {
	m, who = m.real(), m.real().named(who)
	s := &Slot{m: m}
	if err := safefile.MakeDir(m.Dir, 0o700); err != nil {
		return s
	}
	turn, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// Two that each hold a part would wait for each other.
	alone, err := safefile.Acquire(turn, filepath.Join(m.Dir, "alone.lock"))
	if err != nil {
		return s
	}
	s.hold(alone)
	for i := range m.Count {
		for {
			l, err := m.slot(i, who)
			if l != nil || err != nil {
				s.hold(l)
				break
			}
			if s.Waited = m.Now().Sub(who.Since); s.Waited >= limit || !m.Pause(ctx, poll) {
				return s
			}
		}
	}
	return s
}

// Wanted reports whether a run of a higher class waits: one ahead gives its slot up.
func (s *Slot) Wanted() bool {
	waiting, _ := s.m.tickets()
	for _, w := range waiting {
		if w.Class < Ahead {
			return true
		}
	}
	return false
}

// Holders lists who has a slot.
func (m Machine) Holders() []Who {
	var out []Who
	for i := range m.real().Count {
		if w, ok := m.holder(i); ok {
			out = append(out, w)
		}
	}
	return out
}

// Waiting lists who waits for one, in the order in which they are served.
func (m Machine) Waiting() []Who {
	out, _ := m.tickets()
	return out
}

func (m Machine) real() Machine {
	if m.Count <= 0 {
		m.Count = max(1, runtime.NumCPU()/2)
	}
	if m.Busy == nil {
		m.Busy = Busy
	}
	if m.Now == nil {
		m.Now = time.Now
	}
	if m.Pause == nil {
		m.Pause = pause
	}
	return m
}

func (m Machine) named(who Who) Who {
	who.PID, who.Since = os.Getpid(), m.Now()
	return who
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func (s *Slot) hold(l *safefile.Lock) {
	if l != nil {
		s.held = append(s.held, l)
	}
}

// free takes a slot that no process holds; nil without an error: there is none.
func (m Machine) free(who Who) (*safefile.Lock, error) {
	for i := range m.Count {
		if l, err := m.slot(i, who); l != nil || err != nil {
			return l, err
		}
	}
	return nil, nil
}

// slot takes one slot; nil without an error: it is taken.
func (m Machine) slot(i int, who Who) (*safefile.Lock, error) {
	l, err := safefile.TryAcquire(m.path(i))
	if errors.Is(err, safefile.ErrHeld) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("slot: %w", err) // a file system without locks: nothing waits
	}
	if b, err := json.Marshal(who); err == nil {
		_ = l.Describe(b)
	}
	return l, nil
}

func (m Machine) path(i int) string { return filepath.Join(m.Dir, fmt.Sprintf("slot-%d.lock", i)) }

// holder is who has a slot.
func (m Machine) holder(i int) (w Who, ok bool) {
	l, err := safefile.TryAcquire(m.path(i))
	if l != nil {
		_ = l.Release()
	}
	if !errors.Is(err, safefile.ErrHeld) {
		return Who{}, false
	}
	b, err := safefile.Read(m.Dir, m.path(i), 4<<10)
	return w, err == nil && json.Unmarshal(b, &w) == nil
}
