package run

import (
	"context"
	"fmt"

	"gauntlet/internal/gate"
	"gauntlet/internal/text"
)

// Detected is what a run would do.
type Detected struct {
	Base    string         `json:"base"`
	Changed []string       `json:"changed"`
	Gates   []DetectedGate `json:"gates"`
}

// DetectedGate is one gate that would run.
type DetectedGate struct {
	ID        string    `json:"id"`
	Kind      gate.Kind `json:"kind"`
	Name      string    `json:"name"`
	Entry     string    `json:"entry"`
	Directory string    `json:"directory"`
	Command   string    `json:"command,omitempty"`
	// Why is the reason why it is listed, in words.
	Why string `json:"why"`
	// StillFailing: it runs because it failed last time, whatever changed.
	StillFailing bool `json:"stillFailing,omitempty"`
}

// Detect reports what a run would do now; it locks, runs and writes nothing.
func Detect(ctx context.Context, opts Options) (Detected, error) {
	e := &execution{opts: opts, logDir: opts.Config.Settings.LogDir}
	e.ci = inCI(opts.Getenv)
	if err := e.locate(); err != nil {
		return Detected{}, err
	}
	e.logs = scanLogs(e.logDir)
	e.state, _ = readState(e.logDir)
	var err error
	if e.changes, err = e.findChanges(ctx); err != nil {
		return Detected{}, err
	}
	d := Detected{Base: e.changes.base, Changed: e.changes.paths, Gates: []DetectedGate{}}
	if d.Changed == nil {
		d.Changed = []string{}
	}
	e.findStale(ctx)
	for _, j := range e.selected() {
		g := DetectedGate{ID: j.ID, Kind: j.Kind, Name: j.Name, Entry: j.Entry, Directory: j.Dir, StillFailing: e.logs.failing[j.LogBase]}
		g.Why = e.why(j)
		if j.Check != nil {
			g.Command = j.Check.Command
		}
		d.Gates = append(d.Gates, g)
	}
	return d, nil
}

// why explains why a job runs.
func (e *execution) why(j gate.Job) string {
	var covered []string
	for _, p := range e.changes.paths {
		if j.Covers(p) {
			covered = append(covered, p)
		}
	}
	switch {
	case len(covered) == 1:
		return covered[0] + " changed"
	case len(covered) > 1:
		return fmt.Sprintf("%s changed, %s among them", text.Count(len(covered), "file"), covered[0])
	case e.stillFails(j):
		return "it failed last time, and what it covers was committed since"
	default:
		return "--all"
	}
}

// inCI reports whether Gauntlet runs in a continuous integration service.
func inCI(getenv func(string) string) bool {
	return getenv("CI") == "true" || getenv("GITHUB_ACTIONS") == "true"
}
