package house

import (
	"go/ast"
	"go/types"
)

// guardless may start a child without the recursion guard.
var guardless = map[string]string{
	"doctor/gates.go":    "the program that is installed, asked for its version of a slug",
	"doctor/selftest.go": "in place of an agent: its hook has to answer",
}

// checkGuard finds children without a recursion guard: a command in proc whose environment
// is not the one that environ makes, an environ without the guard, and callers that leave
// the guard out.
func checkGuard(h *house) (out []finding) {
	const environ = "(gauntlet/internal/proc.Cmd).environ"
	for _, p := range h.pkgs {
		for _, f := range p.files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				if obj, ok := p.info.Defs[fn.Name].(*types.Func); ok && obj.FullName() == environ && !uses(p, fn.Body, eventPath+".GuardVar") {
					out = append(out, h.at(fn, "the environment of a child lacks the recursion guard (event.GuardVar)"))
				}
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					if e, ok := n.(ast.Expr); ok && p.makesCommand(e) && !p.setsEnv(fn.Body, environ) {
						out = append(out, h.at(e, "a child without the recursion guard: set Env to environ()"))
					}
					return true
				})
			}
		}
	}
	h.each(func(p *pkg, f *file, n ast.Node) {
		if id, ok := n.(*ast.Ident); ok && p.room != "proc" && p.room != "" && !f.in(guardless) && isField(p.info.Uses[id], "gauntlet/internal/proc", "Unguarded") {
			out = append(out, h.at(id, "a child without the recursion guard: only what stands in for an agent may do that"))
		}
	})
	return out
}

// uses reports whether a piece of code mentions something by its full name.
func uses(p *pkg, n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && p.name(id) == name {
			found = true
		}
		return !found
	})
	return found
}

// makesCommand reports whether an expression makes an exec.Cmd.
func (p *pkg) makesCommand(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		name := p.callee(e)
		return name == "os/exec.Command" || name == "os/exec.CommandContext"
	case *ast.CompositeLit:
		t := p.info.TypeOf(e)
		return t != nil && t.String() == "os/exec.Cmd"
	}
	return false
}

// setsEnv reports whether a function sets the Env of a command to what maker returns, and to
// nothing else.
func (p *pkg) setsEnv(body *ast.BlockStmt, maker string) bool {
	set, other := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, l := range a.Lhs {
			sel, ok := l.(*ast.SelectorExpr)
			if !ok || !isField(p.info.Uses[sel.Sel], "os/exec", "Env") {
				continue
			}
			call, ok := a.Rhs[min(i, len(a.Rhs)-1)].(*ast.CallExpr)
			if ok && p.callee(call) == maker {
				set = true
			} else {
				other = true
			}
		}
		return true
	})
	return set && !other
}

func isField(obj types.Object, path, name string) bool {
	v, ok := obj.(*types.Var)
	return ok && v.IsField() && v.Name() == name && v.Pkg() != nil && v.Pkg().Path() == path
}
