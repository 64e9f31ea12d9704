package house

import (
	"fmt"
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
	h.each(func(p *pkg, f *file, n ast.Node) {
		if p.path == "internal/config" || f.in(unsetAsked) {
			return
		}
		setting := func(e ast.Expr) (found bool) {
			ast.Inspect(e, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && p.info.Uses[sel.Sel] != nil && tagged[h.position(p.info.Uses[sel.Sel])] {
					found = true
				}
				_, call := n.(*ast.CallExpr)
				return !call
			})
			return found
		}
		zero := func(e ast.Expr) bool {
			tv := p.info.Types[e]
			return tv.IsNil() || tv.Value != nil && (tv.Value.ExactString() == `""` || tv.Value.ExactString() == "0")
		}
		why := func(e ast.Expr) string {
			return fmt.Sprintf("%s: its default is a tag in config/types.go; use config.Settings or config.WithDefaults", types.ExprString(e))
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			if p.callee(n) == "cmp.Or" && len(n.Args) > 1 && setting(n.Args[0]) {
				out = append(out, h.at(n, why(n.Args[0])))
			}
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (setting(n.X) && zero(n.Y) || setting(n.Y) && zero(n.X)) {
				out = append(out, h.at(n, why(n)))
			}
		}
	})
	return out
}

func (h *house) position(obj types.Object) string { return h.fset.Position(obj.Pos()).String() }
