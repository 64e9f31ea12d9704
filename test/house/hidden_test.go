package house

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
)

// checkHidden finds files that no platform compiles without further flags: a build tag or
// cgo would hide them from every other rule.
func checkHidden(h *house) (out []finding) {
	for _, dir := range []string{"cmd", "internal"} {
		_ = filepath.WalkDir(filepath.Join(h.root, dir), func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || h.seen[name]:
				return nil
			}
			fset := token.NewFileSet()
			line := 1
			if f, err := parser.ParseFile(fset, name, nil, parser.PackageClauseOnly); err == nil {
				line = fset.Position(f.Package).Line
			}
			out = append(out, finding{h.relative(name), line, "no platform compiles it: a build tag or cgo hides it from the rules"})
			return nil
		})
	}
	return out
}
