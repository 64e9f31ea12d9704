package stop

import (
	"context"

	"gauntlet/internal/autonomy"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
)

// autonomous is step 4: the checkpoint the hook makes itself when the context
// window fills up. It may be switched on without any configuration of the
// project.
func (s *stopping) autonomous(ctx context.Context) (event.Verdict, bool) {
	var section *config.Autonomy
	home := autonomy.HomeDir(s.Getenv)
	if s.cfg != nil {
		section = s.cfg.Project.Autonomy
	}
	if !autonomy.Wanted(section, home, s.Getenv) {
		return event.Verdict{}, false
	}
	ctx, release := s.bounded(ctx)
	defer release()
	root := s.site.Top()
	if s.site.InRepo {
		root = s.site.Repo.Root
	}
	in := autonomy.Input{
		Event: s.event, Root: root, Config: section, Home: home, Getenv: s.Getenv, Memory: s.memory, Now: s.Now, Warn: s.Stderr,
		SwitchedOff: func() bool {
			_, off := s.site.Off(s.event.SessionID, s.Now())
			return off
		},
	}
	if s.cfg != nil {
		in.LogDir = s.cfg.Settings.LogDir
	}
	v, ok := autonomy.Run(ctx, in)
	s.step("autonomy")
	if ok && s.root == "" {
		s.root = root // from here on it concerns this project
	}
	return v, ok
}

// scene is what the checkpoint looks at.
func (s *stopping) scene() *Scene {
	sc := NewScene(s.event, s.site, s.cfg, s.Now, s.Getenv, s.Environ)
	sc.LastBlock = s.recall().At
	return sc
}

// checkpoint is step 10: what is still owed.
func (s *stopping) checkpoint(ctx context.Context) Owing {
	o := s.scene().Owed(ctx)
	for _, n := range o.Notes {
		s.note("checkpoint", n)
	}
	return o
}

// commitGate is step 5's second question: is what matters committed?
func (s *stopping) commitGate(ctx context.Context) (event.Verdict, bool) {
	if s.cfg.Project.Checkpoint == nil || s.cfg.Project.Checkpoint.CommitGate == nil {
		return event.Verdict{}, false
	}
	ctx, release := s.bounded(ctx)
	defer release()
	return s.scene().CommitGate(ctx)
}
