package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gauntlet/internal/tool"
)

// call walks a simple command.
func (w *walker) call(c *syntax.CallExpr, redirs []*syntax.Redirect, k know) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.assign(a, k) // x=$(make) has make's status
		}
		return
	}
	for _, a := range c.Assigns {
		w.nested(a, min(k, passed))
	}
	argv := make([]string, 0, len(c.Args))
	for _, arg := range c.Args {
		w.nested(arg, min(k, passed))
		text, _ := w.word(arg)
		argv = append(argv, text)
	}
	w.run(argv, redirs, k)
}

// run walks one command given its words.
func (w *walker) run(argv []string, redirs []*syntax.Redirect, k know) {
	if body, isFunc := w.funcs[argv[0]]; isFunc {
		if w.depth < maxDepth {
			w.depth++
			w.again++
			w.stmt(body, onlyIf(k)) // the function may have returned early
			w.again--
			w.depth--
		}
		return
	}
	if w.builtin(argv, k) {
		return
	}
	views := w.views(argv)
	inner := views[len(views)-1]
	if script, isShell := shellScript(inner); isShell {
		w.apart(k, func(k know) {
			// a new shell inherits the directory, and nothing else that is tracked here
			funcs := w.funcs
			w.scope, w.funcs = scope{dir: w.dir, vars: map[string]string{}}, map[string]*syntax.Stmt{}
			defer func() { w.funcs = funcs }()
			for _, arg := range inner[1:] {
				if !strings.HasPrefix(arg, "-") && arg != "pipefail" {
					break
				}
				if !strings.HasPrefix(arg, "--") {
					w.set([]string{strings.Map(onlySetFlags, arg)})
				}
				w.pipefail = w.pipefail || arg == "pipefail"
			}
			if !w.shell(script, k) {
				w.emit(views, redirs, min(k, maybe))
			}
		})
		return
	}
	for _, view := range views[:len(views)-1] {
		if base(view[0]) != "xargs" {
			continue
		}
		k = min(k, maybe) // there may have been no input to run it for
		if !onlyPrints(inner[0]) || hasAny(inner, "-i", "-pi", "--in-place") {
			defer w.rewrites() // the text does not say which files it is given
		}
	}
	w.emit(views, redirs, k)
}

// builtin follows what the shell does itself.
func (w *walker) builtin(argv []string, k know) bool {
	switch argv[0] {
	case "cd", "pushd":
		if k != no {
			w.chdir(lastOperand(argv))
		}
	case "popd":
		w.dir = ""
	case "set":
		w.set(argv[1:])
	case "eval":
		w.shell(strings.Join(argv[1:], " "), k)
	case "exit", "return", "break", "continue", "export", "unset", "shift", "trap", "wait":
	default:
		return false
	}
	return true
}

// onlySetFlags keeps the letters of `-elc` that `set` accepts.
func onlySetFlags(r rune) rune {
	if r == '-' || r == 'e' {
		return r
	}
	return -1
}

// shell walks a script within the line.
func (w *walker) shell(script string, k know) bool {
	if w.depth >= maxDepth {
		return false
	}
	w.depth++
	defer func() { w.depth-- }()
	return w.script(script, k)
}

// emit records one command.
func (w *walker) emit(views [][]string, redirs []*syntax.Redirect, k know) {
	w.seq++
	cmd := Command{Views: views, Dir: w.dir, Seq: w.seq, Filters: w.filters, Into: w.into}
	cmd.MaySkip, cmd.IfQuiet = k < quiet, k == quiet
	if w.proofLine == anything {
		cmd.branch = w.branches
	}
	switch k {
	case no:
		cmd.Proof = Unproven
	case maybe, quiet, likely, passed:
		cmd.Proof = Swallowed
	case ok:
		cmd.Proof = Proven
		if w.proofLine != "" {
			cmd.Proof, cmd.ProofLine = Swallowed, w.proofLine
		}
	}
	w.files(cmd.Argv(), redirs)
	w.line.Commands = append(w.line.Commands, perTarget(cmd)...)
}

