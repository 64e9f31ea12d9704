package setup

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// recipeNames are the usual names of each role, best first.
func recipeNames(role Role) []string {
	switch role {
	case Test:
		return []string{"test", "tests", "test:ci", "test-ci", "ci:test", "test:run", "test:unit", "unit", "test-unit", "unit-test", "unittest", "unit-tests", "spec", "test:all", "test-all", "pytest", "run-tests", "go:test"}
	case Lint:
		return []string{"lint", "lint:check", "lint-check", "lint:ci", "lint:all", "linter", "check:lint", "check-lint", "eslint", "lint:js", "lint:ts", "clippy", "phpstan", "phpcs", "rubocop", "vet", "cs", "lint-go"}
	case Typecheck:
		return []string{"typecheck", "type-check", "check-types", "check:types", "types", "types:check", "typing", "tsc", "type:check", "mypy", "pyright", "test:types", "analyse", "analyze", "stan"}
	case Format:
		return []string{"format:check", "fmt:check", "check:format", "check-format", "prettier:check", "format-check", "fmt-check", "check-fmt", "checkfmt", "fmtcheck", "cs:check", "check-cs", "cs-check", "check:fmt", "style", "format", "fmt"}
	case Build:
		return []string{"build", "compile"}
	case Check:
		return []string{"check", "checks", "verify", "validate", "ci", "check:all", "check-all", "all", "quality", "qa"}
	case tool.NoRole:
	}
	return nil
}

// runners offers the recipes of the task files in a directory, in this order.
func (d *directory) runners() {
	files := d.set.In(d.dir)
	offer := func(runners ...string) {
		for _, runner := range runners {
			if i := slices.IndexFunc(files, func(f tasks.File) bool { return f.Runner == runner }); i >= 0 {
				d.recipes(files[i])
			}
		}
	}
	offer("npm", "make", "just", "task", "mise", "deno", "poe", "pdm", "hatch")
	d.sessions("tox", "-e", "py")
	d.sessions("nox", "-s", "")
	offer("composer")
	d.rake()
	d.gradle()
	d.maven()
}

// recipes offers one recipe per role. A recipe that combines others, or only builds, is
// used only if there is nothing more specific.
func (d *directory) recipes(file tasks.File) {
	offered := 0
	for _, role := range []Role{Format, Lint, Typecheck, Test, Check, Build} {
		weak := role == Check || role == Build
		if role == Build && offered > 0 {
			continue
		}
		for _, name := range recipeNames(role) {
			if _, ok := file.Find(name); !ok {
				continue
			}
			c := found{dir: d.dir, run: d.call(file, name), why: d.where(file.Name) + ": " + name, name: name, source: FromTasks, weak: weak}
			if file.Runner == "npm" {
				c.kind = Node
			}
			if d.offer(c) {
				offered++
				break
			}
		}
	}
}

// call is how a person runs a recipe.
func (d *directory) call(file tasks.File, name string) string {
	switch file.Runner {
	case "npm":
		return runScript(d.packageManager(), name)
	case "mise":
		return "mise run " + name
	case "deno":
		return "deno task " + name
	case "poe":
		_, bin := d.pythonRunner()
		return bin("poe") + " " + name
	case "pdm", "hatch":
		return file.Runner + " run " + name
	}
	return file.Runner + " " + name
}

// iniSections lists the sections of an INI text with their lines.
func iniSections(text string) map[string][]string {
	sections := map[string][]string{}
	at := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "[") && strings.HasSuffix(t, "]") {
			at = strings.TrimSpace(t[1 : len(t)-1])
			sections[at] = []string{}
			continue
		}
		if at != "" {
			sections[at] = append(sections[at], line)
		}
	}
	return sections
}

