package setup

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/tasks"
)

// finding is the classification of one step.
type finding struct {
	role Role
	kind string
	// head is the tool with its sub-command: what proves that it was run.
	head string
	// operands are its arguments that are not flags.
	operands []string
	// more are further roles of the same command: turbo run lint test.
	more []Role
}

// classify looks through the wrappers of a step, the innermost command first.
func classify(step tasks.Step) (finding, bool) {
	for _, argv := range slices.Backward(step.Views) {
		if f, ok := classifyArgv(argv); ok {
			return f, f.role != Test || !slices.ContainsFunc(argv[1:], runsNoTest)
		}
	}
	return finding{}, false
}

func classifyArgv(argv []string) (finding, bool) {
	if len(argv) == 0 || slices.ContainsFunc(argv[1:], func(a string) bool { return a == "--version" || a == "--help" }) {
		return finding{}, false
	}
	name := strings.TrimSuffix(path.Base(argv[0]), ".cmd")
	switch name {
	case "php", "ruby", "node", "perl": // php vendor/bin/phpunit
		if words := plainWords(argv[1:]); len(words) > 0 && (strings.Contains(words[0], "bin/") || strings.HasPrefix(words[0], "exe/")) {
			inner := slices.Clone(argv[slices.Index(argv, words[0]):])
			inner[0] = strings.TrimSuffix(path.Base(inner[0]), path.Ext(inner[0]))
			if f, ok := classifyArgv(inner); ok {
				if strings.HasPrefix(words[0], "exe/") {
					f.head = name + " " + words[0] // a gem's own program, which no one calls by its bare name here
				}
				return f, true
			}
		}
	}
	words := plainWords(argv[1:])
	if strings.HasPrefix(name, "python") && len(words) > 1 && (words[0] == "manage.py" || words[0] == "setup.py") {
		name, words = words[0], words[1:] // Django's and setuptools' own commands
	}
	t, ok := toolOf(name)
	if !ok {
		return finding{}, false
	}
	f := finding{role: t.role, kind: t.kind, head: name, operands: words}
	switch {
	case t.subs != nil:
		sub := ""
		for i, w := range words {
			if i > 0 && !manyGoals(name) {
				break
			}
			if role, ok := t.subs[w]; ok {
				sub, f.role, f.operands = w, role, slices.Delete(slices.Clone(words), i, i+1)
				f.head = name + " " + w
				break
			}
		}
		if sub == "" && (name == "gradle" || name == "gradlew") {
			if f.role, sub = gradleRole(words); sub != "" {
				f.head = name + " " + sub
			}
		}
		if sub == "" {
			role, ok := t.subs[""]
			if !ok {
				return finding{}, false
			}
			f.role = role
		}
	case name == "node":
		if !slices.ContainsFunc(argv, func(a string) bool { return a == "--test" || strings.HasPrefix(a, "--test-") }) {
			return finding{}, false
		}
		f.role, f.head = Test, "node --test"
	}
	return special(f, name, argv)
}

// runsNoTest reports whether a flag makes a test runner prepare or list the tests only.
func runsNoTest(arg string) bool {
	return slices.Contains([]string{"--notest", "--collect-only", "--co", "--listTests", "--list-tests", "--show-only", "--dry-run"}, arg)
}

// gradleRole uses the names of tasks: :app:testDebugUnitTest, lintKotlin.
func gradleRole(tasks []string) (Role, string) {
	role, named := Role(""), ""
	for _, task := range tasks {
		name := strings.ToLower(task[strings.LastIndexByte(task, ':')+1:])
		switch {
		case strings.HasPrefix(name, "test"), strings.HasSuffix(name, "test"), name == "check", name == "build":
			return Test, task
		case strings.HasPrefix(name, "lint"), strings.HasSuffix(name, "check"), strings.HasPrefix(name, "detekt"):
			role, named = Lint, task
		}
	}
	return role, named
}

