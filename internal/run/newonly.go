package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/content"
	"gauntlet/internal/finding"
	"gauntlet/internal/gate"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/room"
	"gauntlet/internal/text"
)

// earlier is what the findings of a check are compared with.
type earlier struct {
	known  []finding.Known
	counts finding.Counts // instead of known, for a baseline
	made   map[string]string
	tool   string
	exit   *int // nil when unknown
	unread *finding.Unread
	from   string // the commit from which renames are searched; "" for none
	what   string // a description for people
}

// onlyNew lets a check that failed with old findings only pass. If they cannot be compared,
// the exit code decides and the result says so.
func (e *execution) onlyNew(ctx context.Context, j gate.Job, key proof.Key, r *gate.Result) {
	if j.Check.NewOnly == "" || r.Status != gate.Fail || r.TimedOut || r.ExitCode == nil || len(r.Findings) == 0 || r.Flaky {
		return
	}
	before, err := e.before(ctx, j, key)
	if err == nil {
		err = before.comparable(key, r)
	}
	if err != nil {
		r.Report.Note = strings.TrimPrefix(r.Report.Note+"; "+redact.Line(err.Error(), 300)+": the exit code decides", "; ")
		return
	}
	renamed := map[string]string{}
	if before.from != "" {
		// Without them a renamed file's findings are new: that blocks, and is safe.
		renamed, _ = e.repo.Renames(ctx, before.from)
		renamed = e.below(renamed)
	}
	list := identities(r.Findings)
	fresh := finding.New(list, before.known, renamed)
	if before.counts != nil {
		fresh = finding.Over(list, before.counts, renamed)
	}
	count := 0
	for i := range r.Findings {
		r.Findings[i].State = gate.StateUnchanged
		if fresh[i] {
			r.Findings[i].State = gate.StateNew
			count++
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b gate.Finding) int { return strings.Compare(a.State, b.State) })
	r.Report.Old = len(r.Findings) - count
	r.Report.Note = strings.TrimPrefix(r.Report.Note+"; compared with "+before.what, "; ")
	if count > 0 {
		r.Message += fmt.Sprintf("; %s", text.Count(count, "new finding"))
		if r.Report.Old > 0 {
			r.Message += fmt.Sprintf(", %d old", r.Report.Old)
		}
		return
	}
	if why := before.unexplained(r); why != "" {
		r.Message += "; no new finding, but " + why + ": the exit code decides"
		return
	}
	r.Status, r.Message, r.Tail = gate.Pass, fmt.Sprintf("%s, none new since %s", text.Count(r.Report.Old, "finding"), before.what), ""
	r.Output = ""
}

func identities(list []gate.Finding) []finding.Finding {
	out := make([]finding.Finding, 0, len(list))
	for _, f := range list {
		out = append(out, f.Identity())
	}
	return out
}

// below keeps what is in the project, relative to its root.
func (e *execution) below(renamed map[string]string) map[string]string {
	out := map[string]string{}
	for from, to := range renamed {
		if a, ok := strings.CutPrefix(from, e.prefix); ok {
			if b, ok := strings.CutPrefix(to, e.prefix); ok {
				out[a] = b
			}
		}
	}
	return out
}

// comparable returns why two runs cannot be compared.
func (b earlier) comparable(key proof.Key, r *gate.Result) error {
	for _, name := range slices.Sorted(maps.Keys(b.made)) {
		if !strings.HasPrefix(key.Parts[name], b.made[name]) {
			return fmt.Errorf("the check's %s changed since %s, so nothing can be called new or old", name, b.what)
		}
	}
	if b.tool != "" && r.Report.Tool != "" && b.tool != r.Report.Tool {
		return fmt.Errorf("the tool changed from %s to %s since %s, so nothing can be called new or old", b.tool, r.Report.Tool, b.what)
	}
	if b.exit != nil && *b.exit > 0 && *r.ExitCode > *b.exit {
		return fmt.Errorf("the exit code was %d and is %d now, so the tool may have broken off", *b.exit, *r.ExitCode)
	}
	return nil
}

