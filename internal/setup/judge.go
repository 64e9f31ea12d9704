package setup

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/shellcmd"
	"gauntlet/internal/tasks"
)

// judge reads what a command runs and decides whether it is a gate. Neither result: it is a
// command that checks nothing.
func judge(set *tasks.Set, f found) (*Proposal, *Refusal) {
	run := tidy(f.run)
	if head, _, ok := strings.Cut(run, "| tee "); ok && !strings.Contains(head, "|") {
		run = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(head), "2>&1")) // what tee says would hide what failed
	}
	refuse := func(reason string) (*Proposal, *Refusal) {
		return nil, &Refusal{Dir: f.dir, Run: run, Why: f.why, Reason: reason}
	}
	steps := set.Expand(run, f.dir)
	if len(steps) == 0 {
		return nil, nil
	}
	p := Proposal{Dir: f.dir, Run: run, Why: f.why, Source: f.source, Env: f.env}
	call := callOf(set, run, f.dir)
	danger, idle := "", true
	known, proven, filtered := 0, 0, false
	for _, c := range shellcmd.Parse(run).Commands { // what a recipe is called through
		if why := hazard(tasks.Step{Command: c}); why != "" && danger == "" {
			danger = why
		}
	}
	for _, s := range steps {
		if s.Hollow {
			return refuse(hollow(s))
		}
		if why := hazard(s); why != "" && danger == "" {
			danger = why
		}
		idle = idle && onlyPrints(s)
		c, ok := classify(s)
		if ok && !call.own && danger == "" && intoTree(s.Into) { // what a recipe writes and removes again the trial shows
			danger = "writes a file (" + s.Into + ")"
		}
		if !ok {
			if !onlyPrints(s) && len(s.Views) > 0 {
				p.keys = append(p.keys, strings.Join(append([]string{s.Dir}, s.Views[0]...), " "))
			}
			continue
		}
		known++
		if s.Proof == shellcmd.Proven {
			proven++
		} else if len(s.Filters) > 0 {
			filtered = true
		}
		if watchesUnlessCI(s) {
			p.Env = withCI(p.Env)
		}
		p.addRole(c.role)
		for _, r := range c.more {
			p.addRole(r)
		}
		p.addKind(c.kind)
		p.addEvidence(c)
		p.keys = append(p.keys, strings.Join(append([]string{s.Dir, c.head}, c.operands...), " "))
	}
	hint, strong := roleOfName(call.name)
	if hint == "" {
		hint, strong = roleOfName(f.name)
	}
	p.addKind(call.kind)
	switch {
	case idle:
		return nil, nil // a placeholder
	case f.role != "":
		p.addRole(f.role)
	case len(p.Covers) == 0 && (!call.own || !strong || f.weak):
		return nil, nil
	case call.own && strong && !f.weak:
		p.addRole(hint)
	}
	if danger != "" {
		return refuse(danger)
	}
	if known > 0 && proven == 0 && (filtered || !slices.ContainsFunc(steps, checksOutput)) {
		return refuse("hides its exit status, so it cannot fail")
	}
	if slices.ContainsFunc(steps, onlyLists) && !slices.ContainsFunc(steps, checksOutput) {
		return refuse("only lists files, so it cannot fail (use test -z \"$(…)\")")
	}
	if !call.own && f.source == FromCI && partial(run) {
		if strings.HasPrefix(run, "go test ") && strings.Contains(run, "-tags") {
			return refuse("tests a variant (-tags)")
		}
		return refuse("checks a part of the project only")
	}
	if f.source == FromCI && isVariant(run) {
		return refuse("checks a variant that CI builds beside the plain one")
	}
	if !call.own && !slices.ContainsFunc(steps, func(s tasks.Step) bool { return !compiles(s) }) {
		return nil, nil // it makes a program of one file
	}
	name := call.name
	if f.source != FromCI { // the name of a CI step is prose
		name += " " + f.name
	}
	if why := unfitName(name); why != "" && (why != neverEnds || proven == 0) { // test-serve that is `vitest run` ends
		return refuse(why)
	}
	if slices.ContainsFunc(steps, endToEnd) {
		return refuse(needsMore)
	}
	if call.own && hint == "" && f.role == "" && slices.Equal(p.Covers, []Role{Build}) {
		return nil, nil // it makes something; nothing says that this is a check
	}
	if call.args {
		p.keys = append(p.keys, f.dir+" "+run) // what it does depends on its arguments
	}
	if f.kind != "" {
		p.addKind(f.kind)
	}
	p.Role = f.role
	if p.Role == "" {
		p.Role = mainRole(p.Covers, hint)
	}
	p.finishEvidence(call)
	p.Also = alsoName(steps, call, f)
	return &p, nil
}

