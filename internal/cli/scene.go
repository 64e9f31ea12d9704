package cli

import (
	"path/filepath"

	"gauntlet/internal/agent"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/session"
	"gauntlet/internal/stop"
)

// scene sets the checkpoint's scene for the project that cwd is in; ok is
// false when it is in none.
func (app *App) scene(cwd string, ev event.Event) (sc *stop.Scene, cfg *config.Loaded, ok bool, err error) {
	root, ok := config.FindRoot(cwd)
	for _, name := range agent.ProjectDirVars() {
		// As at the stop: the project the agent was started in.
		if dir := app.Getenv(name); !ok && filepath.IsAbs(dir) {
			root, ok = config.FindRoot(dir)
		}
	}
	if !ok {
		return nil, nil, false, nil
	}
	cfg, err = config.Load(root, app.Getenv)
	if err != nil {
		return nil, nil, true, err
	}
	var gitDir string
	if repo, err := git.Find(root); err == nil && !repo.Bare {
		gitDir = repo.GitDir
	}
	memory := session.Open(gitDir, root, stop.StateHome(app.Getenv))
	return stop.NewScene(ev, cfg, memory, app.Now, app.Getenv, app.Environ()), cfg, true, nil
}

// isOff reports whether somebody switched the hook off for this session.
func (app *App) isOff(sc *stop.Scene, cfg *config.Loaded) bool {
	if !cfg.Settings.StopHookEnabled {
		return true
	}
	for _, st := range []session.Store{sc.Memory, session.Everywhere(stop.StateHome(app.Getenv))} {
		if _, off := st.IsOff(sc.Event.SessionID, app.Now()); off {
			return true
		}
	}
	return false
}
