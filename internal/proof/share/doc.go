// Package share uses proofs of other machines and publishes one's own: it looks
// keys up at a remote cache within a bounded time, believes only what an allowed
// key has signed for exactly this key and gate, and puts what may be published
// into an outbox that a detached child empties after the verdict. Every failure
// is a miss. Ring 2, with proof: it knows configuration, no gates.
package share
