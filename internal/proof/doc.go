// Package proof records what is already proved: a gate passed for exactly one content. A
// record is found again by a key that covers everything the outcome depends on, from
// any source and in any work tree. Records are in the repository's common git directory, one
// file per key, sealed with a key of the user: a torn or forged record counts as missing.
// Ring 2: imports rings 0 and 1.
package proof