// manyGoals reports whether a program takes several sub-commands at once.
func manyGoals(name string) bool {
	return slices.Contains([]string{"mvn", "mvnw", "gradle", "gradlew", "sbt", "rake", "ninja", "meson"}, name)
}

// special are the programs whose flags decide what they are.
func special(f finding, name string, argv []string) (finding, bool) {
	switch name {
	case "turbo", "nx", "lerna", "wireit", "rush", "moon":
		return byTasks(f, argv)
	case "tsc", "vue-tsc", "tsgo", "glint":
		if !slices.ContainsFunc(argv, func(a string) bool { return a == "--noEmit" || a == "--no-emit" }) {
			f.role = Build // it writes JavaScript unless the configuration says otherwise
		}
	case "manage.py", "setup.py":
		f.head = "python " + f.head
		if slices.Contains(f.operands, "makemigrations") && !slices.Contains(argv, "--check") {
			return finding{}, false
		}
	case "hatch":
		if f.role == Format && !slices.Contains(argv, "--check") {
			return finding{}, false
		}
	case "cmake":
		if !slices.ContainsFunc(argv, func(a string) bool {
			return a == "--build" || a == "--workflow" // without, it only configures
		}) {
			return finding{}, false
		}
	case "make":
		return finding{}, false
	case "tox", "nox":
		return byEnvironments(f, argv)
	case "zig":
		if f.role == Build && slices.Contains(argv, "test") {
			f.role, f.head = Test, "zig build test"
		}
	case "ninja":
		if slices.Contains(argv, "-t") {
			return finding{}, false // one of its tools, not a build
		}
	case "cc", "gcc", "clang", "g++", "clang++", "c++":
		if len(f.operands) == 0 {
			return finding{}, false
		}
	case "mvn", "mvnw", "gradle", "gradlew":
		if slices.ContainsFunc(argv, func(a string) bool {
			return strings.HasPrefix(a, "-DskipTests") || strings.HasPrefix(a, "-Dmaven.test.skip") || a == "-x"
		}) {
			f.role = Build
		}
	}
	return f, true
}

// byTasks is what a runner of several packages does, by the names of the tasks: turbo run
// lint test.
func byTasks(f finding, argv []string) (finding, bool) {
	f.role = ""
	for _, w := range f.operands {
		if r, _ := roleOfName(w); r != "" {
			f.more = append(f.more, r)
			if f.role == "" || r == Test {
				f.role = r
			}
		}
	}
	for _, a := range argv[1:] {
		if rest, ok := strings.CutPrefix(a, "--target"); ok && f.role == "" {
			f.role, _ = roleOfName(rest)
		}
	}
	return f, f.role != ""
}

// byEnvironments is what tox and nox do, by the names of the environments.
func byEnvironments(f finding, argv []string) (finding, bool) {
	f.role = Test
	for i, a := range argv {
		if (a == "-e" || a == "-s" || a == "--session" || a == "-f" || a == "-m") && i+1 < len(argv) {
			if r, _ := roleOfName(argv[i+1]); r != "" {
				f.role = r
			} else if unfitEnv(argv[i+1]) {
				return finding{}, false
			}
		}
	}
	if slices.Contains(argv, "list") || slices.Contains(argv, "-l") {
		return finding{}, false
	}
	if !slices.ContainsFunc(argv, func(a string) bool {
		return strings.HasPrefix(a, "-e") || strings.HasPrefix(a, "-s") || a == "--session" || a == "-f" || a == "-m" || a == "-k"
	}) {
		f.more = []Role{Format, Lint, Typecheck} // every environment that is listed
	}
	return f, true
}

// unfitEnv reports whether an environment of tox or a session of nox checks nothing.
func unfitEnv(name string) bool {
	for _, w := range []string{"doc", "release", "build", "coverage", "publish", "dev", "changelog", "bench", "update"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// plainWords are the arguments that are not flags.
func plainWords(args []string) []string {
	var out []string
	for _, a := range args {
		if a != "" && a[0] != '-' && a[0] != '+' {
			out = append(out, a)
		}
	}
	return out
}