// sessions offers the environments of tox or the sessions of nox by their roles; base runs
// the unnamed one.
func (d *directory) sessions(runner, flag, base string) {
	f, ok := d.set.By(runner, d.dir)
	if !ok {
		return
	}
	run := runner + " " + flag + " "
	for _, role := range []Role{Format, Lint, Typecheck, Test} {
		for _, name := range append(recipeNames(role), "style", "flake8", "ruff") {
			env, ok := f.Find(name)
			if r, _ := tool.RoleOfName(name); !ok || r != role {
				continue
			}
			// What a session runs besides literal commands is not known.
			if why := d.dangerIn(env.Lines); why != "" && runner == "tox" {
				d.out.Refusals = append(d.out.Refusals, Refusal{Dir: d.dir, Run: run + name, Why: d.where(f.Name) + ": " + name, Reason: why})
				continue
			}
			if d.offer(found{dir: d.dir, run: run + name, why: d.where(f.Name) + ": " + name, name: name, source: FromTasks, role: role, kind: Python}) {
				break
			}
		}
	}
	if base == "" {
		return
	}
	for _, env := range f.Recipes {
		factor, chosen := strings.CutPrefix(env.Name, base+"-")
		if r, _ := tool.RoleOfName(factor); len(env.Lines) == 0 || env.Name != base && (!chosen || r != Test) {
			continue
		}
		c := found{dir: d.dir, run: run + env.Name, why: d.where(f.Name), source: FromTasks, kind: Python}
		if !d.classified(env.Lines) {
			c.name, c.role = "test", Test // unknown commands: that is what tox is for
		}
		if d.offer(c) {
			return
		}
	}
}

// classified reports whether it is known what one of these commands is for.
func (d *directory) classified(commands []string) bool {
	return slices.ContainsFunc(commands, func(line string) bool {
		return slices.ContainsFunc(d.set.Expand(line, d.dir), func(s tasks.Step) bool {
			_, ok := classify(s)
			return ok
		})
	})
}

// dangerIn is why one of these commands must not run at a stop.
func (d *directory) dangerIn(commands []string) string {
	for _, line := range commands {
		line = strings.TrimLeft(line, "-! ") // whose failure does not count, or is wanted
		for _, s := range d.set.Expand(line, d.dir) {
			if why := hazard(s); why != "" {
				return why
			}
		}
	}
	return ""
}

// rake offers the tasks of a Rakefile.
func (d *directory) rake() {
	file := d.first("Rakefile", "rakefile", "Rakefile.rb")
	if file == "" {
		return
	}
	rake := "rake "
	if d.has("Gemfile") {
		rake = "bundle exec rake "
	}
	defined := map[string]bool{}
	for line := range strings.Lines(d.read(file)) {
		line = strings.TrimSpace(line)
		for _, form := range []string{"task :", "task ", "Rake::TestTask.new", "RSpec::Core::RakeTask.new", "RuboCop::RakeTask.new", "Minitest::TestTask.create", "Cucumber::Rake::Task.new"} {
			rest, ok := strings.CutPrefix(line, form)
			if !ok {
				continue
			}
			name := strings.FieldsFunc(strings.TrimLeft(rest, `(: "'`), func(r rune) bool { return !isWord(r) })
			switch {
			case form != "task :" && form != "task " && (len(name) == 0 || name[0] == "do"):
				switch {
				case strings.HasPrefix(form, "RSpec"):
					defined["spec"] = true
				case strings.HasPrefix(form, "RuboCop"):
					defined["rubocop"] = true
				default:
					defined["test"] = true
				}
			case len(name) > 0:
				defined[name[0]] = true
			}
		}
	}
	for _, group := range [][]string{{"rubocop", "lint", "standard"}, {"test", "spec"}} {
		for _, name := range group {
			if defined[name] {
				role, _ := tool.RoleOfName(name)
				if name == "standard" {
					role = Lint
				}
				d.offer(found{dir: d.dir, run: rake + name, why: d.where(file) + ": " + name, name: name, source: FromTasks, role: role, kind: Ruby})
				break
			}
		}
	}
}

func isWord(r rune) bool {
	return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// mentions reports whether a word occurs in a text on its own, outside comments.
func mentions(text, word string) bool {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for from := 0; ; {
			i := strings.Index(line[from:], word)
			if i < 0 {
				break
			}
			i += from
			end := i + len(word)
			if (i == 0 || !isWord(rune(line[i-1]))) && (end == len(line) || !isWord(rune(line[end]))) {
				return true
			}
			from = end
		}
	}
	return false
}

// above looks for one of these files in the directories above.
func (d *directory) above(names ...string) bool {
	for dir := d.dir; dir != "."; {
		dir = path.Dir(dir)
		if slices.ContainsFunc(names, func(name string) bool { return d.exists(path.Join(dir, name)) }) {
			return true
		}
	}
	return false
}
