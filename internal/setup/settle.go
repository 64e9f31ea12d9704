package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// offer judges a command and keeps it unless the kept ones cover it.
func (f *finder) offer(c found) bool {
	p, r := judge(f.set, c)
	if r != nil {
		return f.refuse(c, *r)
	}
	if p == nil {
		return false
	}
	if c.source == FromCI && onlyC(p.Kinds) && slices.ContainsFunc(f.out.Proposals, func(q Proposal) bool {
		return q.Source == FromCI && q.Dir == p.Dir && slices.Contains(q.Covers, p.Role) && slices.Contains(q.Kinds, C)
	}) {
		return true // CI builds it in several ways; one is enough at a stop
	}
	p.Parts = f.parts(c, *p)
	for i, q := range f.out.Proposals {
		if q.Dir == p.Dir && (q.Run == p.Run || f.sameRecipe(q, *p)) {
			return true
		}
		same := q.Dir == p.Dir && slices.Equal(q.keys, p.keys)
		if same || p.Source > FromCI && f.covers(q, *p) && !f.narrower(q, *p) {
			if q.Dir == p.Dir && p.Source > q.Source {
				f.out.Proposals[i].Instead = append(q.Instead, *p)
			}
			return true
		}
	}
	f.out.Proposals = append(f.out.Proposals, *p)
	return true
}

// sameRecipe reports whether two lines are the same command, as pnpm lint and pnpm run
// lint.
func (f *finder) sameRecipe(a, b Proposal) bool {
	x, y := callOf(f.set, a.Run, a.Dir), callOf(f.set, b.Run, b.Dir)
	return x.own && y.own && x.kind != "" && x.kind == y.kind && x.name == y.name && slices.Equal(a.keys, b.keys)
}

// narrower reports that CI runs make test-small beside variants of make test, which does
// not rule out the plain one.
func (f *finder) narrower(q, p Proposal) bool {
	x, y := callOf(f.set, q.Run, q.Dir), callOf(f.set, p.Run, p.Dir)
	return q.Dir == p.Dir && onlyC(q.Kinds) && y.own && y.name == string(Test) && strings.HasPrefix(x.name, y.name+"-")
}

// onlyC reports whether it is about C, or about what only make knows.
func onlyC(kinds []string) bool {
	return !slices.ContainsFunc(kinds, func(k string) bool { return k != C })
}

// refuse records a refusal. What a refused recipe calls may still be useful: npm test that
// formats before it tests.
func (f *finder) refuse(c found, r Refusal) (offered bool) {
	if slices.ContainsFunc(f.out.Refusals, func(o Refusal) bool { return o.Dir == r.Dir && o.Run == r.Run }) {
		return false
	}
	f.out.Refusals = append(f.out.Refusals, r)
	for _, run := range f.set.Parts(r.Run, r.Dir) {
		if f.offer(found{dir: r.Dir, run: run, why: c.why, source: c.source, env: c.env, kind: c.kind}) {
			offered = true
		}
	}
	return offered
}

// parts are the recipes that a recipe does nothing but call: npm test that is
// npm run lint && npm run unit, or a make target with prerequisites only.
func (f *finder) parts(c found, whole Proposal) []Proposal {
	var out []Proposal
	for _, run := range f.set.Parts(whole.Run, whole.Dir) {
		p, _ := judge(f.set, found{dir: whole.Dir, run: run, why: whole.Why, source: c.source, env: c.env, kind: c.kind})
		if p != nil {
			p.Parts = nil
			out = append(out, *p)
		}
	}
	return out
}

// covers reports whether q makes p unnecessary. A more trusted source decides for its role
// and language; two of the same source are both kept only if they are about different
// things.
func (f *finder) covers(q, p Proposal) bool {
	sums := p.Role == Check || p.Role == Build // for want of something more telling
	if !slices.Contains(q.Covers, p.Role) && !sums {
		return false
	}
	if len(q.Kinds) > 0 && len(p.Kinds) > 0 && !slices.ContainsFunc(q.Kinds, func(k string) bool { return slices.Contains(p.Kinds, k) }) {
		return false
	}
	if q.Dir == p.Dir {
		return true
	}
	return under(q.Dir, p.Dir) && f.memberOf(p, q.Dir)
}

