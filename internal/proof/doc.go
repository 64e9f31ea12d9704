// Package proof is what is already proved: a record that a gate held for exactly
// one content, found again by a key that names everything the outcome depends
// on, whatever proved it and in whichever work tree. Records lie in the
// repository's common git directory, one file per key, sealed with a key of the
// user's: a torn or forged one is not there. Ring 2: imports rings 0 and 1.
package proof
