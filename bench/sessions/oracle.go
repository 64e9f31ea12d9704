package main

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/event"
)

// verdict is the oracle's own opinion of a stop.
type verdict struct {
	proved, owed bool   // neither: undecided
	tested       bool   // some run of the turn visibly passed
	why          string // in a few words
	command      string // what decided it
}

// outcome compares the checkpoint with the oracle.
type outcome string

const (
	blockRight     outcome = "right block"
	blockWrong     outcome = "wrong block"
	blockUndecided outcome = "undecided block"
	passRight      outcome = "right pass"
	passMissed     outcome = "missed gap"
	passUndecided  outcome = "undecided pass"
)

func compare(r rules.Result, v verdict) (outcome, string) {
	asked := map[string]bool{}
	for _, a := range r.Actions {
		if a.ID != "commit" {
			asked[a.ID] = true
		}
	}
	var kinds []string
	for id := range asked {
		if strings.HasPrefix(id, "tests") {
			id = "tests"
		}
		kinds = append(kinds, id)
	}
	for _, o := range r.Observations {
		kinds = append(kinds, string(o.Kind))
	}
	cause := v.why
	if r.Blocks() {
		tests := strings.Contains(strings.Join(kinds, " "), "tests")
		switch {
		case tests && v.proved:
			return blockWrong, "tests asked: " + cause
		case tests && v.owed:
			return blockRight, cause
		case tests:
			return blockUndecided, cause
		}
		return blockUndecided, "only " + first(kinds)
	}
	switch {
	case len(r.Categories) == 0:
		return passUndecided, "no category of the configuration"
	case v.owed:
		return passMissed, cause
	case v.proved:
		return passRight, cause
	}
	return passUndecided, cause
}

func first(list []string) string {
	for _, s := range list {
		if s != "gap" {
			return s
		}
	}
	return "gap"
}

var (
	// text that looks like a test run at the start of a command
	testLike = regexp.MustCompile(`(?i)(^|[\s/(])(go test|gotestsum|ginkgo|pytest|py\.test|unittest|jest|vitest|mocha|playwright test|cypress run|cargo (t|test|nextest|llvm-cov)|rspec|phpunit|pest|ctest|bats|tox|nox|swift test|dotnet test|mix test|flutter test|dart test|zig build test|mvn\S* (test|verify)|gradlew? \S*test|manage\.py test|node --test|tsx --test|(npm|yarn|pnpm|bun|deno|vp|nx|turbo|moon|make|just|task|mise|rake|hatch|composer)\s[^|;&]*\b(test|tests)\b)`)
	// text that may run tests, or not
	checkLike = regexp.MustCompile(`(?i)(^|\s)(npm|yarn|pnpm|bun|deno|vp|nx|turbo|moon|make|just|task|mise|rake|composer)\s[^|;&]*\b(check|verify|ci|validate|precommit|pre-commit)\b`)
	passText  = regexp.MustCompile(`(?m)\b[1-9]\d* (passed|passing|pass)\b|^ok\s+\S+|test result: ok|^PASS\b|^OK\b|\[100%\]\s*$|\b[1-9]\d* tests?,.* 0 failures|Tests? +[1-9]\d* passed|All tests passed`)
	failText  = regexp.MustCompile(`(?m)\b[1-9]\d* (failed|failing|fail)\b|^\s*--- FAIL|^FAIL\b|test result: FAILED|^FAILED |^E  |\[build failed\]|error\[E\d+\]|npm ERR!|npm error|ELIFECYCLE|^panic:|exited with code [1-9]|ERROR task failed|could not compile|command not found|No such file or directory`)
	noneText  = regexp.MustCompile(`(?m)\[no test files\]|\[no tests to run\]|no tests ran|No tests? (?:files )?found|collected 0 items|^running 0 tests|\b0 passing|^Ran 0 tests`)
	someText  = regexp.MustCompile(`(?m)\b[1-9]\d* (?:tests? )?(?:passed|passing|pass|failed|examples?)\b|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))\s*(?:coverage.*)?$|^--- PASS|\s--- PASS`)
	heredoc   = regexp.MustCompile(`(?s)<<-?\s*['"]?(\w+)['"]?.*?\n\s*(EOF|END|PY|SH|JSON|PATCH|MSG)\b`)
	quotes    = regexp.MustCompile(`(?s)-m\s+("(\\.|[^"])*"|'[^']*')|\$\(cat.*?\)`)
	splitter  = regexp.MustCompile(`\|\||&&|;|\n|\|`)
	talks     = regexp.MustCompile(`^\s*(\w+=\S+\s+)*(echo|printf|grep|egrep|rg|git|cat|ls|sed|find|head|tail|awk|which|type|man|gh|cd|mkdir|rm|cp|mv|open|less|command -v|jq|wc|touch)\b`)
	shellMod  = regexp.MustCompile(`sed -i|perl -pi|\bapply_patch\b|\bgit (checkout|restore|stash|reset --hard|apply|merge|rebase|pull|cherry-pick)\b|gofmt -w|goimports -w|prettier --write|--fix\b|(run|make|just|cargo|go) (fmt|format)\b|cat\s*>|tee |python3? -( |$)|python3? <<|python3? -c|node -e|>\s*\S+\.(go|rs|py|ts|tsx|js)\b`)
)

