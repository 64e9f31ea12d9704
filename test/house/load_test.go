package house

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// house is the program with its types: what goes into the binaries, on every
// platform.
type house struct {
	fset *token.FileSet
	root string
	pkgs []*pkg
	// seen are the files that at least one platform compiles.
	seen map[string]bool
	// changed are the package variables that some package assigns to, by their full names.
	changed map[string]bool
}

// pkg is a package on one platform. A file that several platforms share is in the first of
// them only.
type pkg struct {
	path  string // below gauntlet/, as internal/gate
	room  string // the first name below internal/, "" outside
	files []*file
	types *types.Package
	info  *types.Info
	whole bool // this platform's, with all its files
	// foreign names what only exists on another platform: syscall.CreateFile.
	foreign map[*ast.Ident]string
}

type file struct {
	name string // below the root
	*ast.File
}

// program loads this module, once for all tests.
func program(t *testing.T) *house {
	t.Helper()
	if theProgram == nil {
		theProgram = load(t, "../..")
	}
	return theProgram
}

var theProgram *house

// load reads the module in dir. This platform's packages come with the types of
// everything they import. The files of the other platforms are checked against
// the same types: what only exists there stays unknown, which no rule needs.
func load(t *testing.T, dir string) *house {
	t.Helper()
	root, err := filepath.Abs(dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root) // as the go command names the files
	}
	if err != nil {
		t.Fatal(err)
	}
	h := &house{fset: token.NewFileSet(), root: root}
	var roots []*packages.Package
	for _, m := range h.modules() {
		found, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
				packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedExportFile,
			Dir: m.dir, Fset: h.fset, Env: append(os.Environ(), "CGO_ENABLED=0"),
		}, m.patterns...)
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, found...)
	}
	known := imports{}
	h.seen = map[string]bool{}
	for _, p := range roots {
		for _, e := range p.Errors {
			t.Errorf("%s: %v", p.PkgPath, e)
		}
		known.add(p.Types)
		if isTestHelper(p.PkgPath) {
			for _, name := range p.CompiledGoFiles {
				h.seen[name] = true
			}
			continue
		}
		mine := h.pkg(p.PkgPath, p.Types, p.TypesInfo)
		mine.whole = true
		for i, f := range p.Syntax {
			h.seen[p.CompiledGoFiles[i]] = true
			mine.files = append(mine.files, &file{h.relative(p.CompiledGoFiles[i]), f})
		}
	}
	if len(h.pkgs) == 0 {
		t.Fatal("no packages found")
	}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		h.loadPlatform(t, goos, known)
	}
	return h
}

// module is where a module's packages are found.
type module struct {
	dir      string
	patterns []string
}

