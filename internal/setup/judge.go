package setup

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/shellcmd"
	"gauntlet/internal/tasks"
)

// Source says where a command was found, most trusted first.
type Source int

// Sources.
const (
	FromCI Source = iota
	FromTasks
	FromHooks
	FromManifest
)

// Proposal is a command of the project that checks it.
type Proposal struct {
	Dir    string `json:"dir"` // slash path from the root, "." for the root
	Role   Role   `json:"role"`
	Run    string `json:"run"`
	Why    string `json:"why"` // what in the project says so
	Source Source `json:"-"`
	// Kinds are the languages it speaks for; none: all that is in the directory.
	Kinds []string `json:"kinds,omitempty"`
	// Covers are the roles of everything it runs, its own among them.
	Covers []Role            `json:"-"`
	Env    map[string]string `json:"env,omitempty"`
	// Evidence are command patterns that prove it was run.
	Evidence []string `json:"-"`
	// Instead are less trusted commands for the same thing, for where this one
	// cannot run.
	Instead []Proposal `json:"-"`
	// Parts are the recipes that it does nothing but call, for where it does not
	// pass as a whole.
	Parts []Proposal `json:"-"`
	// Also is what an additional gate of the same role is called after it.
	Also string `json:"-"`

	trial Trial
	// keys are the steps it runs, without flags: what runs nothing new is not
	// proposed twice.
	keys []string
}

// Refusal is a command that was found and is not proposed.
type Refusal struct {
	Dir    string `json:"dir"`
	Run    string `json:"run"`
	Why    string `json:"why"`
	Reason string `json:"reason"`
	// Tried: it was run, and that showed it.
	Tried bool `json:"tried,omitempty"`
}

// found is a command as a source names it.
type found struct {
	dir, run, why string
	name          string // of the recipe, script or step: a hint at the role
	source        Source
	env           map[string]string
	// sure: the source is explicit about the role, whatever the command is.
	role Role
	// weak: only a known checking command inside makes it a proposal.
	weak bool
	kind string
}

