package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"gauntlet/internal/tool"
)

// prepares reports whether a statement only sets up what follows and hardly ever fails.
func prepares(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		name, _ := nameAndArg(c)
		return !s.Negated && slices.Contains([]string{"cd", "pushd", "export", "source", ".", "set", "echo", "mkdir", "true", ":"}, name)
	case *syntax.BinaryCmd:
		return c.Op == syntax.AndStmt && prepares(c.X) && prepares(c.Y)
	case *syntax.DeclClause:
		return true
	}
	return false
}

// endsInFilter reports whether a statement is a pipeline whose last part shows what it is given
// and hardly ever fails, whatever comes before it.
func endsInFilter(s *syntax.Stmt) bool {
	c, isBinary := s.Cmd.(*syntax.BinaryCmd)
	if !isBinary || s.Negated || c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
		return false
	}
	last := c.Y
	name, _ := nameAndArg(last.Cmd)
	return !last.Negated && slices.Contains([]string{"tail", "head", "cat", "sort", "wc", "tee"}, name)
}

// complains reports whether a statement prints something whenever it fails.
func complains(s *syntax.Stmt) bool {
	if s.Negated || slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool { return r.Op != syntax.DplOut }) {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		called := tool.Of((&walker{}).words(s))
		switch called.Role() {
		case tool.Build, tool.Lint, tool.Typecheck, tool.Format, tool.Check:
			return true
		case tool.Test, tool.NoRole:
			return called.Is("stops")
		}
	case *syntax.BinaryCmd:
		return c.Op == syntax.AndStmt && (prepares(c.X) || complains(c.X)) && (prepares(c.Y) || complains(c.Y))
	}
	return false
}
