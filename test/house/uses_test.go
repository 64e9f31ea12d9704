package house

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"strings"
)

// onlyFrom lists where functions and variables may be used. A place is a package below
// internal/ with everything below it, or a file.
type onlyFrom struct {
	names  string // separated by blanks
	places map[string]string
	why    string
}

var contexts = onlyFrom{"context.Background context.TODO", map[string]string{
	"cli/app.go":   "where every command begins",
	"fleet/app.go": "where every command begins",
}, "contexts come from main"}

var exits = onlyFrom{"os.Exit syscall.Exit runtime.Goexit log.Fatal", nil, "only main ends the process"}

var environment = onlyFrom{
	"os.Getenv os.LookupEnv os.Environ os.ExpandEnv os.UserHomeDir os.UserConfigDir os.UserCacheDir os.Setenv os.Unsetenv os.Clearenv syscall.Getenv syscall.Environ os.Args",
	map[string]string{
		"cli/app.go":   "the one place that reads the environment",
		"fleet/app.go": "the one place that reads the environment",
		"proc/proc.go": "a child inherits what its caller does not replace",
	},
	"the environment is handed in by the surface",
}

var processes = onlyFrom{
	"os.StartProcess syscall.ForkExec syscall.StartProcess syscall.Exec golang.org/x/sys/unix.Exec golang.org/x/sys/unix.ForkExec",
	map[string]string{"proc/private_linux.go": "the process that entered a room becomes the check"},
	"subprocesses go through proc, by os/exec: own group, deadline, TERM, KILL, recursion guard",
}

var streams = onlyFrom{"os.Stdin os.Stdout os.Stderr fmt.Print fmt.Printf fmt.Println print println", map[string]string{
	"cli/app.go":   "where the streams enter",
	"fleet/app.go": "where the streams enter",
}, "streams are handed in by the surface: a hook's stdout is its verdict"}

// clients talk to other machines. The page only listens.
var clients = onlyFrom{
	"net/http.Get net/http.Head net/http.Post net/http.PostForm net/http.DefaultClient net/http.Client net/http.NewRequest net/http.NewRequestWithContext " +
		"net.Dial net.DialTimeout net.Dialer net.LookupHost net.LookupIP crypto/tls.Dial",
	map[string]string{
		"workflow/ship": "ship check asks the forge",
		"proof/remote":  "the remote cache",
		"fleet":         "what many machines share",
	},
	"only ship check, the remote cache and the fleet talk to a network",
}

// files open, list, write or name files in the file system by a path. A file that others
// placed there must not make Gauntlet wait, read without end, or write through a link:
// safefile takes care of that. Stat, Lstat, Readlink and removing follow no link at the end
// of a path and are not listed.
var files = onlyFrom{
	"os.Open os.OpenFile os.ReadFile os.ReadDir os.DirFS os.OpenRoot os.OpenInRoot os.CopyFS " +
		"os.WriteFile os.Create os.CreateTemp os.MkdirTemp os.Rename os.Link os.Symlink os.Truncate os.Chmod os.Chown os.Lchown os.Chtimes " +
		"path/filepath.Walk path/filepath.WalkDir path/filepath.Glob github.com/bmatcuk/doublestar/v4.FilepathGlob " +
		"(*os.Root).Open (*os.Root).OpenFile (*os.Root).OpenRoot (*os.Root).ReadFile (*os.Root).FS (*os.Root).WriteFile (*os.Root).Create " +
		"(*os.Root).Rename (*os.Root).Link (*os.Root).Symlink (*os.Root).Chmod (*os.Root).Chown (*os.Root).Lchown (*os.Root).Chtimes " +
		"syscall.Open syscall.Openat syscall.Creat syscall.Rename syscall.Link syscall.Symlink syscall.Truncate syscall.CreateFile syscall.MoveFile " +
		"golang.org/x/sys/unix.Open golang.org/x/sys/unix.Openat golang.org/x/sys/unix.Openat2 golang.org/x/sys/unix.Creat golang.org/x/sys/unix.Rename " +
		"golang.org/x/sys/unix.Renameat golang.org/x/sys/unix.Renameat2 golang.org/x/sys/unix.Link golang.org/x/sys/unix.Linkat " +
		"golang.org/x/sys/unix.Symlink golang.org/x/sys/unix.Symlinkat golang.org/x/sys/windows.CreateFile golang.org/x/sys/windows.MoveFileEx " +
		"net/http.Dir net/http.ServeFile net/http.ServeFileFS crypto/tls.LoadX509KeyPair archive/zip.OpenReader debug/buildinfo.ReadFile go/parser.ParseFile " +
		"text/template.ParseFiles text/template.ParseGlob html/template.ParseFiles html/template.ParseGlob",
	map[string]string{
		"safefile":                 "the one way to open and to write",
		"room":                     "content is laid out in directories of Gauntlet's own, below an open root, without a sync per file",
		"proc":                     "/proc is the kernel's own",
		"git/snapshot.go":          "the copy of the index keeps the time by which git knows what to look at again",
		"autonomy/commit/index.go": "the index is exchanged as git itself does it, under index.lock",
		"autonomy/notes.go":        "the old CLAUDE.md is kept by a second link, so that a killed run can be undone",
	},
	"files are opened and written through safefile",
}