// perTarget splits `make a b` in two: make stops at the first target that fails.
func perTarget(cmd Command) []Command {
	argv := cmd.Argv()
	called := tool.Of(argv)
	if !called.Is("stops") {
		return []Command{cmd}
	}
	targets := called.Operands()
	if len(targets) < 2 {
		return []Command{cmd}
	}
	var out []Command
	for _, target := range targets {
		one := []string{argv[0]}
		for _, arg := range argv[1:] {
			if arg == target || !slices.Contains(targets, arg) {
				one = append(one, arg)
			}
		}
		c := cmd
		c.Views = append(cmd.Views[:len(cmd.Views)-1:len(cmd.Views)-1], one)
		out = append(out, c)
	}
	return out
}

func (w *walker) set(args []string) {
	for i, arg := range args {
		if arg == "--" {
			return
		}
		on := strings.HasPrefix(arg, "-")
		if !on && !strings.HasPrefix(arg, "+") {
			continue
		}
		if strings.Contains(arg, "e") {
			w.errexit = on
		}
		if strings.HasSuffix(arg, "o") && i+1 < len(args) {
			switch args[i+1] {
			case "pipefail":
				w.pipefail = on
			case "errexit":
				w.errexit = on
			}
		}
	}
}

// assign records a variable; k is about the command that computes its value.
func (w *walker) assign(a *syntax.Assign, k know) {
	into := "$"
	if a.Name != nil {
		into += a.Name.Value // the output of a substitution goes into the variable
	}
	w.substituted(a, k, into)
	if a.Name == nil || a.Value == nil {
		return
	}
	text, literal := w.word(a.Value)
	if literal && !a.Append {
		w.vars[a.Name.Value] = text
	} else {
		delete(w.vars, a.Name.Value)
	}
}

// nested walks the substitutions within a node: they run, but neither their output nor
// their status is visible in the line.
func (w *walker) nested(node syntax.Node, k know) { w.substituted(node, k, "$") }

// substituted is nested for output that goes into a variable, which the line may print.
func (w *walker) substituted(node syntax.Node, k know, to string) {
	if node == nil {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			into := w.into
			w.into = to
			w.apart(k, func(k know) {
				w.errexit = false // not inherited
				w.list(n.Stmts, k)
			})
			w.into = into
			return false
		case *syntax.ProcSubst:
			w.apart(no, func(k know) { w.list(n.Stmts, k) })
			return false
		}
		return true
	})
}

// words are the words of a plain command, for describing a filter.
func (w *walker) words(s *syntax.Stmt) []string {
	c, isCall := s.Cmd.(*syntax.CallExpr)
	if !isCall {
		return []string{"("}
	}
	var argv []string
	for _, arg := range c.Args {
		text, _ := w.word(arg)
		argv = append(argv, text)
	}
	return argv
}

// word is the text of a word and whether the line alone determines it.
func (w *walker) word(word *syntax.Word) (string, bool) {
	var b strings.Builder
	literal := true
	for _, part := range word.Parts {
		literal = w.part(&b, part, false) && literal
	}
	return b.String(), literal
}

func (w *walker) part(b *strings.Builder, part syntax.WordPart, quoted bool) bool {
	switch p := part.(type) {
	case *syntax.Lit:
		b.WriteString(unescape(p.Value, quoted))
	case *syntax.SglQuoted:
		b.WriteString(p.Value)
	case *syntax.DblQuoted:
		literal := true
		for _, inner := range p.Parts {
			literal = w.part(b, inner, true) && literal
		}
		return literal
	case *syntax.ParamExp:
		name := paramName(p)
		if value, known := w.vars[name]; known {
			b.WriteString(value)
			return true
		}
		b.WriteString("$" + name)
		return false
	case *syntax.ExtGlob:
		b.WriteString(p.Op.String() + p.Pattern.Value + ")")
	default:
		b.WriteString("$()")
		return false
	}
	return true
}

// unescape removes the backslashes from a literal.
func unescape(s string, quoted bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
