package review

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// ask runs one slot with a reviewer and stores the result.
func ask(ctx context.Context, job Job, w *work, r Reviewer) {
	s := &w.slot
	s.Adapter, s.asked = r.Name, true
	start := job.Now()
	defer func() { s.Duration = job.Now().Sub(start) }()
	base := filepath.Join(job.LogDir, fmt.Sprintf("%s_%s@%d.%d", job.Base, r.Name, s.Index, job.RunNumber))
	s.LogPath, s.JSONPath = base+".log", base+".json"

	args := r.command(r.find(job.Env), job.Review.Model)
	s.Command = strings.Join(append([]string{filepath.Base(args[0])}, args[1:]...), " ")
	log, err := newLog(s.LogPath, start, job, s)
	if err != nil {
		s.Status, s.Message = Error, "cannot write its log: "+err.Error()
		s.LogPath, s.JSONPath = "", ""
		s.keepFailing(w.prior)
		return
	}
	defer log.Close()

	q, err := send(ctx, job, w, r, args)
	if err != nil {
		s.Status, s.Message = Error, "cannot be asked outside the project: "+err.Error()
		s.keepFailing(w.prior)
		return
	}
	rec, notes := q.record(job, w.prior)
	rec.Adapter = r.Name
	s.Status, s.Message, s.Findings, s.Said = rec.Status, rec.Message, rec.Violations, rec.Said
	if rec.forOthers {
		s.Status = Pass
	}
	if q.note != "" {
		s.Message += "; " + q.note
	}
	if len(q.leftOut) > 0 {
		s.Message += "; not sent: " + strings.Join(q.leftOut, ", ")
	}
	if s.Status == Error {
		s.keepFailing(w.prior)
		s.JSONPath = base + ".json"
	}
	if err := rec.write(s.JSONPath); err != nil {
		s.Status, s.Message = Error, "cannot keep its result: "+err.Error()
		s.JSONPath = ""
	}
	log.finish(s, notes, q.stdout, q.stderr)
}

// question is what a reviewer was sent and how it answered.
type question struct {
	files          changed
	earlier        []Finding // of the last run
	leftOut        []string  // files that were not sent: they contain secrets
	note           string    // about where it ran
	secrets        redact.Values
	res            proc.Result
	stdout, stderr *proc.Kept
}

// send asks a reviewer and waits for its answer.
func send(ctx context.Context, job Job, w *work, r Reviewer, args []string) (question, error) {
	q := question{
		secrets: redact.Environment(job.Env),
		stdout:  &proc.Kept{Head: 256 << 10, Tail: 2 << 20, Line: job.Line},
		stderr:  &proc.Kept{Head: 64 << 10, Tail: 256 << 10, Line: job.Line},
	}
	sent := job
	sent.Diff, q.leftOut = withoutSecrets(job.Diff, q.secrets)
	q.files = parseDiff(sent.Diff)
	if w.prior != nil {
		q.earlier = w.prior.Violations
	}
	dir, note, remove, err := r.workplace(job.Dir)
	if err != nil {
		return q, err
	}
	defer remove()
	q.note = note
	q.res = proc.Run(ctx, proc.Cmd{
		Args: args, Dir: dir, Env: r.environ(job.Env), Timeout: job.Review.Limit(), Contain: true,
		Stdin: bytes.NewReader(prompt(sent, q.files, q.earlier, q.leftOut)), Stdout: q.stdout, Stderr: q.stderr,
	})
	return q, nil
}

// record reads the answer; notes are for the log.
func (q question) record(job Job, before *prior) (rec record, notes []string) {
	rec = record{Timestamp: job.Now(), Inputs: inputs(job), Violations: q.earlier, RawOutput: q.secrets.String(q.stdout.Text(256 << 10))}
	if q.note != "" {
		notes = append(notes, q.note)
	}
	if len(q.leftOut) > 0 {
		notes = append(notes, leftOutNote(q.leftOut))
	}
	a, answered := lastAnswer(q.stdout.Last())
	switch {
	case !q.res.OK():
		rec.Status, rec.Message = Error, trouble(q.res, job.Review.Limit(), q.stdout, q.stderr)
	case !answered:
		rec.Status, rec.Message = Error, "answered no JSON object of the agreed form"
		if quotaShown(q.stdout, q.stderr) {
			rec.Message = "is out of quota"
		}
	default:
		notes = append(notes, judge(&rec, job, before, q.files, a)...)
	}
	return rec, notes
}

