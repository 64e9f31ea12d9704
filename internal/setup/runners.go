package setup

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/tasks"
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
	d.tox()
	d.nox()
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

// tox offers the environments of tox, each with the commands it runs.
func (d *directory) tox() {
	file, envs := "tox.ini", toxSections(iniSections(d.read("tox.ini")))
	if len(envs) == 0 {
		sections := iniSections(d.read("setup.cfg"))
		if _, ok := sections["tox:tox"]; ok {
			file, envs = "setup.cfg", toxSections(sections)
		}
	}
	if doc := d.pyproject(); len(envs) == 0 && doc != nil {
		file = "pyproject.toml"
		if legacy, ok := at(doc, "tool", "tox", "legacy_tox_ini").(string); ok {
			envs = toxSections(iniSections(legacy))
		}
		for env, v := range table(at(doc, "tool", "tox", "env")) {
			envs[env] = toxCommands(v)
		}
		if base := toxCommands(at(doc, "tool", "tox", "env_run_base")); base != nil {
			envs[""] = base
		}
	}
	d.sessions("tox -e ", file, "py", envs)
}

// toxSections are the commands of each environment of an INI file; "" is the base.
func toxSections(sections map[string][]string) map[string][]string {
	envs := map[string][]string{}
	for name, lines := range sections {
		env, named := strings.CutPrefix(name, "testenv:")
		if !named && name != "testenv" {
			continue
		}
		if !named {
			env = ""
		}
		var commands []string
		in := false
		for _, line := range lines {
			key, value, ok := strings.Cut(line, "=")
			switch indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"); {
			case ok && !indented:
				in = strings.TrimSpace(key) == "commands"
				if in && strings.TrimSpace(value) != "" {
					commands = append(commands, strings.TrimSpace(value))
				}
			case in && indented && strings.TrimSpace(line) != "":
				commands = append(commands, strings.TrimLeft(strings.TrimSpace(line), "-! "))
			}
		}
		if named || len(commands) > 0 {
			envs[strings.TrimSpace(env)] = commands
		}
	}
	return envs
}

// toxCommands are the commands of an environment in pyproject.toml.
func toxCommands(v any) []string {
	var out []string
	for _, line := range listOf(table(v)["commands"]) {
		out = append(out, text(line))
	}
	return out
}

// nox offers the sessions of a noxfile.
func (d *directory) nox() {
	if !d.has("noxfile.py") {
		return
	}
	sessions := map[string][]string{}
	session := false
	given := ""
	for line := range strings.Lines(d.read("noxfile.py")) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "@nox.session"), strings.HasPrefix(line, "@session"):
			session = true
			if _, rest, ok := strings.Cut(line, "name="); ok && len(rest) > 2 {
				given, _, _ = strings.Cut(rest[1:], rest[:1])
			}
		case session && strings.HasPrefix(line, "def "):
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "def "), "(")
			if given != "" {
				name = given
			}
			sessions[strings.TrimSpace(name)] = []string{}
			session, given = false, ""
		}
	}
	d.sessions("nox -s ", "noxfile.py", "", sessions)
}

// sessions offers named environments by their roles; base runs the unnamed one.
func (d *directory) sessions(run, file, base string, names map[string][]string) {
	for _, role := range []Role{Format, Lint, Typecheck, Test} {
		for _, name := range append(recipeNames(role), "style", "flake8", "ruff", "py") {
			commands, ok := names[name]
			if r, _ := roleOfName(name); !ok || r != role && name != "py" {
				continue
			}
			if why := d.dangerIn(commands); why != "" {
				d.out.Refusals = append(d.out.Refusals, Refusal{Dir: d.dir, Run: run + name, Why: d.where(file) + ": " + name, Reason: why})
				continue
			}
			if d.offer(found{dir: d.dir, run: run + name, why: d.where(file) + ": " + name, name: name, source: FromTasks, role: role, kind: Python}) {
				break
			}
		}
	}
	if _, ok := names[""]; ok && base != "" {
		d.offer(found{dir: d.dir, run: run + base, why: d.where(file), name: "test", source: FromTasks, role: Test, kind: Python})
	}
}

// dangerIn is why one of these commands must not run at a stop.
func (d *directory) dangerIn(commands []string) string {
	for _, line := range commands {
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
				role, _ := roleOfName(name)
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
