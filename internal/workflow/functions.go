package workflow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/redact"
)

// timeFormat is what JavaScript's toISOString writes.
const timeFormat = "2006-01-02T15:04:05.000Z"

func (s *Store) stamp() string { return s.now().UTC().Format(timeFormat) }

// LoadProgress is the record of a command, nil when there is none or it cannot be used. A
// record of another HEAD is returned and reported as stale.
func (s *Store) LoadProgress(ctx context.Context, command, feature string) (doc *jsontree.Value) {
	_ = s.silently(func() (err error) {
		doc, err = s.load(ctx, command, feature)
		return err
	})
	return doc
}

// SaveProgress writes a whole record. Nothing is written unless its version and every
// summary in it are valid.
func (s *Store) SaveProgress(ctx context.Context, command string, doc *jsontree.Value, feature string) bool {
	return s.silently(func() error { return s.save(ctx, command, doc, feature) })
}

// UpdatePhase merges an update into one phase, making the record if necessary.
func (s *Store) UpdatePhase(ctx context.Context, command, phase string, u Update, feature string) bool {
	return s.silently(func() error { return s.updatePhase(ctx, command, phase, u, feature) })
}

// CompleteProgress marks a record as done.
func (s *Store) CompleteProgress(ctx context.Context, command, feature string) bool {
	return s.silently(func() error { return s.complete(ctx, command, feature) })
}

// silently runs one function and turns any failure, a panic included, into a logged line
// and false.
func (s *Store) silently(f func() error) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			s.log(fmt.Sprintf("internal error: %v", r))
			ok = false
		}
	}()
	err := f()
	if err == nil {
		return true
	}
	if is[*missingError](err) {
		return false
	}
	s.log(err.Error())
	if summary, ok := errors.AsType[*summaryError](err); ok && summary.path != "" {
		s.log("in " + redact.Line(summary.path, maxShown))
	}
	return false
}

// missingError is the one failure that is not reported: no record yet.
type missingError struct{ error }

func (e *missingError) Unwrap() error { return e.error }

func (s *Store) load(ctx context.Context, command, feature string) (*jsontree.Value, error) {
	if command == "" {
		return nil, errNoCommand
	}
	path := s.locate(command, feature)
	doc, err := s.read(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &missingError{err}
	}
	if err != nil {
		return nil, err
	}
	if saved := savedHead(doc); saved != "" {
		if head := s.Head(ctx); moved(saved, head) {
			s.log(fmt.Sprintf("Checkpoint is stale (saved at %s, current HEAD is %s)", short(saved), short(head)))
		}
	}
	return doc, nil
}

func (s *Store) save(ctx context.Context, command string, doc *jsontree.Value, feature string) error {
	if command == "" {
		return errNoCommand
	}
	if doc.Kind() != jsontree.Object {
		return errNotObject
	}
	if doc.Get("version") != nil { // a caller that leaves it out means the current one
		if err := checkVersion(doc); err != nil {
			return err
		}
	}
	if err := checkSummaries(doc); err != nil {
		return err
	}
	head, now := s.Head(ctx), s.stamp()
	return s.change(ctx, command, feature, func(old *jsontree.Value) (*jsontree.Value, error) {
		next := doc.Clone()
		if next.Get("started_at").Empty() {
			if started := old.Get("started_at"); !started.Empty() {
				next.SetInOrder("started_at", started.Clone(), recordOrder())
			}
		}
		stampRecord(next, command, feature, head, now)
		stampGate(next.Get("gate"), old.Get("gate"), head)
		return next, nil
	})
}

// stampGate records which commit a new judgement is about. An existing one stays unchanged:
// saving it must not move it to another commit.
func stampGate(gate, old *jsontree.Value, head string) {
	if gate.Get("ship_allowed").Kind() == jsontree.Bool && gate.Get("head_commit").Empty() && !bytes.Equal(gate.Compact(), old.Compact()) {
		gate.Set("head_commit", textOrNull(head))
	}
}

