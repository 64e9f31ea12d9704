package shellcmd

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
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

// complains reports whether a statement prints something whenever it fails.
func complains(s *syntax.Stmt) bool {
	if s.Negated || slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool { return r.Op != syntax.DplOut }) {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		switch name, sub := nameAndArg(c); name {
		case "go":
			return sub == "build" || sub == "vet"
		case "cargo":
			return sub == "build" || sub == "check" || sub == "clippy"
		case "tsc", "make", "golangci-lint", "eslint", "ruff", "mypy":
			return true
		}
	case *syntax.BinaryCmd:
		return c.Op == syntax.AndStmt && (prepares(c.X) || complains(c.X)) && (prepares(c.Y) || complains(c.Y))
	}
	return false
}
