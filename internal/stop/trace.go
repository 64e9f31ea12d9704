package stop

import (
	"fmt"
	"os"

	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/run"
	"gauntlet/internal/session"
)

// step notes how long the pipeline took since the last one.
func (s *stopping) step(name string) { s.note(name, "") }

func (s *stopping) note(name, text string) {
	now := s.Now()
	s.steps = append(s.steps, history.Step{Name: name, MS: float64(now.Sub(s.mark).Microseconds()) / 1000, Note: text})
	s.mark = now
}

// keep leaves a heartbeat and, from the point where a project is concerned, the
// whole verdict in the history. Nothing that goes wrong here changes the answer.
func (s *stopping) keep(v event.Verdict) {
	defer func() { _ = recover() }() // the answer stands, whatever happens to its record
	if s.root == "" || v.Status == event.StopHookActive {
		return // of the second stop the first one's heartbeat tells enough: it has to be quick
	}
	binary, _ := os.Executable()
	if err := s.memory.Beat(session.Heartbeat{
		Agent: s.event.Agent, Event: string(s.event.Kind), At: s.Now(), Binary: binary, Status: string(v.Status),
	}); err != nil {
		s.complain(err)
	}
	run.Debug(s.cfg, s.Now(), "stop %s by %s in session %q: %s; steps %v", v.Status, s.event.Agent, s.event.SessionID, v.Message, s.steps)
	switch v.Status {
	case event.Subagent, event.BackgroundWork, event.StopHookActive, event.InvalidInput, event.NoConfig:
		return // steps before the project's own: a heartbeat is all they leave
	case event.Passed, event.PassedWithWarnings, event.NoApplicableGates, event.NoChanges, event.Failed,
		event.RetryLimitExceeded, event.LockExists, event.IntervalNotElapsed, event.InfrastructureErr, event.Error,
		event.StopHookDisabled, event.Untrusted, event.Checkpoint, event.CommitRequired, event.ContextCheckpoint:
	}
	dir, err := history.Dir(s.Getenv)
	if err != nil {
		s.complain(err)
		return
	}
	now := s.Now()
	rec := history.FromVerdict(history.NewID(now), now, v)
	rec.Project, rec.Cwd, rec.Agent = s.root, s.event.Cwd, s.event.Agent
	rec.Session, rec.Turn = s.event.SessionID, s.event.TurnID
	s.facts(&rec)
	rec.Steps, rec.DurationMS = s.steps, float64(now.Sub(s.started).Microseconds())/1000
	recs := append([]history.Record{rec}, GateRecords(rec.ID, now, s.root, s.result)...)
	if err := history.Append(dir, recs...); err != nil {
		s.complain(err)
	}
}

// complain tells a person, outside the agent's protocol.
func (s *stopping) complain(err error) {
	fmt.Fprintln(s.Stderr, "gauntlet: "+err.Error())
}
