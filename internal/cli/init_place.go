package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/git"
	"gauntlet/internal/install"
	"gauntlet/internal/review"
	"gauntlet/internal/safefile"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
)

// initRoot is where .gauntlet/ belongs: where it is, else the top of the
// repository, else here. A home directory that is a repository is not a project.
func (app *App) initRoot() (root string, inGit bool, err error) {
	cwd, err := app.Getwd()
	if err != nil {
		return "", false, exit(2, "the current directory cannot be read: %v", err)
	}
	home := text.Home(app.Getenv)
	at := site.Here(cwd, app.Getenv)
	if at.Foreign != "" {
		return "", false, exit(2, "%s", at.Foreign)
	}
	if at.IsProject() || at.InRepo && !safefile.Same(at.Repo.Root, home) {
		return at.Top(), at.InRepo, nil
	}
	if safefile.Same(cwd, home) {
		return "", false, exit(2, "this is your home directory; change to a project and run init there")
	}
	if errors.Is(at.RepoErr, git.ErrBare) {
		return "", false, exit(2, "this is a bare repository; run init in a work tree")
	}
	return cwd, at.InRepo, nil
}

func (app *App) installedReviewers(ctx context.Context, root string) []string {
	var out []string
	for _, h := range review.CheckHealth(ctx, review.Names(), app.Environ(), root, false) {
		if h.Installed {
			out = append(out, h.Name)
		}
	}
	return out
}

// planHooks plans the hooks of the named agents, or of those found. An agent whose settings
// cannot be edited is reported and does not prevent the rest.
func planHooks(places install.Places, names []string, skill bool) (changes []*install.Change, notes []string, err error) {
	if slices.Contains(names, "none") {
		return nil, nil, nil
	}
	agents, err := (&hookFlags{agents: names}).named()
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		if agents = places.Present(); len(agents) == 0 {
			notes = append(notes, "no agent was found; once you have one: gauntlet init --agents=NAME")
		}
	}
	for _, a := range agents {
		for _, old := range places.Predecessors(a) {
			notes = append(notes, old.Notice(places)+"; to replace it: gauntlet init --agents --replace")
		}
		planned, err := places.PlanInstall(a, install.Request{Scope: wire.Project, Skill: skill})
		if err != nil {
			notes = append(notes, fmt.Sprintf("no hook for %s: %s", a.Setup().Label, places.Explain(err)))
			continue
		}
		changes = append(changes, planned...)
	}
	return changes, notes, nil
}
