package tool

import (
	"path"
	"strings"
)

// Selection is what a command restricts itself to. Empty: to nothing.
type Selection struct {
	Dirs    []string // directories that it works in instead of its own
	Members []string // members of a workspace, as written: names, paths, patterns
	Paths   []string // files, directories or packages
}

// Selects returns what the command restricts itself to: pnpm --filter web, go test ./a.
func (c Call) Selects() Selection {
	s := Selection{Dirs: c.valuesOf(c.is.dirs), Members: c.valuesOf(c.is.members)}
	for i, dir := range s.Dirs {
		if strings.Contains(path.Base(dir), ".") && strings.Trim(dir, "./") != "" { // --manifest-path a/Cargo.toml
			s.Dirs[i] = path.Dir(dir)
		}
	}
	operands := c.Operands()
	if c.Sub() != "" && len(operands) > 0 {
		operands = operands[1:]
	}
	switch c.is.targets {
	case "paths":
		s.Paths = operands
	case "member": // nx test NAME, nx run NAME:TASK
		for _, o := range c.Operands()[min(1, len(c.Operands())):] {
			name, _, _ := strings.Cut(o, ":")
			s.Members = append(s.Members, name)
		}
	case "tasks": // moon run NAME:TASK, gradle :NAME:TASK; without a name it is every member
		for _, o := range c.Operands() {
			if i := strings.LastIndexByte(o, ':'); i > 0 {
				s.Members = append(s.Members, strings.ReplaceAll(strings.Trim(o[:i], ":"), ":", "/"))
			}
		}
	}
	return s
}

// valuesOf are the values of flags, and the words behind sub-commands that take one.
func (c Call) valuesOf(flags string) []string {
	var out []string
	for i := 1; i < len(c.argv) && flags != ""; i++ {
		flag, value, glued := strings.Cut(c.argv[i], "=")
		switch {
		case c.argv[i] == "--":
			return out
		case !hasWord(flags, flag):
		case glued:
			out = append(out, strings.Split(value, ",")...)
		case i+1 < len(c.argv):
			i++
			out = append(out, strings.Split(c.argv[i], ",")...)
		}
	}
	return out
}