// judge makes a record of an answer: findings outside the diff do not count, and a re-run
// is about the earlier findings.
func judge(rec *record, job Job, before *prior, files changed, a answer) (notes []string) {
	reported := a.Findings
	if a.Status == Pass && len(reported) > 0 {
		notes = append(notes, fmt.Sprintf("%s of a passing answer not kept", text.Count(len(reported), "finding")))
		reported = nil
	}
	outside := 0
	_, parts := readDiff(job.Diff)
	var inside []Finding
	for _, f := range reported {
		if !files.locate(&f, job.Dir, job.Entry) {
			outside++
			continue
		}
		f.Issue, f.Fix = tidy(f.Issue), tidy(f.Fix)
		f.Priority = redact.Line(f.Priority, 20)
		f.Status, f.Session, f.Seen = string(New), redact.Line(job.Session, 200), parts[f.File]
		inside = append(inside, f)
	}
	threshold := "low"
	if job.Rerun && before != nil && (before.Status != Error || len(before.Violations) > 0) {
		threshold = job.Threshold
	}
	kept, reopened, below := merge(rec.Violations, inside, threshold)
	rec.Violations = kept
	for _, n := range []struct {
		count int
		text  string
	}{
		{outside, "outside the diff dropped"},
		{below, "below " + threshold + " dropped"},
		{reopened, "marked fixed but still there"},
	} {
		if n.count > 0 {
			notes = append(notes, text.Count(n.count, "finding")+" "+n.text)
		}
	}
	all := answered(kept, New)
	open := len(slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return f.others }))
	plain := a.Status == Fail && len(a.Findings) == 0
	rec.Status = Pass
	if len(all) > 0 || plain {
		rec.Status, rec.forOthers = Fail, open == 0 && !plain
	}
	rec.Message, rec.Said = describe(open, len(kept)-len(all)), redact.Line(a.Message, 500)
	if plain {
		rec.Message = "failed without a finding"
	}
	if len(notes) > 0 {
		rec.Message += " (" + strings.Join(notes, ", ") + ")"
	}
	return notes
}

// tidy cleans a model's text for logs and prompts.
func tidy(s string) string { return text.Cut(strings.TrimSpace(redact.String(s)), 4000) }

// trouble returns why there is no verdict.
func trouble(res proc.Result, timeout time.Duration, stdout, stderr *proc.Kept) string {
	switch {
	case res.TimedOut:
		return fmt.Sprintf("gave no answer within %s", timeout)
	case res.Cancelled:
		return "was stopped before it answered"
	case proc.NotFound(res):
		return "could not be started: " + redact.Line(res.Err.Error(), 200)
	case quotaShown(stdout, stderr):
		return "is out of quota (" + ended(res, stderr.Last()) + ")"
	}
	said := stderr.Last()
	if len(bytes.TrimSpace(said)) == 0 {
		said = stdout.Last()
	}
	return "died: " + ended(res, said)
}

// quotaShown checks short texts only: a long text that mentions limits is a review of a
// rate limiter.
func quotaShown(streams ...*proc.Kept) bool {
	return slices.ContainsFunc(streams, func(c *proc.Kept) bool { return c.Total < 16<<10 && outOfQuota(c.Last()) })
}

// slotLog is the log of one slot: a header immediately, so that a killed run leaves a
// trace, and the output, bounded and redacted as a whole, at the end.
type slotLog struct{ *os.File }

func newLog(path string, start time.Time, job Job, s *Slot) (slotLog, error) {
	f, err := safefile.Replace("", path, 0o600)
	if err != nil {
		return slotLog{}, err
	}
	_, err = f.WriteString(text.Visible(fmt.Sprintf("Started: %s\nReview: %s\nReviewer: %s (slot %d)\nCommand: %s\nDirectory: %s\n\n",
		start.UTC().Format(time.RFC3339), job.Review.Name, s.Adapter, s.Index, redact.String(s.Command), job.Dir)))
	return slotLog{f}, err
}

func (l slotLog) finish(s *Slot, notes []string, stdout, stderr *proc.Kept) {
	var b bytes.Buffer
	b.WriteString(redact.String(stdout.Text(1 << 20)))
	if e := stderr.Text(256 << 10); strings.TrimSpace(e) != "" {
		b.WriteString("\n--- stderr ---\n" + redact.String(e))
	}
	fmt.Fprintf(&b, "\n\nResult: %s - %s\n", s.Status, s.Message)
	for _, n := range notes {
		fmt.Fprintf(&b, "Note: %s\n", n)
	}
	for _, f := range s.Findings {
		fmt.Fprintf(&b, "- [%s] %s %s: %s\n", f.Priority, f.Answer(), redact.Line(f.Where(), 300), f.Issue)
		if f.Fix != "" {
			fmt.Fprintf(&b, "  fix: %s\n", f.Fix)
		}
	}
	if s.JSONPath != "" {
		fmt.Fprintf(&b, "Answer the findings in %s\n", s.JSONPath)
	}
	// A full disk loses the log, not the verdict.
	_, _ = l.Write(b.Bytes())
}
