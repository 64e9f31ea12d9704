package setup

import "strings"

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
	case "yamllint", "actionlint", "hadolint", "editorconfig-checker", "ec", "taplo", "reuse", "ansible-lint", "tflint", "sqlfluff", "checkmake", "eclint", "dockerfilelint", "license-eye", "addlicense", "check-jsonschema", "spectral":
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
