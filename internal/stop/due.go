package stop

import (
	"context"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/session"
	"gauntlet/internal/turn"
)

// madeCommit reports whether this turn made a commit, if checks wait for one: HEAD or a branch
// is at a commit that did not exist when the prompt arrived. If no prompt was seen, it may
// have.
func (s *stopping) madeCommit(ctx context.Context) bool {
	waits := func(c *config.Check) bool { return c.When == config.WhenCommit }
	if !slices.ContainsFunc(slices.Collect(maps.Values(s.cfg.Checks)), waits) || s.seen.StatusErr != nil {
		return false
	}
	head, prompt := s.seen.Status.Head, s.Ledger.Prompt
	if prompt.At.IsZero() {
		return head != ""
	}
	known, now := []string{prompt.Head}, []string{}
	if head != "" && head != prompt.Head {
		now = append(now, head)
	}
	if s.seen.Prompted != nil && s.seen.Now != nil {
		known = append(known, s.seen.Prompted.Commits()...)
		for _, ref := range content.NewRefs(s.seen.Prompted, s.seen.Now) {
			if strings.HasPrefix(ref.Name, "refs/heads/") {
				now = append(now, ref.ID)
			}
		}
	}
	return slices.ContainsFunc(now, func(id string) bool { return !s.site.Repo.Within(ctx, id, known) })
}

// maxDeferred bounds the paths that are remembered of a gate.
const maxDeferred = 200

// deferred is what the gates that are not due at every stop have not judged after this one.
func (s *stopping) deferred(d Decision) map[string][]string {
	out := maps.Clone(s.Ledger.Deferred)
	if d.Settled {
		for id := range s.Gates.Ran() {
			delete(out, id)
		}
		for _, g := range s.Gates.Skipped() {
			delete(out, g.ID)
		}
	}
	for _, id := range s.Gates.NotDue {
		paths := turn.EitherWork(s.Work,
			func(k turn.KnownWork) []string { return append(slices.Clone(out[id]), s.checkpointFacts().Files(k)...) },
			func(string) []string { return []string{run.Everything} })
		slices.Sort(paths)
		if paths = slices.Compact(paths); len(paths) > maxDeferred || slices.Contains(paths, run.Everything) {
			paths = []string{run.Everything}
		}
		if out == nil {
			out = map[string][]string{}
		}
		out[id] = paths
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// skips reports whether a person lets stops leave a gate out, and until when. One that
// lasts for one stop ends with this one.
func (s *stopping) skips(name string) (how string, skip bool) {
	if how, skip = s.skipping[name]; skip { // at another entry point
		return how, true
	}
	o, skip := s.site.Memory.Skips(name, s.Facts.Now)
	if !skip {
		return "", false
	}
	how = "`gauntlet gate " + name + " skip`, until " + o.Until.Local().Format("2006-01-02 15:04")
	if o.Once {
		how = "`gauntlet gate " + name + " skip`, at this stop only"
		if _, err := s.site.Memory.SwitchOn(session.Gate(name)); err != nil {
			s.complain(err)
		}
	}
	if s.skipping == nil {
		s.skipping = map[string]string{}
	}
	s.skipping[name] = how
	return how, true
}

// heardLater shows what gates found that ran after the last verdict.
func (s *stopping) heardLater() {
	later, ok := run.LaterOf(s.Getenv, s.site.Memory.Dir)
	if !ok {
		return
	}
	for _, said := range later.Said {
		s.announceOnce("after the last stop: %s", redact.Line(said, 300))
	}
	if err := (run.Later{}).Keep(s.Getenv, s.site.Memory.Dir); err != nil {
		s.complain(err)
	}
}

// observeLater makes the checks run that this stop left out because they cannot block.
func (s *stopping) observeLater(verdict string) {
	if len(s.Gates.Later) == 0 || s.EnsureAhead == nil {
		return
	}
	const most = 500
	later := run.Later{Verdict: verdict, Gates: s.Gates.Later, Paths: s.Gates.Changed[:min(len(s.Gates.Changed), most)]}
	if err := later.Keep(s.Getenv, s.site.Memory.Dir); err != nil {
		s.complain(err)
	} else if err := s.EnsureAhead(s.site.Memory.Dir, s.site.Root); err != nil {
		s.complain(err)
	}
}
