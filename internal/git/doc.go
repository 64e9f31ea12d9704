// Package git runs the git binary: where the repository is, what changed, snapshots that
// touch none of the user's files. Output is read with -z, errors are typed, inherited GIT_*
// variables that would point elsewhere are removed. Ring 1: imports ring 0 only.
package git
