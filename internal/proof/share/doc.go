// Package share uses proofs of other machines and publishes the user's own: it looks keys
// up in a remote cache within a bounded time, accepts only what an allowed key has signed
// for exactly this key and gate, and puts what may be published into an outbox that a
// detached child empties after the verdict. Every failure is a miss, and a server that does
// not answer, a farm that runs checks included, is left alone for a while. Ring 2, with proof: it
// knows configuration, no gates.
package share
