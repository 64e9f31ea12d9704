package run

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"

	"gauntlet/internal/config"
	"gauntlet/internal/finding"
	"gauntlet/internal/gate"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// BaselineFile is the committed baseline, relative to the project root. It counts once it is
// allowed, and a change of it is reported like any other.
const BaselineFile = config.Dir + "/" + config.BaselineName

// maxBaseline is the size of the largest file that a policy may have.
const maxBaseline = 1 << 20

// ReadBaseline reads a policy's baseline; a missing one is empty.
func ReadBaseline(cfg *config.Loaded) (finding.Baseline, error) {
	file, ok := cfg.Policy[config.BaselineName]
	if !ok {
		return finding.Baseline{Version: finding.BaselineVersion, Gates: map[string]finding.GateBaseline{}}, nil
	}
	if file.Err != nil {
		return finding.Baseline{}, fmt.Errorf("%s cannot be read: %w", BaselineFile, file.Err)
	}
	b, err := finding.ParseBaseline(file.Data)
	if err != nil {
		return finding.Baseline{}, fmt.Errorf("%s: %w", BaselineFile, err)
	}
	if b.Gates == nil {
		b.Gates = map[string]finding.GateBaseline{}
	}
	return b, nil
}

// WriteBaseline writes the project's baseline and returns the policy with it.
func WriteBaseline(cfg *config.Loaded, b finding.Baseline) (config.Policy, error) {
	data, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	if len(data) > maxBaseline {
		return nil, fmt.Errorf("%s would be larger than 1 MiB: fix some findings, or leave out generated files", BaselineFile)
	}
	policy := maps.Clone(cfg.Policy)
	if policy == nil {
		policy = config.Policy{}
	}
	policy[config.BaselineName] = config.PolicyFile{Data: data}
	return policy, safefile.WriteIn(cfg.Root, filepath.Join(cfg.Root, filepath.FromSlash(BaselineFile)), data, 0o644)
}

// beforeBaseline is the committed baseline of the gate.
func (e *execution) beforeBaseline(ctx context.Context, j gate.Job) (earlier, error) {
	b, err := ReadBaseline(e.opts.Config)
	if err != nil {
		return earlier{}, err
	}
	g, ok := b.Gates[j.ID]
	if !ok {
		return earlier{}, fmt.Errorf("%s has no counts for %s (gauntlet baseline create %s)", BaselineFile, gate.Label(j.ID), j.Name)
	}
	out := earlier{counts: g.Files, tool: g.Tool, unread: g.Unread, what: "the baseline", made: g.Made}
	if g.ExitCode != 0 || g.Unread != nil { // 0 is also what a file without it says
		out.exit = &g.ExitCode
	}
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
	var unread *finding.Unread
	if r.Report != nil {
		unread = r.Report.Unread
	}
	g := gate.Baseline(identities(r.Findings), unread, parts)
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
	var lowered []string
	for i, r := range results {
		j := all[i].job
		if j.Check == nil || j.Check.NewOnly != "baseline" || r.Cached || r.Report == nil || r.Status != gate.Pass || e.touchedMeanwhile(j) {
			continue
		}
		if b.Gates == nil {
			var err error
			if b, err = ReadBaseline(e.opts.Config); err != nil {
				return // already reported
			}
		}
		g, ok := b.Gates[j.ID]
		if !ok || *exitOf(r) != 0 && (*exitOf(r) != g.ExitCode || r.Report.Old == 0) {
			continue // it may have stopped early
		}
		if files, less := finding.Tighten(g.Files, finding.Count(identities(r.Findings)), nil); less {
			g.Files, g.Unread = files, r.Report.Unread
			b.Gates[j.ID] = g
			changed = true
			lowered = append(lowered, fmt.Sprintf("%s: %s lowered to %s", BaselineFile, j.Name, text.Count(files.Total(), "finding")))
		}
	}
	// The policy that judged may be an earlier one than the one on disk: the user has to
	// look at that one first.
	if !changed || config.ReadPolicy(e.opts.Config.Root).Digest() != e.opts.Config.Digest {
		return
	}
	policy, err := WriteBaseline(e.opts.Config, b)
	if err != nil {
		e.res.Warnings = append(e.res.Warnings, err.Error())
		return
	}
	for _, line := range lowered {
		e.note("%s", line)
	}
	if e.opts.Wrote != nil {
		e.opts.Wrote(ctx, policy)
	}
}

func exitOf(r gate.Result) *int {
	if r.ExitCode != nil {
		return r.ExitCode
	}
	zero := 0
	return &zero
}
