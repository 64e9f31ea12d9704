package trust

import (
	"gauntlet/internal/config"
)

// Decision is which policy counts.
type Decision struct {
	// Policy is the one that counts; nil when none was ever allowed.
	Policy config.Policy
	// Digest names the policy that a person allowed; "" when every policy counts.
	Digest string
	// Change describes what differs from it on disk; "" when nothing does.
	Change string
	// Invalid is why the policy on disk cannot be used at all, if it differs.
	Invalid error
	// All: the user wants every policy to count (Source is the setting).
	All    bool
	Source string
}

// Trusted reports whether there is a policy that counts.
func (d Decision) Trusted() bool { return d.Policy != nil }

// Notice is what a person should know and do about a policy that was changed.
func (d Decision) Notice() string {
	if d.Invalid != nil {
		return "policy changed: " + d.Change + "; the one allowed before still judges; fix it, then: gauntlet allow"
	}
	return "policy changed: " + d.Change + "; gauntlet allow to use it"
}

// Loader reads the meaning of a policy.
type Loader func(config.Policy) (*config.Loaded, error)

// Decide decides which policy counts, given the one on disk: that one if it means the same
// as the policy that is allowed now, else a copy of the allowed one, else none.
func (s Store) Decide(disk config.Policy, load Loader) Decision {
	digest := s.read().current(s.tree)
	if digest == "" {
		return Decision{}
	}
	if len(disk) > 0 && disk.Digest() == digest {
		return Decision{Policy: disk, Digest: digest}
	}
	kept, err := s.recall(digest)
	if err != nil {
		return Decision{}
	}
	c := Compare(kept, disk, load)
	if c.Same() {
		return Decision{Policy: disk, Digest: digest}
	}
	return Decision{Policy: kept, Digest: digest, Change: c.Line(), Invalid: c.Invalid}
}

// Since describes how a policy differs from one that was allowed before, by its digest.
func (s Store) Since(digest string, now config.Policy, load Loader) string {
	old, err := s.recall(digest)
	if err != nil {
		return "the one before is not known any more"
	}
	return Compare(old, now, load).Line()
}

// Current is the policy that is allowed now; nil if none is.
func (s Store) Current() config.Policy {
	p, err := s.recall(s.read().current(s.tree))
	if err != nil {
		return nil
	}
	return p
}

// current is the digest of the one policy that counts: the one allowed last. A store of an
// earlier version also names the one that last judged in each work tree, which may have been
// allowed before that.
func (r record) current(tree string) string {
	if used := r.Used[tree]; r.has(used) {
		return used
	}
	if n := len(r.Allowed); n > 0 {
		return r.Allowed[n-1].Digest
	}
	return ""
}