// hollow returns what a command calls that cannot be read.
func hollow(s tasks.Step) string {
	line := strings.Join(s.Argv(), " ")
	if line == "" || len(line) > 60 {
		return "calls something that is not there"
	}
	return "calls `" + line + "`, which cannot be followed"
}

// checksOutput reports whether a step turns what another one printed into an exit status.
func checksOutput(s tasks.Step) bool {
	return slices.Contains([]string{"test", "[", "[[", "grep", "diff", "cmp", "exit"}, s.Name())
}

// endToEnd reports whether a test runner has the configuration of end-to-end tests.
func endToEnd(s tasks.Step) bool {
	c, ok := classify(s)
	argv := s.Argv()
	for i, a := range argv {
		value, glued := strings.CutPrefix(a, "--config=")
		if !glued && i > 0 && (argv[i-1] == "-c" || argv[i-1] == "--config") {
			value, glued = a, true
		}
		if ok && c.role == Test && c.kind == Node && glued && unfitName(value) == needsMore {
			return true
		}
	}
	return false
}

// onlyLists reports whether a formatter only lists what it would change and succeeds.
func onlyLists(s tasks.Step) bool {
	switch s.Name() {
	case "gofmt", "gofumpt", "goimports":
		argv := s.Argv()
		return slices.Contains(argv, "-l") && !slices.Contains(argv, "-d")
	}
	return false
}

// watchesUnlessCI reports whether a runner waits for changes unless CI is set.
func watchesUnlessCI(s tasks.Step) bool {
	argv := s.Argv()
	if len(argv) < 2 || argv[1] != "test" {
		return false
	}
	return slices.Contains([]string{"react-scripts", "craco", "react-app-rewired"}, path.Base(argv[0]))
}

func withCI(env map[string]string) map[string]string {
	out := map[string]string{"CI": "true"}
	for k, v := range env {
		out[k] = v
	}
	return out
}

// partial reports whether it is a variant of a test run that CI makes beside the plain one.
func partial(run string) bool {
	words := strings.Fields(run)
	if len(words) < 2 {
		return false
	}
	has := func(flags ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			name, _, _ := strings.Cut(w, "=")
			return slices.Contains(flags, name)
		})
	}
	switch words[0] + " " + words[1] {
	case "go test":
		return has("-tags", "--tags", "-run", "-bench", "--run") || !strings.Contains(run, "...") && len(plainWords(words[2:])) > 0 && !strings.Contains(run, "$(")
	case "cargo hack":
		return true
	case "cargo doc", "cargo clippy", "cargo fmt":
		return has("-p", "--package") || inFixture(flagValue(words, "--manifest-path"))
	case "cargo test", "cargo build", "cargo check", "cargo nextest":
		return inFixture(flagValue(words, "--manifest-path")) || has("--no-default-features", "--features", "--target", "-p", "--package", "--release", "--doc", "--no-run")
	}
	return false
}

// flagValue is the value of a flag, as the next word or attached to it; "." without one.
func flagValue(words []string, flag string) string {
	for i, w := range words {
		if name, value, ok := strings.Cut(w, "="); ok && name == flag {
			return path.Clean(value)
		}
		if w == flag && i+1 < len(words) {
			return path.Clean(words[i+1])
		}
	}
	return "."
}

// isVariant reports whether a command has a compiler, flags or a platform of its own.
func isVariant(run string) bool {
	return slices.ContainsFunc(strings.Fields(run), func(w string) bool {
		name, _, ok := strings.Cut(w, "=")
		switch name {
		case "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "MOREFLAGS", "GOOS", "GOARCH", "GOARM", "GOEXPERIMENT", "CARGO_BUILD_TARGET":
			return ok
		}
		return false
	})
}

// compiles reports whether a compiler is called by its name.
func compiles(s tasks.Step) bool {
	switch s.Name() {
	case "cc", "gcc", "clang", "g++", "clang++", "c++":
		return true
	}
	return onlyPrints(s)
}

// intoTree reports whether output goes into a file of the work tree.
func intoTree(file string) bool {
	return file != "" && !path.IsAbs(file) && !strings.HasPrefix(file, "..") && !strings.ContainsAny(file, "$&")
}

// onlyPrints reports whether a step only prints, as in a placeholder script.
func onlyPrints(s tasks.Step) bool {
	return slices.Contains([]string{"echo", "printf", "true", "exit", ":", "false", "sleep", "date", ""}, s.Name())
}

// mainRole is the role after which a command of several roles is named: the one in its
// name, else the heaviest.
func mainRole(covers []Role, hint Role) Role {
	if slices.Contains(covers, hint) {
		return hint
	}
	if hint == Check && len(covers) > 1 {
		return Check
	}
	for _, r := range []Role{Test, Typecheck, Lint, Format, Build} {
		if slices.Contains(covers, r) {
			return r
		}
	}
	return Check
}
