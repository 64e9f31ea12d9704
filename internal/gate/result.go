// Package gate is the check gates: which jobs follow from entry points and changes, how a
// check runs and what its result is, and when an earlier result is still valid. Ring 3:
// imports rings 0 to 2, and finding; what is common to checks and reviews (Job, Result,
// Observer) is defined here.
package gate

import (
	"cmp"
	"strconv"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/finding"
	"gauntlet/internal/history"
	"gauntlet/internal/proof"
)

// Kind is one of the two kinds of gate.
type Kind string

// The kinds.
const (
	KindCheck  Kind = "check"
	KindReview Kind = "review"
)

// Status is how one gate ended.
type Status string

// Only Fail makes a run fail: an Error could not judge.
const (
	Pass    Status = "pass"
	Fail    Status = "fail"
	Error   Status = "error"
	Skipped Status = "skipped"
)

// Result is one gate of a run.
type Result struct {
	ID         string `json:"id"`
	Kind       Kind   `json:"kind"`
	Status     Status `json:"status"`
	DurationMS int64  `json:"durationMs"`
	// Cached: not run again, because it passed on exactly this content. Proof is who proved
	// that.
	Cached bool          `json:"cached"`
	Proof  *proof.Origin `json:"proof,omitempty"`
	// Where it ran, if not on this machine.
	Where   string `json:"where,omitempty"`
	LogPath string `json:"logPath"`

	Name    string `json:"name,omitempty"`
	Entry   string `json:"entry,omitempty"`
	Dir     string `json:"directory,omitempty"`
	Message string `json:"message,omitempty"` // one line: why
	// Warning is a reservation about a pass: it ran no test.
	Warning string `json:"warning,omitempty"`
	// Failure is what failed, as far as it can be named; nil when it did not fail.
	Failure *finding.Failure `json:"-"`
	// KnownRed: everything that failed was failing before this session, and does not block.
	KnownRed bool `json:"knownRed,omitempty"`
	// NewFailures and KnownFailures name what failed and was not, or was, failing before this
	// session, if that was compared.
	NewFailures   []string `json:"newFailures,omitempty"`
	KnownFailures []string `json:"knownFailures,omitempty"`
	// Own: something of it was not failing before this session.
	Own bool `json:"-"`
	// LeftBy is the session that was let go with these failures, if another one was.
	LeftBy string `json:"leftBy,omitempty"`
	// Unmeasured explains why it is unknown what was failing before, if that may matter.
	Unmeasured string `json:"unmeasured,omitempty"`
	// LimitMS is its time limit.
	LimitMS int64 `json:"limitMs,omitempty"`
	// SavedMS is the duration of the run whose result is reused.
	SavedMS int64 `json:"savedMs,omitempty"`
	// AgentAgreed: an agent's own run of the command was checked by running it again.
	AgentAgreed *bool  `json:"agentAgreed,omitempty"`
	Command     string `json:"command,omitempty"`
	// ExitCode is the command's exit status, when it had one.
	ExitCode *int `json:"exitCode,omitempty"`
	TimedOut bool `json:"timedOut,omitempty"`
	// Tail is the end of the output, stripped and redacted. Output is more of it, which the
	// history keeps.
	Tail   string `json:"tail,omitempty"`
	Output string `json:"-"`
	// FixInstructions is the text the project wrote for this failure.
	FixInstructions string `json:"fixInstructions,omitempty"`

	// Key identifies everything the result depends on; "" when unknown.
	Key string `json:"key,omitempty"`
	// Parts are the digests that the key is made of.
	Parts map[string]string `json:"-"`
	// Mode is what a failure means; WouldBlock: it failed, and only its mode lets
	// the agent stop.
	Mode       config.Mode `json:"mode,omitempty"`
	WouldBlock bool        `json:"wouldBlock,omitempty"`
	// Flaky: it failed and passed on the same content. Attempt counts from 1 when
	// a failed check was run again.
	Flaky bool `json:"flaky,omitempty"`
	// Flake is why a failure on the same content does not count; nil: none did.
	Flake *history.Flake `json:"flake,omitempty"`
	// Stalled is the share of the run's time in which tasks of this machine waited for a
	// processor, from 0 to 1.
	Stalled float64 `json:"stalled,omitempty"`
	// FailedBefore: it passed now and failed earlier on the same content. That is
	// a flake, too, or something outside the tree was repaired.
	FailedBefore bool `json:"failedBefore,omitempty"`
	Attempt      int  `json:"attempt,omitempty"`

	// Findings of a check are those of its report, of a review those that are unanswered.
	Findings []Finding `json:"findings,omitempty"`
	// Report is what else a check's report contains; nil when it is not read.
	Report *Report `json:"report,omitempty"`
	// Reviews: how many findings were skipped, which and why, and the files to
	// answer findings in.
	SkippedOnes    int      `json:"skippedFindings,omitempty"`
	SkippedReasons []string `json:"skippedReasons,omitempty"`
	ResultFiles    []string `json:"resultFiles,omitempty"`
	// SkippedByPerson: a person lets stops leave this gate out.
	SkippedByPerson bool `json:"skippedByPerson,omitempty"`
	// Fix is what the check's fix command would change; nil: nothing is offered.
	Fix *Patch `json:"fix,omitempty"`
	// Waiting counts findings that another session has to answer; they do not fail this one.
	Waiting int `json:"waitingFindings,omitempty"`
}

