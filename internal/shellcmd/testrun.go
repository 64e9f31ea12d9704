package shellcmd

import (
	"slices"
	"strings"
)

// runner is a known way of running tests.
type runner int

const (
	noRunner runner = iota
	// summarises: one line at the end holds both what passed and what failed
	summarises
	// perPackage: several lines, of which some may say ok while others fail
	perPackage
	// wraps: make test and the like; what runs inside is not known
	wraps
	// direct: a test file run as a program, which prints what it likes
	direct
)

// TestWrapper reports whether the command runs whatever the project calls its
// tests: make test, npm test, tox.
func (c Command) TestWrapper() bool { return c.runner() == wraps && !c.IsDryRun() }

// TestRun reports whether the command runs tests.
func (c Command) TestRun() bool { return c.runner() != noRunner && !c.IsDryRun() }

func (c Command) runner() runner {
	for i := len(c.Views) - 1; i >= 0; i-- {
		if r := runnerOf(c.Views[i]); r != noRunner {
			return r
		}
	}
	return noRunner
}

func runnerOf(argv []string) runner {
	if len(argv) == 0 {
		return noRunner
	}
	name := base(argv[0])
	args := Operands(argv)
	sub := ""
	if len(args) > 0 {
		sub = args[0]
	}
	switch name {
	case "pytest", "py.test", "jest", "vitest", "mocha", "ava", "rspec", "minitest", "phpunit", "unittest", "trial", "nose2", "tap", "gotestsum", "ctest", "cypress", "bats":
		return summarises
	case "playwright", "deno", "bun", "mix", "dotnet", "swift", "flutter", "dart", "zig":
		if sub == "test" {
			return summarises
		}
	case "node":
		if hasAny(argv, "--test") {
			return summarises
		}
	case "go":
		if sub == "test" {
			return perPackage
		}
	case "cargo":
		if sub == "test" || sub == "t" || sub == "nextest" {
			return perPackage
		}
	case "tox", "nox":
		if envs := flagValues(argv, "-e", "--env", "-s", "--session", "--sessions"); len(envs) > 0 && !slices.ContainsFunc(envs, mayTest) {
			return noRunner
		}
		return wraps
	case "mvn", "mvnw", "gradle", "gradlew":
		return wraps
	case "bazel", "bazelisk", "buck", "buck2", "pants", "lein", "sbt", "stack", "cabal", "dune", "meson", "rails", "gleam", "hatch", "ginkgo", "cargo-nextest":
		if sub == "test" || name == "ginkgo" {
			return wraps
		}
	}
	switch {
	case namesTests(argv):
		return wraps
	case testFile(argv) != "":
		return direct
	}
	return noRunner
}

// mayTest reports whether an environment of tox or nox may run tests: its name does not say
// that it is for something else.
func mayTest(env string) bool {
	if isTestName(env) {
		return true
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(env), isNameBreak) {
		if slices.Contains([]string{"lint", "style", "format", "fmt", "type", "types", "typing", "typecheck", "mypy", "pyright", "docs", "doc", "build", "package", "pkg", "release", "publish", "ruff", "flake8", "pylint", "black", "isort", "bandit", "dev"}, word) {
			return false
		}
	}
	return true
}