func (s *Store) updatePhase(ctx context.Context, command, phase string, u Update, feature string) error {
	switch {
	case command == "":
		return errNoCommand
	case phase == "":
		return errNoPhase
	}
	patch, err := u.patch()
	if err != nil {
		return err
	}
	checked := jsontree.NewObject()
	checked.Set("phases", jsontree.NewObject())
	checked.Get("phases").Set(phase, patch)
	if err := checkSummaries(checked); err != nil {
		return err
	}
	head, now := s.Head(ctx), s.stamp()
	return s.change(ctx, command, feature, func(old *jsontree.Value) (*jsontree.Value, error) {
		doc := old.Clone()
		if doc == nil {
			if doc, err = newRecord(command, feature, now); err != nil {
				return nil, err
			}
		}
		if err := applyUpdate(doc, phase, u, now); err != nil {
			return nil, err
		}
		stampRecord(doc, command, feature, head, now)
		return doc, nil
	})
}

func (s *Store) complete(ctx context.Context, command, feature string) error {
	if command == "" {
		return errNoCommand
	}
	// Reading first avoids making directories and locks by mistake.
	doc, err := s.read(s.locate(command, feature))
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			s.log(err.Error())
		}
		return errNoneToEnd
	}
	if !doc.Get("completed_at").Empty() {
		return nil
	}
	head, now := s.Head(ctx), s.stamp()
	return s.change(ctx, command, feature, func(old *jsontree.Value) (*jsontree.Value, error) {
		if old == nil {
			return nil, errNoneToEnd
		}
		doc := old.Clone()
		doc.SetInOrder("completed_at", jsontree.NewString(now), recordOrder())
		if state := doc.Get("state"); state.Kind() == jsontree.Object {
			for _, key := range []string{"current_phase", "current_task"} {
				if state.Get(key) != nil {
					state.Set(key, jsontree.NewNull())
				}
			}
		}
		stampRecord(doc, command, feature, head, now)
		return doc, nil
	})
}

// newRecord is a record in which nothing has happened yet.
func newRecord(command, feature, now string) (*jsontree.Value, error) {
	c := Progress{
		Version: Version, Command: command, StartedAt: now, UpdatedAt: now,
		State:  State{CompletedPhases: []string{}, PendingPhases: []string{}},
		Phases: map[string]Phase{},
	}
	if feature != "" {
		c.Feature = &feature
	}
	return jsontree.FromGo(c)
}

// stampRecord sets what every write sets.
func stampRecord(doc *jsontree.Value, command, feature, head, now string) {
	order := recordOrder()
	set := func(key string, v *jsontree.Value) { doc.SetInOrder(key, v, order) }
	if doc.Get("version") == nil {
		set("version", jsontree.NewInt(Version))
	}
	if t, ok := doc.Get("command").Text(); !ok || t != command {
		set("command", jsontree.NewString(command))
	}
	if t, ok := doc.Get("feature").Text(); feature != "" && (!ok || t != feature) {
		set("feature", jsontree.NewString(feature))
	} else if doc.Get("feature") == nil {
		set("feature", jsontree.NewNull())
	}
	set("head_commit", textOrNull(head))
	if doc.Get("started_at").Empty() {
		set("started_at", jsontree.NewString(now))
	}
	set("updated_at", jsontree.NewString(now))
}

func textOrNull(s string) *jsontree.Value {
	if s == "" {
		return jsontree.NewNull()
	}
	return jsontree.NewString(s)
}

func savedHead(doc *jsontree.Value) string {
	s, _ := doc.Get("head_commit").Text()
	return s
}

// moved reports whether a record belongs to another commit. Without a HEAD that is unknown.
func moved(saved, head string) bool { return saved != "" && head != "" && !SameCommit(saved, head) }

// SameCommit compares a recorded commit with HEAD; an abbreviated one counts.
func SameCommit(saved, head string) bool {
	return saved == head || len(saved) >= 7 && strings.HasPrefix(head, saved)
}

func short(commit string) string { return redact.Line(commit[:min(7, len(commit))], 7) }

func parseTime(v *jsontree.Value) time.Time {
	s, _ := v.Text()
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
