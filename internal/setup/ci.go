package setup

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"gauntlet/internal/shell"
	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// ciStep is one step of a CI job.
type ciStep struct {
	why    string // the file and the job
	name   string
	script string
	dir    string
	env    map[string]string // all that has a plain value
	own    map[string]string // what the step itself sets
	built  bool              // an earlier step of the job configured a build in C
}

// ci reads the systems one after another, until one tests something: a file of another
// system is then a remainder of a migration.
func (f *finder) ci() {
	for _, read := range []func(){f.github, f.gitlab, f.circleCI, f.azure, f.buildkite, f.drone, f.bitbucket, f.jenkins, f.travis} {
		if read(); slices.ContainsFunc(f.out.Proposals, func(p Proposal) bool { return slices.Contains(p.Covers, Test) }) {
			return
		}
	}
}

// withServices is why a step that needs a database or similar service is refused.
const withServices = "its CI job runs with services"

// offerJob offers the steps of a job, or lists them as refused if it needs services.
func (f *finder) offerJob(steps []ciStep, services bool) {
	built := false
	for _, s := range steps {
		s.built = built
		built = built || configures(s.script)
		switch {
		case s.script == "" || ciUnfit(s.name):
		case services:
			f.refuseStep(s, withServices)
		default:
			f.offerStep(s)
		}
	}
}

// jobOf names a job of a file, if it has a name.
func jobOf(file, name string) string {
	if name == "" {
		return file
	}
	return file + " (job " + name + ")"
}

// sets gives a step the variables of its own, beside those of its job.
func (s *ciStep) sets(env any) {
	s.own, s.env = literals(nil, table(env)), literals(s.env, table(env))
}

// ciDocuments are the YAML documents of the files of one CI system, by file.
func (f *finder) ciDocuments(each func(file string, doc map[string]any), patterns ...string) {
	seen := 0
	for _, pattern := range patterns {
		files, _ := fs.Glob(f.fsys, pattern) // the patterns are constants
		for _, file := range files {
			content := f.text(file)
			if seen++; content == "" || seen > maxWorkflows {
				continue
			}
			if tasks.CheckYAML(content) != nil {
				f.note("%s cannot be read and was left out", file)
				continue
			}
			for decoder := yaml.NewDecoder(strings.NewReader(content)); ; {
				var doc map[string]any
				err := decoder.Decode(&doc)
				if err != nil {
					if !errors.Is(err, io.EOF) {
						f.note("%s cannot be read and was left out", file)
					}
					break
				}
				each(file, doc)
			}
		}
	}
}

// lines is a script that is one text or a list of texts.
func lines(v any) string {
	list, ok := v.([]any)
	if !ok {
		return text(v)
	}
	var out []string
	for _, item := range list {
		out = append(out, text(item))
	}
	return strings.Join(out, "\n")
}

