package tasks

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"gauntlet/internal/shellcmd"
)

// Step is one command that a line ends up running, calls of recipes and of the
// project's own scripts replaced by what those run.
type Step struct {
	shellcmd.Command
	Dir string // slash path from the root; "" when it is not known
	// Hollow: a recipe or script was called that is not there, or that nests too
	// deep to be followed.
	Hollow bool
}

const (
	maxDepth = 8
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
func (s *Set) Runs(c shellcmd.Command, dir string) (list []shellcmd.Command, known bool) {
	if dir = inside(".", dir); dir == "" {
		return nil, false
	}
	e := expander{set: s}
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
	// open are the recipes being expanded, so that a circle ends.
	open []string
}

func (e *expander) line(text, dir string, depth int) {
	for _, c := range shellcmd.Parse(text).Commands {
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

func (e *expander) command(c shellcmd.Command, dir string, depth int) {
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
		if text, ok := e.set.script(argv[0], dir); ok {
			e.enter(c, "script "+path.Join(dir, argv[0]), dir, depth, func() { e.line(text, dir, depth+1) })
			return
		}
	}
	e.out = append(e.out, Step{Command: c, Dir: dir})
}

func (e *expander) call(c shellcmd.Command, call Call, depth int) {
	if len(call.Recipes) == 0 {
		e.out = append(e.out, Step{Command: c, Dir: call.Dir, Hollow: !call.Elsewhere})
		return
	}
	for _, name := range call.Recipes {
		e.recipe(c, call, name, depth)
	}
}

func (e *expander) recipe(c shellcmd.Command, call Call, name string, depth int) {
	r, ok := call.File.rule(name)
	if !ok {
		// make knows how to build files that no rule names.
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
			e.line(line, dir, depth+1)
		}
	})
}

