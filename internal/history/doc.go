// Package history is the memory of what was judged: an append-only spool of
// JSON lines, cheap enough to be written on the hook's hot path (one open, one
// write, no lock, no fsync).
//
// The spool is the truth; history/store reads it into SQLite for the commands
// that ask questions and can be thrown away at any time. Ring 1: imports
// ring 0 only, never a database, git, or an agent.
package history
