package shell

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Statement is one command of a script, as it would be typed in Dir.
type Statement struct {
	Text string
	Dir  string
	Env  map[string]string // variables that the script sets for it
}

// Statements splits a script into what can be run on its own. Directory changes and plain
// assignments are followed; loops, conditions and functions are left out: what they run
// depends on more than the work tree.
func Statements(script, dir string) []Statement {
	file, parsed := parse(script)
	if !parsed {
		return nil
	}
	var out []Statement
	env := map[string]string{}
	for _, s := range file.Stmts {
		if s.Background || s.Coprocess || s.Negated {
			continue
		}
		text := script[s.Pos().Offset():s.End().Offset()]
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), ";"))
		switch c := s.Cmd.(type) {
		case *syntax.CallExpr:
			if len(c.Args) == 0 {
				if !assign(env, c.Assigns) {
					return out // the rest depends on what only a shell can compute
				}
				continue
			}
			if to, ok := changesTo(c); ok {
				if dir = Inside(dir, to); dir == "" {
					return out
				}
				continue
			}
			if name := c.Args[0].Lit(); name == "set" || name == "shopt" || name == "echo" || name == "printf" || name == "true" || name == "exit" {
				continue
			}
		case *syntax.DeclClause:
			if c.Variant.Value == "export" && !assign(env, c.Args) {
				return out
			}
			continue
		case *syntax.BinaryCmd:
			if d, rest, ok := afterCd(script, c, dir); ok {
				out = append(out, Statement{Text: rest, Dir: d, Env: maps.Clone(env)})
				continue
			}
			if c.Op == syntax.OrStmt && ignoresFailure(c.Y) {
				continue // it cannot fail, so it checks nothing
			}
		case *syntax.Subshell:
			inner := script[c.Lparen.Offset()+1 : c.Rparen.Offset()]
			out = append(out, Statements(inner, dir)...)
			continue
		default:
			continue
		}
		out = append(out, Statement{Text: text, Dir: dir, Env: maps.Clone(env)})
	}
	return out
}

// ignoresFailure reports whether a statement has the form `… || true` or `… || echo x`.
func ignoresFailure(s *syntax.Stmt) bool {
	name, _ := nameAndArg(s.Cmd)
	return isTrue(s) || name == "echo" || name == "printf"
}

// assign takes assignments of plain values; false when one has to be computed.
func assign(env map[string]string, list []*syntax.Assign) bool {
	for _, a := range list {
		if a.Name == nil || a.Array != nil {
			return false
		}
		value := ""
		if a.Value != nil {
			text, ok := (&walker{}).word(a.Value)
			if !ok {
				return false
			}
			value = text
		}
		env[a.Name.Value] = value
	}
	return true
}

// changesTo is the directory of a plain `cd dir`.
func changesTo(c *syntax.CallExpr) (string, bool) {
	if c.Args[0].Lit() != "cd" && c.Args[0].Lit() != "pushd" || len(c.Args) != 2 {
		return "", false
	}
	return (&walker{}).word(c.Args[1])
}

// afterCd splits `cd dir && rest`.
func afterCd(script string, c *syntax.BinaryCmd, dir string) (to, rest string, ok bool) {
	if c.Op != syntax.AndStmt {
		return "", "", false
	}
	// (cd a && b) && c parses with the cd innermost left.
	left := c
	for {
		next, ok := left.X.Cmd.(*syntax.BinaryCmd)
		if !ok || next.Op != syntax.AndStmt {
			break
		}
		left = next
	}
	call, isCall := left.X.Cmd.(*syntax.CallExpr)
	if !isCall || len(call.Args) == 0 {
		return "", "", false
	}
	sub, isCd := changesTo(call)
	if !isCd {
		return "", "", false
	}
	if to = Inside(dir, sub); to == "" {
		return "", "", false
	}
	rest = strings.TrimSpace(script[left.Y.Pos().Offset():c.End().Offset()])
	if slices.Contains(strings.Fields(rest), "cd") {
		return "", "", false
	}
	return to, rest, true
}

// Inside enters a directory; "" when that leaves the tree or only a shell knows.
func Inside(dir, sub string) string {
	if sub == "" || path.IsAbs(sub) || strings.ContainsAny(sub, "$`~*?") {
		return ""
	}
	p := path.Join(dir, sub)
	if p == ".." || strings.HasPrefix(p, "../") {
		return ""
	}
	return p
}

// Unset are the variables that a line uses and neither it nor env sets.
func Unset(line string, env map[string]string) []string {
	file, parsed := parse(line)
	if !parsed {
		return []string{"?"}
	}
	var out []string
	set := map[string]bool{"HOME": true, "PATH": true, "PWD": true, "USER": true, "TMPDIR": true, "CI": true}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				set[n.Name.Value] = true
			}
		case *syntax.WordIter:
			set[n.Name.Value] = true
		case *syntax.ParamExp:
			name := n.Param.Value
			_, given := env[name]
			hasDefault := n.Exp != nil && (n.Exp.Op == syntax.DefaultUnsetOrNull || n.Exp.Op == syntax.DefaultUnset)
			if !given && !set[name] && !hasDefault && !slices.Contains(out, name) && name != "?" && name != "@" && name != "!" {
				out = append(out, name)
			}
		}
		return true
	})
	return out
}

// AndList splits `a && b && c` into its parts; any other line is one part.
func AndList(line string) []string {
	file, parsed := parse(line)
	if !parsed || len(file.Stmts) != 1 {
		return []string{line}
	}
	var out []string
	var walk func(s *syntax.Stmt) bool
	walk = func(s *syntax.Stmt) bool {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if ok && b.Op == syntax.AndStmt && len(s.Redirs) == 0 && !s.Negated && !s.Background {
			return walk(b.X) && walk(b.Y)
		}
		out = append(out, line[s.Pos().Offset():s.End().Offset()])
		return true
	}
	walk(file.Stmts[0])
	return out
}
