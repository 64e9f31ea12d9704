package tasks

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/shell"
)

// Step is one command that a line ends up running; calls of recipes and of the project's
// own scripts are replaced by what they run.
type Step struct {
	shell.Command
	Dir string // slash path from the root; "" when unknown
	// Hollow: a recipe or script was called that does not exist, or that nests too deep to
	// be followed.
	Hollow bool
}

const (
	maxDepth = 20
	maxSteps = 500
	maxLines = 2_000
)

// Expand lists the commands that a shell line run in dir ends up running.
func (s *Set) Expand(line, dir string) []Step {
	e := expander{set: s}
	e.line(line, dir, 0)
	return e.out
}

// Runs lists the commands that a command run in dir ends up running when it
// calls a recipe or a script of the project. known is false when it calls none,
// or one that cannot be followed.
func (s *Set) Runs(c shell.Command, dir string) (list []shell.Command, known bool) {
	if dir = inside(".", dir); dir == "" {
		return nil, false
	}
	e := expander{set: s, loose: true}
	e.command(c, dir, 0)
	for _, step := range e.out {
		if step.Hollow {
			return nil, false
		}
		list = append(list, step.Command)
	}
	return list, e.entered && len(list) > 0
}

type expander struct {
	set *Set
	out []Step
	// entered: a recipe or script was found and followed.
	entered bool
	// loose: also files that show only in part what a task runs: those of rake, pre-commit
	// and lefthook.
	loose bool
	// open are the recipes being expanded, so that a cycle ends.
	open []string
}

func (e *expander) line(text, dir string, depth int) {
	for _, c := range shell.Parse(text).Commands {
		if len(e.out) >= maxSteps {
			return
		}
		at := ""
		if dir != "" {
			at = inside(dir, c.Dir)
		}
		e.command(c, at, depth)
	}
}

func (e *expander) command(c shell.Command, dir string, depth int) {
	for i, argv := range c.Views {
		if dir == "" || len(argv) == 0 {
			break
		}
		if list := workspaceTasks(argv); len(list) > 0 {
			e.workspace(c, list, dir, depth)
			return
		}
		if call, ok := e.set.Call(argv, dir); ok {
			// What a wrapper seems to call may be its own: `turbo run lint`.
			if i > 0 && !call.exists() {
				continue
			}
			e.call(c, call, depth)
			return
		}
		if e.loose && e.partly(c, argv, dir, depth) {
			return
		}
		if text, ok := e.set.script(argv[0], dir); ok {
			e.enter(c, "script "+path.Join(dir, argv[0]), dir, depth, func() { e.line(text, dir, depth+1) })
			return
		}
	}
	e.out = append(e.out, Step{Command: c, Dir: dir})
}

// partly follows a call of a runner whose file can be read in part only.
func (e *expander) partly(c shell.Command, argv []string, dir string, depth int) bool {
	if depth >= maxDepth {
		return false
	}
	switch argv[0] {
	case "rake":
		return e.rake(c, argv, dir, depth)
	case "pre-commit", "prek", "lefthook":
		return e.hooks(argv, dir, depth)
	}
	return false
}

func (e *expander) call(c shell.Command, call Call, depth int) {
	if call.Elsewhere && e.elsewhere(c, call, depth) {
		return
	}
	if len(call.Recipes) == 0 {
		e.out = append(e.out, Step{Command: c, Dir: call.Dir, Hollow: !call.Elsewhere})
		return
	}
	for _, name := range call.Recipes {
		e.recipe(c, call, name, depth)
	}
}

// elsewhere follows a script into the packages of the workspace that a call is about. The
// workspace may begin in a directory above.
func (e *expander) elsewhere(c shell.Command, call Call, depth int) bool {
	for root := call.Dir; ; root = path.Dir(root) {
		if e.packages(c, call, root, depth) {
			return true
		}
		if root == "." || root == "/" {
			return false
		}
	}
}

func (e *expander) packages(c shell.Command, call Call, root string, depth int) bool {
	found := false
	for _, pkg := range e.set.packages(root) {
		f, ok := e.set.By("npm", pkg)
		if _, has := f.Find(call.Script); !ok || !has || pkg == call.Dir || !call.names(e.set.packageName(pkg), pkg) {
			continue
		}
		found = true
		e.recipe(c, Call{File: f, Dir: pkg}, call.Script, depth)
	}
	return found
}

