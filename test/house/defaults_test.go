package house

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// unsetAsked may ask whether a setting with a default is set.
var unsetAsked = map[string]string{
	"autonomy/decide.go": "it reports which source set the threshold",
}

// checkDefaults finds a default that is written a second time: outside config, no setting
// with a default tag is asked whether it is set.
func checkDefaults(h *house) (out []finding) {
	tagged := map[string]bool{} // by section and field: each platform has its own objects
	for _, p := range h.pkgs {
		if p.path != "internal/config" {
			continue
		}
		for _, name := range p.types.Scope().Names() {
			s, ok := p.types.Scope().Lookup(name).Type().Underlying().(*types.Struct)
			if !ok {
				continue
			}
			for i := range s.NumFields() {
				if strings.Contains(s.Tag(i), `default:"`) {
					tagged[h.position(s.Field(i))] = true
				}
			}
		}
	}
	taken := map[ast.Expr]bool{} // settings whose value is used or set, not asked for
	h.each(func(p *pkg, f *file, n ast.Node) {
		if p.path == "internal/config" || f.in(unsetAsked) {
			return
		}
		setting := func(e ast.Expr) bool {
			sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
			return ok && p.info.Uses[sel.Sel] != nil && tagged[h.position(p.info.Uses[sel.Sel])]
		}
		zero := func(e ast.Expr) bool {
			v := p.info.Types[e].Value
			return v != nil && (v.ExactString() == `""` || v.ExactString() == "0")
		}
		asked := ast.Expr(nil)
		switch n := n.(type) {
		case *ast.StarExpr:
			taken[n.X] = true
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				taken[l] = true
			}
		case *ast.SelectorExpr: // a pointer that is handed on can be compared with nil anywhere
			if setting(n) && isPointer(p.info.TypeOf(n)) && !taken[n] {
				asked = n
			}
		case *ast.CallExpr:
			if p.callee(n) == "cmp.Or" && len(n.Args) > 1 && setting(n.Args[0]) {
				asked = n.Args[0]
			}
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (setting(n.X) && zero(n.Y) || setting(n.Y) && zero(n.X)) {
				asked = n
			}
		}
		if asked != nil {
			out = append(out, h.at(asked, types.ExprString(asked)+": its default is a tag in config/types.go; use config.Settings, config.WithDefaults or a method of the section"))
		}
	})
	return out
}

func (h *house) position(obj types.Object) string { return h.fset.Position(obj.Pos()).String() }
