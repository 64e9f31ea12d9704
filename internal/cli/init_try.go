package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/install"
	"gauntlet/internal/meaning"
	"gauntlet/internal/run"
	"gauntlet/internal/setup"
)

// try runs each proposal once and shows the result.
func (w *initWork) try(ctx context.Context) error {
	repo, err := git.UserOf(w.app.Getenv).Find(w.opts.Root)
	if err != nil {
		return err
	}
	w.opts.Trying = true
	defer func() { w.opts.Trying = false }()
	if err := w.plan(); err != nil {
		return err
	}
	t := setup.Tryout{Root: w.opts.Root, Repo: repo, Environ: w.app.Environ(), Until: w.until, Now: w.app.Now, Place: w.place}
	end, err := t.Start(ctx)
	if err != nil {
		return exit(2, "nothing was tried and nothing was written: %v\nto set up without a trial: gauntlet init --no-try", err)
	}
	defer end()
	fmt.Fprintf(w.app.Err, "Trying the commands that were found, %s in all; what they change is put back.\n", seconds(w.flags.limit))
	w.opts.Found.Try(ctx, func(ctx context.Context, c setup.Proposal, left int) setup.Trial { return w.tryOne(ctx, &t, c, left) })
	if ctx.Err() != nil {
		return exit(interruptedCode, "stopped; nothing was written")
	}
	return nil
}

// quick is how long a gate may take for its canary to be tried at once.
const quick = 20 * time.Second

// canaries tries in what is left of the time whether the quick gates that passed can fail.
func (w *initWork) canaries(ctx context.Context) error {
	if err := w.plan(); err != nil {
		return err
	}
	_, undo, err := w.place()
	if err != nil {
		return err
	}
	defer undo()
	at := w.site()
	cfg, err := at.OnDisk()
	if err != nil {
		return err
	}
	left := func() time.Duration { return w.until.Sub(w.app.Now()) }
	within, cancel := context.WithTimeout(ctx, left())
	defer cancel()
	fits := func(j gate.Job) bool {
		i := slices.IndexFunc(w.files.Gates, func(g setup.Gate) bool { return g.Name == j.Name })
		if i < 0 {
			return false
		}
		t := w.files.Gates[i].Trial()
		return t.State == setup.Passed && t.Took < quick && 3*t.Took+2*time.Second < left()
	}
	opts := w.app.startedBy(run.Options{Site: at, Config: cfg, Getenv: w.app.Getenv, Environ: w.app.Environ(), Now: w.app.Now})
	err = run.Canaries(within, opts, fits, fits, func(j gate.Job, c meaning.Canary) {
		hollow := ""
		if c.Result == event.CannotFail {
			hollow = cmp.Or(c.Reason, strings.Join(c.Files, ", "))
		}
		w.opts.Found.Assess(j.Entry, j.Check.Command, c.Result == event.CanFail, hollow)
	})
	if within.Err() == nil && err != nil {
		w.notes = append(w.notes, "whether the gates can fail was not tried: "+err.Error())
	}
	return nil
}

// place writes what init is about to write, for the time of the trial.
func (w *initWork) place() (paths []string, undo func(), err error) {
	back, err := w.files.Apply(func() error { return nil })
	if err != nil {
		return nil, nil, err
	}
	if err := w.places.Apply(w.report.Hooks); err != nil {
		back()
		return nil, nil, errors.New(w.places.Explain(err))
	}
	for _, f := range w.files.Files {
		if f.Action == setup.Create || f.Action == setup.Replace {
			paths = append(paths, f.Path)
		}
	}
	for _, c := range w.report.Hooks {
		if c.Action != install.Unchanged {
			paths = append(paths, filepath.ToSlash(w.places.Short(c.Path)))
		}
	}
	return paths, func() {
		w.places.Undo(w.report.Hooks)
		back()
	}, nil
}