func (o onlyFrom) allows(p *pkg, f *file) bool {
	for place := range o.places {
		if in(p.path, place) || in(f.name, place) {
			return true
		}
	}
	return false
}

func (o onlyFrom) check(h *house) (out []finding) {
	names := map[string]bool{}
	for _, n := range strings.Fields(o.names) {
		names[n] = true
	}
	h.each(func(p *pkg, f *file, n ast.Node) {
		if id, ok := n.(*ast.Ident); ok && p.room != "" && names[p.name(id)] && !o.allows(p, f) {
			out = append(out, h.at(id, p.name(id)+": "+o.why))
		}
	})
	return out
}

// openFlags finds calls of os.OpenFile whose flags have one of these bits, or
// are not constant.
func (o onlyFrom) openFlags(h *house, bits int) (out []finding) {
	h.each(func(p *pkg, f *file, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 || o.allows(p, f) || p.room == "" {
			return
		}
		if name := p.callee(call); name != "os.OpenFile" && name != "(*os.Root).OpenFile" {
			return
		}
		value := p.info.Types[call.Args[1]].Value
		if value == nil {
			out = append(out, h.at(call, "os.OpenFile with flags that are not constant: "+o.why))
			return
		}
		if flags, ok := constant.Int64Val(value); ok && int(flags)&bits != 0 {
			out = append(out, h.at(call, "os.OpenFile: "+o.why))
		}
	})
	return out
}

// lockFiles are the places that may create a file or a directory exclusively.
var lockFiles = onlyFrom{"os.Mkdir (*os.Root).Mkdir syscall.Mkdir golang.org/x/sys/unix.Mkdir golang.org/x/sys/unix.Mkdirat", map[string]string{
	"safefile":    "temporary files of its own",
	"room":        "not a lock: a file that is laid out replaces nothing",
	"run/logs.go": "not a lock: a directory that exists is fine",
}, "a lock is a kernel lock (safefile), never a file that exists"}

func checkLocks(h *house) []finding {
	return append(lockFiles.check(h), lockFiles.openFlags(h, os.O_EXCL)...)
}

// callee is the full name of the function that a call calls, if it is known.
func (p *pkg) callee(call *ast.CallExpr) string {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return p.name(f)
	case *ast.SelectorExpr:
		return p.name(f.Sel)
	}
	return ""
}

// atStart are the functions that may run at every start.
var atStart = map[string]string{
	"gauntlet/internal/start.grow": "it makes every start cheaper",
}

// checkStart finds work that every start of the binary would pay for.
func checkStart(h *house) (out []finding) {
	for _, p := range h.pkgs {
		for _, f := range p.files {
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil && d.Name.Name == "init" {
						out = append(out, h.at(d, "no init(): every start would pay for it"))
					}
				case *ast.GenDecl:
					if d.Tok == token.VAR {
						out = append(out, h.startCalls(p, d)...)
					}
				}
			}
		}
	}
	return out
}

