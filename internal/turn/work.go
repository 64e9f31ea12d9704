package turn

import "gauntlet/internal/content"

// Work is what a session changed and no stop has approved yet: known, or the whole tree. The
// zero value was not asked for.
type Work struct {
	known *KnownWork
	whole string
}

// KnownWork is files, relative to the repository and sorted, and the name of their content.
type KnownWork struct {
	Paths []string
	State string
}

// NewWork is work on known files.
func NewWork(paths []string, state string) Work { return Work{known: &KnownWork{paths, state}} }

// WholeTree is work of which nothing is known: everything counts. why is for the person.
func WholeTree(why string) Work { return Work{whole: why} }

// EitherWork decides from work: from the files, or for the whole tree.
func EitherWork[T any](w Work, known func(KnownWork) T, whole func(why string) T) T {
	if w.known != nil {
		return known(*w.known)
	}
	return whole(w.whole)
}

// Unproved reports whether no stop has approved or released some of the work.
func (w Work) Unproved(l Ledger) bool {
	return EitherWork(w,
		func(k KnownWork) bool { return len(k.Paths) > 0 && k.State != l.Settled },
		func(string) bool { return true })
}

// Whole is why the whole tree has to be judged; "" if the work is known, or not asked for.
func (w Work) Whole() string { return w.whole }

// Difference is what changed since the prompt that began the unproved work.
func (l Look) Difference() content.Difference { return l.difference }

// ThisTurn is what changed since the newest prompt.
func (l Look) ThisTurn() content.Difference { return l.thisTurn }

func (l *Look) since(before *content.Account) content.Difference {
	switch {
	case l.NowErr != nil:
		return content.Unknown(l.NowErr.Error())
	case l.BeforeErr != nil:
		return content.Unknown(l.BeforeErr.Error())
	case l.Now == nil || before == nil:
		return content.Unknown(noPrompt)
	}
	return content.Compare(before, l.Now)
}

// noPrompt is why there is no account to compare with, if nothing went wrong.
const noPrompt = "no prompt of this session was seen here"
