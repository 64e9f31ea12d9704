package house

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// Every path of a stop ends in a verdict. Three things could break that: a result that is a
// verdict or something else, a panic that nothing recovers, and a status that is not one.

const (
	eventPath = "gauntlet/internal/event"
)

// answering are the functions that an agent waits for. Each recovers from a panic.
var answering = []string{
	"(*gauntlet/internal/cli.App).hook",
	"(*gauntlet/internal/stop.Hook).Run",
	"(*gauntlet/internal/stop.stopping).walk",
}

// checkVerdict finds functions that may return something else than a verdict, and statuses
// outside the closed set.
func checkVerdict(h *house) (out []finding) {
	h.each(func(p *pkg, _ *file, n ast.Node) {
		switch n := n.(type) {
		case *ast.FuncType:
			if why := p.noVerdict(n); why != "" {
				out = append(out, h.at(n, why))
			}
		case *ast.FuncDecl:
			if obj, ok := p.info.Defs[n.Name].(*types.Func); ok && slices.Contains(answering, obj.FullName()) && !recovers(p, n.Body) {
				out = append(out, h.at(n, "an agent waits for it: defer a recover, so that a bug in Gauntlet is a verdict, too"))
			}
		case *ast.SwitchStmt:
			if missing := p.missingStatuses(n); len(missing) > 0 {
				out = append(out, h.at(n, "the switch forgets "+strings.Join(missing, ", ")+": list them, or add a default"))
			}
		case ast.Expr:
			if p.types.Path() != eventPath && p.newStatus(n) {
				out = append(out, h.at(n, "not a status: the set in event/status.go is closed"))
			}
		}
	})
	return out
}

// declares reports whether a function is declared in the package, by its full name.
func (p *pkg) declares(name string) bool {
	return slices.ContainsFunc(p.files, func(f *file) bool {
		return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				return false
			}
			obj, ok := p.info.Defs[fn.Name].(*types.Func)
			return ok && obj.FullName() == name
		})
	})
}

// noVerdict returns why the results of a function may be no verdict.
func (p *pkg) noVerdict(fn *ast.FuncType) string {
	if fn.Results == nil {
		return ""
	}
	verdict, pointer, failure := false, false, false
	for _, r := range fn.Results.List {
		t := p.info.TypeOf(r.Type)
		if t == nil {
			continue
		}
		if ptr, ok := t.(*types.Pointer); ok && isVerdict(ptr.Elem()) {
			pointer = true
		}
		verdict = verdict || isVerdict(t)
		failure = failure || types.Identical(t, types.Universe.Lookup("error").Type())
	}
	switch {
	case pointer:
		return "a verdict that can be nil: return it as a value"
	case verdict && failure:
		return "a verdict or an error: an error is a verdict, too (event.Error, event.InfrastructureErr)"
	}
	return ""
}

// isVerdict reports whether a type is event.Verdict or embeds it.
func isVerdict(t types.Type) bool {
	if named, ok := t.(*types.Named); ok && named.Obj().Name() == "Verdict" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == eventPath {
		return true
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Embedded() && isVerdict(f.Type()) {
			return true
		}
	}
	return false
}

// recovers reports whether a function defers a recover of its own.
func recovers(p *pkg, body *ast.BlockStmt) bool {
	for _, s := range body.List {
		d, ok := s.(*ast.DeferStmt)
		if !ok {
			continue
		}
		if lit, ok := d.Call.Fun.(*ast.FuncLit); ok && calls(p, lit.Body, "recover") {
			return true
		}
	}
	return false
}

// calls reports whether a piece of code calls a function.
func calls(p *pkg, n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && p.callee(call) == name {
			found = true
		}
		return !found
	})
	return found
}

func isStatus(t types.Type) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Name() == "Status" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == eventPath
}

// missingStatuses lists what a switch without a default does not mention.
func (p *pkg) missingStatuses(s *ast.SwitchStmt) (missing []string) {
	if s.Tag == nil {
		return nil
	}
	t := p.info.TypeOf(s.Tag)
	if t == nil || !isStatus(t) {
		return nil
	}
	scope := t.(*types.Named).Obj().Pkg().Scope()
	seen := map[string]bool{}
	for _, c := range s.Body.List {
		clause := c.(*ast.CaseClause)
		if clause.List == nil {
			return nil
		}
		for _, e := range clause.List {
			if v := p.info.Types[e].Value; v != nil {
				seen[v.ExactString()] = true
			}
		}
	}
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && isStatus(c.Type()) && !seen[c.Val().ExactString()] {
			missing = append(missing, name)
		}
	}
	return missing
}

// newStatus reports whether an expression makes a status from a text of its own. "" is
// allowed: no status yet.
func (p *pkg) newStatus(e ast.Expr) bool {
	tv, ok := p.info.Types[e]
	if !ok || tv.Value == nil || tv.Value.Kind() != constant.String || !isStatus(tv.Type) || constant.StringVal(tv.Value) == "" {
		return false
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident: // a constant without a type
		c, ok := p.info.Uses[x].(*types.Const)
		return ok && !isStatus(c.Type())
	case *ast.CallExpr: // a conversion
		return !isStatus(p.info.TypeOf(x.Args[0])) // what has become a status was found above
	}
	return false
}

// goroutines may be started by these, each with its reason. A panic in a goroutine ends the
// process with a status that agents read as "blocked": beside passes it on to the caller.
var goroutines = onlyFrom{"(*sync.WaitGroup).Go time.AfterFunc context.AfterFunc", map[string]string{
	"beside":                "it passes panics on",
	"proc/proc.go":          "it only waits for a child",
	"proc/escape_linux.go":  "it only waits for children",
	"agent/read_windows.go": "it only copies a stream",
	"cli/watchdog.go":       "it answers in place of work that hangs, so it must not wait for it",
	"cli/allow.go":          "a command for a person, who can run it again",
	"report/view.go":        "the live view of a command for a person",
	"ui":                    "a server for a person",
	"fleet":                 "a server for people",
}, "a panic there would end the process without a verdict: use beside.Start"}

func checkGoroutines(h *house) []finding {
	out := goroutines.check(h)
	h.each(func(p *pkg, f *file, n ast.Node) {
		if g, ok := n.(*ast.GoStmt); ok && p.room != "" && !goroutines.allows(p, f) {
			out = append(out, h.at(g, "go: "+goroutines.why))
		}
	})
	return out
}

// panics may be raised by these.
var panics = onlyFrom{"panic log.Panic log.Panicf", map[string]string{
	"beside":             "it passes on the panic of a goroutine",
	"config/scalar.go":   "a type of the configuration that has no decoder: every test of it fails",
	"config/defaults.go": "a tag that does not fit its type: every test of it fails",
	"config/preset.go":   "an embedded preset that cannot be read: every test of it fails",
}, "return an error: a panic is for what no input can cause"}
