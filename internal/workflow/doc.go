// Package workflow keeps the progress of the seven workflow commands as JSON files, so that
// another agent can continue where one stopped.
//
// A record is a document and not a struct: keys of other tools are kept unchanged. Every
// write acquires a lock, reads, changes and replaces the file in one step; a file that
// cannot be understood is set aside, never overwritten. The five functions fail silently
// (nil or false and one logged line), because bookkeeping must not stop an agent's work.
//
// Ring 3: imports git, the leaves and its own sub-packages; never cli, stop, run or an
// agent.
package workflow
