package house

import (
	"fmt"
	"go/ast"
)

// What a newcomer reads in one go.
const (
	maxLines      = 400 // of a file
	maxBody       = 60  // lines of a function
	maxParameters = 5
)

// checkSize finds files and functions that have become two, and functions that are handed
// so much that it should have a name.
func checkSize(h *house) (out []finding) {
	for _, p := range h.pkgs {
		for _, f := range p.files {
			if n := h.fset.Position(f.FileEnd).Line - 1; p.room != "" && n > maxLines && !ast.IsGenerated(f.File) {
				out = append(out, h.at(f.Name, fmt.Sprintf("%d lines: move a part of it to a file that says what it is", n)))
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				n := h.fset.Position(fn.End()).Line - h.fset.Position(fn.Pos()).Line + 1
				if n > maxBody {
					out = append(out, h.at(fn, fmt.Sprintf("%s has %d lines: give a part of it a name", fn.Name.Name, n)))
				}
			}
		}
	}
	h.each(func(_ *pkg, _ *file, n ast.Node) {
		if fn, ok := n.(*ast.FuncType); ok && fn.Params.NumFields() > maxParameters {
			out = append(out, h.at(fn, fmt.Sprintf("%d parameters: those that belong together are a type", fn.Params.NumFields())))
		}
	})
	return out
}