// judge looks for a test-like command that visibly passed after the last edit of a code file,
// is contradicted by no later run, ran something, and was about every member of a workspace
// that changed. It ignores task files, configuration and presets.
func judge(calls []event.ToolCall, root string, changed []string) verdict {
	last := lastCodeEdit(calls, root)
	var doubt, failed, empty, passed, passedBy string
	covered := map[string]bool{}
	v := verdict{}
	for i, c := range calls {
		how := ""
		if c.Kind == event.ToolShell {
			how = seen(c)
		}
		v.tested = v.tested || strings.HasPrefix(how, "passed")
		if i <= last {
			continue
		}
		if c.Kind != event.ToolShell {
			if c.Kind == event.ToolAgent || c.Subagent != "" {
				doubt = "a sub-agent was at work"
			} else if c.Kind == event.ToolOther && strings.Contains(c.Name, "exec") {
				doubt = "a program that is not understood"
			}
			continue
		}
		if c.Subagent != "" && doubt == "" {
			doubt = "a sub-agent was at work"
		}
		switch how {
		case "":
			if shellMod.MatchString(c.Command) && !c.Rejected && passed != "" {
				doubt, passed = "changed by a command after the tests", ""
			}
		case "passed", "passed, by status":
			passed, passedBy = how, c.Command
			for _, m := range membersOf(changed) {
				covered[m] = covered[m] || about(c, m, root)
			}
			if at := shellMod.FindAllStringIndex(c.Command, -1); at != nil && at[len(at)-1][0] > testLike.FindStringIndex(c.Command)[0] {
				doubt, passed = "changed in the same line as the tests", ""
			}
		case "failed":
			failed, passed = c.Command, ""
		case "ran nothing":
			empty = c.Command
		default:
			doubt = how
		}
	}
	return v.sum(doubt, failed, empty, passed, passedBy, membersOf(changed), covered)
}

func (v verdict) sum(doubt, failed, empty, passed, passedBy string, members []string, covered map[string]bool) verdict {
	for _, m := range members {
		if passed != "" && !covered[m] {
			v.owed, v.why, v.command = true, "no run was about "+m, passedBy
			return v
		}
	}
	switch {
	case passed != "":
		v.proved, v.why, v.command = true, passed, passedBy
	case doubt != "":
		v.why = doubt
	case failed != "":
		v.owed, v.why, v.command = true, "the last test run failed", failed
	case empty != "":
		v.owed, v.why, v.command = true, "the test run found no test", empty
	default:
		v.owed, v.why = true, "no test run after the last edit"
	}
	return v
}

