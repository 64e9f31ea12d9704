package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/review"
	"gauntlet/internal/text"
)

// maxDiff bounds what a reviewer is given.
const maxDiff = 2 << 20

func (e *execution) prepareReview(ctx context.Context, j gate.Job, n int, kept git.Kept) (func(context.Context) gate.Result, proof.Key) {
	diff, err := e.diff(ctx, j, kept)
	set := e.opts.Config.Settings
	rj := review.Job{
		Review: j.Review, Entry: j.Entry, Base: j.LogBase, Dir: e.repo.Root, Diff: diff, LogDir: e.logDir, RunNumber: n,
		Rerun: e.logs.present, Threshold: set.Threshold, Preference: e.opts.Config.Project.CLI.DefaultPreference,
		CheckUsage: set.CheckUsageLimit, Fresh: e.opts.NoCache, Session: e.opts.Session, Env: e.opts.Environ, Now: e.opts.Now,
	}
	if obs := e.opts.Observer; obs != nil {
		rj.Line = func(s string) { obs.Line(j.ID, s) }
	}
	do := func(ctx context.Context) gate.Result {
		if err != nil {
			r := skipped(j, "diff: "+err.Error())
			r.Status = gate.Error
			return r
		}
		return fromReview(j, review.Run(ctx, rj))
	}
	return do, reviewKey(j, rj)
}

// reviewKey identifies what a review's answer depends on.
func reviewKey(j gate.Job, rj review.Job) proof.Key {
	cfg, err := json.Marshal(j.Review)
	if err != nil {
		return proof.Key{}
	}
	return proof.Subject{
		Gate: j.Name, Dir: j.Entry, Command: "review " + j.Review.Prompt, Settings: append([]string{string(cfg)}, rj.Preference...),
		Others: map[string]string{"diff": string(rj.Diff)},
	}.Key()
}

// diff is what changed in a job's entry point, untracked files included.
func (e *execution) diff(ctx context.Context, j gate.Job, kept git.Kept) ([]byte, error) {
	args := []string{e.changes.diffArgs[0], "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"}
	for _, a := range e.changes.diffArgs[1:] {
		if a == snapshotArg {
			if a = kept.Commit; a == "" {
				a = "HEAD"
			}
		}
		args = append(args, a)
	}
	args = append(args, "--")
	switch {
	case strings.ContainsAny(j.Entry, "*?[{"):
		for _, p := range e.changes.paths {
			if j.Covers(p) {
				args = append(args, ":(top,literal)"+e.prefix+p)
			}
		}
	case j.Entry == ".":
		args = append(args, ":(top)"+e.prefix)
	default:
		args = append(args, ":(top,literal)"+e.prefix+j.Entry)
	}
	for _, x := range j.Exclude {
		args = append(args, ":(top,exclude,glob)"+e.prefix+x, ":(top,exclude,literal)"+e.prefix+strings.TrimSuffix(x, "/"))
	}
	what := strings.Join(args, "\x00")
	if d, ok := e.diffs[what]; ok { // several reviews of one entry point
		return d, nil
	}
	out, err := e.repo.RunWith(ctx, git.Opts{Env: kept.Env()}, args...)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(out, []byte("\nBinary files ")) { // attributes may call any text binary
		whole, err := e.repo.RunWith(ctx, git.Opts{Env: kept.Env()}, append([]string{args[0], "--text"}, args[1:]...)...)
		if err == nil {
			out = textOf(out, whole)
		}
	}
	if len(out) > maxDiff {
		cut := bytes.LastIndexByte(out[:maxDiff], '\n') + 1
		out = append(out[:cut:cut], "\n[the rest of the diff is left out: it is too large]\n"...)
	}
	if e.diffs == nil {
		e.diffs = map[string][]byte{}
	}
	e.diffs[what] = out
	return out, nil
}

// textOf is a diff in which files that only attributes call binary are shown as text: their
// parts are taken from the same diff with everything as text, if they contain no zero byte.
func textOf(diff, whole []byte) []byte {
	const head = "diff --git "
	parts, texts := bytes.SplitAfter(diff, []byte("\n"+head)), bytes.SplitAfter(whole, []byte("\n"+head))
	if len(parts) != len(texts) {
		return diff
	}
	for i, p := range parts {
		if bytes.Contains(p, []byte("\nBinary files ")) && !bytes.Contains(texts[i], []byte{0}) {
			parts[i] = texts[i]
		}
	}
	return bytes.Join(parts, nil)
}

// fromReview is a review's result as one gate of the run.
func fromReview(j gate.Job, r review.Result) gate.Result {
	out := gate.Result{
		ID: j.ID, Kind: gate.KindReview, Name: j.Name, Entry: j.Entry,
		Status: gate.Status(r.Status), Message: r.Message, DurationMS: r.Duration.Milliseconds(),
		Cached: r.Reused, LogPath: r.LogPath(), SkippedOnes: r.Waived, LimitMS: j.Review.Limit().Milliseconds(),
	}
	for _, f := range r.Findings() {
		out.Findings = append(out.Findings, gate.Finding{File: f.File, Line: f.Line, Issue: f.Issue, Fix: f.Fix, Priority: f.Priority})
	}
	for _, f := range r.Skipped() {
		why := "no reason given"
		if f.Result != nil && strings.TrimSpace(*f.Result) != "" {
			why = *f.Result
		}
		out.SkippedReasons = append(out.SkippedReasons, redact.Line(f.Where()+" "+f.Issue, 200)+" (skipped: "+redact.Line(why, 200)+")")
	}
	for _, s := range r.Slots {
		if s.JSONPath != "" && s.Status == review.Fail {
			out.ResultFiles = append(out.ResultFiles, s.JSONPath)
		}
		out.Command = cmp.Or(out.Command, s.Command)
		if s.Said != "" && s.Status == r.Status {
			out.Tail = strings.TrimLeft(out.Tail+"\n"+s.Said, "\n") // fenced wherever an agent reads it
		}
	}
	if out.Status == gate.Pass {
		out.Tail = ""
	}
	if out.Waiting = r.Waiting; r.Waiting > 0 && out.Status == gate.Pass {
		out.Warning = text.Count(r.Waiting, "finding") + " of another session not answered yet"
	}
	return out
}