// unexplained returns why old findings alone do not explain the failure: something else that
// the gate runs may have failed beside them.
func (b earlier) unexplained(r *gate.Result) string {
	same := b.total() == len(r.Findings)
	if b.exit != nil && *r.ExitCode != *b.exit && (*b.exit == 0 || same) {
		return fmt.Sprintf("the exit code was %d and is %d now", *b.exit, *r.ExitCode)
	}
	if b.unread == nil || r.Report.Unread == nil {
		return ""
	}
	if line := r.Report.Unread.Since(b.unread, same); line != "" {
		return fmt.Sprintf("the output has a line that was not there then (%s)", redact.Line(line, 200))
	}
	return ""
}

// total is how many findings there were.
func (b earlier) total() int {
	if b.counts != nil {
		return b.counts.Total()
	}
	n := 0
	for _, k := range b.known {
		n += k.Count
	}
	return n
}

// before finds what to compare with.
func (e *execution) before(ctx context.Context, j gate.Job, key proof.Key) (earlier, error) {
	switch j.Check.NewOnly {
	case "turn":
		return e.beforeTurn(ctx, j)
	case "base":
		return e.beforeBase(ctx, j, key)
	}
	return e.beforeBaseline(ctx, j)
}

// beforeTurn is the newest result of the gate from before this turn: on the
// content that the prompt found, else the newest in this work tree.
func (e *execution) beforeTurn(ctx context.Context, j gate.Job) (earlier, error) {
	none := errors.New("no findings are known from before this turn")
	if e.opts.Turn == "" {
		return earlier{}, errors.New("new_only: turn compares at stops only")
	}
	rec := e.beforeThisTurn(ctx, j)
	if rec == nil {
		return earlier{}, none
	}
	b := earlier{made: gate.MadeWith(rec.Parts), tool: rec.Tool, exit: rec.ExitCode, unread: unreadOf(*rec), from: e.opts.Since.Head, what: "the start of the turn"}
	b.from = cmp.Or(b.from, e.changes.status.Head)
	if json.Unmarshal(rec.Findings, &b.known) != nil {
		return earlier{}, none
	}
	return b, nil
}

// beforeThisTurn is the newest readable record of a gate from before this turn that the
// session did not make, unless nothing was held against it there; nil when there is none.
func (e *execution) beforeThisTurn(ctx context.Context, j gate.Job) *proof.Record {
	usable := func(r *proof.Record) bool {
		return r != nil && r.Findings != nil && r.StartedBy != proof.ByAgent && r.Turn != e.opts.Turn && (e.opts.TurnStart.IsZero() || r.At.Before(e.opts.TurnStart)) &&
			(r.Session != e.opts.Session || !r.Own)
	}
	if e.opts.Ground != nil {
		if g, _ := e.opts.Ground(j.ID); g != nil {
			if rec := e.ledger.Get(e.keyOn(ctx, j, e.account(g.Account)).ID).Newest(); usable(rec) {
				return rec
			}
		}
	}
	for _, r := range e.ledger.List() { // newest first
		if r.Gate == j.ID && r.Where == e.opts.Config.Root && usable(&r) {
			return &r
		}
	}
	return nil
}

