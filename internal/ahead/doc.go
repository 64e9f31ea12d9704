// Package ahead proves gates between two stops, while nothing waits for them. The tool hook
// makes sure that one detached process per work tree is there (Called); that process waits
// for a quiet moment, looks at the work tree and runs in a room whatever a stop would have to
// run now (Process). It is the lowest class of everything on the machine, it is bounded by
// what the stop would have cost (Moment), and it may be killed at any moment. Ring 4: imports
// run.
package ahead