func (h *house) startCalls(p *pkg, d *ast.GenDecl) (out []finding) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			name := p.callee(n)
			if tv, ok := p.info.Types[n.Fun]; ok && tv.IsType() {
				return true // a conversion
			}
			if name != "errors.New" && !strings.HasPrefix(name, "sync.Once") && atStart[name] == "" {
				out = append(out, h.at(n, fmt.Sprintf("%s runs at every start: use sync.OnceValue, or a function", name)))
			}
		}
		return true
	})
	return out
}

// globals are the package variables that are intended to change.
var globals = map[string]string{
	"internal/proc.leaders": "the kernel's list of our children is process-wide, too",
}

// checkGlobals finds package-level state that can change.
func checkGlobals(h *house) (out []finding) {
	for _, p := range h.pkgs {
		for _, f := range p.files {
			for _, d := range f.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.VAR {
					continue
				}
				for _, spec := range g.Specs {
					out = append(out, h.globalsOf(p, spec.(*ast.ValueSpec), g)...)
				}
			}
		}
	}
	return out
}

func (h *house) globalsOf(p *pkg, spec *ast.ValueSpec, g *ast.GenDecl) (out []finding) {
	for i, id := range spec.Names {
		obj := p.info.Defs[id]
		if id.Name == "_" || obj == nil || globals[p.path+"."+id.Name] != "" || embedded(g, spec) {
			continue
		}
		var value ast.Expr
		if i < len(spec.Values) {
			value = spec.Values[i]
		}
		call, isCall := value.(*ast.CallExpr)
		once := isCall && strings.HasPrefix(p.callee(call), "sync.Once")
		isError := types.AssignableTo(obj.Type(), types.Universe.Lookup("error").Type())
		switch {
		case once || isError && !h.written(obj):
		case fixed(obj.Type()) && !h.written(obj):
		default:
			out = append(out, h.at(id, fmt.Sprintf("the package variable %s can change: make it a constant, a function or sync.OnceValue", id.Name)))
		}
	}
	return out
}

// embedded reports whether the compiler fills the variable from a file.
func embedded(g *ast.GenDecl, spec *ast.ValueSpec) bool {
	for _, doc := range []*ast.CommentGroup{g.Doc, spec.Doc} {
		if doc != nil {
			for _, c := range doc.List {
				if strings.HasPrefix(c.Text, "//go:embed ") {
					return true
				}
			}
		}
	}
	return false
}

// fixed reports whether a variable of the type changes only by being assigned
// to: nothing in it can be reached through a copy.
func fixed(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Array:
		return fixed(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !fixed(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// written reports whether some package assigns to the variable or takes its address.
func (h *house) written(obj types.Object) bool {
	if h.changed == nil {
		h.changed = map[string]bool{}
		h.each(func(p *pkg, _ *file, n ast.Node) { p.targets(n, h.changed) })
	}
	return h.changed[obj.Pkg().Path()+"."+obj.Name()]
}

// targets adds the package variables that a statement or expression can change.
func (p *pkg) targets(n ast.Node, changed map[string]bool) {
	target := func(e ast.Expr) {
		for {
			switch x := ast.Unparen(e).(type) {
			case *ast.IndexExpr:
				e = x.X
			case *ast.SelectorExpr:
				changed[p.name(x.Sel)] = true
				e = x.X
			case *ast.Ident:
				changed[p.name(x)] = true
				return
			default:
				return
			}
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			target(l)
		}
	case *ast.IncDecStmt:
		target(n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			target(n.X)
		}
	case *ast.SelectorExpr: // a method with a pointer receiver takes the address
		if sel := p.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal && !isPointer(p.info.TypeOf(n.X)) {
			if recv := sel.Obj().(*types.Func).Signature().Recv(); recv != nil && isPointer(recv.Type()) {
				target(n.X)
			}
		}
	}
}