// beforeBase is what the check finds on the merge base: it runs there once.
func (e *execution) beforeBase(ctx context.Context, j gate.Job, key proof.Key) (earlier, error) {
	commit, err := e.mergeBase(ctx)
	if err != nil {
		return earlier{}, err
	}
	what := "the merge base " + commit[:min(10, len(commit))]
	made := gate.MadeWith(key.Parts)
	id := baseKey(commit, j.ID, made)
	rec := e.ledger.Get(id).Newest()
	if rec == nil || rec.Findings == nil {
		a, err := content.OfCommit(ctx, e.repo, commit)
		if err != nil {
			return earlier{}, err
		}
		r, err := e.runOn(ctx, j, a, room.Base)
		if err != nil {
			return earlier{}, err
		}
		if r.Status == gate.Error || r.TimedOut || r.ExitCode == nil {
			return earlier{}, fmt.Errorf("the check could not run on %s (%s)", what, r.Message)
		}
		if r.Status == gate.Fail && len(r.Findings) == 0 {
			return earlier{}, fmt.Errorf("the check fails on %s without a finding", what)
		}
		made := proof.Record{
			Key: id, Gate: j.ID + " on " + commit[:min(12, len(commit))], Outcome: proof.Fail, Source: proof.Run, StartedBy: e.opts.StartedBy, Where: e.opts.Config.Root,
			At: e.opts.Now().UTC(), Tree: commit, DurationMS: r.DurationMS, Command: r.Command, ExitCode: r.ExitCode, Parts: key.Parts,
		}
		if r.Status == gate.Pass {
			made.Outcome = proof.Pass
		}
		if made.Findings, made.Tool, made.Unread = remembered(r); made.Findings == nil {
			return earlier{}, fmt.Errorf("the report on %s cannot be read", what)
		}
		if err := e.ledger.Put(ctx, made); err != nil && !errors.Is(err, proof.ErrNoPlace) {
			return earlier{}, err
		}
		rec = &made
	}
	b := earlier{made: made, tool: rec.Tool, exit: rec.ExitCode, unread: unreadOf(*rec), from: commit, what: what}
	if err := json.Unmarshal(rec.Findings, &b.known); err != nil {
		return earlier{}, err
	}
	return b, nil
}

// mergeBase is the commit at which this work left the base branch; work on the base branch
// itself left it where the session began.
func (e *execution) mergeBase(ctx context.Context) (string, error) {
	commit, err := e.repo.MergeBase(ctx, e.changes.base)
	if err != nil {
		return "", fmt.Errorf("no merge base with %s", redact.Line(e.changes.base, 80))
	}
	if since := e.opts.Since.Head; since != "" && commit == e.changes.status.Head {
		if is, err := e.repo.IsAncestor(ctx, since, commit); err == nil && is {
			return since, nil
		}
	}
	return commit, nil
}

// baseKey identifies the findings of a gate on a commit.
func baseKey(commit, gate string, made map[string]string) string {
	h := sha256.New()
	fmt.Fprintf(h, "new_only base\x00%s\x00%s", commit, gate)
	for _, name := range slices.Sorted(maps.Keys(made)) {
		fmt.Fprintf(h, "\x00%s\x00%s", name, made[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// maxRemembered bounds the findings that are kept with a proof.
const maxRemembered = 5000

// remembered is what is kept of a result's findings; nil when its output was not read, names
// nothing or is too long to keep.
func remembered(r gate.Result) (list json.RawMessage, tool string, unread json.RawMessage) {
	var known []finding.Known
	var rest *finding.Unread
	switch {
	case r.Failure != nil && len(r.Failure.Findings) > 0:
		known, rest = finding.Remember(r.Failure.Findings), r.Failure.Unread
	case r.Report == nil || r.Status == gate.Fail && len(r.Findings) == 0:
		return nil, "", nil
	default:
		known, rest = r.Known(), r.Report.Unread
	}
	if r.Report != nil {
		tool = r.Report.Tool
	}
	if len(known) > maxRemembered {
		return nil, "", nil
	}
	if known == nil {
		known = []finding.Known{}
	}
	data, err := json.Marshal(known)
	if err != nil {
		return nil, "", nil
	}
	if rest != nil {
		if unread, err = json.Marshal(rest); err != nil {
			return nil, "", nil
		}
	}
	return data, tool, unread
}

// unreadOf is what a record's output said besides its findings; nil when unknown.
func unreadOf(rec proof.Record) *finding.Unread {
	var u *finding.Unread
	if rec.Unread == nil || json.Unmarshal(rec.Unread, &u) != nil {
		return nil
	}
	return u
}
