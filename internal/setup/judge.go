package setup

import (
	"maps"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/shell"
	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// judge reads what a command runs and decides whether it is a gate. Neither result: it is a
// command that checks nothing.
func judge(set *tasks.Set, f found) (*Proposal, *Refusal) {
	r := reading{found: f}
	r.run = withoutTee(tidy(f.run))
	if r.steps = set.Expand(r.run, f.dir); len(r.steps) == 0 {
		return nil, nil
	}
	r.call = callOf(set, r.run, f.dir)
	r.Proposal = Proposal{Dir: f.dir, Run: r.run, Why: f.why, Source: f.source, Env: f.env}
	refuse := func(reason string) (*Proposal, *Refusal) {
		return nil, &Refusal{Dir: f.dir, Run: r.run, Why: f.why, Reason: reason}
	}
	if why := r.read(); why != "" {
		return refuse(why)
	}
	if !r.hasRole() {
		return nil, nil
	}
	if why := r.provesNothing(); why != "" {
		return refuse(why)
	}
	if !r.call.own && !slices.ContainsFunc(r.steps, func(s tasks.Step) bool { return !compiles(s) }) {
		return nil, nil // it makes a program of one file
	}
	if why := r.unfit(); why != "" {
		return refuse(why)
	}
	if r.call.own && r.hint == "" && f.role == "" && slices.Equal(r.Covers, []Role{Build}) {
		return nil, nil // it makes something; nothing says that this is a check
	}
	p := r.Proposal
	if r.call.args {
		p.keys = append(p.keys, f.dir+" "+r.run) // what it does depends on its arguments
	}
	if f.kind != "" {
		p.addKind(f.kind)
	}
	if len(p.Covers) > 1 && !r.allTests && r.hint != Test && f.role != Test {
		// A type check that also runs the one test of its types does not stand for the tests.
		p.Covers = slices.DeleteFunc(p.Covers, func(role Role) bool { return role == Test })
	}
	p.Role = f.role
	if p.Role == "" {
		p.Role = mainRole(p.Covers, r.hint)
	}
	p.finishEvidence(r.call)
	p.Also = alsoName(r.steps, r.call, f)
	return &p, nil
}

// reading is what is known of a command after its steps were read.
type reading struct {
	found
	Proposal
	run    string // tidied, as it is proposed
	steps  []tasks.Step
	call   called
	danger string // why it must not run
	idle   bool   // it only prints
	hint   Role   // what its name says
	// known are its steps that check something, proven those whose failure is its own;
	// filtered: the output of one goes through a filter.
	known, proven int
	filtered      bool
	allTests      bool // it runs tests without naming one file of them
}

// withoutTee removes a tee, or a program that reports to CI, from the end: its exit status
// would hide what failed.
func withoutTee(run string) string {
	for _, program := range []string{"| tee ", "| cs2pr", "| reviewdog "} {
		if head, _, ok := strings.Cut(run, program); ok && !strings.Contains(head, "|") {
			return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(head), "2>&1"))
		}
	}
	return run
}

// read reads the steps. It returns why the command cannot be judged.
func (r *reading) read() string {
	for _, c := range shell.Parse(r.run).Commands { // what a recipe is called through
		if why := hazard(tasks.Step{Command: c}); why != "" && r.danger == "" {
			r.danger = why
		}
	}
	r.idle = true
	for _, s := range r.steps {
		if s.Hollow {
			return hollow(s)
		}
		if why := hazard(s); why != "" && r.danger == "" {
			r.danger = why
		}
		r.idle = r.idle && onlyPrints(s)
		c, ok := classify(s)
		if ok && !r.call.own && r.danger == "" && intoTree(s.Into) { // what a recipe writes and removes again the trial shows
			r.danger = "writes a file (" + s.Into + ")"
		}
		if ok {
			r.add(s, c)
		} else if !onlyPrints(s) && len(s.Views) > 0 {
			r.keys = append(r.keys, strings.Join(append([]string{s.Dir}, s.Views[0]...), " "))
		}
	}
	return ""
}

// add adds what one step checks.
func (r *reading) add(s tasks.Step, c finding) {
	r.known++
	if s.Proof == shell.Proven {
		r.proven++
	} else if len(s.Filters) > 0 {
		r.filtered = true
	}
	if watchesUnlessCI(s) {
		r.Env = withCI(r.Env)
	}
	r.allTests = r.allTests || c.role == Test && !slices.ContainsFunc(c.operands, isFile)
	r.addRole(c.role)
	for _, role := range c.more {
		r.addRole(role)
	}
	r.addKind(c.kind)
	r.addEvidence(c)
	key := []string{s.Dir, c.head}
	for _, operand := range c.operands {
		key = append(key, strings.TrimSuffix(operand, "/")) // tests and tests/ are the same
	}
	r.keys = append(r.keys, strings.Join(key, " "))
}

