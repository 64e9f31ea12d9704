package tasks

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/pelletier/go-toml/v2"
)

// taskfile reads the tasks of a Taskfile.yml.
func (s *Set) taskfile(dir string) (File, bool) {
	name, text := s.text(dir, "Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml")
	if name == "" {
		return File{}, false
	}
	var doc struct {
		Tasks yaml.MapSlice  `yaml:"tasks"`
		Vars  map[string]any `yaml:"vars"`
	}
	if DecodeYAML(text, &doc) != nil {
		return File{}, false
	}
	vars := map[string]string{}
	for k, v := range doc.Vars {
		if text, ok := v.(string); ok {
			vars["."+k] = text
		}
	}
	f := File{Name: name, Runner: "task"}
	for _, item := range doc.Tasks {
		r := Recipe{Name: asText(item.Key)}
		r.add(item.Value, vars)
		f.Recipes = append(f.Recipes, r)
		if m, ok := item.Value.(map[string]any); ok {
			for _, alias := range texts(m["aliases"]) {
				twin := r
				twin.Name = alias
				f.Recipes = append(f.Recipes, twin)
			}
		}
	}
	return f, true
}

// add adds what a task runs: a line, a list of lines, or a map with cmds and deps.
func (r *Recipe) add(v any, vars map[string]string) {
	switch v := v.(type) {
	case string:
		r.Lines = append(r.Lines, interpolate(v, vars))
	case []any:
		for _, item := range v {
			r.add(item, vars)
		}
	case map[string]any:
		if dir, ok := v["dir"].(string); ok && !strings.Contains(dir, "{{") {
			r.Dir = dir
		}
		for _, dep := range listOf(v["deps"]) {
			switch dep := dep.(type) {
			case string:
				r.Needs = append(r.Needs, dep)
			case map[string]any:
				r.Needs = append(r.Needs, asText(dep["task"]))
			}
		}
		if t, ok := v["task"].(string); ok {
			r.Lines = append(r.Lines, "task "+t)
		}
		first := len(r.Lines)
		for _, key := range []string{"cmd", "cmds"} {
			r.add(v[key], vars)
		}
		if ignored, _ := v["ignore_error"].(bool); ignored {
			for i := first; i < len(r.Lines); i++ {
				r.Lines[i] = ignoringErrors(r.Lines[i])
			}
		}
	}
}

// deno reads the tasks of a deno.json.
func (s *Set) deno(dir string) (File, bool) {
	name, text := s.text(dir, "deno.json", "deno.jsonc")
	if name == "" {
		return File{}, false
	}
	var doc struct {
		Tasks map[string]any `yaml:"tasks"`
	}
	// YAML reads JSON with comments and trailing commas too, once // is gone.
	if DecodeYAML(withoutSlashComments(text), &doc) != nil {
		return File{}, false
	}
	f := File{Name: name, Runner: "deno"}
	for _, task := range slices.Sorted(maps.Keys(doc.Tasks)) {
		r := Recipe{Name: task}
		switch v := doc.Tasks[task].(type) {
		case string:
			r.Lines = []string{v}
		case map[string]any:
			r.Lines, r.Needs = texts(v["command"]), texts(v["dependencies"])
		}
		f.Recipes = append(f.Recipes, r)
	}
	return f, true
}

