// Package workflow keeps the progress of the seven workflow commands as JSON
// files, so that another agent can carry on where one stopped.
//
// A record is a document and not a struct: whatever other tools put into it
// comes back untouched. Every write takes a lock, reads, changes and replaces
// the file in one step; what cannot be understood is set aside, never
// overwritten. The five functions fail silently (nil or false and one logged
// line), because the work of an agent must not die of its bookkeeping.
//
// Ring 3: imports git, the leaves and its own sub-packages; never cli, stop,
// run or an agent.
package workflow
