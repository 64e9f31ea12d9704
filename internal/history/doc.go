// Package history is the record of what was judged: an append-only spool of JSON lines,
// cheap enough to be written on the hook's hot path (one open, one write, no lock, no
// fsync).
//
// The spool is the source of truth; history/store reads it into SQLite for commands with
// queries and can be deleted at any time. Ring 1: imports ring 0 only, never a database,
// git, or an agent.
package history