// enter expands a recipe or script unless it is being expanded already.
func (e *expander) enter(c shellcmd.Command, key, dir string, depth int, expand func()) {
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

// Call is a command that runs recipes of a task file.
type Call struct {
	File    File
	Dir     string   // of the file
	Recipes []string // as named in the call; none when it names none and there is no default
	// Elsewhere: it runs scripts of other packages of the workspace.
	Elsewhere bool
}

func (c Call) exists() bool {
	for _, name := range c.Recipes {
		if _, ok := c.File.rule(name); !ok {
			return false
		}
	}
	return len(c.Recipes) > 0
}

// Call tells which recipes an argument vector run in dir calls.
func (s *Set) Call(argv []string, dir string) (Call, bool) {
	name := argv[0]
	args := argv[1:]
	switch name {
	case "make", "gmake", "/usr/bin/make":
		name = path.Base(name)
		return s.makeCall(name, args, dir)
	case "just", "task", "go-task", "poe":
		words, sub := operands(args, "-d", "--dir", "--working-directory", "-f", "--justfile", "-C")
		return s.named(name, inside(dir, sub), words, 1, "")
	case "npm", "pnpm", "yarn", "bun":
		return s.scriptCall(name, args, dir)
	case "tox", "nox":
		return s.environments(name, argv, dir)
	case "composer":
		words, sub := operands(args, "-d", "--working-dir", "--timeout")
		if len(words) > 0 && (words[0] == "run" || words[0] == "run-script") {
			words = words[1:]
		}
		c, ok := s.named(name, inside(dir, sub), words, 1, "")
		return c, ok && c.exists() // the other words are commands of its own
	case "deno", "mise", "pdm", "hatch":
		words, sub := operands(args, "--cwd", "-C", "-p", "--project", "-e", "--env")
		if len(words) == 0 || words[0] != "run" && words[0] != "task" && words[0] != "r" {
			return Call{}, false
		}
		c, ok := s.named(name, inside(dir, sub), words[1:], 1, "")
		// `pdm run pytest` runs a program, not a recipe.
		if ok && len(c.Recipes) == 1 && name != "mise" {
			_, ok = c.File.Find(c.Recipes[0])
		}
		return c, ok
	}
	return Call{}, false
}

func (s *Set) makeCall(name string, args []string, dir string) (Call, bool) {
	words, sub := operands(args, "-C", "--directory", "-f", "--file", "--makefile", "-o", "-W", "-I")
	// A number is that of -j or -l, which may also stand alone.
	words = slices.DeleteFunc(words, func(w string) bool { return strings.Contains(w, "=") || strings.Trim(w, "0123456789.") == "" })
	first := ""
	if f, ok := s.By(name, inside(dir, sub)); ok && len(f.Recipes) > 0 {
		if i := slices.IndexFunc(f.Recipes, func(r Recipe) bool { return !strings.Contains(r.Name, "%") }); i >= 0 {
			first = f.Recipes[i].Name
		}
	}
	return s.named(name, inside(dir, sub), words, len(words), first)
}

// named is a call of the first n words, of the default without any.
func (s *Set) named(runner, dir string, words []string, n int, byDefault string) (Call, bool) {
	if dir == "" {
		return Call{}, false
	}
	f, ok := s.By(runner, dir)
	if !ok {
		return Call{}, false
	}
	c := Call{File: f, Dir: dir, Recipes: words[:min(n, len(words))]}
	if len(c.Recipes) == 0 && byDefault != "" {
		c.Recipes = []string{byDefault}
	}
	if len(c.Recipes) == 0 {
		if _, ok := f.Find("default"); ok {
			c.Recipes = []string{"default"}
		} else if runner == "just" && len(f.Recipes) > 0 {
			c.Recipes = []string{f.Recipes[0].Name}
		}
	}
	return c, true
}

// scriptCall is a call of a script in package.json: npm run x, npm test, yarn x.
func (s *Set) scriptCall(manager string, args []string, dir string) (Call, bool) {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	for _, a := range args {
		switch {
		case a == "-r", a == "--recursive", a == "--workspaces", a == "-ws", strings.HasPrefix(a, "--filter"), a == "-F", a == "-w" && manager != "pnpm", strings.HasPrefix(a, "--workspace="), a == "workspaces", a == "workspace":
			return Call{Dir: dir, Elsewhere: true}, true
		}
	}
	words, sub := operands(args, "--prefix", "-C", "--dir", "--cwd", "--shell")
	if len(words) == 0 {
		return Call{}, false
	}
	switch words[0] {
	case "run", "run-script", "rum", "urn":
		if len(words) == 1 {
			return Call{}, false
		}
		words = words[1:]
	case "t", "tst":
		words[0] = "test"
	case "test", "start", "stop", "restart":
		if manager == "bun" && words[0] == "test" {
			return Call{}, false // bun's own test runner
		}
	default:
		// pnpm and yarn run a script by its bare name, npm does not.
		f, ok := s.By(manager, inside(dir, sub))
		if !ok || manager == "npm" {
			return Call{}, false
		}
		if _, ok := f.Find(words[0]); !ok {
			return Call{}, false
		}
	}
	if f, ok := s.By(manager, inside(dir, sub)); ok && strings.HasPrefix(words[0], "/") {
		if names := f.matching(words[0]); len(names) > 0 {
			words = names
		}
		return s.named(manager, inside(dir, sub), words, len(words), "")
	}
	return s.named(manager, inside(dir, sub), words[:1], 1, "")
}

// matching are the recipes whose names match /expression/, as pnpm runs them.
func (f File) matching(expression string) []string {
	re, err := regexp.Compile(strings.Trim(expression, "/"))
	if err != nil {
		return nil
	}
	var out []string
	for _, r := range f.Recipes {
		if re.MatchString(r.Name) {
			out = append(out, r.Name)
		}
	}
	return out
}

// operands are the arguments that are no flags, and the directory a flag names.
func operands(args []string, valued ...string) (words []string, dir string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		flag, value, glued := strings.Cut(a, "=")
		switch {
		case !strings.HasPrefix(a, "-"):
			words = append(words, a)
			continue
		case slices.Contains(valued, a):
			if i++; i < len(args) {
				value = args[i]
			}
		case glued:
		default:
			continue
		}
		switch flag {
		case "-C", "-d", "--dir", "--directory", "--working-directory", "--working-dir", "--prefix", "--cwd", "-p", "--project":
			dir = value
		}
	}
	return words, dir
}

// Parts are the commands of a recipe that does nothing but call other recipes of
// the same file; none for any other command.
func (s *Set) Parts(line, dir string) []string {
	commands := shellcmd.Parse(line).Commands
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
		out = append(out, strings.Join(append(slices.Clone(argv[:len(argv)-1]), need), " "))
	}
	for _, l := range r.Lines {
		for _, c := range shellcmd.Parse(l).Commands {
			inner, ok := s.Call(c.Views[0], dir)
			if !ok || c.Dir != "" && c.Dir != "." || len(inner.Recipes) != 1 || c.Proof != shellcmd.Proven {
				return nil
			}
			out = append(out, strings.Join(c.Views[0], " "))
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
			switch path.Base(w) {
			case "sh", "bash", "dash", "zsh", "ksh":
				return true
			}
			return false
		})
	}
	return string(data), isShell
}