// memberOf reports whether the workspace at top runs this proposal's project too.
func (f *finder) memberOf(p Proposal, top string) bool {
	return slices.ContainsFunc(p.Kinds, func(kind string) bool { return f.isWorkspace(top, kind) })
}

// settle drops what the rest runs anyway, bounds the number, and sorts.
func (f *finder) settle() {
	list := f.out.Proposals
	runs := func(p Proposal, keys []string) bool {
		return !slices.ContainsFunc(p.keys, func(k string) bool { return !slices.Contains(keys, k) })
	}
	for i := len(list) - 1; i >= 0; i-- { // the sum of others
		var rest []string
		for j, q := range list {
			if j != i && q.Dir == list[i].Dir && len(q.Env) == 0 {
				rest = append(rest, q.keys...)
			}
		}
		if len(list[i].keys) > 1 && runs(list[i], rest) {
			list = slices.Delete(list, i, i+1)
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(p Proposal) bool { // what a directory below runs: npm --prefix DIR
		return len(p.keys) > 0 && slices.ContainsFunc(list, func(q Proposal) bool { return under(p.Dir, q.Dir) && slices.Equal(p.keys, q.keys) })
	})
	for i := len(list) - 1; i >= 0; i-- { // a part of another
		for j, q := range list {
			if j != i && len(list[i].keys) > 0 && len(q.keys) > len(list[i].keys) && runs(list[i], q.keys) {
				list = slices.Delete(list, i, i+1)
				break
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Proposal) int {
		return cmp.Or(strings.Compare(sortKey(a.Dir), sortKey(b.Dir)), a.rank()-b.rank())
	})
	f.out.Proposals = f.bound(list)
}

// rank is the order within a directory: a build before what may need it, tests last, the
// rest as CI has it.
func (p Proposal) rank() int {
	switch {
	case p.Role == Build:
		return 0
	case p.Role == Test:
		return len(roles()) + 2
	case p.Source == FromCI:
		return 1
	}
	return 2 + slices.Index(roles(), p.Role)
}

// bound limits the number of gates to what a stop can run: tests first, builds last.
func (f *finder) bound(list []Proposal) []Proposal {
	byWeight := []Role{Test, Lint, Typecheck, Format, Check, Build}
	weight := func(i int) int { return slices.Index(byWeight, list[i].Role) }
	perDir := map[string][]int{}
	for i, p := range list {
		perDir[p.Dir] = append(perDir[p.Dir], i)
	}
	var out []Proposal
	dirs := map[string]bool{}
	var left []string
	for i, p := range list {
		if !dirs[p.Dir] && len(dirs) == maxDirs {
			if !slices.Contains(left, p.Dir) {
				left = append(left, p.Dir)
			}
			continue
		}
		dirs[p.Dir] = true
		heavier := 0
		for _, j := range perDir[p.Dir] {
			if weight(j) < weight(i) || weight(j) == weight(i) && j < i {
				heavier++
			}
		}
		if heavier >= maxGates {
			f.out.Refusals = append(f.out.Refusals, Refusal{Dir: p.Dir, Run: p.Run, Why: p.Why, Reason: fmt.Sprintf("more than %d checks", maxGates)})
			continue
		}
		out = append(out, p)
	}
	if len(left) > 0 {
		f.note("more than %d directories have checks of their own; add entry points by hand for %s", maxDirs, few(left))
	}
	return out
}

// sortKey puts the root first.
func sortKey(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}

// under reports whether dir is below parent.
func under(parent, dir string) bool {
	return dir != parent && (parent == "." || strings.HasPrefix(dir, parent+"/"))
}