// table is a mapping, nil for anything else.
func table(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// offerStep splits a CI step and offers its statements.
func (f *finder) offerStep(s ciStep) {
	dir := path.Clean(s.dir)
	if s.dir == "" {
		dir = "."
	}
	if strings.Contains(dir, "${{") || !fs.ValidPath(dir) || inSample(dir) {
		return
	}
	s.script = neutral(s.script)
	statements := shell.Statements(s.script, dir)
	if f.several(statements) {
		s.name = "" // it is about all of them together
	}
	// A script whose results git compares afterwards cannot fail without that.
	compared := slices.ContainsFunc(shell.Parse(s.script).Commands, func(c shell.Command) bool {
		effect, _ := tool.Of(c.Argv()).Effect()
		return effect == tool.Compare
	})
	for _, st := range statements {
		if inSample(st.Dir) || compared && inFixture(st.Dir) || !f.exists(st.Dir) || f.missing(st) {
			continue
		}
		if dir := f.unbuilt(st); dir != "" {
			reason := "needs the directory " + strings.ReplaceAll(dir, "$"+placeholder, "${{…}}") + ", which another step of CI makes"
			if dir == "." {
				reason = "needs a build that another step of CI configures"
			}
			f.out.Refusals = append(f.out.Refusals, Refusal{Dir: st.Dir, Run: strings.ReplaceAll(tidy(st.Text), "$"+placeholder, "${{…}}"), Why: s.why, Reason: reason})
			continue
		}
		st.Text = withoutCIValues(st.Text)
		if s.built && f.testsABuild(st) {
			f.out.Refusals = append(f.out.Refusals, Refusal{Dir: st.Dir, Run: tidy(st.Text), Why: s.why, Reason: oldBuild})
			continue
		}
		f.offerStatement(s, st)
	}
}

// several reports whether more than one statement does something besides installing what
// the project depends on.
func (f *finder) several(statements []shell.Statement) bool {
	n := 0
	for _, st := range statements {
		if steps := f.set.Expand(st.Text, st.Dir); slices.ContainsFunc(steps, func(s tasks.Step) bool { return len(s.Views) > 0 && !isFetch(s.Views[0]) }) {
			n++
		}
	}
	return n > 1
}

// missing reports whether it runs a file that is not in the work tree, which CI fetched or
// built.
func (f *finder) missing(st shell.Statement) bool {
	return slices.ContainsFunc(shell.Parse(st.Text).Commands, func(c shell.Command) bool {
		argv := c.Argv()
		if len(argv) == 0 {
			return false
		}
		word := argv[0]
		if !strings.Contains(word, "/") || strings.HasPrefix(word, "/usr/") || strings.HasPrefix(word, "/bin/") || strings.ContainsAny(word, "$\"'*~=") || strings.Contains(word, "node_modules/") || strings.Contains(word, "vendor/") || strings.Contains(word, "venv/") {
			return false
		}
		p := shell.Inside(path.Join(st.Dir, c.Dir), word)
		return p == "" || !f.exists(p)
	})
}

// unbuilt is the build directory that a statement uses but does not make, and that is not
// configured here.
func (f *finder) unbuilt(st shell.Statement) string {
	made := false
	for _, c := range shell.Parse(st.Text).Commands {
		argv := c.Argv()
		if len(argv) == 0 {
			continue
		}
		name := path.Base(argv[0])
		dir, uses := ".", name == "ctest" && len(argv) > 1 && !slices.Contains(argv, "-S")
		for i, a := range argv {
			flag, value, glued := strings.Cut(a, "=")
			if !glued && i+1 < len(argv) {
				value = argv[i+1]
			}
			switch {
			case name == "cmake" && (flag == "-B" || flag == "-S" || flag == "--preset"), name == "meson" && flag == "setup":
				made = true
			case (name == "ninja" || name == "meson") && flag == "-C", name == "ctest" && (flag == "--test-dir" || flag == "--preset"), name == "cmake" && flag == "--build":
				dir, uses = value, true
			}
		}
		at := shell.Inside(path.Join(st.Dir, c.Dir), dir)
		configured := at != "" && slices.ContainsFunc([]string{"CMakeCache.txt", "build.ninja", "CTestTestfile.cmake"}, func(file string) bool { return f.exists(path.Join(at, file)) })
		if uses && !made && !configured {
			return dir
		}
	}
	return ""
}

// refuseStep lists the checks of a step that cannot run here.
func (f *finder) refuseStep(s ciStep, reason string) {
	for _, st := range shell.Statements(neutral(s.script), path.Clean("./"+s.dir)) {
		if c := (found{dir: st.Dir, run: st.Text}); f.wouldCheck(c) {
			f.out.Refusals = append(f.out.Refusals, Refusal{Dir: st.Dir, Run: tidy(st.Text), Why: s.why, Reason: reason})
		}
	}
}

// placeholder stands for an expression that only CI can evaluate.
const placeholder = "GAUNTLET_CI_EXPRESSION"

// neutral replaces ${{ … }} by a variable, so that the shell can be parsed and the lines
// that use one are known.
func neutral(script string) string {
	return expressions(script, "${{", "}}", func(string) (string, bool) { return "$" + placeholder, true })
}

// expressions replaces what stands between two marks by its value, which CI does before the
// shell sees it. Where ok is false, or the second mark is missing, the text belongs to the
// shell and stays.
func expressions(script, open, shut string, value func(name string) (v string, ok bool)) string {
	var b strings.Builder
	for {
		head, rest, found := strings.Cut(script, open)
		b.WriteString(head)
		if !found {
			return b.String()
		}
		script = rest
		if name, tail, closed := strings.Cut(rest, shut); closed {
			if v, ok := value(strings.TrimSpace(name)); ok {
				b.WriteString(v)
				script = tail
				continue
			}
		}
		b.WriteString(open)
	}
}

func (f *finder) offerStatement(s ciStep, st shell.Statement) {
	env := map[string]string{}
	maps.Copy(env, s.env)
	maps.Copy(env, st.Env)
	c := found{dir: st.Dir, run: st.Text, why: s.why, name: s.name, source: FromCI}
	unknown := shell.Unset(st.Text, env)
	if strings.Contains(st.Text, "$"+placeholder) { // also in quotes, which CI does not know
		unknown = []string{placeholder}
	}
	if len(unknown) > 0 {
		if f.wouldCheck(c) {
			reason := "uses $" + unknown[0] + ", which only CI sets"
			if unknown[0] == placeholder {
				c.run, reason = strings.ReplaceAll(c.run, "$"+placeholder, "${{…}}"), "uses values that only CI has"
			}
			f.out.Refusals = append(f.out.Refusals, Refusal{Dir: c.dir, Run: tidy(c.run), Why: c.why, Reason: reason})
		}
		return
	}
	for k, v := range env {
		_, own := s.own[k]
		_, set := st.Env[k]
		if wanted(k) && (own || set) || uses(st.Text, k) {
			if c.env == nil {
				c.env = map[string]string{}
			}
			c.env[k] = v
		}
	}
	if run := f.withoutSetUp(c); run != "" {
		c.run = run
	}
	for _, run := range f.apart(c) {
		c.run = run
		f.offer(c)
	}
}

// apart splits several checks on one line: `yarn lint && yarn test`, `make vet unit`. A
// build for a test stays with it.
func (f *finder) apart(c found) []string {
	parts := shell.AndList(c.run)
	var out []string
	for _, part := range parts {
		checks := false
		for _, s := range f.set.Expand(part, c.dir) {
			k, ok := classify(s)
			if ok && k.kind == C {
				return []string{c.run}
			}
			checks = checks || ok
		}
		if !checks && len(parts) > 1 {
			return []string{c.run}
		}
		out = append(out, f.eachRecipe(part, c.dir)...)
	}
	return out
}

// eachRecipe splits a call of several recipes.
func (f *finder) eachRecipe(line, dir string) []string {
	argv := strings.Fields(line)
	if len(argv) == 0 || strings.ContainsAny(line, "\"'`$;|&<>(") {
		return []string{line}
	}
	call, ok := f.set.Call(argv, dir)
	if !ok || len(call.Recipes) < 2 || !slices.Equal(argv[len(argv)-len(call.Recipes):], call.Recipes) {
		return []string{line}
	}
	var out []string
	for _, r := range call.Recipes {
		out = append(out, strings.Join(append(slices.Clone(argv[:len(argv)-len(call.Recipes)]), r), " "))
	}
	return out
}

// withoutSetUp drops from `a && b && c` what only prepares, as CI has to on a fresh
// machine: yarn install && yarn test. "" when there is nothing to drop.
func (f *finder) withoutSetUp(c found) string {
	parts := shell.AndList(c.run)
	var keep []string
	for _, part := range parts {
		checks, fetches := false, false
		for _, s := range f.set.Expand(part, c.dir) {
			_, ok := classify(s)
			checks, fetches = checks || ok, fetches || len(s.Views) > 0 && isFetch(s.Views[0])
		}
		switch {
		case checks:
			keep = append(keep, part)
		case !fetches || callOf(f.set, part, c.dir).own:
			return "" // what else it does is not known
		}
	}
	if len(keep) == len(parts) || len(keep) == 0 {
		return ""
	}
	return strings.Join(keep, " && ")
}

// wouldCheck reports whether a command checks anything at all.
func (f *finder) wouldCheck(c found) bool {
	return slices.ContainsFunc(f.set.Expand(tidy(c.run), c.dir), func(s tasks.Step) bool { _, ok := classify(s); return ok })
}

// wanted reports whether a variable of a CI step changes what its command checks. The rest
// (colours, caches, telemetry) only matters in CI.
func wanted(name string) bool {
	return slices.Contains([]string{
		"RUSTFLAGS", "RUSTDOCFLAGS", "GOFLAGS", "CGO_ENABLED", "PYTHONPATH", "NODE_OPTIONS", "NODE_ENV", "RAILS_ENV", "MIX_ENV", "APP_ENV", "TZ",
	}, name)
}

func uses(line, name string) bool {
	return strings.Contains(line, "$"+name) || strings.Contains(line, "${"+name)
}
