package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"gauntlet/internal/config"
	"gauntlet/internal/finding"
	"gauntlet/internal/gate"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// BaselineFile is the committed baseline, relative to the project root.
const BaselineFile = config.Dir + "/baseline.json"

// maxBaseline bounds it.
const maxBaseline = 16 << 20

// ReadBaseline reads the project's baseline; one that is not there is empty.
func ReadBaseline(root string) (finding.Baseline, error) {
	data, err := safefile.Read(root, filepath.Join(root, filepath.FromSlash(BaselineFile)), maxBaseline)
	if errors.Is(err, fs.ErrNotExist) {
		return finding.Baseline{Version: finding.BaselineVersion, Gates: map[string]finding.GateBaseline{}}, nil
	}
	if err != nil {
		return finding.Baseline{}, fmt.Errorf("%s cannot be read: %w", BaselineFile, err)
	}
	b, err := finding.ParseBaseline(data)
	if err != nil {
		return finding.Baseline{}, fmt.Errorf("%s: %w", BaselineFile, err)
	}
	if b.Gates == nil {
		b.Gates = map[string]finding.GateBaseline{}
	}
	return b, nil
}

// WriteBaseline writes the project's baseline.
func WriteBaseline(root string, b finding.Baseline) error {
	data, err := b.Bytes()
	if err != nil {
		return err
	}
	return safefile.WriteIn(root, filepath.Join(root, filepath.FromSlash(BaselineFile)), data, 0o644)
}

// beforeBaseline is the committed baseline of the gate.
func (e *execution) beforeBaseline(ctx context.Context, j gate.Job) (earlier, error) {
	b, err := ReadBaseline(e.opts.Config.Root)
	if err != nil {
		return earlier{}, err
	}
	g, ok := b.Gates[j.ID]
	if !ok {
		return earlier{}, fmt.Errorf("%s has no counts for %s (gauntlet baseline create %s)", BaselineFile, j.ID, j.Name)
	}
	out := earlier{counts: g.Files, tool: g.Tool, exit: g.ExitCode, what: "the baseline", made: g.Made}
	if out.counts == nil {
		out.counts = finding.Counts{}
	}
	if out.from, err = e.mergeBase(ctx); err != nil {
		out.from = e.changes.status.Head
	}
	return out, nil
}

// NewBaseline is the baseline of a gate from a result of it.
func NewBaseline(r gate.Result, parts map[string]string) finding.GateBaseline {
	g := finding.GateBaseline{Made: madeWith(parts), Files: finding.Count(identities(r.Findings))}
	for name, digest := range g.Made {
		g.Made[name] = digest[:min(16, len(digest))] // enough to see a difference
	}
	if r.Report != nil {
		g.Tool = r.Report.Tool
	}
	if r.ExitCode != nil {
		g.ExitCode = *r.ExitCode
	}
	return g
}

// tighten lowers the baseline of gates that found less than it allows. CI only
// reads it.
func (e *execution) tighten(ctx context.Context, all []planned, results []gate.Result) {
	if e.ci || ctx.Err() != nil {
		return
	}
	var b finding.Baseline
	changed := false
	for i, r := range results {
		j := all[i].job
		if j.Check == nil || j.Check.NewOnly != "baseline" || r.Cached || r.Report == nil || r.Status != gate.Pass || e.touchedMeanwhile(j) {
			continue
		}
		if b.Gates == nil {
			var err error
			if b, err = ReadBaseline(e.opts.Config.Root); err != nil {
				return // said where it mattered
			}
		}
		g, ok := b.Gates[j.ID]
		if !ok || *exitOf(r) != 0 && (*exitOf(r) != g.ExitCode || r.Report.Old == 0) {
			continue // it may have broken off
		}
		if files, less := finding.Tighten(g.Files, finding.Count(identities(r.Findings)), nil); less {
			g.Files = files
			b.Gates[j.ID] = g
			changed = true
			e.note("%s: %s lowered to %s", BaselineFile, j.Name, text.Count(files.Total(), "finding"))
		}
	}
	if changed {
		if err := WriteBaseline(e.opts.Config.Root, b); err != nil {
			e.res.Warnings = append(e.res.Warnings, err.Error())
		}
	}
}

func exitOf(r gate.Result) *int {
	if r.ExitCode != nil {
		return r.ExitCode
	}
	zero := 0
	return &zero
}