func (e *expander) recipe(c shell.Command, call Call, name string, depth int) {
	r, ok := call.File.rule(name)
	if !ok {
		// make knows how to build files without a rule.
		isFile := call.File.Runner == "make" && strings.ContainsAny(name, "./")
		e.out = append(e.out, Step{Command: c, Dir: call.Dir, Hollow: !isFile || depth == 0})
		return
	}
	e.enter(c, path.Join(call.Dir, call.File.Name)+" "+name, call.Dir, depth, func() {
		for _, need := range r.Needs {
			if _, ok := call.File.rule(need); ok { // else a file, which runs nothing
				e.recipe(c, call, need, depth+1)
			}
		}
		dir := inside(call.Dir, r.Dir)
		for i, line := range r.Lines {
			if i == maxLines {
				return
			}
			if head, _, _ := strings.Cut(line, " "); strings.HasPrefix(head, "#!") {
				e.line(strings.Join(r.Lines[i+1:], "\n"), dir, depth+1) // a script with an interpreter of its own
				return
			}
			if i == len(r.Lines)-1 {
				line = withWords(line, call.Words)
			}
			body, ignored := strings.CutPrefix(line, ignoreMark)
			before := len(e.out)
			e.line(body, dir, depth+1)
			for j := before; ignored && j < len(e.out); j++ {
				e.out[j].Command = e.out[j].Hidden()
			}
		}
	})
}

// withWords appends the arguments of a script to its command, as npm does.
func withWords(line string, words []string) string {
	for _, w := range words {
		if strings.ContainsAny(w, " '\"\\$`;&|<>()*?[]{}~#\n") {
			return line // it is unknown what it does with the others
		}
	}
	return strings.Join(append([]string{line}, words...), " ")
}

// enter expands a recipe or script unless it is being expanded already.
func (e *expander) enter(c shell.Command, key, dir string, depth int, expand func()) {
	if slices.Contains(e.open, key) {
		return
	}
	if depth >= maxDepth {
		e.out = append(e.out, Step{Command: c, Dir: dir, Hollow: true})
		return
	}
	e.entered = true
	e.open = append(e.open, key)
	expand()
	e.open = e.open[:len(e.open)-1]
}

// Parts are the commands of a recipe that does nothing but call other recipes of
// the same file; none for any other command.
func (s *Set) Parts(line, dir string) []string {
	commands := shell.Parse(line).Commands
	if len(commands) != 1 || len(commands[0].Views) == 0 {
		return nil
	}
	argv := commands[0].Views[0]
	call, ok := s.Call(argv, dir)
	if !ok || call.Dir != dir || len(call.Recipes) != 1 || call.Elsewhere {
		return nil
	}
	r, ok := call.File.rule(call.Recipes[0])
	if !ok || r.Dir != "" {
		return nil
	}
	var out []string
	for _, need := range r.Needs {
		if _, ok := call.File.Find(need); !ok {
			return nil // a file
		}
		words := append(slices.Clone(argv), need)
		switch {
		case call.File.Runner == "tox":
			words = []string{argv[0], "-e", need}
		case argv[len(argv)-1] == r.Name:
			words = append(slices.Clone(argv[:len(argv)-1]), need)
		}
		out = append(out, strings.Join(words, " "))
	}
	for _, l := range r.Lines {
		for _, c := range shell.Parse(l).Commands {
			inner, ok := s.Call(c.Views[0], dir)
			if !ok || c.Dir != "" && c.Dir != "." || c.Proof != shell.Proven {
				return nil
			}
			switch {
			case len(inner.Recipes) == 1:
				out = append(out, strings.Join(c.Views[0], " "))
			case inner.File.Runner == "npm" && len(inner.Recipes) > 1: // run-s a b
				for _, name := range inner.Recipes {
					out = append(out, argv[0]+" run "+name)
				}
			default:
				return nil
			}
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

const maxScript = 64 << 10

// script is the text of a shell script of the project.
func (s *Set) script(name, dir string) (string, bool) {
	if !strings.Contains(name, "/") && !strings.HasSuffix(name, ".sh") {
		return "", false
	}
	p := inside(dir, name)
	switch path.Base(p) {
	case "mvnw", "gradlew", "sbt", "bazelisk": // wrappers of tools: what they run is in their arguments
		return "", false
	}
	if p == "" || !fs.ValidPath(p) {
		return "", false
	}
	info, err := fs.Stat(s.fsys, p)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxScript {
		return "", false
	}
	data, err := fs.ReadFile(s.fsys, p)
	if err != nil {
		return "", false
	}
	first, _, _ := strings.Cut(string(data), "\n")
	isShell := strings.HasSuffix(p, ".sh") || strings.HasSuffix(p, ".bash")
	if strings.HasPrefix(first, "#!") {
		interpreter := strings.Fields(strings.TrimPrefix(first, "#!"))
		isShell = slices.ContainsFunc(interpreter, func(w string) bool {
			return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh"}, path.Base(w))
		})
	}
	return string(data), isShell
}
