package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/safefile"
	"gauntlet/internal/site"
)

// Places is the machine from the view of an installation.
type Places struct {
	Home    string // the user's home directory, "" when unknown
	Cwd     string // the current directory
	Project string // the project root
	// Site is the same place from the view of the hooks.
	Site   *site.Site
	State  string // Gauntlet's state directory ($XDG_STATE_HOME/gauntlet), "" when unknown
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
		if p.Uses(a) {
			out = append(out, a)
		}
	}
	return out
}

// Uses reports whether an agent is used here.
func (p Places) Uses(a agent.Adapter) bool {
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
			if path := filepath.Join(dir, filepath.FromSlash(mark)); safefile.Exists(path) && !onlyOwn(path) {
				return true
			}
		}
	}
	return false
}

// onlyOwn reports whether a directory contains nothing but Gauntlet's own files: that does
// not mean that the agent is used.
func onlyOwn(dir string) bool {
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

// Short is a path as a person would write it in the current directory.
func (p Places) Short(path string) string {
	if rel, err := filepath.Rel(p.Cwd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	if rel, err := filepath.Rel(p.Home, path); p.Home != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return path
}

// refused is a refusal with a short path; nil when err is something else.
func (p Places) refused(err error) *RefusedError {
	var r *RefusedError
	if !errors.As(err, &r) {
		return nil
	}
	short := *r
	short.Path = p.Short(r.Path)
	return &short
}

// Unreadable is what is wrong with a file that Inspect could not read.
func (p Places) Unreadable(err error) string {
	if r := p.refused(err); r != nil {
		return r.at() + ": " + r.Why
	}
	return err.Error()
}

// Explain is an error for a person in the current directory.
func (p Places) Explain(err error) string {
	if r := p.refused(err); r != nil {
		return r.Error()
	}
	return err.Error()
}

// Lock excludes a second installation until the returned function is called. If no lock can
// be made, the installation continues without one: the check right before each write still
// notices a file that changed.
func (p Places) Lock(ctx context.Context) (release func(), err error) {
	none := func() {}
	if p.State == "" {
		return none, nil
	}
	dir := filepath.Join(p.State, "install")
	if err := safefile.MakeDir(dir, 0o700); err != nil {
		return none, nil //nolint:nilerr // an unwritable state directory must not prevent an installation
	}
	l, err := safefile.Acquire(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return none, fmt.Errorf("another installation is running: %w", err)
	}
	return func() { _ = l.Release() }, nil
}
