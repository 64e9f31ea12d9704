package history

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"gauntlet/internal/event"
)

// Type is the kind of a line of the spool.
type Type string

// Schema is the version of the lines written now. Lines without a version have the first
// one and are read unchanged: every later field is then unknown.
const Schema = 2

// The kinds of line.
const (
	// Verdict is one judged stop, or one run started by hand.
	Verdict Type = "verdict"
	// Gate is the result of one gate of that verdict; it carries the verdict's ID.
	Gate Type = "gate"
	// Label is a person's label for a verdict or a replayed stop: right or wrong.
	Label Type = "label"
	// Meaning is what was found out about a verdict, or about one of its gates, after it was
	// answered; it carries the verdict's ID.
	Meaning Type = "meaning"
)

// Source is who asked for a verdict, or where a gate's result comes from.
type Source string

// Sources of a verdict.
const (
	FromStop Source = "stop"
	FromRun  Source = "run" // also of a gate: it ran here
)

// Sources of a gate's result that did not run here and now.
const (
	FromWorktree Source = "worktree"
	FromAgent    Source = "agent"
	FromRemote   Source = "remote"
	FromAhead    Source = "ahead" // before the stop needed it
)

// Record is one line of the spool. Which fields matter depends on Type.
type Record struct {
	Schema  int       `json:"schema,omitempty"`
	Type    Type      `json:"type"`
	ID      string    `json:"id"` // of the verdict; its gates share it
	Time    time.Time `json:"time"`
	Project string    `json:"project,omitempty"` // project root
	// Repository is the project in the main work tree, where Project is in a linked one: the
	// work trees of a repository are shown as one.
	Repository string `json:"repository,omitempty"`
	// Status is an event.Status on a verdict and pass|fail|error|skipped on a gate.
	Status     string  `json:"status"`
	DurationMS float64 `json:"durationMs"`
	Message    string  `json:"message,omitempty"`

	// Verdicts.
	Source        Source `json:"source,omitempty"`
	Agent         string `json:"agent,omitempty"`
	Model         string `json:"model,omitempty"`  // as the agent or its log names it
	Client        string `json:"client,omitempty"` // the agent's version
	Session       string `json:"session,omitempty"`
	Turn          string `json:"turn,omitempty"`
	Cwd           string `json:"cwd,omitempty"`
	Decision      string `json:"decision,omitempty"` // approve|block
	Reason        string `json:"reason,omitempty"`
	SystemMessage string `json:"systemMessage,omitempty"`
	Steps         []Step `json:"steps,omitempty"`
	// Policy is the digest of the policy that judged.
	Policy string `json:"policy,omitempty"`
	// PolicyChange is how the policy on disk differed from the one that judged.
	PolicyChange string `json:"policyChange,omitempty"`
	// JudgeChange is what the session changed of that which judged its work: scripts, recipes,
	// configurations of tools.
	JudgeChange string `json:"judgeChange,omitempty"`
	// Transcript is the part of the agent's log that the stop read.
	Transcript *Transcript `json:"transcript,omitempty"`
	// Changed are the files that were judged, at most maxChanged of ChangedTotal.
	Changed      []string `json:"changed,omitempty"`
	ChangedTotal int      `json:"changedTotal,omitempty"`
	// Lines are how much the turn changed; nil: not measured. Prompt is the first line of what
	// the person asked for.
	Lines  *Lines `json:"lines,omitempty"`
	Prompt string `json:"prompt,omitempty"`
	// Tokens are what the turn had used up to this stop, uncached input and output; nil:
	// unknown.
	Tokens *int64 `json:"tokens,omitempty"`
	// Owed are the ids of what a checkpoint asked for.
	Owed []string `json:"owed,omitempty"`
	// Executed is whether the checkpoint that autonomy was to make itself succeeded; nil:
	// it was not to make one.
	Executed *bool `json:"executed,omitempty"`
	// Outcome is how the stop ended, in one of the four words for people; "" in older
	// records and for runs by hand. Badges are what was noticed besides.
	Outcome event.Outcome `json:"outcome,omitempty"`
	Badges  []event.Badge `json:"badges,omitempty"`

	// Undo is whether a test notices the work, OldTests whether the tests of the prompt still
	// pass, with TestDiff, what was changed in those that do not; nil: not asked.
	Undo     *event.Answer `json:"undo,omitempty"`
	OldTests *event.Answer `json:"oldTests,omitempty"`
	TestDiff string        `json:"testDiff,omitempty"`

	// Verdicts and gates.
	Tree    string `json:"tree,omitempty"`    // the content that was judged
	Attempt int    `json:"attempt,omitempty"` // which attempt of the turn, or of the gate when it was retried
	Mode    string `json:"mode,omitempty"`    // enforce|warn|observe|off
	// WouldBlock: it failed, and only its mode let the agent stop. Decision is
	// what was answered.
	WouldBlock bool `json:"wouldBlock,omitempty"`

	// Labels.
	Label string `json:"label,omitempty"` // right|wrong

	// Gates.
	Gate    string `json:"gate,omitempty"`
	Kind    string `json:"kind,omitempty"` // check|review
	Cached  bool   `json:"cached,omitempty"`
	LogPath string `json:"logPath,omitempty"`
	// Tail is the end of the output of a gate that failed or could not run. The log may be
	// gone by the time it is asked for.
	Tail string `json:"tail,omitempty"`
	// Key identifies everything the result depends on (see the proofs).
	Key      string `json:"key,omitempty"`
	Command  string `json:"command,omitempty"`
	ExitCode *int   `json:"exitCode,omitempty"`
	// Findings are those of its report, at most maxFindings of FindingsTotal; FindingsNew
	// counts those that are new, if that was compared.
	Findings      []Finding `json:"findings,omitempty"`
	FindingsTotal int       `json:"findingsTotal,omitempty"`
	FindingsNew   int       `json:"findingsNew,omitempty"`
	// Flaky: it both passed and failed on the same key.
	Flaky bool `json:"flaky,omitempty"`
	// Flake is what caused a failure that does not count; nil: the content, or it did not fail.
	Flake *Flake `json:"flake,omitempty"`
	// AgentAgreed is set if an agent's own run was checked by running it again: whether
	// both had the same result.
	AgentAgreed *bool `json:"agentAgreed,omitempty"`
	// Warning is a reservation about a pass: it ran no test.
	Warning string `json:"warning,omitempty"`
	// LimitMS is its time limit.
	LimitMS float64 `json:"limitMs,omitempty"`
	// Canary is whether the gate can fail; nil: not asked.
	Canary *event.Answer `json:"canary,omitempty"`
	// SavedMS is how long the run would have taken whose result was reused.
	SavedMS float64 `json:"savedMs,omitempty"`
}

