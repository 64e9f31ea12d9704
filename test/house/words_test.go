package house

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// agentPlaces may know agents by name.
const agentPlaces = "agent transcript"

// agentWords are allowed elsewhere: names in the product's own contract.
var agentWords = map[string]string{
	"CLAUDE_CONTEXT_THRESHOLD": "the threshold's variable, whatever the agent",
	"CLAUDE_LOOP_ACTIVE":       "set by the loop that starts agents",
}

// agentNames are files that may contain an agent's name for another reason.
var agentNames = map[string]string{
	"autonomy/use.go": "names of models, by which their context windows are known",
}

// agentFiles may name the directories of an agent, each with its reason.
var agentFiles = map[string]string{
	"workflow": "the state of commands is kept in .claude/state, for every agent",
	"autonomy": "its switch and its hand-off lie in .claude, for every agent",
}

var (
	variables   = regexp.MustCompile(`\b(CLAUDE|CLAUDECODE|CODEX|GEMINI|QWEN|COPILOT|CURSOR|OPENCODE|FACTORY)_[A-Z_]+\b`)
	directories = regexp.MustCompile(`(^|[/"'~ ])\.(claude|codex|gemini|qwen|copilot|cursor|opencode|factory)(/|$)`)
	clientWords = regexp.MustCompile(`<task-notification>|(?i)^exit code:? ?$|(?i)\bexit code: `)
)

// checkAgents finds an agent's name, its directories and the words it prints, outside of
// the packages that are meant to know it.
func checkAgents(h *house) (out []finding) {
	names := map[string]bool{"github-copilot": true, "cursor-agent": true, "claude code": true, "gemini cli": true}
	for _, p := range h.pkgs {
		if path.Dir(p.path) == "internal/agent" && path.Base(p.path) != "wire" {
			names[path.Base(p.path)] = true
		}
	}
	h.each(func(p *pkg, f *file, n ast.Node) {
		if in(p.path, agentPlaces) || p.room == "" || f.in(agentNames) {
			return
		}
		if p.asksAgent(n) {
			out = append(out, h.at(n, "asks which agent it is: only agent/* and transcript know agents by name"))
		}
		lit, ok := n.(ast.Expr)
		if !ok {
			return
		}
		text, ok := p.literal(lit)
		if !ok || f.isTag(lit) {
			return
		}
		what := ""
		switch {
		case names[strings.ToLower(text)]:
			what = "the agent " + text
		case clientWords.MatchString(text):
			what = fmt.Sprintf("the client's words %.40q", text)
		case directories.MatchString(text) && !strings.Contains(text, " ") && !f.in(agentFiles): // not help for people
			what = fmt.Sprintf("an agent's directory, %.40q", text)
		default:
			for _, v := range variables.FindAllString(text, -1) {
				if agentWords[v] == "" {
					what = "the agent's variable " + v
				}
			}
		}
		if what != "" {
			out = append(out, h.at(lit, what+": only agent/* and transcript know agents by name"))
		}
	})
	return out
}

// literal is the text of a string literal, or of one that is written in pieces.
func (p *pkg) literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		if v := p.info.Types[e].Value; v != nil && v.Kind() == constant.String {
			return constant.StringVal(v), true
		}
	}
	return "", false
}

// asksAgent reports whether a piece of code compares the agent of an event with a word.
func (p *pkg) asksAgent(n ast.Node) bool {
	agent := func(e ast.Expr) bool {
		sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
		return ok && isField(p.info.Uses[sel.Sel], eventPath, "Agent")
	}
	word := func(e ast.Expr) bool {
		v := p.info.Types[e].Value
		return v != nil && v.ExactString() != `""`
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return agent(n.X) && word(n.Y) || agent(n.Y) && word(n.X)
	case *ast.SwitchStmt:
		return n.Tag != nil && agent(n.Tag)
	case *ast.CallExpr:
		return strings.HasPrefix(p.callee(n), "strings.") && slices.ContainsFunc(n.Args, agent) && slices.ContainsFunc(n.Args, word)
	}
	return false
}

func (f *file) in(places map[string]string) bool {
	for place := range places {
		if in(f.name, place) {
			return true
		}
	}
	return false
}

// isTag reports whether the literal is a struct tag or an import path.
func (f *file) isTag(lit ast.Expr) bool {
	found := false
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			found = found || n.Tag == lit
		case *ast.ImportSpec:
			found = found || n.Path == lit
		}
		return !found && (n == nil || n.Pos() <= lit.Pos() && lit.End() <= n.End())
	})
	return found
}

