package setup

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/tasks"
)

// Kinds of projects, by language. A command of no kind speaks for all of them.
const (
	Go      = "go"
	Node    = "node"
	Python  = "python"
	Rust    = "rust"
	Java    = "java"
	Ruby    = "ruby"
	PHP     = "php"
	Dotnet  = "dotnet"
	Elixir  = "elixir"
	C       = "c"
	Zig     = "zig"
	Deno    = "deno"
	Shell   = "shell"
	Bazel   = "bazel"
	Swift   = "swift"
	Dart    = "dart"
	Scala   = "scala"
	Haskell = "haskell"
	Docs    = "docs"
)

// tool is what a program is for: itself, or by its sub-command.
type tool struct {
	kind string
	role Role            // of the bare program
	subs map[string]Role // by sub-command; "" is the program without one
}

// toolOf knows the programs that check things.
func toolOf(name string) (tool, bool) {
	simple := func(kind string, role Role) (tool, bool) { return tool{kind: kind, role: role}, true }
	subs := func(kind string, pairs ...string) (tool, bool) {
		t := tool{kind: kind, subs: map[string]Role{}}
		for i := 0; i < len(pairs); i += 2 {
			t.subs[pairs[i]] = Role(pairs[i+1])
		}
		return t, true
	}
	switch name {
	case "go":
		return subs(Go, "test", "test", "vet", "lint", "build", "build")
	case "gotestsum", "richgo", "ginkgo", "gotest":
		return simple(Go, Test)
	case "golangci-lint":
		return subs(Go, "run", "lint")
	case "staticcheck", "revive", "errcheck", "gosec", "nilaway", "gocritic":
		return simple(Go, Lint)
	case "gofmt", "gofumpt", "goimports", "gci":
		return simple(Go, Format)
	case "cargo":
		return subs(Rust, "test", "test", "nextest", "test", "t", "test", "clippy", "lint", "fmt", "format", "check", "build", "c", "build", "build", "build", "b", "build", "hack", "build", "llvm-cov", "test", "doc", "build")
	case "rustfmt":
		return simple(Rust, Format)
	case "pytest", "py.test", "unittest", "nose2", "trial", "stestr", "green", "behave", "pytest-3":
		return simple(Python, Test)
	case "tox", "nox":
		return simple(Python, Test)
	case "ruff":
		return subs(Python, "check", "lint", "format", "format", "", "lint")
	case "flake8", "pylint", "pyflakes", "pycodestyle", "bandit", "pydocstyle", "vulture", "pylama", "import-linter", "lint-imports":
		return simple(Python, Lint)
	case "mypy", "pyright", "basedpyright", "pytype", "dmypy", "pyrefly", "zuban":
		return simple(Python, Typecheck)
	case "manage.py":
		return subs(Python, "test", "test", "check", "lint", "makemigrations", "lint")
	case "setup.py":
		return subs(Python, "test", "test")
	case "hatch":
		return subs(Python, "test", "test", "fmt", "format")
	case "rye":
		return subs(Python, "test", "test", "lint", "lint")
	case "react-scripts", "craco", "react-app-rewired":
		return subs(Node, "test", "test", "build", "build")
	case "ty", "pyre":
		return subs(Python, "check", "typecheck")
	case "black", "isort", "yapf", "autopep8", "blue":
		return simple(Python, Format)
	case "jest", "vitest", "mocha", "ava", "tap", "jasmine", "uvu", "qunit", "karma", "lab", "tape", "borp", "tsd", "wtr", "poku", "brittle":
		return simple(Node, Test)
	case "eslint", "oxlint", "xo", "standard", "tslint", "stylelint", "ts-standard", "semistandard", "jshint", "knip", "depcheck", "madge", "publint", "attw", "htmlhint", "dpdm", "skott", "syncpack", "sherif":
		return simple(Node, Lint)
	case "biome":
		return subs(Node, "check", "lint", "lint", "lint", "ci", "lint", "format", "format")
	case "prettier", "oxfmt":
		return simple(Node, Format)
	case "dprint":
		return subs("", "check", "format")
	case "tsc", "vue-tsc", "tsgo", "svelte-check", "flow", "glint", "ember-tsc":
		return simple(Node, Typecheck)
	case "tsup", "rollup", "webpack", "esbuild", "tsdown", "unbuild", "parcel", "preconstruct", "rolldown":
		return simple(Node, Build)
	case "vite", "next", "nuxt", "nuxi", "astro", "remix", "svelte-kit", "gatsby", "ng":
		return subs(Node, "build", "build", "check", "typecheck", "typecheck", "typecheck", "lint", "lint", "test", "test")
	case "turbo", "nx", "lerna", "wireit", "rush", "moon":
		return simple(Node, Check) // by the name of what it runs
	case "mvn", "mvnw":
		return subs(Java, "test", "test", "verify", "test", "package", "test", "compile", "build", "check", "test", "spotless:check", "format", "checkstyle:check", "lint")
	case "gradle", "gradlew":
		return subs(Java, "test", "test", "check", "test", "build", "test", "assemble", "build", "lint", "lint", "detekt", "lint", "ktlintCheck", "lint", "spotlessCheck", "format")
	case "ktlint", "detekt", "checkstyle", "pmd":
		return simple(Java, Lint)
	case "rspec", "minitest", "cucumber", "m":
		return simple(Ruby, Test)
	case "rake":
		return subs(Ruby, "test", "test", "spec", "test", "", "test", "default", "test", "rubocop", "lint", "lint", "lint", "standard", "lint")
	case "rails":
		return subs(Ruby, "test", "test", "spec", "test")
	case "rubocop", "standardrb", "reek", "erb_lint", "erblint", "haml-lint", "slim-lint":
		return simple(Ruby, Lint)
	case "srb", "steep":
		return subs(Ruby, "tc", "typecheck", "check", "typecheck")
	case "phpunit", "pest", "paratest", "codecept", "phpspec", "simple-phpunit", "atoum", "tester":
		return simple(PHP, Test)
	case "phpstan", "psalm", "phan":
		return simple(PHP, Typecheck)
	case "phpcs", "parallel-lint", "rector", "phpmd", "deptrac", "composer-unused":
		return simple(PHP, Lint)
	case "php-cs-fixer", "pint", "ecs":
		return simple(PHP, Format)
	case "dotnet":
		return subs(Dotnet, "test", "test", "build", "build", "format", "format")
	case "mix":
		return subs(Elixir, "test", "test", "format", "format", "credo", "lint", "dialyzer", "typecheck", "compile", "build", "coveralls", "test", "lint", "lint")
	case "rebar3":
		return subs(Elixir, "eunit", "test", "ct", "test", "dialyzer", "typecheck", "xref", "lint", "compile", "build")
	case "ctest":
		return simple(C, Test)
	case "meson":
		return subs(C, "test", "test", "compile", "build")
	case "ninja":
		return subs(C, "test", "test", "", "build", "check", "test")
	case "cmake":
		return simple(C, Build)
	case "clang-tidy", "cppcheck", "cpplint":
		return simple(C, Lint)
	case "clang-format":
		return simple(C, Format)
	case "cc", "gcc", "clang", "g++", "clang++", "c++":
		return simple(C, Build)
	case "zig":
		return subs(Zig, "build", "build", "test", "test", "fmt", "format")
	case "deno":
		return subs(Deno, "test", "test", "lint", "lint", "fmt", "format", "check", "typecheck")
	case "bun":
		return subs(Node, "test", "test", "build", "build")
	case "node":
		return simple(Node, "")
	case "bazel", "bazelisk", "buck2", "pants":
		return subs(Bazel, "test", "test", "build", "build", "lint", "lint", "check", "typecheck")
	case "swift":
		return subs(Swift, "test", "test", "build", "build")
	case "swiftlint", "swiftformat":
		return simple(Swift, Lint)
	case "dart":
		return subs(Dart, "test", "test", "analyze", "lint", "format", "format")
	case "flutter":
		return subs(Dart, "test", "test", "analyze", "lint")
	case "sbt":
		return subs(Scala, "test", "test", "compile", "build", "scalafmtCheckAll", "format", "scalafmtCheck", "format")
	case "scalafmt":
		return simple(Scala, Format)
	case "stack", "cabal":
		return subs(Haskell, "test", "test", "build", "build")
	case "hlint":
		return simple(Haskell, Lint)
	case "lein", "clj", "clojure":
		return subs("clojure", "test", "test", "-X:test", "test", "-M:test", "test")
	case "crystal":
		return subs("crystal", "spec", "test", "build", "build")
	case "dune":
		return subs("ocaml", "test", "test", "runtest", "test", "build", "build")
	case "julia", "Rscript", "busted", "prove", "elm-test", "gleam", "nimble":
		return simple(strings.ToLower(name), Test)
	case "luacheck", "selene", "stylua":
		return simple("lua", Lint)
	case "bats", "shunit2", "shellspec":
		return simple(Shell, Test)
	case "shellcheck":
		return simple(Shell, Lint)
	case "shfmt":
		return simple(Shell, Format)
	case "markdownlint", "markdownlint-cli2", "cspell", "codespell", "typos", "misspell", "vale", "remark", "textlint", "alex", "proselint":
		return simple(Docs, Lint)
	case "yamllint", "actionlint", "hadolint", "editorconfig-checker", "ec", "taplo", "reuse", "ansible-lint", "tflint", "sqlfluff", "checkmake", "license-eye", "addlicense", "check-jsonschema", "spectral":
		return simple("", Lint)
	case "buf":
		return subs("", "lint", "lint")
	case "terraform", "tofu":
		return subs("terraform", "fmt", "format")
	case "helm":
		return subs("", "lint", "lint")
	case "addlicense-check":
		return simple("", Lint)
	}
	return tool{}, false
}