// hasRole decides by the steps and the names whether the command checks something.
func (r *reading) hasRole() bool {
	strong := false
	if r.hint, strong = tool.RoleOfName(r.call.name); r.hint == "" && !slices.Contains(tool.Words(r.name), "generate") { // "Generate types"
		r.hint, strong = tool.RoleOfName(r.name)
	}
	other := slices.ContainsFunc(r.Covers, func(role Role) bool { return role != Build }) // tests of types are a build
	if r.hint == Test && other && !slices.Contains(r.Covers, Test) && !slices.ContainsFunc(r.steps, unknown) {
		r.hint, strong = "", false // phpmd-test: what it runs is known, and is not a test
	}
	r.addKind(r.call.kind)
	switch {
	case r.idle:
		return false // a placeholder
	case r.role != "":
		r.addRole(r.role)
	case len(r.Covers) == 0 && (!r.call.own || !strong || r.weak):
		return false
	case r.call.own && strong && !r.weak:
		r.addRole(r.hint)
	}
	return true
}

// unknown reports whether nothing is known about what a step does.
func unknown(s tasks.Step) bool {
	_, ok := classify(s)
	return !ok && !onlyPrints(s)
}

// provesNothing returns why a pass of the command would say nothing about the project, or
// why it must not run.
func (r *reading) provesNothing() string {
	switch checked := slices.ContainsFunc(r.steps, checksOutput); {
	case r.danger != "":
		return r.danger
	case slices.Contains(r.Covers, Test) && r.lists():
		return "prepares or lists the tests and runs none"
	case slices.ContainsFunc(strings.Fields(r.run), func(w string) bool { return strings.HasPrefix(w, "--installpkg") }):
		return oldBuild
	case r.known > 0 && r.proven == 0 && (r.filtered || !checked):
		return "hides its exit status, so it cannot fail"
	case slices.ContainsFunc(r.steps, onlyLists) && !checked:
		return "only lists files, so it cannot fail (use test -z \"$(…)\")"
	case !r.call.own && r.source == FromCI && partial(r.run):
		return "checks a part of the project only"
	case r.source == FromCI && isVariant(r.run):
		return "checks a variant that CI builds beside the plain one"
	}
	return ""
}

// lists reports whether a test run of the command's own only lists or prepares the tests.
func (r *reading) lists() bool {
	return slices.ContainsFunc(shell.Parse(r.run).Commands, func(c shell.Command) bool {
		return c.Role() == shell.TestRole && c.IsDryRun()
	})
}

// oldBuild is why a command that tests the result of other steps of CI is refused.
const oldBuild = "tests what other steps of CI built before; here that would be an old build"

// unfit returns why the command does not belong at a stop.
func (r *reading) unfit() string {
	name := r.call.name
	if r.source != FromCI { // the name of a CI step is prose
		name += " " + r.name
	}
	if why := unfitName(name); why != "" && (why != neverEnds || r.proven == 0) { // test-serve that is `vitest run` ends
		return why
	}
	if slices.ContainsFunc(r.steps, endToEnd) {
		return needsMore
	}
	return ""
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

// endToEnd reports whether a step drives a browser, or a test runner has the configuration of
// end-to-end tests.
func endToEnd(s tasks.Step) bool {
	if tool.Of(s.Argv()).Is("browser") {
		return true
	}
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
	c := tool.Of(s.Argv())
	return c.Is("namesfiles") && c.Has("-l") && !c.Has("-d")
}

// watchesUnlessCI reports whether a runner waits for changes unless CI is set.
func watchesUnlessCI(s tasks.Step) bool {
	c := tool.Of(s.Argv())
	return c.Is("watchesunlessci") && c.Role() == Test
}

func withCI(env map[string]string) map[string]string {
	out := map[string]string{"CI": "true"}
	maps.Copy(out, env)
	return out
}

// partial reports whether it is a variant of a run that CI makes beside the plain one.
func partial(run string) bool {
	words := strings.Fields(run)
	return len(words) > 1 && (tool.Of(words).Variant() || inFixture(flagValue(words, "--manifest-path")))
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
func compiles(s tasks.Step) bool { return tool.Of(s.Argv()).Is("compiler") || onlyPrints(s) }

// intoTree reports whether output goes into a file of the work tree.
func intoTree(file string) bool {
	return file != "" && !path.IsAbs(file) && !strings.HasPrefix(file, "..") && !strings.ContainsAny(file, "$&")
}

// onlyPrints reports whether a step only prints, as in a placeholder script.
func onlyPrints(s tasks.Step) bool {
	return slices.Contains([]string{"echo", "printf", "true", "exit", ":", "false", "sleep", "date", ""}, s.Name())
}

// isFile reports whether an operand of a test runner is one file, or a test in one.
func isFile(operand string) bool {
	file, _, _ := strings.Cut(operand, "::")
	return len(path.Ext(file)) > 1 && !strings.Contains(file, "...") && !strings.ContainsAny(file, "*{")
}

// mainRole is the role after which a command of several roles is named: the one in its
// name, else the heaviest.
func mainRole(covers []Role, hint Role) Role {
	if slices.Contains(covers, hint) && (hint != Build || !slices.Contains(covers, Test)) { // a build that tests is a test
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