// membersOf are the members of a workspace that a change touches, by the usual directories.
func membersOf(changed []string) []string {
	var out []string
	for _, f := range changed {
		parts := strings.Split(f, "/")
		if len(parts) > 2 && isCode(f) && slices.Contains([]string{"apps", "packages", "services", "crates", "libs", "modules"}, parts[0]) && !slices.Contains(out, parts[0]+"/"+parts[1]) {
			out = append(out, parts[0]+"/"+parts[1])
		}
	}
	return out
}

var selects = regexp.MustCompile(`(?:--filter|-F|--workspace|-w|--scope|--project|-p|-C|--prefix|--root|--cwd|--manifest-path)[= ]"?'?([^\s"']+)|(?:^|[;&(]\s*|\n)cd\s+"?'?([^\s"';&]+)|\s((?:\./)?(?:apps|packages|services|crates|libs|modules)/[^\s"']+)`)

// about reports whether the text of a run leaves room for a member: it selects nothing, or the
// member, or tests of everything.
func about(c event.ToolCall, member, root string) bool {
	name := path.Base(member)
	dir, inside := relative(root, c.Dir)
	found := c.Dir != "" && inside && dir != "."
	if found && (strings.HasPrefix(dir+"/", member+"/") || strings.HasPrefix(member, dir+"/")) {
		return true
	}
	for _, m := range selects.FindAllStringSubmatch(heredoc.ReplaceAllString(c.Command, " "), -1) {
		word := strings.TrimPrefix(m[1]+m[2]+m[3], root)
		if strings.Trim(word, "/.") == "" {
			if m[2] != "" {
				found = false // back to the root
			}
			continue
		}
		found = true
		if strings.Contains(word, name) || strings.Contains(word, "e2e") || strings.Contains(word, "*") {
			return true
		}
	}
	return !found
}

// lastCodeEdit is the index of the last successful edit of a code file, or -1.
func lastCodeEdit(calls []event.ToolCall, root string) int {
	last := -1
	for i, c := range calls {
		if c.Kind != event.ToolEdit && c.Kind != event.ToolWrite || c.Outcome == event.Failure || c.Rejected {
			continue
		}
		for _, p := range c.Paths {
			if rel, inside := relative(root, p); inside && isCode(rel) {
				last = i
			}
		}
	}
	return last
}

// seen returns how a test-like command ended; "" when the call runs none.
func seen(c event.ToolCall) string {
	if c.Rejected {
		return ""
	}
	if c.Command == "" {
		return "a command that is not kept"
	}
	text := quotes.ReplaceAllString(heredoc.ReplaceAllString(c.Command, " "), " ")
	runs := false
	for _, part := range splitter.Split(text, -1) {
		runs = runs || testLike.MatchString(part) && !talks.MatchString(part) && !strings.Contains(part, "--help") && !strings.Contains(part, "--version")
	}
	if !runs && checkLike.MatchString(text) && c.Outcome != event.Failure {
		return "a check that may have run tests"
	}
	if !runs {
		return ""
	}
	good, bad := passText.MatchString(c.Output), failText.MatchString(c.Output)
	if noneText.MatchString(c.Output) && !someText.MatchString(c.Output) && !bad {
		return "ran nothing"
	}
	if c.Ended {
		switch {
		case good && !bad:
			return "passed"
		case bad && !good:
			return "failed"
		}
		return "a status that is hidden"
	}
	if c.Background || c.Outcome == event.Unknown {
		return "still running, or its end is not known"
	}
	swallowed := strings.ContainsAny(strings.ReplaceAll(text, "||", ";"), "|;\n")
	switch {
	case good && !bad && c.Outcome == event.Success:
		return "passed"
	case c.Outcome == event.Failure && (bad || !good):
		return "failed"
	case c.Outcome == event.Failure:
		return "a failure beside a pass"
	case !swallowed && !bad:
		return "passed, by status"
	case !swallowed:
		return "a status and an output that disagree"
	case bad && !good:
		return "failed"
	}
	return "a status that is hidden"
}
