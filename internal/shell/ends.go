package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// end is how a piece of shell must end.
type end int

const (
	maySucceed end = iota // it may succeed
	fails                 // it returns, with a status that is not zero
	exits                 // it never returns, and the shell's status is not zero
)

func ending(s *syntax.Stmt) end {
	if s == nil || s.Background || s.Negated {
		return maySucceed
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		switch name, arg := nameAndArg(c); name {
		case "exit", "return":
			// without a status of its own it repeats the failure that led here
			if arg == "" || arg == "$?" || arg != "0" && !strings.HasPrefix(arg, "$") {
				return exits
			}
		case "false":
			return fails
		}
	case *syntax.Block:
		return endingOf(c.Stmts)
	case *syntax.Subshell:
		return min(endingOf(c.Stmts), fails)
	}
	return maySucceed
}

func endingOf(stmts []*syntax.Stmt) end {
	for i, s := range stmts {
		e := ending(s)
		if e == exits && i > 0 && bareExit(s) {
			return maySucceed // repeats the status of an echo, which is zero
		}
		if e == exits || e == fails && i == len(stmts)-1 {
			return e
		}
	}
	return maySucceed
}

func bareExit(s *syntax.Stmt) bool {
	name, arg := nameAndArg(s.Cmd)
	return (name == "exit" || name == "return") && (arg == "" || arg == "$?")
}

// isTrue reports whether the statement is `|| true`, `|| :` or `|| exit 0`.
func isTrue(s *syntax.Stmt) bool {
	switch name, arg := nameAndArg(s.Cmd); name {
	case "true", ":":
		return true
	case "exit", "return":
		return arg == "0"
	}
	return false
}

func alwaysTrue(stmts []*syntax.Stmt) bool {
	name := onlyName(stmts)
	return name == "true" || name == ":"
}

func alwaysFalse(stmts []*syntax.Stmt) bool { return onlyName(stmts) == "false" }

// onlyName is the name of a list's only command.
func onlyName(stmts []*syntax.Stmt) string {
	if len(stmts) != 1 || stmts[0].Negated {
		return ""
	}
	name, _ := nameAndArg(stmts[0].Cmd)
	return name
}

// nameAndArg is a plain command's name and first argument, "$?" included; empty for
// everything else.
func nameAndArg(node syntax.Node) (name, arg string) {
	c, isCall := node.(*syntax.CallExpr)
	if !isCall || len(c.Args) == 0 {
		return "", ""
	}
	name = c.Args[0].Lit()
	if len(c.Args) > 1 {
		arg = source(c.Args[1])
	}
	return name, arg
}

// source is a word roughly as written, without its quotes.
func source(word *syntax.Word) string {
	text, _ := (&walker{}).word(word)
	return text
}

// paramName is the name of a plain expansion; "PIPESTATUS[0]" for that one and
// "()" for everything that is more than a name.
func paramName(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.NestedParam != nil {
		return "()"
	}
	if p.Index != nil {
		if word, isWord := p.Index.(*syntax.Word); isWord && p.Param.Value == "PIPESTATUS" && word.Lit() == "0" {
			return "PIPESTATUS[0]"
		}
		return "()"
	}
	return p.Param.Value
}

// shown is the statement whose status an explicit exit repeats: stmt is -1 when there is no
// such exit, and the list's length when it is none of them.
type shown struct {
	stmt  int
	first bool // the first element of that pipeline, not the last
}

// endOfList cuts a list after its first unconditional exit.
func endOfList(stmts []*syntax.Stmt) ([]*syntax.Stmt, shown) {
	for i, s := range stmts {
		c, isCall := s.Cmd.(*syntax.CallExpr)
		if !isCall || s.Background || s.Negated {
			continue
		}
		name, arg := nameAndArg(c)
		if name == "exec" && len(c.Args) > 1 {
			return stmts[:i+1], shown{stmt: -1}
		}
		if name != "exit" && name != "return" {
			continue
		}
		before := stmts[:i]
		switch {
		case arg == "" || arg == "$?":
			return before, shown{stmt: i - 1}
		case arg == "$PIPESTATUS[0]":
			return before, shown{stmt: i - 1, first: true}
		case strings.HasPrefix(arg, "$"):
			return before, statusIn(before, arg[1:])
		}
		return before, shown{stmt: i} // exit 0: the status of no command
	}
	return stmts, shown{stmt: -1}
}

