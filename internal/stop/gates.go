package stop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
)

// gates is step 9: the run, and whether its failure may block once more.
func (s *stopping) gates(ctx context.Context) event.Verdict {
	before := s.recall()
	if v, over := s.withoutMemory(before); over {
		return v
	}
	s.result = run.Execute(ctx, run.Options{
		Config: s.cfg, Interval: s.cfg.Settings.RunInterval, Getenv: s.Getenv, Environ: s.Environ, Now: s.Now,
		Turn: "session " + s.event.SessionID + " " + s.event.TurnID, Session: s.event.SessionID, Agent: string(s.event.Agent),
		LockWait: s.cfg.Settings.LockWait, AcceptAgent: s.cfg.Settings.AcceptAgentRuns,
	})
	res := s.result
	for _, w := range res.Warnings {
		s.note("warning", w)
	}
	switch res.Status {
	case event.Failed:
		return s.block(ctx, before, res)
	case event.RetryLimitExceeded, event.InfrastructureErr, event.Error:
		return loud(res.Status, res.Message)
	case event.Passed, event.PassedWithWarnings, event.NoApplicableGates, event.NoChanges, event.LockExists,
		event.IntervalNotElapsed, event.NoConfig, event.StopHookActive, event.StopHookDisabled, event.InvalidInput, event.Untrusted,
		event.Subagent, event.BackgroundWork, event.Checkpoint, event.CommitRequired, event.ContextCheckpoint:
	}
	return s.observed(ctx, approve(res.Status, res.Message), res)
}

const gatesSection = "gates"

// blocks is what a session remembers of the blocks of its present turn.
type blocks struct {
	Turn  string    `json:"turn"`
	Human turnMark  `json:"human,omitzero"`
	Count int       `json:"count"`
	At    time.Time `json:"at"`
	// What failed last, and on which content: the same again is no progress.
	Failures string `json:"failures,omitempty"`
	Tree     string `json:"tree,omitempty"`
}

func (s *stopping) recall() blocks {
	var b blocks
	st, err := s.memory.Load(s.event.SessionID)
	if err != nil {
		s.complain(err)
	}
	st.Get(gatesSection, &b)
	return b
}

// sameTurn tells whether the remembered blocks belong to this human turn: by
// the agent's own id where it sends one, by the human's message where that is
// known. Where neither is, the session is all there is to count by: the agent's
// flag alone may be wrong for ever, so blocks count for a while.
func (s *stopping) sameTurn(b blocks) bool {
	if b.Count == 0 {
		return false
	}
	if s.event.TurnID != "" || b.Turn != "" {
		return b.Turn == s.event.TurnID
	}
	if now := s.turn(); now.known() && b.Human.known() {
		return b.Human.same(now)
	}
	return s.event.StopHookActive || s.Now().Sub(b.At) < namelessTurn
}

// namelessTurn is how long a block counts in a turn that nothing names.
const namelessTurn = 30 * time.Minute

// withoutMemory: the agent says we keep it from stopping, we know nothing of
// it. Somebody deleted our memory or it cannot be kept; then there is no way to
// count, and an uncounted block may be the start of a loop.
func (s *stopping) withoutMemory(b blocks) (event.Verdict, bool) {
	if !s.event.StopHookActive || s.sameTurn(b) || s.sentBack() {
		return event.Verdict{}, false
	}
	return loud(event.RetryLimitExceeded, "the agent is already continuing because of a stop hook and nothing is remembered of this turn"), true
}

// block decides whether a failure blocks, and says so.
func (s *stopping) block(ctx context.Context, before blocks, res run.Result) event.Verdict {
	failures := signature(res.Failed())
	same := before.Failures == failures && before.Tree == res.Tree && res.Tree != ""
	counted := blocks{Turn: s.event.TurnID, Human: s.turn(), Count: 1, At: s.Now(), Failures: failures, Tree: res.Tree}
	if s.sameTurn(before) {
		counted.Count += before.Count
	}
	limited := s.cfg.Settings.Reentry == config.ReentryUntilPass || s.event.NoReentryFlag
	if limited && counted.Count > 1 {
		if counted.Count > s.cfg.Settings.MaxBlocks {
			return loud(event.RetryLimitExceeded, fmt.Sprintf("%s; blocked %d times in this turn, which is the limit (stop_hook.max_blocks)", res.Message, before.Count))
		}
		if same {
			return loud(event.RetryLimitExceeded, res.Message+"; nothing changed since the last block")
		}
	}
	if limited && s.cfg.Settings.MaxBlocks == 0 {
		return loud(event.RetryLimitExceeded, res.Message+"; blocking is switched off (stop_hook.max_blocks: 0)")
	}
	reason := failedReason(res, before.Failures == failures)
	if err := s.memory.Update(ctx, s.event.SessionID, func(st *session.State) bool {
		Said(st, reason)
		return st.Set(gatesSection, counted) == nil
	}); err != nil {
		s.complain(err)
		if limited {
			return loud(event.RetryLimitExceeded, res.Message+"; session memory cannot be written, so blocks cannot be counted: "+err.Error())
		}
	}
	v := event.Verdict{Status: event.Failed, Message: res.Message, Reason: reason}
	v.SystemMessage = fmt.Sprintf("Gauntlet blocked the stop: %s. To let the agent go: gauntlet off%s", redact.Line(res.Message, 500), site.SessionFlag(s.event.SessionID))
	return v
}

// signature names a set of failures: which gates, and what they said.
func signature(failed []gate.Result) string {
	h := sha256.New()
	for _, g := range failed {
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00", g.ID, g.Message, withoutDigits(g.Tail))
		for _, f := range g.Findings {
			fmt.Fprintf(h, "%s:%d:%s\x00", f.File, f.Line, f.Issue)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// withoutDigits drops what differs between two runs that say the same: times.
func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, s)
}
