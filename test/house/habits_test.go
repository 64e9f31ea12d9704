package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

const (
	maxNesting  = 5 // statements within statements
	maxSwitches = 2 // bool parameters of a function
)

// checkNesting finds code that only its author can follow.
func checkNesting(h *house) (out []finding) {
	for _, p := range h.pkgs {
		for _, f := range p.files {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && p.room != "" {
					if at, depth := deepest(fn.Body, 0); depth > maxNesting {
						out = append(out, h.at(at, fmt.Sprintf("%d levels deep: return early, or give the inside a name", depth)))
					}
				}
			}
		}
	}
	return out
}

// deepest is the most deeply nested statement within a node. An else if is no level.
func deepest(n ast.Node, depth int) (at ast.Node, most int) {
	at, most = n, depth
	ast.Inspect(n, func(inner ast.Node) bool {
		if inner == nil || inner == n {
			return true
		}
		level := depth
		switch inner := inner.(type) {
		case *ast.IfStmt:
			if outer, ok := n.(*ast.IfStmt); !ok || outer.Else != inner {
				level++
			}
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			level++
		default:
			return true
		}
		if a, d := deepest(inner, level); d > most {
			at, most = a, d
		}
		return false
	})
	return at, most
}

// checkSwitches finds functions that are told by several bools what to do: a call says nothing.
func checkSwitches(h *house) (out []finding) {
	h.each(func(p *pkg, _ *file, n ast.Node) {
		fn, ok := n.(*ast.FuncDecl)
		if !ok {
			return
		}
		bools := 0
		for _, field := range fn.Type.Params.List {
			if b, ok := p.info.TypeOf(field.Type).(*types.Basic); ok && b.Kind() == types.Bool {
				bools += max(1, len(field.Names))
			}
		}
		if bools > maxSwitches {
			out = append(out, h.at(fn, fmt.Sprintf("%d bools: a call says nothing; use a type with names", bools)))
		}
	})
	return out
}

// checkComments finds exported functions and types of which nothing is said.
func checkComments(h *house) (out []finding) {
	for _, p := range h.pkgs {
		for _, f := range p.files {
			if p.room == "" || ast.IsGenerated(f.File) {
				continue
			}
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Name.Name == "Error" || h.fset.Position(d.Pos()).Line == h.fset.Position(d.End()).Line {
						continue // one line says it itself
					}
					if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d)) {
						out = append(out, h.at(d.Name, d.Name.Name+" is exported: say what it does"))
					}
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						if t, ok := spec.(*ast.TypeSpec); ok && t.Name.IsExported() && d.Doc == nil && t.Doc == nil && t.Comment == nil {
							out = append(out, h.at(t.Name, t.Name.Name+" is exported: say what it is"))
						}
					}
				}
			}
		}
	}
	return out
}

func exportedReceiver(d *ast.FuncDecl) bool {
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.IsExported()
}

// onlyTests are exported functions that only tests and other modules call.
var onlyTests = map[string]string{}

// checkUnused finds exported functions that no other package calls.
func checkUnused(h *house) (out []finding) {
	used := map[string]bool{}
	h.each(func(p *pkg, _ *file, n ast.Node) {
		if id, ok := n.(*ast.Ident); ok {
			if obj := p.info.Uses[id]; obj != nil && obj.Pkg() != nil {
				used[objectName(obj)] = true
			}
		}
	})
	for _, p := range h.pkgs {
		for _, f := range p.files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv != nil || !fn.Name.IsExported() || p.room == "" {
					continue
				}
				if name := objectName(p.info.Defs[fn.Name]); !used[name] && onlyTests[strings.TrimPrefix(name, "gauntlet/internal/")] == "" {
					out = append(out, h.at(fn.Name, fn.Name.Name+" is exported and nothing calls it: remove it"))
				}
			}
		}
	}
	return out
}

func objectName(obj types.Object) string {
	if obj == nil || obj.Pkg() == nil {
		return ""
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

// checkLoops finds expressions that are compiled again and again.
func checkLoops(h *house) (out []finding) {
	h.each(func(p *pkg, _ *file, n ast.Node) {
		fn, ok := n.(*ast.FuncDecl) // what a variable holds is compiled once
		if !ok || fn.Body == nil {
			return
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				if calls(p, n, "regexp.MustCompile") {
					out = append(out, h.at(n, "a pattern is compiled in every round: use sync.OnceValue"))
				}
				return false
			}
			return true
		})
	})
	return out
}

