package setup

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Gate is a check to be written: one command under one name.
type Gate struct {
	Name string `json:"name"`
	Proposal
}

// Entry is an entry point to be written.
type Entry struct {
	Dir     string
	Exclude []string // directories that have an entry point of their own
	Gates   []string // names
	Kinds   []string // of the projects in it
}

// Gates turns proposals into entry points and the gates that they share.
func (r *Result) Gates() (entries []Entry, gates []Gate) {
	list := slices.DeleteFunc(slices.Clone(r.Proposals), func(p Proposal) bool {
		if plainDir(p.Dir) {
			return false
		}
		r.Notes = append(r.Notes, strconv.Quote(p.Dir)+" has characters that mean something in globs; add its entry point by hand")
		return true
	})
	names := nameAll(list)
	byDir := map[string]int{}
	for i, p := range list {
		at, ok := byDir[p.Dir]
		if !ok {
			at = len(entries)
			byDir[p.Dir] = at
			entries = append(entries, Entry{Dir: p.Dir, Kinds: r.kindsIn(p.Dir)})
		}
		if !slices.Contains(entries[at].Gates, names[i]) {
			entries[at].Gates = append(entries[at].Gates, names[i])
		}
		if !slices.ContainsFunc(gates, func(g Gate) bool { return g.Name == names[i] }) {
			gates = append(gates, Gate{Name: names[i], Proposal: p})
		}
	}
	for i, e := range entries {
		for _, o := range entries {
			if under(e.Dir, o.Dir) && !shareKind(list, e.Dir, o.Dir) {
				entries[i].Exclude = append(entries[i].Exclude, o.Dir)
			}
		}
	}
	return entries, gates
}

// asked are the entry points and gates that the checkpoint asks for: the gates, and where a
// directory has no test among them, a test command whose tool is missing here.
func (r Result) asked() ([]Entry, []Gate) {
	kept := slices.Clone(r.Proposals)
	for _, p := range r.Unrun {
		if !slices.ContainsFunc(kept, func(k Proposal) bool { return k.Dir == p.Dir && k.Role == Test }) {
			kept = append(kept, p)
		}
	}
	r.Proposals = kept
	return r.Gates()
}

// shareKind reports whether the gates of one directory may cover the other, so that a
// change there is a change here too.
func shareKind(list []Proposal, top, below string) bool {
	var kinds []string
	for _, p := range list {
		if p.Dir == below {
			kinds = append(kinds, p.Kinds...)
		}
	}
	return slices.ContainsFunc(list, func(p Proposal) bool {
		return p.Dir == top && slices.ContainsFunc(p.Kinds, func(k string) bool { return k != Go && slices.Contains(kinds, k) })
	})
}

// kindsIn lists the languages of the projects in a directory.
func (r *Result) kindsIn(dir string) []string {
	var out []string
	for _, p := range r.Projects {
		if p.Dir == dir && !slices.Contains(out, p.Kind) {
			out = append(out, p.Kind)
		}
	}
	return out
}

// plainDir reports whether an entry point can name the directory unquoted.
func plainDir(dir string) bool {
	return utf8.ValidString(dir) && !strings.ContainsAny(dir, "*?[]{}\\!\n\r\t")
}

// nameAll gives every proposal the shortest clear name; the same command in several
// directories is one gate.
func nameAll(list []Proposal) []string {
	out := make([]string, len(list))
	taken := map[string]string{} // name → what it runs
	same := func(p Proposal) string {
		return fmt.Sprint(p.Role, "\x00", p.Run, "\x00", p.Env, "\x00", p.trial.State)
	}
	claim := func(i int, name string) bool {
		if had, ok := taken[name]; ok && had != same(list[i]) {
			return false
		}
		taken[name] = same(list[i])
		out[i] = name
		return true
	}
	// What is red somewhere and passes elsewhere is two gates: the plain name is
	// for the one that passes.
	order := make([]int, len(list))
	for i := range list {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return redLast(list[a]) - redLast(list[b]) })
	for _, i := range order {
		p := list[i]
		for name, runs := range taken {
			if runs == same(p) {
				out[i] = name
			}
		}
		for _, name := range candidates(list, p) {
			if out[i] != "" || claim(i, name) {
				break
			}
		}
		for n := 2; out[i] == ""; n++ {
			claim(i, candidates(list, p)[0]+"-"+strconv.Itoa(n))
		}
	}
	return out
}

func redLast(p Proposal) int {
	if p.trial.State == Red {
		return 1
	}
	return 0
}

// candidates are the names for a proposal, best first.
func candidates(list []Proposal, p Proposal) []string {
	role := string(p.Role)
	only := !slices.ContainsFunc(list, func(q Proposal) bool { return q.Role == p.Role && q.Run != p.Run })
	var out []string
	if p.Dir != "." && slices.ContainsFunc(list, func(q Proposal) bool { return q.Role == p.Role && q.Run == p.Run && redLast(q) < redLast(p) }) {
		out = append(out, role+"-"+slug(path.Base(p.Dir)), role+"-"+slug(p.Dir))
	}
	kind := ""
	if len(p.Kinds) == 1 {
		kind = p.Kinds[0]
	}
	if kind != "" && p.Dir == "." && slices.ContainsFunc(list, func(q Proposal) bool {
		return q.Role == p.Role && q.Dir == "." && len(q.Kinds) == 1 && q.Kinds[0] != kind
	}) {
		out = append(out, role+"-"+kind)
	}
	if only || p.Dir == "." {
		out = append(out, role)
	}
	one := func(q Proposal) bool {
		return q.Role == p.Role && q.Run != p.Run && slices.Contains(q.Kinds, kind)
	}
	if kind != "" && p.Dir != "." && !slices.ContainsFunc(list, one) {
		out = append(out, role+"-"+kind)
	}
	if p.Dir != "." {
		out = append(out, role+"-"+slug(path.Base(p.Dir)), role+"-"+slug(p.Dir))
	}
	switch {
	case p.Also == "" || p.Also == role:
	case strings.HasPrefix(p.Also, role):
		out = append(out, p.Also)
	default:
		out = append(out, role+"-"+p.Also)
	}
	if kind != "" {
		out = append(out, role+"-"+kind)
	}
	return append(out, role)
}
