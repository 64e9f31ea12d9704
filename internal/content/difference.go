package content

import "cmp"

// Difference is what changed between two accounts, or why that is not known. What is decided
// from it is decided by Either, so that nothing can forget the second case.
type Difference struct {
	known *Known
	why   string
}

// Known is a difference of two valid accounts.
type Known struct {
	Before, Now *Account
	// Paths differ, in order.
	Paths []string
}

// Assumed is what has to be believed without two accounts: that everything changed.
type Assumed struct{ Why string }

// Compare is the difference between two accounts.
func Compare(before, now *Account) Difference {
	return Difference{known: &Known{Before: before, Now: now, Paths: Diff(before, now)}}
}

// Unknown is a difference that is not known.
func Unknown(why string) Difference { return Difference{why: why} }

// Either decides from a difference: by what is known, or by what has to be assumed.
func Either[T any](d Difference, known func(Known) T, assumed func(Assumed) T) T {
	if d.known != nil {
		return known(*d.known)
	}
	return assumed(Assumed{Why: cmp.Or(d.why, "the tree was not looked at")})
}
