package stop

import (
	"context"

	"gauntlet/internal/autonomy"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/session"
)

// autonomous is step 4: the checkpoint the hook makes itself when the context
// window fills up. It may be switched on without any configuration of the
// project, so it finds the repository for itself.
func (s *stopping) autonomous(ctx context.Context) (event.Verdict, bool) {
	var section *config.Autonomy
	root, home := s.root, autonomy.HomeDir(s.Getenv)
	if s.cfg != nil {
		section = s.cfg.Project.Autonomy
	}
	if !autonomy.Wanted(section, home, s.Getenv) {
		return event.Verdict{}, false
	}
	ctx, release := s.bounded(ctx)
	defer release()
	repo, inRepo := s.repo, s.inRepo
	if !inRepo {
		if r, err := git.Find(s.event.Cwd); err == nil {
			repo, inRepo = r, true
		}
	}
	memory := s.memory
	if inRepo {
		root = repo.Root
		memory = session.Open(repo.GitDir, repo.Root, StateHome(s.Getenv))
	} else if root == "" {
		root = s.event.Cwd
		memory = session.Open("", root, StateHome(s.Getenv))
	}
	in := autonomy.Input{
		Event: s.event, Root: root, Config: section, Home: home, Getenv: s.Getenv, Memory: memory, Now: s.Now, Warn: s.Stderr,
		SwitchedOff: func() bool {
			for _, st := range []session.Store{memory, session.Everywhere(StateHome(s.Getenv))} {
				if _, off := st.IsOff(s.event.SessionID, s.Now()); off {
					return true
				}
			}
			return false
		},
	}
	if s.cfg != nil {
		in.LogDir = s.cfg.Settings.LogDir
	}
	v, ok := autonomy.Run(ctx, in)
	s.step("autonomy")
	if ok && s.root == "" {
		s.root, s.memory = root, memory // from here on it concerns this project
	}
	return v, ok
}

// scene is what the checkpoint looks at.
func (s *stopping) scene() *Scene {
	sc := NewScene(s.event, s.cfg, s.memory, s.Now, s.Getenv, s.Environ)
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
