package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/safefile"
	"gauntlet/internal/site"
)

// Places is the machine as an installation sees it.
type Places struct {
	Home    string // the user's home directory, "" when unknown
	Cwd     string // where the person is
	Project string // the project root
	// Site is the same place as the hooks see it.
	Site   *site.Site
	State  string // our own state directory ($XDG_STATE_HOME/gauntlet), "" when unknown
	Getenv func(string) string
	// LookPath finds a program, as exec.LookPath does.
	LookPath func(string) (string, error)
}

func (p Places) dirs() wire.Dirs {
	return wire.Dirs{Home: p.Home, Project: p.Project, Getenv: p.Getenv}
}

// Present lists the agents that are used here: their program is on PATH, or
// they left marks in the project or at home.
func (p Places) Present() []agent.Adapter {
	var out []agent.Adapter
	for _, a := range agent.All() {
		if p.present(a) {
			out = append(out, a)
		}
	}
	return out
}

func (p Places) present(a agent.Adapter) bool {
	s := a.Setup()
	for _, prog := range s.Programs {
		if _, err := p.LookPath(prog); err == nil {
			return true
		}
	}
	for _, mark := range s.Marks {
		for _, dir := range []string{p.Project, p.Home} {
			if dir == "" {
				continue
			}
			if path := filepath.Join(dir, filepath.FromSlash(mark)); safefile.Exists(path) && !onlyOurs(path) {
				return true
			}
		}
	}
	return false
}

// onlyOurs reports whether a directory holds nothing but what Gauntlet itself puts
// there: that does not mean that the agent is used.
func onlyOurs(dir string) bool {
	entries, err := safefile.ReadDir(dir, dir, 100)
	if err != nil || len(entries) == 0 {
		return false
	}
	for _, e := range entries {
		switch e.Name() {
		case "state", "protocols", "sub-agents", "config":
		default:
			return false
		}
	}
	return true
}

// Short is a path as a person at this prompt would write it.
func (p Places) Short(path string) string {
	if rel, err := filepath.Rel(p.Cwd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	if rel, err := filepath.Rel(p.Home, path); p.Home != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return path
}

// refused is a refusal with its path as a person would write it; nil when err
// is something else.
func (p Places) refused(err error) *RefusedError {
	var r *RefusedError
	if !errors.As(err, &r) {
		return nil
	}
	short := *r
	short.Path = p.Short(r.Path)
	return &short
}

// Explain is an error for a person at this prompt.
func (p Places) Explain(err error) string {
	if r := p.refused(err); r != nil {
		return r.Error()
	}
	return err.Error()
}

// Lock keeps a second installation out until the returned function is called.
// Where there is no place for a lock, installing goes on without: the check
// right before each write still notices a file that changed.
func (p Places) Lock(ctx context.Context) (release func(), err error) {
	none := func() {}
	if p.State == "" {
		return none, nil
	}
	dir := filepath.Join(p.State, "install")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return none, nil //nolint:nilerr // an unwritable state directory must not prevent an installation
	}
	l, err := safefile.Acquire(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return none, fmt.Errorf("another installation is running: %w", err)
	}
	return func() { _ = l.Release() }, nil
}