// modules are the main module and, where there is one, that of the fleet, whose tests and
// benchmarks are not part of a program.
func (h *house) modules() []module {
	all := []module{{h.root, []string{"gauntlet/cmd/...", "gauntlet/internal/..."}}}
	if dir := filepath.Join(h.root, "fleet"); isDir(dir) {
		all = append(all, module{dir, []string{"gauntlet/fleet", "gauntlet/fleet/cmd/...", "gauntlet/fleet/otlp", "gauntlet/fleet/postgres", "gauntlet/fleet/reapi"}})
	}
	return all
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (h *house) pkg(path string, tp *types.Package, info *types.Info) *pkg {
	p := &pkg{path: strings.TrimPrefix(path, "gauntlet/"), types: tp, info: info}
	if rest, ok := strings.CutPrefix(p.path, "internal/"); ok {
		p.room, _, _ = strings.Cut(rest, "/")
	} else if first, rest, _ := strings.Cut(p.path, "/"); first == "fleet" && !strings.HasPrefix(rest, "cmd/") {
		p.room = first
	}
	h.pkgs = append(h.pkgs, p)
	return p
}

func (h *house) relative(name string) string {
	rel, err := filepath.Rel(h.root, name)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// loadPlatform adds the files that only this platform has.
func (h *house) loadPlatform(t *testing.T, goos string, known imports) {
	t.Helper()
	var out []byte
	for _, m := range h.modules() {
		cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,GoFiles"}, m.patterns...)...)
		cmd.Dir, cmd.Stderr = m.dir, os.Stderr
		cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		list, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", goos, err)
		}
		out = append(out, list...)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l struct {
			ImportPath, Dir string
			GoFiles         []string
		}
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		paths := make([]string, len(l.GoFiles))
		for i, name := range l.GoFiles {
			paths[i] = filepath.Join(l.Dir, name)
		}
		if isTestHelper(l.ImportPath) || !slices.ContainsFunc(paths, func(p string) bool { return !h.seen[p] }) {
			continue
		}
		var all []*ast.File
		var own []*file
		for _, name := range paths {
			f, err := parser.ParseFile(h.fset, name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, f)
			if !h.seen[name] {
				h.seen[name] = true
				own = append(own, &file{h.relative(name), f})
			}
		}
		info := &types.Info{
			Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		}
		conf := types.Config{Importer: known, Error: func(error) {}}
		tp, _ := conf.Check(l.ImportPath, h.fset, all, info)
		p := h.pkg(l.ImportPath, tp, info)
		p.files, p.foreign = own, foreign(all, info)
	}
}

// foreign lists the parts of other packages that this platform does not have.
func foreign(files []*ast.File, info *types.Info) map[*ast.Ident]string {
	out := map[*ast.Ident]string{}
	for _, f := range files {
		from := map[string]string{}
		for _, spec := range f.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			if from[path.Base(imp)] = imp; spec.Name != nil {
				from[spec.Name.Name] = imp
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && info.Uses[sel.Sel] == nil {
				if id, ok := sel.X.(*ast.Ident); ok && from[id.Name] != "" && info.Defs[id] == nil {
					out[sel.Sel] = from[id.Name] + "." + sel.Sel.Name
				}
			}
			return true
		})
	}
	return out
}

// isTestHelper reports whether only tests import a package (a rule checks that):
// agent/agenttest, by its place and name.
func isTestHelper(name string) bool { return path.Base(name) == path.Base(path.Dir(name))+"test" }

// imports are the packages by their import path.
type imports map[string]*types.Package

func (i imports) add(p *types.Package) {
	if p == nil || i[p.Path()] != nil {
		return
	}
	i[p.Path()] = p
	for _, q := range p.Imports() {
		i.add(q)
	}
}

// Import makes imports a types.Importer.
func (i imports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("only on another platform")
}

// finding is one place that breaks a rule.
type finding struct {
	file string
	line int
	what string
}

// at makes a finding from a node.
func (h *house) at(n ast.Node, what string) finding {
	pos := h.fset.Position(n.Pos())
	return finding{h.relative(pos.Filename), pos.Line, what}
}

// each calls f for every node of every file.
func (h *house) each(f func(p *pkg, file *file, n ast.Node)) {
	for _, p := range h.pkgs {
		for _, file := range p.files {
			ast.Inspect(file.File, func(n ast.Node) bool {
				if n != nil {
					f(p, file, n)
				}
				return true
			})
		}
	}
}

// name is what an identifier refers to: "os.Getenv", "(*os.File).Write",
// "gauntlet/internal/git.Find", or "" for what is local.
func (p *pkg) name(id *ast.Ident) string {
	if name := p.foreign[id]; name != "" {
		return name
	}
	obj := p.info.Uses[id]
	if b, ok := obj.(*types.Builtin); ok {
		return b.Name()
	}
	if obj == nil || obj.Pkg() == nil {
		return ""
	}
	if f, ok := obj.(*types.Func); ok {
		return f.FullName()
	}
	if obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

// in reports whether a package or file is in one of the places, which are separated by
// blanks: packages with everything below them, or single files.
func in(name, places string) bool {
	for _, place := range strings.Fields(places) {
		for _, place := range []string{"internal/" + place, place} { // the fleet is not below internal
			if name == place || strings.HasPrefix(name, place+"/") {
				return true
			}
		}
	}
	return false
}
