package shellcmd

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
	case "pytest", "py.test", "jest", "vitest", "mocha", "ava", "rspec", "phpunit", "unittest", "trial", "nose2", "tap", "gotestsum", "ctest", "cypress", "bats":
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
	case "mvn", "mvnw", "gradle", "gradlew", "tox", "nox":
		return wraps
	case "bazel", "bazelisk", "buck", "buck2", "pants", "lein", "sbt", "stack", "cabal", "dune", "meson", "rails", "gleam", "hatch", "ginkgo", "cargo-nextest":
		if sub == "test" || name == "ginkgo" {
			return wraps
		}
	}
	if namesTests(argv) {
		return wraps
	}
	return noRunner
}
