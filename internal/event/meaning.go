package event

// Answer is what was found out about the worth of a green result: whether a gate can fail
// (canary), whether a test notices a change (undo), whether the tests of the prompt still
// pass (oldTests). JSON, terminal, page and history use these words.
type Answer struct {
	Result string   `json:"result"`
	Files  []string `json:"files,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// The results. NotAssessed always has a reason and counts as neither of the others.
const (
	Noticed     = "noticed"
	Unnoticed   = "unnoticed"
	NotAssessed = "not assessed"

	OldTestsPass  = "old tests pass"
	OwnChangeOnly = "passes only with its own change"

	CanFail    = "can fail"
	CannotFail = "cannot fail"
)
