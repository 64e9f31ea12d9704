package shell

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gauntlet/internal/tool"
)

// Exact is one command, to be recognised when an agent runs it: the same words, in the same
// directory, with the same declared environment. One more argument makes it another
// command, unless it changes only what is printed.
type Exact struct {
	Command string
	Dir     string            // absolute
	Env     map[string]string // what it declares
}

// Ran is a line that was run.
type Ran struct {
	Line   string
	Dir    string              // where it began, absolute
	Getenv func(string) string // what it inherited, as far as that is known
}

// ProvedBy reports whether the success of a whole line proves that the command succeeded:
// it is one of the commands that the line joins by &&, seen through cd, env, timeout and
// shells, and nothing before it can have changed what it means.
func (x Exact) ProvedBy(r Ran) (proved bool) {
	defer func() {
		if recover() != nil {
			proved = false
		}
	}()
	want, ok := chain(x.Command, 0)
	if !ok || len(want) == 0 {
		return false
	}
	got, ok := chain(r.Line, 0)
	if !ok {
		return false
	}
	at := place{dir: r.Dir, env: map[string]string{}}
	for i := range got {
		if i+len(want) <= len(got) && x.matches(want, got[i:i+len(want)], at, r.Getenv) {
			return true
		}
		if !at.after(got[i]) {
			return false
		}
	}
	return false
}

// step is one command of a line.
type step struct {
	text string   // as the shell's own printer writes it, without assignments
	argv []string // its words, if all of them are plain
	env  map[string]string
}

// The texts of steps that mark the beginning and the end of a subshell: its changes to
// directory and environment end with it.
const (
	enter = "(enter"
	leave = "leave)"
)

func within(steps []step) []step {
	return append(append([]step{{argv: []string{enter}, text: enter}}, steps...), step{argv: []string{leave}, text: leave})
}

// place is the state in which a command starts.
type place struct {
	dir   string
	env   map[string]string
	outer *place
}

// after is the place after a step that succeeded; ok is false if the step may have changed
// what the next command means.
func (p *place) after(s step) (ok bool) {
	if s.argv == nil {
		return false // unknown
	}
	if len(s.argv) == 0 {
		for k, v := range s.env {
			p.env[k] = v
		}
		return true
	}
	switch s.argv[0] {
	case enter:
		*p = place{dir: p.dir, env: maps.Clone(p.env), outer: &place{p.dir, p.env, p.outer}}
	case leave:
		*p = *p.outer
	case "cd":
		if len(s.argv) != 2 || strings.HasPrefix(s.argv[1], "-") || strings.HasPrefix(s.argv[1], "~") {
			return false
		}
		if filepath.IsAbs(s.argv[1]) {
			p.dir = s.argv[1]
		} else {
			p.dir = filepath.Join(p.dir, s.argv[1])
		}
	case "export":
		for _, a := range s.argv[1:] {
			name, value, set := strings.Cut(a, "=")
			if !set || strings.HasPrefix(name, "-") {
				return false
			}
			p.env[name] = value
		}
	case "source", ".", "eval", "set", "shopt", "unset", "alias", "unalias", "exec", "pushd", "popd", "ulimit", "umask", "trap", "exit",
		"return", "declare", "local", "readonly", "typeset", "hash", "enable", "builtin":
		return false
	}
	return true
}

// matches reports whether steps are the wanted ones, here.
func (x Exact) matches(want, got []step, at place, getenv func(string) string) bool {
	if !sameDir(at.dir, x.Dir) {
		return false
	}
	for i, w := range want {
		g := got[i]
		if w.text != g.text && (len(w.argv) == 0 || !slices.Equal(w.argv, g.argv)) {
			return false
		}
		if !x.sameEnv(w.env, g.env, at.env, getenv) {
			return false
		}
	}
	return true
}

// sameEnv reports whether every variable that the command declares has its value, and none
// is set that it does not declare.
func (x Exact) sameEnv(want, got, exported map[string]string, getenv func(string) string) bool {
	declared := map[string]string{}
	for k, v := range x.Env {
		declared[k] = v
	}
	for k, v := range want {
		declared[k] = v
	}
	set := map[string]string{}
	for _, m := range []map[string]string{exported, got} {
		for k, v := range m {
			set[k] = v
			if w, ok := declared[k]; !ok || w != v {
				return false
			}
		}
	}
	for k, v := range declared {
		if w, ok := set[k]; ok && w == v {
			continue
		}
		if getenv == nil || getenv(k) != v {
			return false
		}
	}
	return true
}

func sameDir(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	ra, errA := filepath.EvalSymlinks(a)
	rb, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && ra == rb
}

// chain splits a line that is nothing but commands joined by &&; ok is false for every
// other line.
func chain(text string, depth int) (steps []step, ok bool) {
	if depth > maxDepth {
		return nil, false
	}
	file, ok := parse(text)
	if !ok || len(file.Stmts) != 1 {
		return nil, false
	}
	return flatten(file.Stmts[0], depth)
}

