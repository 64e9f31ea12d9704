package stack

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Gate is a check to be proposed: one command under one name.
type Gate struct {
	Name string
	Command
	Kind string
}

// Entry is an entry point to be proposed.
type Entry struct {
	Dir     string
	Exclude []string // folders that have an entry point of their own
	Gates   []string // names
	Kinds   []string // of the projects in it; Make only when there is nothing else
}

// Gates turns what was found into entry points and the gates that they share.
func (r *Result) Gates() (entries []Entry, gates []Gate) {
	projects := slices.Clone(r.Projects)
	projects = slices.DeleteFunc(projects, func(p Project) bool {
		if len(p.Commands) == 0 {
			return true
		}
		if !plainFolder(p.Dir) {
			r.Notes = append(r.Notes, strconv.Quote(p.Dir)+" has characters that mean something in globs; add its entry point by hand")
			return true
		}
		return false
	})
	name := names(projects)
	byDir := map[string]int{}
	for _, p := range projects {
		i, ok := byDir[p.Dir]
		if !ok {
			i = len(entries)
			byDir[p.Dir] = i
			entries = append(entries, Entry{Dir: p.Dir, Kinds: r.kinds(p.Dir)})
		}
		for _, c := range p.Commands {
			var n string
			gates, n = withGate(gates, Gate{Name: name(p, c), Command: c, Kind: p.Kind})
			entries[i].Gates = append(entries[i].Gates, n)
		}
	}
	for i, e := range entries {
		for _, other := range entries {
			// A workspace's own commands run those of its members, so a change
			// in a member is a change of the workspace too.
			member := slices.ContainsFunc(projects, func(p Project) bool { return p.Dir == other.Dir && p.coveredBy == e.Dir })
			if other.Dir != e.Dir && under(e.Dir, other.Dir) && !member {
				entries[i].Exclude = append(entries[i].Exclude, other.Dir)
			}
		}
	}
	return entries, gates
}

// kinds lists what a folder holds, also what a Makefile there speaks for.
func (r *Result) kinds(dir string) []string {
	var out []string
	for _, p := range r.Projects {
		if p.Dir == dir && p.Kind != Make {
			out = append(out, p.Kind)
		}
	}
	if len(out) == 0 {
		return []string{Make}
	}
	return out
}

// withGate adds a gate unless its command is there, and returns its final name:
// two folders may look the same as part of a file name.
func withGate(gates []Gate, g Gate) ([]Gate, string) {
	base := g.Name
	for n := 2; ; n++ {
		i := slices.IndexFunc(gates, func(o Gate) bool { return o.Name == g.Name })
		if i < 0 {
			return append(gates, g), g.Name
		}
		if gates[i].Run == g.Run {
			return gates, g.Name
		}
		g.Name = base + "-" + strconv.Itoa(n)
	}
}

// under tells whether dir lies below parent.
func under(parent, dir string) bool {
	return parent == "." || strings.HasPrefix(dir, parent+"/")
}

// plainFolder tells whether an entry point can name the folder as it is.
func plainFolder(dir string) bool {
	return utf8.ValidString(dir) && !strings.ContainsAny(dir, "*?[]{}\\!\n\r\t")
}

// names gives every command the shortest name that no other command has: its
// role, its role and kind, or its role and folder.
func names(projects []Project) func(Project, Command) string {
	distinct := func(keep func(Project, Command) bool) int {
		seen := map[string]bool{}
		for _, p := range projects {
			for _, c := range p.Commands {
				if keep(p, c) {
					seen[c.Run] = true
				}
			}
		}
		return len(seen)
	}
	return func(p Project, c Command) string {
		if distinct(func(_ Project, o Command) bool { return o.Role == c.Role }) == 1 {
			return c.Role
		}
		if distinct(func(q Project, o Command) bool { return o.Role == c.Role && q.Kind == p.Kind }) == 1 {
			return c.Role + "-" + p.Kind
		}
		where := Slug(p.Dir)
		if distinct(func(q Project, o Command) bool { return o.Role == c.Role && Slug(q.Dir) == where }) > 1 {
			where += "-" + p.Kind
		}
		return c.Role + "-" + where
	}
}

// Slug is a folder as part of a file name.
func Slug(dir string) string {
	if dir == "." {
		return "root"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, path.Clean(dir))
}
