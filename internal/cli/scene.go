package cli

import (
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/site"
	"gauntlet/internal/stop"
)

// site is where the command was called.
func (app *App) site() (*site.Site, error) {
	cwd, err := app.Getwd()
	if err != nil {
		return nil, exit(2, "the current directory cannot be read: %v", err)
	}
	return site.Find(cwd, app.Getenv), nil
}

// project is the site of a command that needs a project.
func (app *App) project() (*site.Site, error) {
	at, err := app.site()
	if err == nil && !at.IsProject() {
		return nil, exit(2, "no .gauntlet/config.yml here or above; create one with: gauntlet init")
	}
	return at, err
}

// projectRoot finds the project that the command was called in.
func (app *App) projectRoot() (string, error) {
	at, err := app.project()
	if err != nil {
		return "", err
	}
	return at.Root, nil
}

// scene sets the checkpoint's scene for a project.
func (app *App) scene(at *site.Site, ev event.Event) (*stop.Scene, *config.Loaded, error) {
	cfg, err := at.Config()
	if err != nil {
		return nil, nil, err
	}
	return stop.NewScene(ev, at, cfg, app.Now, app.Getenv, app.Environ()), cfg, nil
}
