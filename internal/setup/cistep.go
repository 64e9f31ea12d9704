package setup

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/shell"
	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// configures reports whether a step prepares a build in C, as CMake and autotools need it.
func configures(script string) bool {
	return slices.ContainsFunc(shell.Parse(neutral(script)).Commands, func(c shell.Command) bool {
		return c.Name() == "configure" || tool.Of(c.Argv()).Configures()
	})
}

// testsABuild reports whether a script of the project runs and builds nothing itself.
func (f *finder) testsABuild(st shell.Statement) bool {
	call := callOf(f.set, st.Text, st.Dir)
	if !call.own || path.Ext(call.name) == "" && !strings.Contains(call.pattern, "/") {
		return false
	}
	return !slices.ContainsFunc(f.set.Expand(st.Text, st.Dir), func(s tasks.Step) bool {
		c, ok := classify(s)
		return ok && (c.role == Build || c.kind != C) || s.Name() == "make" || s.Name() == "configure"
	})
}

// withoutCIValues drops the variables and properties that only CI has from a call of a build
// tool, and those that send its output to a program of CI: rake test RUBYOPT="${{ … }}".
func withoutCIValues(line string) string {
	words := quotedWords(line)
	call := tool.Of(words)
	if inner := call.Inner(); len(inner) > 0 { // bundle exec rake
		call = tool.Of(inner)
	}
	if !call.Is("properties") {
		return line
	}
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		name, value, assigns := strings.Cut(w, "=")
		property := strings.HasPrefix(name, "-P") || strings.HasPrefix(name, "-D")
		return assigns && (property || !strings.HasPrefix(name, "-")) && (strings.Contains(value, "$"+placeholder) || strings.Contains(value, "|"))
	})
	if len(kept) == len(words) {
		return line
	}
	return strings.Join(kept, " ")
}

// quotedWords splits a simple command at its blanks, quotes kept; nil for anything else.
func quotedWords(line string) []string {
	var out []string
	start, quote := 0, rune(0)
	for i, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case strings.ContainsRune("|&;<>`()\\\n", r):
			return nil
		case r == ' ' || r == '\t':
			if i > start {
				out = append(out, line[start:i])
			}
			start = i + 1
		}
	}
	if quote != 0 {
		return nil
	}
	if start < len(line) {
		out = append(out, line[start:])
	}
	return out
}

// ciUnfit reports whether a workflow, job or stage does something other than checking.
func ciUnfit(name string) bool {
	for { // what a matrix fills in says nothing: it names Linux as well
		head, rest, open := strings.Cut(name, "${{")
		_, tail, closed := strings.Cut(rest, "}}")
		if !open || !closed {
			break
		}
		name = head + " " + tail
	}
	words := tool.Words(name)
	if role, _ := tool.RoleOfName(name); role == Test { // "tests with coverage" are the tests
		words = slices.DeleteFunc(words, func(w string) bool { return w == "coverage" })
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{
			"release", "releases", "publish", "publishing", "deploy", "deployment", "nightly", "weekly", "cron", "scheduled", "pages", "codeql", "scorecard", "scorecards",
			"stale", "label", "labeler", "labels", "lock", "backport", "dependabot", "renovate", "bench", "benchmark", "benchmarks", "codspeed", "profiling", "pgo", "fuzz", "fuzzing", "preview", "canary",
			"docker", "image", "container", "snyk", "semgrep", "zizmor", "sync", "changelog", "notify", "sponsors", "e2e", "playwright", "cypress", "docset", "website", "links",
			"windows", "macos", "freebsd", "alpine", "wasm", "msrv", "minimal", "downstream", "ecosystem", "citgm", "legacy", "coverage", "snapshot", "upgrade", "update", "manager", "smoke", "nix",
			"min", "minimum", "oldest", "miri", "target", "subset", "reproducible", "compatibility", "compat", "native", "graal", "i686", "386", "arm64", "aarch64", "translations",
		}, w)
	})
}

// ciOrder sorts workflow files: the general ones first.
func ciOrder(name string) string {
	base := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".yml"))
	for i, first := range []string{"ci", "test", "tests", "main", "build", "check", "checks", "lint", "pr", "pull_request", "pull-request"} {
		if base == first {
			return fmt.Sprintf("0%02d", i)
		}
	}
	if strings.Contains(base, "test") || strings.Contains(base, "ci") {
		return "1" + base
	}
	return "2" + base
}