// reading are the packages whose errors mean that something could not be read or written.
var reading = []string{"os.", "io.", "os/exec.", "gauntlet/internal/safefile.", "gauntlet/internal/git.", "gauntlet/internal/session.", "gauntlet/internal/content.", "gauntlet/internal/trust.", "gauntlet/internal/proof."}

// partial are functions whose first result says how far they came.
var partial = []string{"ReadDir", "ReadAt", "Read", "Hostname", "Executable"}

func lastName(full string) string { return full[strings.LastIndexByte(full, '.')+1:] }

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// checkIgnored finds errors of reading and writing that are dropped without a word.
func checkIgnored(h *house) (out []finding) {
	for _, p := range h.pkgs {
		for _, f := range p.files {
			said := map[int]bool{} // lines with a comment
			for _, group := range f.Comments {
				for _, c := range group.List {
					if strings.Contains(c.Text, "breaks: ") {
						continue
					}
					said[h.fset.Position(c.Pos()).Line] = true
					said[h.fset.Position(c.End()).Line+1] = true // the line below it
				}
			}
			ast.Inspect(f.File, func(n ast.Node) bool {
				assign, ok := n.(*ast.AssignStmt)
				if !ok || p.room == "" || said[h.fset.Position(assign.Pos()).Line] || said[h.fset.Position(assign.End()).Line] {
					return true
				}
				if p.dropsError(assign) {
					out = append(out, h.at(assign, "an error is dropped: handle it, or say beside it why it does not matter"))
				}
				return true
			})
		}
	}
	return out
}

// dropsError reports whether an error of a call is assigned to the blank name while its other
// results are used.
func (p *pkg) dropsError(assign *ast.AssignStmt) bool {
	if len(assign.Rhs) != 1 || len(assign.Lhs) < 2 {
		return false
	}
	call, isCall := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	results, ok := p.info.TypeOf(assign.Rhs[0]).(*types.Tuple)
	if !ok || !isCall || results.Len() != len(assign.Lhs) || isBlank(assign.Lhs[0]) || slices.Contains(partial, lastName(p.callee(call))) || !slices.ContainsFunc(reading, func(from string) bool { return strings.HasPrefix(strings.TrimLeft(p.callee(call), "(*"), from) }) {
		return false
	}
	for i, l := range assign.Lhs {
		if isBlank(l) && types.Identical(results.At(i).Type(), types.Universe.Lookup("error").Type()) {
			return true
		}
	}
	return false
}

// checkWaited finds goroutines whose end nobody waits for.
func checkWaited(h *house) (out []finding) {
	h.each(func(p *pkg, _ *file, n ast.Node) {
		stmt, ok := n.(*ast.ExprStmt)
		if !ok || p.room == "" {
			return
		}
		if call, ok := stmt.X.(*ast.CallExpr); ok && strings.HasPrefix(p.callee(call), "gauntlet/internal/beside.Start") && !calls(p, call, "close") {
			out = append(out, h.at(call, "nobody waits for it: its panic is lost, and it may outlive the stop"))
		}
	})
	return out
}

// checkPlurals finds a plural that is made by hand.
func checkPlurals(h *house) (out []finding) {
	h.each(func(p *pkg, _ *file, n ast.Node) {
		branch, ok := n.(*ast.IfStmt)
		if !ok || p.room == "" || p.path == "internal/text" {
			return
		}
		cond, ok := ast.Unparen(branch.Cond).(*ast.BinaryExpr)
		if !ok || !slices.Contains([]token.Token{token.EQL, token.NEQ, token.GTR}, cond.Op) {
			return
		}
		if v := p.info.Types[cond.Y].Value; v == nil || v.ExactString() != "1" {
			return
		}
		ast.Inspect(branch.Body, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Value == `"s"` {
				out = append(out, h.at(branch, "a plural made by hand: text.Count"))
			}
			return true
		})
	})
	return out
}
