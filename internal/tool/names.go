package tool

import (
	"path"
	"slices"
	"strings"
)

// Tasks are the tasks of the project that a call of a task runner names, none for other
// commands. A script of the project that is named after nothing but a role is one, too.
func (c Call) Tasks() []string {
	if len(c.argv) == 0 {
		return nil
	}
	if c.Program == "" {
		return scriptName(c.argv[0])
	}
	for line := range strings.Lines(c.is.tasks) {
		when, how, _ := strings.Cut(strings.TrimSpace(line), ":")
		rest, ok := c.after(when)
		if !ok {
			continue
		}
		of := c
		of.argv = append([]string{c.argv[0]}, rest...)
		kind, flags, _ := strings.Cut(strings.TrimSpace(how), " ")
		switch kind {
		case "one":
			return first(of.Operands())
		case "all":
			return of.Operands()
		case "target": // of a project: app:test
			return targets(first(of.Operands()))
		case "targets":
			return targets(of.Operands())
		case "flags":
			return c.FlagValues(strings.Fields(flags)...)
		case "environments":
			return append(c.FlagValues("-e", "--env", "-s", "--session", "--sessions"), c.Name)
		}
	}
	return nil
}

// Default reports whether a task runner is called without a task: make, just.
func (c Call) Default() bool { return c.Is("default") && len(c.Operands()) == 0 }

func first(args []string) []string { return args[:min(1, len(args))] }

func targets(args []string) []string {
	var out []string
	for _, arg := range args {
		if _, task, found := strings.Cut(arg, ":"); found {
			arg = task
		}
		out = append(out, arg)
	}
	return out
}

// scriptName returns the role of a script of the project, called by its path, that is named
// after nothing but a role: ./scripts/test.sh, bin/run-tests; not test-harness.sh, which
// may do anything.
func scriptName(name string) []string {
	if !strings.Contains(name, "/") || strings.HasPrefix(name, "/") && strings.Contains(name, "bin/") {
		return nil
	}
	task := strings.TrimSuffix(Base(name), path.Ext(name))
	for word := range strings.FieldsFuncSeq(task, isNameBreak) {
		if !slices.Contains([]string{"test", "tests", "run", "all", "unit", "integration", "e2e", "ci", "lint", "build", "check"}, word) {
			return nil
		}
	}
	return []string{task}
}

// environments are those of tox and nox that are asked for, by name or by what their names
// contain; none: all that are listed.
func (c Call) environments() []string {
	return c.FlagValues("-e", "--env", "-s", "--session", "--sessions", "-f", "-m", "-k")
}

// environmentRole is what environments of tox or sessions of nox are for: tests, unless all
// of their names say something else.
func environmentRole(environments []string) Role {
	if len(environments) == 0 {
		return Test
	}
	role := NoRole
	for _, env := range environments {
		switch r, _ := RoleOfName(env); {
		case r == Test || r == NoRole && mayTest(env):
			return Test
		case role == NoRole:
			role = r
		}
	}
	return role
}

// mayTest reports whether an environment may run tests: its name does not say that it is
// for something else.
func mayTest(env string) bool {
	for _, word := range Words(env) {
		for _, other := range []string{"doc", "release", "build", "coverage", "publish", "dev", "changelog", "bench", "update", "package", "pkg", "bandit", "type"} {
			if strings.HasPrefix(word, other) {
				return false
			}
		}
	}
	return true
}

func isNameBreak(r rune) bool { return strings.ContainsRune("-_:./#@", r) }

// IsTestName reports whether a name means tests: test, tests, test-unit, test:ci,
// unit-test; not testimonials.
func IsTestName(name string) bool {
	for word := range strings.FieldsFuncSeq(name, isNameBreak) {
		switch word {
		case "test", "tests", "unittest", "unittests":
			return true
		}
	}
	return name == "pytest"
}

// Words are the words of a name, in lower case.
func Words(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// RoleOfName is the role that the name of a recipe, script or step suggests. A strong name
// is trusted even if its commands are unknown.
func RoleOfName(name string) (role Role, strong bool) {
	words := Words(name)
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
	case has("test", "tests", "unit", "spec", "specs", "unittest", "unittests", "runtests", "testing", "pytest", "jest", "vitest"):
		return Test, true
	case len(words) == 1 && words[0] == "type":
		return Typecheck, false
	case has("build", "compile"):
		return Build, false
	case checks || has("validate", "verification", "checks"):
		return Check, false
	}
	return NoRole, false
}