// CauseLoad is the cause of a flake on a busy machine: the check passed when it ran alone.
const CauseLoad = "load"

// Finding is a problem that a check or a review reported.
type Finding struct {
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Issue    string `json:"issue"`
	Fix      string `json:"fix,omitempty"`
	Priority string `json:"priority,omitempty"` // of a review: critical to low; of a check: error, warning
	Test     string `json:"test,omitempty"`     // package and name of a failed test
	// State is new or unchanged, if that was compared (new_only).
	State string `json:"state,omitempty"`
	// Print identifies the finding without its path and line.
	Print string `json:"print,omitempty"`
}

// Place is file:line, the file alone, or nothing, as far as it is known.
func (f Finding) Place() string {
	if f.File == "" || f.Line <= 0 {
		return f.File
	}
	return f.File + ":" + strconv.Itoa(f.Line)
}

// String is one line for people: file:line [priority] issue, as far as they are known.
func (f Finding) String() string {
	var parts []string
	if at := cmp.Or(f.Place(), f.Test); at != "" {
		parts = append(parts, at)
	}
	if f.Priority != "" {
		parts = append(parts, "["+f.Priority+"]")
	}
	return strings.Join(append(parts, f.Issue), " ")
}

// States of a finding, in the words of SARIF's baselineState.
const (
	StateNew       = "new"
	StateUnchanged = "unchanged"
)

// Report is what a check's report contains besides its findings.
type Report struct {
	Tool    string `json:"tool,omitempty"` // tool and version, where the report names them
	Tests   int    `json:"tests,omitempty"`
	Failed  int    `json:"failed,omitempty"`
	Outside int    `json:"outside,omitempty"` // findings about files outside the project
	// Note is why the exit code alone decided, or what was compared.
	Note string `json:"note,omitempty"`
	// Old counts findings that were there before.
	Old int `json:"old,omitempty"`
	// Unread is what the output says about failures besides the findings; nil when unknown.
	Unread *finding.Unread `json:"-"`
}

// Proves reports whether a pass follows from the content alone. A pass with old findings
// also depends on what they were compared with.
func (res Result) Proves() bool {
	return res.Status == Pass && (res.ExitCode == nil || *res.ExitCode == 0 || res.Report == nil || res.Report.Old == 0)
}

// NewFindings lists the findings that are new, or all of them if that was not compared.
func (res Result) NewFindings() []Finding {
	var out []Finding
	for _, f := range res.Findings {
		if f.State != StateUnchanged {
			out = append(out, f)
		}
	}
	return out
}

// Known reduces the findings to what a later run compares with.
func (res Result) Known() []finding.Known {
	list := make([]finding.Finding, 0, len(res.Findings))
	for _, f := range res.Findings {
		list = append(list, f.Identity())
	}
	return finding.Remember(list)
}

// Fingerprint identifies a finding of the gate for other tools.
func (res Result) Fingerprint(f Finding) string { return f.Identity().Fingerprint(res.ID) }

// Identity is the finding as the finding package compares it.
func (f Finding) Identity() finding.Finding {
	id := finding.Finding{Path: f.File, Rule: f.Rule, Message: f.Issue, Test: f.Test, Print: f.Print}
	if id.Print == "" { // a reviewer's
		id.Print = f.Issue
	}
	return id
}

// Observer is notified of what happens while gates run. Calls for one gate come in
// order; calls for different gates come at the same time.
type Observer interface {
	Start(id string, kind Kind)
	Line(id, text string) // one line of output, as the gate wrote it
	Done(Result)
}

// Name is the last part of a gate's id, which is its name.
func Name(id string) string { return id[strings.LastIndexByte(id, ':')+1:] }

// Label is a person's name for the gate of an id: its name, and its entry point if that is
// not the whole project.
func Label(id string) string {
	_, rest, ok := strings.Cut(id, ":")
	i := strings.LastIndexByte(rest, ':')
	if !ok || i < 0 {
		return id
	}
	entry, name := rest[:i], rest[i+1:]
	if entry == "." {
		return name
	}
	return name + " (" + entry + ")"
}