// withoutSlashComments removes comments that begin with // from JSON.
func withoutSlashComments(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\' && i+1 < len(text):
			b.WriteByte(c)
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], "//"):
			if i += strings.IndexByte(text[i:]+"\n", '\n'); i >= len(text) {
				return b.String()
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// mise reads the tasks of a mise.toml.
func (s *Set) mise(dir string) (File, bool) {
	name, text := s.text(dir, "mise.toml", ".mise.toml", "mise/config.toml", ".config/mise.toml", ".mise/config.toml")
	var doc struct {
		Tasks map[string]any `toml:"tasks"`
	}
	if toml.Unmarshal([]byte(text), &doc) != nil {
		return File{}, false
	}
	f := File{Name: name, Runner: "mise", Recipes: s.fileTasks(dir)}
	for _, task := range slices.Sorted(maps.Keys(doc.Tasks)) {
		r := Recipe{Name: task}
		switch v := doc.Tasks[task].(type) {
		case map[string]any:
			r.Lines, r.Needs = texts(v["run"]), texts(v["depends"])
			if dir, ok := v["dir"].(string); ok && !strings.Contains(dir, "{{") {
				r.Dir = dir
			}
		default:
			r.Lines = texts(v)
		}
		f.Recipes = append(f.Recipes, r)
	}
	return f, name != "" || len(f.Recipes) > 0
}

// fileTasks are the tasks of mise that are scripts in a directory of their own.
func (s *Set) fileTasks(dir string) []Recipe {
	var out []Recipe
	for _, top := range []string{"mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks"} {
		_ = fs.WalkDir(s.fsys, path.Join(dir, top), func(p string, entry fs.DirEntry, err error) error {
			if err != nil || len(out) >= maxRecipes {
				return fs.SkipAll
			}
			if !entry.IsDir() {
				script := strings.TrimPrefix(p, path.Clean(dir)+"/")
				name := strings.TrimSuffix(strings.TrimPrefix(script, top+"/"), path.Ext(p))
				name = strings.TrimSuffix(strings.ReplaceAll(name, "/", ":"), ":_default")
				out = append(out, Recipe{Name: name, Lines: []string{"./" + script}})
			}
			return nil
		})
	}
	return out
}

// cargo reads the aliases of cargo.
func (s *Set) cargo(dir string) (File, bool) {
	name, text := s.text(dir, ".cargo/config.toml", ".cargo/config")
	var doc struct {
		Alias map[string]any `toml:"alias"`
	}
	if name == "" || toml.Unmarshal([]byte(text), &doc) != nil {
		return File{}, false
	}
	f := File{Name: name, Runner: "cargo"}
	for _, alias := range slices.Sorted(maps.Keys(doc.Alias)) {
		f.Recipes = append(f.Recipes, Recipe{Name: alias, Lines: []string{strings.Join(append([]string{"cargo"}, texts(doc.Alias[alias])...), " ")}})
	}
	return f, len(f.Recipes) > 0
}

// pyproject finds a table of pyproject.toml.
func (s *Set) pyproject(dir string, keys ...string) map[string]any {
	_, text := s.text(dir, "pyproject.toml")
	if text == "" || !strings.Contains(text, keys[1]) {
		return nil
	}
	var doc map[string]any
	if toml.Unmarshal([]byte(text), &doc) != nil {
		return nil
	}
	for _, k := range keys {
		next, ok := doc[k].(map[string]any)
		if !ok {
			return nil
		}
		doc = next
	}
	return doc
}

// poe reads the tasks of poethepoet.
func (s *Set) poe(dir string) (File, bool) {
	return pythonTasks("poe", s.pyproject(dir, "tool", "poe", "tasks"), "poe ")
}

// pdm reads pdm's scripts.
func (s *Set) pdm(dir string) (File, bool) {
	return pythonTasks("pdm", s.pyproject(dir, "tool", "pdm", "scripts"), "pdm run ")
}

// hatch reads the scripts of hatch's environments: "lint:all", and "test" in the
// default one.
func (s *Set) hatch(dir string) (File, bool) {
	out := File{Name: "pyproject.toml", Runner: "hatch"}
	envs := s.pyproject(dir, "tool", "hatch", "envs")
	if _, text := s.text(dir, "hatch.toml"); text != "" { // its own file counts instead
		var own struct {
			Envs map[string]any `toml:"envs"`
		}
		if toml.Unmarshal([]byte(text), &own) == nil && len(own.Envs) > 0 {
			out.Name, envs = "hatch.toml", own.Envs
		}
	}
	for _, env := range slices.Sorted(maps.Keys(envs)) {
		m, _ := envs[env].(map[string]any)
		scripts, _ := m["scripts"].(map[string]any)
		f, _ := pythonTasks("hatch", scripts, "hatch run "+env+":")
		for _, r := range f.Recipes {
			if env != "default" {
				r.Name = env + ":" + r.Name
			}
			for i, line := range r.Lines { // a script may call another by its bare name
				word, rest, _ := strings.Cut(line, " ")
				if twin, ok := f.Find(word); ok && word != r.Name {
					r.Lines[i] = strings.TrimSpace(strings.Join(twin.Lines, " && ") + " " + rest)
				}
			}
			out.Recipes = append(out.Recipes, r)
		}
	}
	return out, len(out.Recipes) > 0
}

func pythonTasks(runner string, tasks map[string]any, call string) (File, bool) {
	f := File{Name: "pyproject.toml", Runner: runner}
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		r := Recipe{Name: name}
		switch v := tasks[name].(type) {
		case string:
			r.Lines = []string{v}
		case []any: // poe: a sequence of tasks; hatch: of lines
			for _, item := range texts(v) {
				if runner == "poe" {
					item = call + item
				}
				r.Lines = append(r.Lines, item)
			}
		case map[string]any:
			for _, key := range []string{"cmd", "shell"} {
				r.Lines = append(r.Lines, texts(v[key])...)
			}
			for _, item := range append(texts(v["sequence"]), texts(v["composite"])...) {
				r.Lines = append(r.Lines, call+item)
			}
		}
		f.Recipes = append(f.Recipes, r)
	}
	return f, len(f.Recipes) > 0
}

func listOf(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

// texts are the strings of a value that is one or a list of them.
func texts(v any) []string {
	var out []string
	for _, item := range listOf(v) {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func asText(v any) string {
	s, _ := v.(string)
	return s
}

// inside joins a recipe's directory to its file's; "" when it leaves the tree.
func inside(dir, sub string) string {
	if path.IsAbs(sub) {
		return ""
	}
	if p := path.Join(dir, sub); p != ".." && !strings.HasPrefix(p, "../") {
		return p
	}
	return ""
}

// Members are the names that the manifests in a directory give to what is in it.
func (s *Set) Members(dir string) []string {
	var out []string
	if name := s.packageName(dir); name != "" {
		out = append(out, name)
	}
	for _, file := range []string{"Cargo.toml", "pyproject.toml"} {
		var doc struct {
			Package, Project struct{ Name string }
		}
		if _, text := s.text(dir, file); toml.Unmarshal([]byte(text), &doc) == nil {
			for _, name := range []string{doc.Package.Name, doc.Project.Name} {
				if name != "" {
					out = append(out, name)
				}
			}
		}
	}
	return out
}
