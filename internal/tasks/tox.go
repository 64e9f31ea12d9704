package tasks

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/tool"
)

// tox reads the environments of tox: what each of them runs.
func (s *Set) tox(dir string) (File, bool) {
	for _, name := range []string{"tox.ini", "setup.cfg"} {
		if _, text := s.text(dir, name); name == "tox.ini" || strings.Contains(text, "[tox:tox]") {
			if f := toxFile(name, text); len(f.Recipes) > 0 {
				return f, true
			}
		}
	}
	doc := s.pyproject(dir, "tool", "tox")
	f := toxFile("pyproject.toml", asText(doc["legacy_tox_ini"]))
	add := func(name string, v any) {
		r := Recipe{Name: name}
		m, _ := v.(map[string]any)
		for _, command := range listOf(m["commands"]) {
			r.Lines = append(r.Lines, toxLine(strings.Join(texts(command), " ")))
		}
		f.Recipes = append(f.Recipes, r)
	}
	if base, ok := doc["env_run_base"]; ok {
		add(toxBase, base)
		add(toxPython, base)
	}
	envs, _ := doc["env"].(map[string]any)
	for _, env := range slices.Sorted(maps.Keys(envs)) {
		add(env, envs[env])
	}
	return f, len(f.Recipes) > 0
}

// toxBase is what environments without a section of their own run.
const toxBase = "default"

// toxPython is the environment with the Python that tox itself runs with.
const toxPython = "py"

// toxDefault is what tox runs without -e; the name cannot be an environment's.
const toxDefault = "[tox]"

// toxLabel begins the name of what tox runs for a label.
const toxLabel = "label "

func toxFile(name, text string) File {
	f := File{Name: name, Runner: "tox"}
	values := toxValues(text)
	base, hasBase := values["testenv"]["commands"]
	listed := toxNames(strings.Join(append(values["tox"]["envlist"], values["tox"]["env_list"]...), ","))
	for _, section := range slices.Sorted(maps.Keys(values)) {
		env, found := strings.CutPrefix(section, "testenv:")
		if !found {
			continue
		}
		commands := base
		if own, ok := values[section]["commands"]; ok {
			commands = own
		}
		for _, env := range toxNames(env) {
			f.Recipes = append(f.Recipes, Recipe{Name: env, Lines: toxCommands(commands, env)})
		}
	}
	if hasBase {
		f.Recipes = append(f.Recipes, Recipe{Name: toxBase, Lines: toxCommands(base, "")})
		for _, env := range append([]string{toxPython}, toxFactors(base)...) {
			if _, found := f.Find(env); !found {
				f.Recipes = append(f.Recipes, Recipe{Name: env, Lines: toxCommands(base, env)})
			}
		}
	}
	if len(f.Recipes) == 0 {
		return f
	}
	byDefault := Recipe{Name: toxDefault}
	for _, env := range listed {
		if _, found := f.Find(env); !found {
			f.Recipes = append(f.Recipes, Recipe{Name: env, Lines: toxCommands(base, env)})
		}
		if r, _ := f.Find(env); hasBase && slices.Equal(r.Lines, toxCommands(base, toxPython)) {
			env = toxPython // the one at hand; CI has the others
		}
		byDefault.Needs = append(byDefault.Needs, f.once(byDefault.Needs, env)...)
	}
	if len(listed) == 0 && hasBase {
		byDefault.Needs = []string{toxBase}
	}
	f.Recipes = append(f.Recipes, byDefault)
	for _, line := range values["tox"]["labels"] {
		if label, envs, ok := strings.Cut(line, "="); ok {
			f.Recipes = append(f.Recipes, Recipe{Name: toxLabel + strings.TrimSpace(label), Needs: toxNames(envs)})
		}
	}
	return f
}

// once is the environment, unless one of those runs the same: one Python is enough.
func (f File) once(envs []string, env string) []string {
	r, _ := f.Find(env)
	if slices.ContainsFunc(envs, func(other string) bool {
		o, _ := f.Find(other)
		return slices.Equal(o.Lines, r.Lines)
	}) {
		return nil
	}
	return []string{env}
}

// toxValues reads an ini file: the lines of every value by section and key.
func toxValues(text string) map[string]map[string][]string {
	out := map[string]map[string][]string{}
	section, key, joined := "", "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';' {
			continue
		}
		if trimmed[0] == '[' && line[0] == '[' {
			section, key = strings.TrimPrefix(strings.Trim(trimmed, "[]"), "tox:"), ""
			if out[section] == nil {
				out[section] = map[string][]string{}
			}
			continue
		}
		if out[section] == nil {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			var value string
			key, value, _ = strings.Cut(line, "=")
			key, trimmed, joined = strings.TrimSpace(key), strings.TrimSpace(value), false
			out[section][key] = []string{}
		}
		value := out[section][key]
		if body, more := strings.CutSuffix(trimmed, "\\"); joined && len(value) > 0 {
			value[len(value)-1] += " " + strings.TrimSpace(body)
			joined = more
		} else if trimmed != "" {
			out[section][key] = append(value, strings.TrimSpace(body))
			joined = more
		}
	}
	return out
}

