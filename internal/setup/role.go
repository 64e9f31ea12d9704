package setup

import (
	"slices"
	"strings"
)

// Role is what a command is for.
type Role string

// Roles, in the order in which gates are proposed: quick ones first.
const (
	Format    Role = "format"
	Lint      Role = "lint"
	Typecheck Role = "typecheck"
	Check     Role = "check" // several of the others in one
	Build     Role = "build"
	Test      Role = "test"
)

func roles() []Role { return []Role{Format, Lint, Typecheck, Check, Build, Test} }

// wordsOf are the words of a name, in lower case.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// roleOfName is the role that the name of a recipe, script or step suggests. A strong name
// is trusted even if its commands are unknown.
func roleOfName(name string) (role Role, strong bool) {
	words := wordsOf(name)
	has := func(list ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	checks := has("check", "verify", "dry", "diff", "ci")
	switch {
	case has("typecheck", "types", "typing", "tsc", "mypy", "pyright", "phpstan", "psalm") || has("type") && checks, strings.Contains(strings.ToLower(name), "check-types"):
		return Typecheck, true
	case has("lint", "lints", "linter", "linting", "eslint", "clippy", "ruff", "flake8", "rubocop", "phpcs", "checkstyle", "style", "vet", "shellcheck", "golangci"):
		return Lint, true
	case has("fmt", "format", "formatting", "prettier", "fmtcheck", "checkfmt"):
		return Format, checks || has("fmtcheck", "checkfmt")
	case has("test", "tests", "unit", "spec", "specs", "unittest", "unittests", "testing", "pytest", "jest", "vitest"):
		return Test, true
	case len(words) == 1 && words[0] == "type":
		return Typecheck, false
	case has("build", "compile"):
		return Build, false
	case checks || has("validate", "verification", "checks"):
		return Check, false
	}
	return "", false
}

// Reasons that a name gives.
const (
	needsMore = "end-to-end tests need more than the work tree"
	neverEnds = "never ends"
)

// unfitName is why something of that name is not a gate, although it checks.
func unfitName(name string) string {
	for _, w := range wordsOf(name) {
		switch w {
		case "e2e", "playwright", "cypress", "browser", "browsers", "acceptance", "smoke", "storybook":
			return needsMore
		case "watch", "dev", "serve", "debug":
			return neverEnds
		case "fix", "autofix", "update", "write", "apply":
			return "rewrites files"
		case "install", "uninstall", "bootstrap", "provision":
			return "installs something"
		case "publish", "prepublish", "prepublishonly", "prepack", "release", "deploy", "upload", "push", "docker", "image":
			return "publishes or deploys"
		case "bench", "benchmark", "benchmarks", "perf", "fuzz", "mutation":
			return "measures or searches; it does not check"
		}
	}
	return ""
}
