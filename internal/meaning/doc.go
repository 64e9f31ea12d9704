// Package meaning answers what a green result is worth: can this gate fail at all, does any
// test notice this change, do the tests of the prompt still pass? Each answer comes from
// running gates in a room, on content that differs in one thing. Ring 3: imports rings 0 to
// 2, and gate.
package meaning

// The results. "not assessed" always has a reason and counts as neither of the others.
const (
	Noticed     = "noticed"
	Unnoticed   = "unnoticed"
	NotAssessed = "not assessed"

	OldPass = "old tests pass"
	OwnOnly = "passes only with its own change"

	CanFail    = "can fail"
	CannotFail = "cannot fail"
)

// Answer is the answer to one question, as JSON and the history have it.
type Answer struct {
	Result string   `json:"result"`
	Files  []string `json:"files,omitempty"`
	Reason string   `json:"reason,omitempty"`
}
