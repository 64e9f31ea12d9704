package tasks

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Call is a command that runs recipes of a task file.
type Call struct {
	File    File
	Dir     string   // of the file
	Recipes []string // as named in the call; none when it names none and there is no default
	Words   []string // what a script of package.json is given besides flags
	// Elsewhere: it runs Script in other packages of the workspace: those named, or all
	// that have it.
	Elsewhere bool
	Script    string
	Packages  []string
}

func (c Call) exists() bool {
	for _, name := range c.Recipes {
		if _, ok := c.File.rule(name); !ok {
			return false
		}
	}
	return len(c.Recipes) > 0
}

// Call returns which recipes an argument vector run in dir calls.
func (s *Set) Call(argv []string, dir string) (Call, bool) {
	name := argv[0]
	args := argv[1:]
	switch name {
	case "make", "gmake", "/usr/bin/make":
		if slices.Contains(args, "-v") || slices.Contains(args, "--version") {
			return Call{}, false
		}
		name = path.Base(name)
		return s.makeCall(name, args, dir)
	case "just", "task", "go-task", "poe":
		words, sub := operands(args, "-d", "--dir", "--working-directory", "-f", "--justfile", "-C")
		return s.named(name, inside(dir, sub), words, 1)
	case "npm", "pnpm", "yarn", "bun":
		return s.scriptCall(name, args, dir)
	case "nr": // of @antfu/ni: the run of whichever manager there is
		return s.scriptCall("npm", append([]string{"run"}, args...), dir)
	case "cargo":
		c, ok := s.named(name, dir, args, 1)
		return c, ok && c.exists()
	case "run-s", "run-p", "npm-run-all", "npm-run-all2", "run-z", "concurrently":
		return s.scriptsCall(name, args, dir)
	case "tox", "nox":
		return s.environments(name, argv, dir)
	case "composer":
		words, sub := operands(args, "-d", "--working-dir", "--timeout")
		if len(words) > 0 && (words[0] == "run" || words[0] == "run-script") {
			words = words[1:]
		}
		c, ok := s.named(name, inside(dir, sub), words, 1)
		return c, ok && c.exists() // the other words are commands of its own
	case "deno", "mise", "pdm", "hatch":
		words, sub := operands(args, "--cwd", "-C", "-p", "--project", "-e", "--env")
		switch {
		case len(words) == 0:
			return Call{}, false
		case words[0] == "run" || words[0] == "task" || words[0] == "r":
			words = words[1:]
		case name != "mise":
			return Call{}, false
		default: // mise runs a task by its bare name
			c, ok := s.named(name, inside(dir, sub), words, 1)
			return c, ok && c.exists()
		}
		c, ok := s.named(name, inside(dir, sub), words, 1)
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
	if dir = inside(dir, sub); dir == "" {
		return Call{}, false
	}
	f, ok := s.By(name, dir)
	if file := valueOf(args, "-f", "--file", "--makefile"); file != "" {
		f, ok = s.makefileOf(dir, file)
	}
	if len(words) == 0 {
		if i := slices.IndexFunc(f.Recipes, func(r Recipe) bool { return !strings.Contains(r.Name, "%") }); i >= 0 {
			words = []string{f.Recipes[i].Name}
		}
	}
	return Call{File: f, Dir: dir, Recipes: words}, ok
}

// valueOf is the value of an option that has several names.
func valueOf(args []string, names ...string) string {
	for i, a := range args {
		flag, value, glued := strings.Cut(a, "=")
		switch {
		case !slices.Contains(names, flag):
		case glued:
			return value
		case i+1 < len(args):
			return args[i+1]
		}
	}
	return ""
}

// named is a call of the first n words, of the default without any.
func (s *Set) named(runner, dir string, words []string, n int) (Call, bool) {
	if dir == "" {
		return Call{}, false
	}
	f, ok := s.By(runner, dir)
	if !ok {
		return Call{}, false
	}
	c := Call{File: f, Dir: dir, Recipes: words[:min(n, len(words))]}
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
			return elsewhere(args, dir), true
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
		return s.named(manager, inside(dir, sub), words, len(words))
	}
	c, ok := s.named(manager, inside(dir, sub), words[:1], 1)
	c.Words = words[1:]
	return c, ok
}

// elsewhere is a call of a script in other packages: pnpm --filter web test, npm run test
// -w web, yarn workspace web test.
func elsewhere(args []string, dir string) Call {
	c := Call{Dir: dir, Elsewhere: true}
	for i := 0; i < len(args); i++ {
		flag, value, glued := strings.Cut(args[i], "=")
		switch {
		case flag == "--filter" || flag == "-F" || flag == "-w" || flag == "--workspace" || flag == "workspace":
			if !glued && i+1 < len(args) {
				i++
				value = args[i]
			}
			c.Packages = append(c.Packages, value)
		case strings.HasPrefix(args[i], "-"), c.Script != "":
		case slices.Contains([]string{"run", "run-script", "workspaces", "foreach"}, args[i]):
		default:
			c.Script = args[i]
		}
	}
	return c
}

// names reports whether the call is about the package in a directory.
func (c Call) names(name, dir string) bool {
	return len(c.Packages) == 0 || slices.ContainsFunc(c.Packages, func(want string) bool {
		want = strings.TrimSuffix(strings.TrimPrefix(want, "./"), "/")
		return want == name || want == dir || want == path.Base(dir) || strings.ContainsAny(want, "*!{}[]^") || strings.Contains(want, "...")
	})
}

// scriptsCall is a call of several scripts by name or pattern: run-s lint test:*,
// concurrently npm:lint npm:test. A call that also runs something else does not count.
func (s *Set) scriptsCall(runner string, args []string, dir string) (Call, bool) {
	f, ok := s.By("npm", dir)
	c := Call{File: f, Dir: dir}
	for _, a := range args {
		switch {
		case !ok || a == "--":
			return c, c.exists()
		case strings.HasPrefix(a, "-"):
			continue
		}
		if runner == "concurrently" {
			manager, script, named := strings.Cut(a, ":")
			if !named || !slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, manager) {
				return Call{}, false
			}
			a = script
		}
		a, _, _ = strings.Cut(a, " ") // the rest are its arguments
		if !strings.Contains(a, "*") {
			c.Recipes = append(c.Recipes, a)
			continue
		}
		expression := strings.ReplaceAll(regexp.QuoteMeta(a), `\*\*`, ".*")
		c.Recipes = append(c.Recipes, f.matching("^"+strings.ReplaceAll(expression, `\*`, "[^:]*")+"$")...)
	}
	return c, c.exists()
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

// operands are the arguments that are not flags, and the directory a flag names.
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