// statusIn finds the statement whose status the variable contains.
func statusIn(stmts []*syntax.Stmt, name string) shown {
	for i := len(stmts) - 1; i > 0; i-- {
		if variable, first := statusWord(stmts[i]); variable == name {
			return shown{stmt: i - 1, first: first}
		}
		if assigns(stmts[i], name) {
			break
		}
	}
	return shown{stmt: len(stmts)}
}

// abortsOnError reports whether, with errexit, a failure of this statement ends the shell.
// A compound command, or a function, may fail because of a failure that did not count, so
// the statements within it decide.
func (w *walker) abortsOnError(s *syntax.Stmt) bool {
	if s.Negated || s.Background {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		name, _ := nameAndArg(c)
		return w.declared[name] == nil
	case *syntax.Subshell:
		return true
	case *syntax.TimeClause:
		return c.Stmt != nil && w.abortsOnError(c.Stmt)
	case *syntax.BinaryCmd:
		return (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) && w.abortsOnError(c.Y)
	}
	return false
}

// mayExitZero reports whether the statement may end the shell with status zero, so that
// what follows may not have run although the line succeeded.
func (w *walker) mayExitZero(s *syntax.Stmt) bool {
	found := false
	var visit func(node syntax.Node, or bool)
	visit = func(node syntax.Node, or bool) {
		syntax.Walk(node, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Stmt:
				if known, seen := w.ends[n]; seen && !or {
					found = found || known
					return false
				}
			case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl:
				return false
			case *syntax.BinaryCmd:
				if n.Op == syntax.OrStmt {
					visit(n.X, or)
					visit(n.Y, true)
					return false
				}
			case *syntax.CallExpr:
				name, arg := nameAndArg(n)
				if body := w.declared[name]; body != nil && !w.ending[body] {
					w.ending[body] = true
					visit(body, or)
					delete(w.ending, body)
				}
				switch name {
				case "eval":
					found = found || strings.Contains(arg, "exit") || strings.Contains(arg, "$")
				case "exit", "return":
					if arg == "0" || strings.HasPrefix(arg, "$") || arg == "" && !or {
						found = true
					}
				case "exec":
					found = found || len(n.Args) > 1
				}
			}
			return !found
		})
	}
	visit(s, false)
	w.ends[s] = found
	return found
}

// breaks reports whether a loop body may leave its loop early.
func breaks(stmts []*syntax.Stmt) bool {
	found := false
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch name, arg := nameAndArg(n); name {
			case "break", "continue":
				found = true
			case "exit", "return":
				found = found || arg == "0" || arg == "" || strings.HasPrefix(arg, "$")
			}
			return !found
		})
	}
	return found
}

// trapsExit reports whether a trap may change the status that the line ends with.
func trapsExit(file *syntax.File) bool {
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if name, arg := nameAndArg(n); name == "trap" && strings.Contains(arg, "exit") {
			found = true
		}
		return !found
	})
	return found
}

// pipeline flattens a | b | c.
func pipeline(s *syntax.Stmt) []*syntax.Stmt {
	c, isBinary := s.Cmd.(*syntax.BinaryCmd)
	if !isBinary || c.Op != syntax.Pipe && c.Op != syntax.PipeAll || s.Negated || len(s.Redirs) > 0 {
		return []*syntax.Stmt{s}
	}
	var elems []*syntax.Stmt
	for _, side := range []*syntax.Stmt{c.X, c.Y} {
		elems = append(elems, pipeline(side)...)
	}
	return elems
}