// checkErrors finds errors that are distinguished by their text.
func checkErrors(h *house) (out []finding) {
	const why = "an error is recognised by errors.Is or errors.As, never by its text"
	for _, p := range h.pkgs {
		for _, f := range p.files {
			texts := map[types.Object]bool{} // variables that contain an error's text
			var isText func(e ast.Expr) bool
			isText = func(e ast.Expr) bool {
				switch x := ast.Unparen(e).(type) {
				case *ast.CallExpr:
					if sel, ok := x.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Error" && len(x.Args) == 0 && isError(p.info.TypeOf(sel.X)) {
						return true
					}
					name := p.callee(x)
					conversion := p.info.Types[x.Fun].IsType() // []byte(err.Error())
					return (conversion || strings.HasPrefix(name, "strings.") || strings.HasPrefix(name, "bytes.")) && len(x.Args) > 0 && isText(x.Args[0]) ||
						strings.HasPrefix(name, "fmt.Sprint") && slices.ContainsFunc(x.Args, func(a ast.Expr) bool { return isError(p.info.TypeOf(a)) })
				case *ast.SliceExpr:
					return isText(x.X)
				case *ast.IndexExpr:
					return isText(x.X)
				case *ast.Ident:
					return texts[p.info.Uses[x]]
				}
				return false
			}
			ast.Inspect(f.File, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for i, l := range n.Lhs {
						if id, ok := l.(*ast.Ident); ok && len(n.Rhs) == len(n.Lhs) && isText(n.Rhs[i]) {
							texts[p.info.Defs[id]] = p.info.Defs[id] != nil
						}
					}
				case *ast.BinaryExpr:
					if (n.Op == token.EQL || n.Op == token.NEQ) && (isText(n.X) || isText(n.Y)) {
						out = append(out, h.at(n, why))
					}
				case *ast.SwitchStmt:
					if n.Tag != nil && isText(n.Tag) {
						out = append(out, h.at(n, why))
					}
				case *ast.CallExpr:
					if slices.ContainsFunc(n.Args, isText) && looksInto(p.callee(n)) {
						out = append(out, h.at(n, why))
					}
				}
				return true
			})
		}
	}
	return out
}

func isError(t types.Type) bool {
	return t != nil && types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

func looksInto(name string) bool {
	if strings.HasPrefix(name, "gauntlet/internal/text.Contains") {
		return true
	}
	name, ok := strings.CutPrefix(strings.Replace(name, "bytes.", "strings.", 1), "strings.")
	if !ok {
		return strings.HasPrefix(name, "regexp.Match") || strings.HasPrefix(name, "(*regexp.Regexp).Match") || strings.HasPrefix(name, "(*regexp.Regexp).Find")
	}
	for _, prefix := range []string{"Contains", "Has", "Index", "EqualFold", "Equal", "Count", "Last", "Compare"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// checkInterfaces finds interfaces with their only implementation beside them.
func checkInterfaces(h *house) (out []finding) {
	var concrete []*types.TypeName
	for _, p := range h.pkgs {
		for _, name := range p.types.Scope().Names() {
			if tn, ok := p.types.Scope().Lookup(name).(*types.TypeName); ok && !tn.IsAlias() && !types.IsInterface(tn.Type()) {
				concrete = append(concrete, tn)
			}
		}
	}
	// A package with files for several platforms appears once for each.
	same := func(a, b *types.TypeName) bool { return a.Name() == b.Name() && a.Pkg().Path() == b.Pkg().Path() }
	for _, p := range h.pkgs {
		for _, f := range p.files {
			ast.Inspect(f.File, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok || p.info.Defs[spec.Name] == nil {
					return true
				}
				iface, ok := p.info.Defs[spec.Name].Type().Underlying().(*types.Interface)
				if !ok || iface.NumMethods() == 0 || !iface.IsMethodSet() {
					return true
				}
				var who []*types.TypeName
				for _, tn := range concrete {
					if types.Implements(tn.Type(), iface) || types.Implements(types.NewPointer(tn.Type()), iface) {
						who = append(who, tn)
					}
				}
				who = slices.CompactFunc(who, same)
				if len(who) == 1 && who[0].Pkg().Path() == p.types.Path() {
					out = append(out, h.at(spec, fmt.Sprintf("%s is the only %s: use the type itself", who[0].Name(), spec.Name.Name)))
				}
				return true
			})
		}
	}
	return out
}

// checkNames finds packages with a meaningless name.
func checkNames(h *house) (out []finding) {
	for _, p := range h.pkgs {
		switch path.Base(p.path) {
		case "util", "utils", "common", "types", "helper", "helpers", "misc", "shared", "base", "lib":
			for _, f := range p.files {
				out = append(out, h.at(f.Name, "the name says nothing about what belongs there"))
			}
		}
	}
	return out
}
