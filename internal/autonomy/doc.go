// Package autonomy saves the work without asking: when a session's context window fills
// past a threshold it writes the notes, commits them, keeps a snapshot of the work, pushes,
// and prompts the agent to continue.
//
// Whether it acts is a pure function of values (decide.go); what it does is one sequence
// (execute.go) that is all or nothing up to the commit. Everything read from the
// repository, the payload or the transcript is untrusted: it is cut, stripped, redacted and
// fenced before it goes anywhere. Ring 3: imports rings 0 and 1.
package autonomy