// Lines counts the lines that were added and removed.
type Lines struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// Flake is why a failure does not count.
type Flake struct {
	Cause string `json:"cause"`
}

// Transcript is a range of bytes of an agent's log.
type Transcript struct {
	Path string `json:"path"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
}

// Finding is one problem that a gate reported.
type Finding struct {
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message,omitempty"`
	// Print identifies the finding without its path and line.
	Print string `json:"print,omitempty"`
	New   bool   `json:"new,omitempty"`
}

// Step is one step of the pipeline and how long it took.
type Step struct {
	Name string  `json:"name"`
	MS   float64 `json:"ms"`
	Note string  `json:"note,omitempty"` // what the step found, in a few words
}

// NewID names a verdict: sortable by time, short enough to be typed.
func NewID(now time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // crypto/rand never fails on a supported platform
	return now.UTC().Format("060102-150405") + "-" + hex.EncodeToString(b[:])
}

// FromVerdict fills in what follows from the verdict itself.
func FromVerdict(id string, at time.Time, v event.Verdict) Record {
	r := Record{
		Type: Verdict, ID: id, Time: at, Source: FromStop,
		Status: string(v.Status), Message: v.Message, Reason: v.Reason, SystemMessage: v.SystemMessage,
		Decision: "approve", WouldBlock: v.WouldBlock, Owed: v.Owed, Outcome: v.Outcome(), Badges: v.Badges,
	}
	if v.Blocks() {
		r.Decision = "block"
	}
	if v.Autonomous != nil {
		r.Executed = &v.Autonomous.ExecutedDirectly
	}
	return r
}

// EndedAs is how a stop ended, for people; "" for a run by hand. Older records do not contain
// it: then it follows from the rest, with the gates that passed.
func (r Record) EndedAs(gates []Record) event.Outcome {
	if r.Outcome != "" || r.Source == FromRun {
		return r.Outcome
	}
	v := event.Verdict{Status: event.Status(r.Status), WouldBlock: r.WouldBlock, FailedEarlier: r.Status == string(event.StopHookActive)} // others are not recorded
	for _, g := range gates {
		if g.Status == "pass" {
			v.GatesPassed++
		}
	}
	return v.Outcome()
}
