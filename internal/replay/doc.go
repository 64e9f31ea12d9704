// Package replay shows what a policy would have done, before it does it: over recorded
// sessions (every end of a turn is a stop), over the history (what was really judged), or
// over commits (the gates run in throw-away work trees).
//
// It only reads: no memory, proof, log or work tree of a project is touched, and the same
// input gives the same report. Session logs are untrusted; an unreadable part is a gap in
// the report, never an error. Ring 4: it uses checkpoint/rules and gate as a stop does, and
// never the stop itself.
package replay
