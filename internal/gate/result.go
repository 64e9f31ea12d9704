// Package gate is the check gates: which jobs follow from entry points and
// changes, how a check runs and what its result is, and when an earlier result
// still holds. Ring 3: imports rings 0 and 1; what is common to checks and
// reviews (Job, Result, Observer) is defined here.
package gate

// Kind tells the two kinds of gate apart.
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
	// Cached: not run again, because nothing it depends on changed.
	Cached  bool   `json:"cached"`
	LogPath string `json:"logPath"`

	Name    string `json:"name,omitempty"`
	Entry   string `json:"entry,omitempty"`
	Message string `json:"message,omitempty"` // one line: why
	Command string `json:"command,omitempty"`
	// ExitCode is the command's exit status, when it had one.
	ExitCode *int `json:"exitCode,omitempty"`
	TimedOut bool `json:"timedOut,omitempty"`
	// Tail is the end of the output, stripped and redacted.
	Tail string `json:"tail,omitempty"`
	// FixInstructions is the text the project wrote for this failure.
	FixInstructions string `json:"fixInstructions,omitempty"`

	// Reviews: findings by how they were answered, and the files to answer them in.
	Findings    []Finding `json:"findings,omitempty"`
	SkippedOnes int       `json:"skippedFindings,omitempty"`
	ResultFiles []string  `json:"resultFiles,omitempty"`
}

// Finding is an unanswered finding of a review.
type Finding struct {
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Issue    string `json:"issue"`
	Fix      string `json:"fix,omitempty"`
	Priority string `json:"priority,omitempty"`
}

// Observer is told what happens while gates run. Calls for one gate come in
// order; calls for different gates come at the same time.
type Observer interface {
	Start(id string, kind Kind)
	Line(id, text string) // one line of output, as the gate wrote it
	Done(Result)
}
