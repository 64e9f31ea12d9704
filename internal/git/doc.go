// Package git talks to the git binary: where the repository is, what changed,
// snapshots that touch nothing of the user's. Output is read with -z, errors
// are typed, inherited GIT_* variables that would point elsewhere are dropped.
// Ring 1: imports ring 0 only.
package git
