// Package stop turns one stop event into one verdict, under a deadline, always. steps.go is
// the table; look.go gathers the facts, once and concurrently; decide.go has the pure
// functions of those facts; answer.go remembers and records, stop.go encodes. Whatever
// breaks, the answer is a verdict that lets the agent stop and says why. The steps are
// numbered as in docs/architecture.md. Ring 4: imports rings 0 to 3.
package stop
