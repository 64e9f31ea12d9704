// Package commit makes the commit of an autonomous checkpoint: exactly its files, whatever
// else is staged or changed, with the repository's own hooks, and so that a run that is
// killed can be undone. Imports git and safefile only.
package commit

import "gauntlet/internal/git"

// Repo is a repository that commits are made in.
type Repo struct{ git.Repo }