func flatten(s *syntax.Stmt, depth int) ([]step, bool) {
	if s.Background || s.Negated || s.Coprocess || !onlyOutput(s.Redirs) {
		return nil, false
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.AndStmt {
			break
		}
		left, ok := flatten(c.X, depth)
		if !ok {
			return nil, false
		}
		right, ok := flatten(c.Y, depth)
		return append(left, right...), ok
	case *syntax.Subshell:
		if len(c.Stmts) == 1 {
			inner, ok := flatten(c.Stmts[0], depth)
			return within(inner), ok
		}
	case *syntax.Block:
		if len(c.Stmts) == 1 {
			return flatten(c.Stmts[0], depth)
		}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return flatten(c.Stmt, depth)
		}
	case *syntax.DeclClause:
		if c.Variant != nil && c.Variant.Value == "export" {
			return export(c)
		}
	case *syntax.CallExpr:
		return call(c, depth)
	}
	return []step{{text: sourceText(s)}}, true
}

// onlyOutput reports whether redirections do nothing but send output elsewhere.
func onlyOutput(redirs []*syntax.Redirect) bool {
	for _, r := range redirs {
		switch r.Op { //nolint:exhaustive // those that only take output
		case syntax.RdrOut, syntax.AppOut, syntax.DplOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
		default:
			return false
		}
	}
	return true
}

// export is the shell's own word for setting what later commands inherit.
func export(c *syntax.DeclClause) ([]step, bool) {
	s := step{argv: []string{"export"}}
	for _, a := range c.Args {
		if a.Name == nil || a.Value == nil || a.Append || a.Array != nil {
			return nil, false
		}
		value, plain := literal(a.Value)
		if !plain {
			return nil, false
		}
		s.argv = append(s.argv, a.Name.Value+"="+value)
	}
	return []step{s}, true
}

// call is a simple command without its wrappers.
func call(c *syntax.CallExpr, depth int) ([]step, bool) {
	s := step{env: map[string]string{}, argv: []string{}}
	for _, a := range c.Assigns {
		value, plain := "", a.Value == nil
		if a.Value != nil {
			value, plain = literal(a.Value)
		}
		if !plain || a.Append || a.Array != nil || a.Index != nil || a.Name == nil {
			return nil, false
		}
		s.env[a.Name.Value] = value
	}
	for _, w := range c.Args {
		text, plain := literal(w)
		if !plain {
			bare := *c
			bare.Assigns = nil
			return []step{{text: sourceText(&syntax.Stmt{Cmd: &bare}), env: s.env}}, true
		}
		s.argv = append(s.argv, text)
	}
	return s.unwrap(depth)
}

// unwrap removes env, timeout, nice, command and shells.
func (s step) unwrap(depth int) ([]step, bool) {
	for len(s.argv) > 0 {
		rest := s.argv[1:]
		switch base(s.argv[0]) {
		case "env":
			for len(rest) > 0 && strings.Contains(rest[0], "=") && !strings.HasPrefix(rest[0], "-") {
				name, value, _ := strings.Cut(rest[0], "=")
				s.env[name] = value
				rest = rest[1:]
			}
			if len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
				return []step{s.done()}, true
			}
		case "timeout", "gtimeout":
			for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
				if f := rest[0]; (f == "-k" || f == "-s") && len(rest) > 1 {
					rest = rest[1:]
				}
				rest = rest[1:]
			}
			if len(rest) < 2 {
				return []step{s.done()}, true
			}
			rest = rest[1:] // the duration
		case "nice":
			if len(rest) > 1 && rest[0] == "-n" {
				rest = rest[2:]
			}
			if len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
				return []step{s.done()}, true
			}
		case "command":
			if len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
				return []step{s.done()}, true
			}
		case "bash", "sh", "zsh", "dash":
			if len(rest) == 2 && slices.Contains([]string{"-c", "-lc", "-cl", "-ec", "-lec"}, rest[0]) {
				inner, ok := chain(rest[1], depth+1)
				return inherit(within(inner), s.env), ok
			}
			return []step{s.done()}, true
		default:
			return []step{s.done()}, true
		}
		s.argv = rest
	}
	return []step{s.done()}, true
}

// inherit gives steps the variables of the shell that runs them; their own count more.
func inherit(steps []step, env map[string]string) []step {
	for i := range steps {
		own := steps[i].env
		if steps[i].env = maps.Clone(env); steps[i].env == nil {
			steps[i].env = map[string]string{}
		}
		maps.Copy(steps[i].env, own)
	}
	return steps
}

// done is the step with its text, without what changes only what is printed.
func (s step) done() step {
	argv := tool.WithoutPrinting(s.argv)
	quoted := make([]string, len(argv))
	for i, a := range argv {
		quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	s.text = strings.Join(quoted, " ")
	return s
}

// literal returns a word that no shell changes: quoted or not, without expansions. An
// unquoted glob or tilde counts only if the shell leaves it unchanged.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, `\`) {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || strings.ContainsAny(lit.Value, `\`) {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

func sourceText(s *syntax.Stmt) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, s); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