// judge reads what a command runs and says whether it is a gate. Neither: it is
// a command that checks nothing.
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
	for _, s := range steps {
		if s.Hollow {
			return refuse("calls something that is not there")
		}
		if why := hazard(s); why != "" && danger == "" {
			danger = why
		}
		idle = idle && says(s)
		c, ok := classify(s)
		if !ok {
			if !says(s) && len(s.Views) > 0 {
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
	if known > 0 && proven == 0 && (filtered || !slices.ContainsFunc(steps, asks)) {
		return refuse("hides its exit status, so it cannot fail")
	}
	if !call.own && f.source == FromCI && partial(run) {
		return refuse("checks a part of the project only")
	}
	name := call.name
	if f.source != FromCI { // the name of a CI step is prose
		name += " " + f.name
	}
	if why := unfitName(name); why != "" {
		return refuse(why)
	}
	if call.own && hint == "" && f.role == "" && slices.Equal(p.Covers, []Role{Build}) {
		return nil, nil // it makes something; whether that is a check nobody says
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

// asks: a step that turns what another one printed into an exit status.
func asks(s tasks.Step) bool {
	switch s.Name() {
	case "test", "[", "[[", "grep", "diff", "cmp", "exit":
		return true
	}
	return false
}

// watchesUnlessCI: runners that wait for changes unless CI is set.
func watchesUnlessCI(s tasks.Step) bool {
	argv := s.Argv()
	if len(argv) < 2 || argv[1] != "test" {
		return false
	}
	switch path.Base(argv[0]) {
	case "react-scripts", "craco", "react-app-rewired":
		return true
	}
	return false
}

func withCI(env map[string]string) map[string]string {
	out := map[string]string{"CI": "true"}
	for k, v := range env {
		out[k] = v
	}
	return out
}

// partial: a variant of a test run that CI makes beside the plain one.
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
	case "cargo test", "cargo build", "cargo check", "cargo nextest":
		return has("--no-default-features", "--features", "--target", "-p", "--package", "--release", "--doc", "--no-run")
	}
	return false
}

// called is what a command runs of the project's own.
type called struct {
	own     bool   // a recipe or a script of the project
	name    string // of the recipe or script
	kind    string // the language whose task file it is
	pattern string // what proves that it was run
	args    bool   // a script that was given arguments
}

// callOf tells which recipe or script of the project a command runs.
func callOf(set *tasks.Set, run, dir string) called {
	for _, c := range shellcmd.Parse(run).Commands {
		for _, argv := range c.Views {
			call, ok := set.Call(argv, dir)
			switch {
			case ok && call.Elsewhere:
				words := plainWords(argv)
				return called{own: true, name: words[len(words)-1], kind: Node, pattern: leading(c.Argv())}
			case ok && len(call.Recipes) > 0:
				return called{own: true, name: call.Recipes[0], kind: runnerKind(call.File.Runner), pattern: leading(argv)}
			}
			if len(argv) > 0 && strings.Contains(argv[0], "/") && !strings.Contains(argv[0], "bin/") && !isWrapper(path.Base(argv[0])) {
				return called{own: true, name: path.Base(argv[0]), pattern: argv[0], args: len(argv) > 1}
			}
			if script, ok := interpreted(argv); ok {
				return called{own: true, name: path.Base(script), pattern: path.Base(argv[0]) + " " + script, args: true}
			}
		}
	}
	return called{}
}

// interpreted is the script of `python tests/run.py`, `node tools/check.js`.
func interpreted(argv []string) (string, bool) {
	if len(argv) < 2 || strings.HasPrefix(argv[1], "-") {
		return "", false
	}
	switch name := path.Base(argv[0]); {
	case argv[1] == "manage.py" || argv[1] == "setup.py": // tools, known by their sub-commands
	case strings.HasPrefix(name, "python"), name == "node", name == "ruby", name == "php", name == "perl":
		switch path.Ext(argv[1]) {
		case ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".php", ".pl":
			return argv[1], true
		}
	}
	return "", false
}

func runnerKind(runner string) string {
	switch runner {
	case "npm":
		return Node
	case "composer":
		return PHP
	case "deno":
		return Deno
	case "poe", "pdm", "hatch":
		return Python
	}
	return ""
}

// leading are the words of a command up to its first flag.
func leading(argv []string) string {
	n := 1
	for n < len(argv) && n < 3 && !strings.HasPrefix(argv[n], "-") && !strings.ContainsAny(argv[n], "*/$ =") {
		n++
	}
	return strings.Join(argv[:n], " ")
}

// says: a step that only talks, as in a script that is a placeholder.
func says(s tasks.Step) bool {
	switch s.Name() {
	case "echo", "printf", "true", "exit", ":", "false", "sleep", "date", "":
		return true
	}
	return false
}

// mainRole is what a command of several roles is called: what its name says,
// else the heaviest.
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

func (p *Proposal) addRole(r Role) {
	if r != "" && !slices.Contains(p.Covers, r) {
		p.Covers = append(p.Covers, r)
	}
}

func (p *Proposal) addKind(kind string) {
	if kind != "" && !slices.Contains(p.Kinds, kind) {
		p.Kinds = append(p.Kinds, kind)
	}
}

func (p *Proposal) addEvidence(c finding) {
	if c.role != Test {
		return
	}
	heads := []string{c.head}
	// A build tool and its wrapper are one, and the larger goals run the tests too.
	switch tool, _, _ := strings.Cut(c.head, " "); tool {
	case "mvn", "mvnw":
		heads = append(heads, "mvnw test", "mvnw verify", "mvn test", "mvn verify")
	case "gradle", "gradlew":
		heads = append(heads, "gradlew test", "gradlew check", "gradlew build", "gradle test", "gradle check", "gradle build")
	}
	p.Evidence = union(p.Evidence, heads)
}

// isWrapper: scripts that projects bring along to start a build tool.
func isWrapper(name string) bool { return name == "mvnw" || name == "gradlew" }

// finishEvidence adds the command itself: whoever runs what is proposed has done it.
func (p *Proposal) finishEvidence(call called) {
	own := call.pattern
	if own == "" {
		commands := shellcmd.Parse(p.Run).Commands
		if len(commands) == 0 {
			return
		}
		last := commands[len(commands)-1]
		if c, ok := classify(tasks.Step{Command: last}); ok {
			own = c.head
		} else {
			own = leading(last.Argv())
		}
	}
	if !slices.Contains(p.Evidence, own) {
		p.Evidence = append([]string{own}, p.Evidence...)
	}
}

// alsoName tells apart gates of one role in one place: the recipe, else the tool.
func alsoName(steps []tasks.Step, call called, f found) string {
	if call.name != "" {
		return slug(strings.TrimSuffix(call.name, ".sh"))
	}
	for _, s := range steps {
		if c, ok := classify(s); ok {
			return slug(strings.Fields(c.head)[0])
		}
	}
	return slug(f.name)
}

// tidy brings a command into one line and drops what only CI wants of it.
func tidy(run string) string {
	run = strings.ReplaceAll(run, "\\\n", " ")
	if strings.HasPrefix(run, "go test ") {
		for _, flag := range []string{"-coverprofile", "-covermode", "-coverpkg"} {
			run = withoutFlag(run, flag) // a report that nobody reads at a stop
		}
	}
	if !strings.ContainsAny(run, "\"'`\n#") {
		words := strings.Fields(run)
		switch {
		case len(words) == 3 && words[1] == "run" && words[2] == "test" && slices.Contains([]string{"npm", "pnpm", "yarn"}, words[0]):
			words = []string{words[0], "test"} // the same, as people type it
		case len(words) == 2 && words[1] == "t" && words[0] == "npm":
			words[1] = "test"
		case len(words) > 1 && words[0] == "npx" && words[1] != "--no-install" && words[1] != "--no":
			words = slices.Insert(words, 1, "--no-install") // what is not installed is not fetched
		case len(words) > 1 && words[0] == "dotnet":
			// CI built it a step before; here that would test an old build.
			words = slices.DeleteFunc(words, func(w string) bool { return w == "--no-build" || w == "--no-restore" })
		}
		return strings.Join(words, " ")
	}
	return strings.TrimSpace(run)
}

// withoutFlag drops a flag and its value from a line.
func withoutFlag(line, flag string) string {
	for {
		i := strings.Index(line, " "+flag)
		if i < 0 {
			return line
		}
		rest := line[i+1+len(flag):]
		if rest != "" && rest[0] != '=' && rest[0] != ' ' {
			return line // another flag that begins alike
		}
		if rest != "" {
			rest = rest[1:]
		}
		_, tail, _ := strings.Cut(rest, " ")
		line = strings.TrimSpace(line[:i] + " " + tail)
	}
}

// slug is a text as part of a file name.
func slug(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.':
			b.WriteRune(r)
		default:
			if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('-')
			}
		}
	}
	return strings.Trim(b.String(), "-.")
}