// finding is what one step turned out to be.
type finding struct {
	role Role
	kind string
	// head is the tool with its sub-command: what proves that it was run.
	head string
	// operands are its arguments that are no flags.
	operands []string
	// more are further roles of the same command: turbo run lint test.
	more []Role
}

// classify looks through the wrappers of a step, the innermost command first.
func classify(step tasks.Step) (finding, bool) {
	for _, argv := range slices.Backward(step.Views) {
		if f, ok := classifyArgv(argv); ok {
			return f, true
		}
	}
	return finding{}, false
}

func classifyArgv(argv []string) (finding, bool) {
	if len(argv) == 0 {
		return finding{}, false
	}
	name := strings.TrimSuffix(path.Base(argv[0]), ".cmd")
	switch name {
	case "php", "ruby", "node", "perl": // php vendor/bin/phpunit
		if words := plainWords(argv[1:]); len(words) > 0 && strings.Contains(words[0], "bin/") {
			inner := slices.Clone(argv[slices.Index(argv, words[0]):])
			inner[0] = strings.TrimSuffix(path.Base(inner[0]), path.Ext(inner[0]))
			if f, ok := classifyArgv(inner); ok {
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

// gradleRole goes by the names of tasks: :app:testDebugUnitTest, lintKotlin.
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

// manyGoals: programs that take several sub-commands at once.
func manyGoals(name string) bool {
	switch name {
	case "mvn", "mvnw", "gradle", "gradlew", "sbt", "rake", "ninja", "meson":
		return true
	}
	return false
}

// special are the programs whose flags decide what they are.
func special(f finding, name string, argv []string) (finding, bool) {
	switch name {
	case "turbo", "nx", "lerna", "wireit", "rush", "moon":
		// turbo run lint test: by the names of the tasks
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
		if f.role == "" {
			return finding{}, false
		}
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
			return a == "--build" || a == "-S" || a == "-B" || a == "--preset" || a == "--workflow"
		}) {
			return finding{}, false
		}
	case "make":
		return finding{}, false
	case "tox", "nox":
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
		if slices.Contains(argv, "list") || slices.Contains(argv, "-l") || slices.Contains(argv, "--version") {
			return finding{}, false
		}
	case "zig":
		if f.role == Build && slices.Contains(argv, "test") {
			f.role, f.head = Test, "zig build test"
		}
	case "mypy", "jest", "eslint", "pytest", "ruff", "prettier", "golangci-lint", "cargo", "go", "shellcheck", "bats", "shfmt", "dotnet":
		if slices.Contains(argv, "--version") || slices.Contains(argv, "--help") {
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

// unfitEnv: environments of tox and sessions of nox that check nothing.
func unfitEnv(name string) bool {
	for _, w := range []string{"doc", "release", "build", "coverage", "publish", "dev", "changelog", "bench", "update"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// plainWords are the arguments that are no flags.
func plainWords(args []string) []string {
	var out []string
	for _, a := range args {
		if a != "" && a[0] != '-' && a[0] != '+' {
			out = append(out, a)
		}
	}
	return out
}