// toxCommands are the commands that an environment runs: those without a condition and those
// for one of its factors. Of an environment without a name the factors are unknown: all run
// if there are no others.
func toxCommands(lines []string, env string) []string {
	out, others := []string{}, []string{}
	for _, line := range lines {
		condition, command, ok := strings.Cut(line, ": ")
		switch {
		case !ok || strings.ContainsAny(condition, " /=\"'"):
			out = append(out, toxLine(line))
		case env == "":
			others = append(others, toxLine(strings.TrimSpace(command)))
		case slices.ContainsFunc(toxNames(condition), func(c string) bool { return hasFactors(env, c) }):
			out = append(out, toxLine(strings.TrimSpace(command)))
		}
	}
	if len(out) == 0 {
		return others
	}
	return out
}

// toxFactors are the environments with the Python at hand and one of the factors that
// commands are for: py-tests.
func toxFactors(commands []string) []string {
	var out []string
	for _, line := range commands {
		factor, _, ok := strings.Cut(line, ": ")
		if ok && !strings.ContainsAny(factor, " /=\"',{}!-") && factor != toxPython {
			out = append(out, toxPython+"-"+factor)
		}
	}
	return out
}

// hasFactors reports whether the environment has every factor: lint-ruff has ruff, and has
// !docs.
func hasFactors(env, factors string) bool {
	has := strings.Split(env, "-")
	for factor := range strings.SplitSeq(factors, "-") {
		bare, not := strings.CutPrefix(factor, "!")
		if slices.Contains(has, bare) == not {
			return false
		}
	}
	return true
}

// maxEnvironments bounds what braces may unfold to.
const maxEnvironments = 500

// toxNames unfolds a list of names: 3.1{0-2}-tests, lint-{ruff,mypy}.
func toxNames(list string) []string {
	var out []string
	depth, start := 0, 0
	add := func(name string) {
		if name = strings.Join(strings.Fields(name), ""); name != "" && len(out) < maxEnvironments {
			out = append(out, unfolded(name)...)
		}
	}
	for i, r := range list {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
		case depth <= 0 && (r == ',' || r == ' ' || r == '\t' || r == '\n'):
			add(list[start:i])
			start = i + 1
		}
	}
	add(list[start:])
	return out
}

// unfolded are the names that the first pair of braces stands for, and those in the rest.
func unfolded(name string) []string {
	head, rest, open := strings.Cut(name, "{")
	inner, tail, closed := strings.Cut(rest, "}")
	if !open || !closed {
		return []string{name}
	}
	var out []string
	for part := range strings.SplitSeq(inner, ",") {
		for _, value := range ranged(part) {
			for _, end := range unfolded(tail) {
				if len(out) < maxEnvironments {
					out = append(out, head+value+end)
				}
			}
		}
	}
	return out
}

// ranged are the values of `0-5`, or the part itself.
func ranged(part string) []string {
	from, to, ok := strings.Cut(part, "-")
	if !ok || len(from) != 1 || len(to) != 1 || from[0] < '0' || to[0] > '9' || from[0] > to[0] {
		return []string{part}
	}
	var out []string
	for c := from[0]; c <= to[0]; c++ {
		out = append(out, string(rune(c)))
	}
	return out
}

// toxLine is a command of tox without its substitutions: {posargs:tests} is tests.
func toxLine(line string) string {
	for {
		head, rest, open := strings.Cut(line, "{")
		inner, tail, closed := strings.Cut(rest, "}")
		if !open || !closed {
			if body, ignored := strings.CutPrefix(line, "- "); ignored {
				return ignoringErrors(body)
			}
			return line
		}
		_, byDefault, _ := strings.Cut(inner, ":")
		line = head + byDefault + tail
	}
}

// environments is a call of tox or nox: those that -e, -f, -m or -s names, else all.
func (s *Set) environments(name string, argv []string, dir string) (Call, bool) {
	f, ok := s.By(name, dir)
	if !ok {
		return Call{}, false
	}
	c := Call{File: f, Dir: dir}
	for _, env := range tool.Of(argv).Tasks() {
		if env == name {
			continue
		}
		if _, found := f.Find(env); !found && name == "tox" {
			env = toxBase // py312 and the like share one
		}
		c.Recipes = append(c.Recipes, env)
	}
	if name == "tox" && len(c.Recipes) == 0 {
		c.Recipes = f.chosen(argv)
	}
	if len(c.Recipes) == 0 {
		for _, r := range f.Recipes {
			if name == "nox" || r.Name == toxDefault {
				c.Recipes = append(c.Recipes, r.Name)
			}
		}
	}
	return c, true
}

// chosen are the environments that tox -f and -m choose by factor and label.
func (f File) chosen(argv []string) []string {
	var out []string
	flag := ""
	for _, a := range argv[1:] {
		if strings.HasPrefix(a, "-") {
			flag = a
			continue
		}
		if _, found := f.Find(toxLabel + a); flag == "-m" && found {
			out = append(out, toxLabel+a)
		}
		for _, r := range f.Recipes {
			if flag == "-f" && r.Name != toxBase && r.Name != toxDefault && hasFactors(r.Name, a) {
				out = append(out, f.once(out, r.Name)...)
			}
		}
	}
	return out
}
