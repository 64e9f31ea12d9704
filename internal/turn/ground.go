package turn

import (
	"errors"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/content"
	"gauntlet/internal/git"
)

// Ground is the content that a session is measured against, for some of the gates: path by
// path the newest content that the session did not make, or on which the gate passed at one
// of its stops. What it was let go with, unfixed, never becomes its ground.
type Ground struct {
	// Gates are the ids of the gates whose ground it is; none: of all that have no other.
	Gates []string `json:"gates,omitempty"`
	// Account names the content. It is "" for gates that passed on content that is not
	// remembered: whatever fails in them is new.
	Account string `json:"account,omitempty"`
	// At is the prompt that it began with.
	At time.Time `json:"at,omitzero"`
	// Incomplete: it is unknown what others changed since.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Left is what a stop left behind: the content, and what the gates said about it.
type Left struct {
	Account string `json:"account,omitempty"`
	// Passed are the gates that passed on it. Healed are those that passed at an earlier stop
	// and not at this one: whatever fails in them now was not failing then.
	Passed []string `json:"passed,omitempty"`
	Healed []string `json:"healed,omitempty"`
	// Unknown: the content could not be kept.
	Unknown bool `json:"unknown,omitempty"`
}

// after is what is left after another stop. ran is which gates ran on the content, and
// whether they passed.
func (l Left) after(account string, ran map[string]bool) Left {
	if len(ran) == 0 && account != "" && l.Account == account {
		return l // nothing changed since
	}
	out := Left{Account: account, Unknown: account == ""}
	for gate, passed := range ran {
		if passed {
			out.Passed = append(out.Passed, gate)
		}
	}
	for _, gate := range append(slices.Clone(l.Passed), l.Healed...) {
		if !slices.Contains(out.Passed, gate) {
			out.Healed = append(out.Healed, gate)
		}
	}
	slices.Sort(out.Passed)
	slices.Sort(out.Healed)
	out.Healed = slices.Compact(out.Healed)
	return out
}

// GroundOf is the ground of a gate; nil when it is unknown. passed: the gate passed since, so
// that everything that fails in it is new.
func (l Ledger) GroundOf(gate string) (g *Ground, passed bool) {
	if slices.Contains(l.Left.Passed, gate) || slices.Contains(l.Left.Healed, gate) {
		return nil, true
	}
	for _, g := range l.Grounds {
		if slices.Contains(g.Gates, gate) || len(g.Gates) == 0 {
			if g.Account == "" {
				return nil, !g.Incomplete
			}
			return &g, false
		}
	}
	return nil, false
}

// advance moves the grounds to a new prompt: what others changed since the last stop belongs
// to them, and gates that passed at that stop start from the whole tree.
func (l Ledger) advance(store content.Store, prompt Prompt, now *content.Account) []Ground {
	whole := Ground{Account: prompt.Account, At: prompt.At}
	if len(l.Grounds) == 0 {
		return []Ground{whole}
	}
	var out []Ground
	if whole.Gates = l.Left.Passed; len(whole.Gates) > 0 {
		out = append(out, whole)
	}
	if len(l.Left.Healed) > 0 {
		out = append(out, Ground{Gates: l.Left.Healed})
	}
	moved := func(gate string) bool {
		return slices.Contains(l.Left.Passed, gate) || slices.Contains(l.Left.Healed, gate)
	}
	others, err := l.others(store, now)
	for _, g := range l.Grounds { // the one of all others is the last
		if len(g.Gates) > 0 {
			if g.Gates = slices.DeleteFunc(slices.Clone(g.Gates), moved); len(g.Gates) == 0 {
				continue
			}
		}
		if g.Incomplete = g.Incomplete || err != nil; !g.Incomplete && len(others) > 0 && g.Account != "" {
			account, err := with(store, g.Account, others, now)
			if g.Incomplete = err != nil; err == nil {
				g.Account = account
			}
		}
		out = append(out, g)
	}
	return out
}

var errUnknownLeft = errors.New("what the last stop left is unknown")

// others lists what changed between the last stop and this prompt. Work that was interrupted
// before it could stop is the session's.
func (l Ledger) others(store content.Store, now *content.Account) ([]string, error) {
	left := l.Left.Account
	switch {
	case l.Left.Unknown || l.Prompt.Account == "":
		return nil, errUnknownLeft
	case !l.Prompt.Stopped:
		return nil, nil
	case left == "":
		left = l.Prompt.Account // the session changed nothing
	}
	account, err := store.Get(left)
	if err != nil {
		return nil, err
	}
	return content.Diff(account, now), nil
}

// with keeps an account with some paths as they are in another one.
func with(store content.Store, name string, paths []string, other *content.Account) (string, error) {
	old, err := store.Get(name)
	if err != nil {
		return "", err
	}
	out := &content.Account{NotSeen: other.NotSeen, Rules: other.Rules, Files: slices.DeleteFunc(old.Files, func(f git.File) bool {
		_, changed := slices.BinarySearch(paths, f.Path)
		return changed
	})}
	for _, p := range paths {
		if f, ok := other.Find(p); ok {
			out.Files = append(out.Files, f)
		}
	}
	slices.SortFunc(out.Files, func(a, b git.File) int { return strings.Compare(a.Path, b.Path) })
	return store.Put(out)
}
