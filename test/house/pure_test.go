package house

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// pure are the packages and files whose functions decide by values alone. Clocks, files,
// git and the environment are passed in.
const pure = "checkpoint/rules autonomy/decide.go stop/reason.go stop/signature.go stop/modes.go turn markdown redact text tokens event shape jsontree tool"

// impure are files within such a package that gather the values.
var impure = map[string]string{
	"turn/look.go":   "the one look at git, the transcript and the memory",
	"turn/prompt.go": "makes the account of a prompt",
	"turn/latest.go": "finds the newest session on disk",
	"turn/ground.go": "keeps the account that failures are compared with",
}

// mustBePure reports whether the functions of a file decide by values alone: by its package,
// by its name, or because it is one more file of decisions.
func mustBePure(p *pkg, f *file) bool {
	return (in(p.path, pure) || in(f.name, pure) || strings.HasPrefix(f.name, "internal/stop/decide")) && !f.in(impure)
}

// touches are the functions that reach out of the program, by prefix of their
// full names.
var touches = []string{
	"os.", "(*os.", "io.Copy", "io.ReadAll", "io/fs.WalkDir", "io/fs.ReadFile", "io/fs.Stat", "io/ioutil.", "bufio.", "os/exec.", "net.", "net/http.", "syscall.",
	"path/filepath.Abs", "path/filepath.EvalSymlinks", "path/filepath.Glob", "path/filepath.Walk", "math/rand", "crypto/rand",
	"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.NewTimer", "time.NewTicker", "time.Tick",
}

// function is what a function of this module does directly.
type function struct {
	calls   []*types.Func
	touches string // the first thing it touches
	at      ast.Node
}

// checkPure follows the static calls of every function that has to be pure, into any
// package. What is called through a value was passed in.
func checkPure(h *house) (out []finding) {
	byFunc := map[string]*function{}
	type start struct {
		name string
		node ast.Node
	}
	var starts []start
	for _, p := range h.pkgs {
		for _, f := range p.files {
			for _, d := range f.Decls {
				if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
					obj, ok := p.info.Defs[decl.Name].(*types.Func)
					if !ok {
						continue
					}
					byFunc[obj.FullName()] = p.direct(decl)
					if mustBePure(p, f) {
						starts = append(starts, start{obj.FullName(), decl.Name})
					}
				}
			}
		}
	}
	for _, s := range starts {
		if chain := reach(byFunc, s.name, map[string]bool{}); chain != nil {
			short := strings.ReplaceAll(strings.Join(chain, " → "), "gauntlet/internal/", "")
			node := s.node
			if fn := byFunc[s.name]; fn.touches != "" {
				node = fn.at
			}
			out = append(out, h.at(node, fmt.Sprintf("must decide by values alone, but: %s", short)))
		}
	}
	return out
}

func (p *pkg) direct(decl *ast.FuncDecl) *function {
	fn := &function{}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		name := p.name(id)
		if name == "" {
			return true
		}
		if f, ok := p.info.Uses[id].(*types.Func); ok && f.Pkg() != nil && strings.HasPrefix(f.Pkg().Path(), "gauntlet/") {
			fn.calls = append(fn.calls, f)
		}
		for _, t := range touches {
			if _, isType := p.info.Uses[id].(*types.TypeName); !isType && strings.HasPrefix(name, t) && fn.touches == "" {
				fn.touches, fn.at = name, id
			}
		}
		return true
	})
	return fn
}

// reach is the path from a function to something it must not touch.
func reach(all map[string]*function, name string, seen map[string]bool) []string {
	fn := all[name]
	if fn == nil || seen[name] {
		return nil
	}
	seen[name] = true
	if fn.touches != "" {
		return []string{name, fn.touches}
	}
	for _, c := range fn.calls {
		if rest := reach(all, c.FullName(), seen); rest != nil {
			return append([]string{name}, rest...)
		}
	}
	return nil
}
