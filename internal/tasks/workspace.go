package tasks

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/shell"
	"gauntlet/internal/tool"
)

// Runners of workspaces (turbo, nx, moon, lerna) run a task in every package
// that has it: as a script of its package.json, a target of its project.json, or
// a task of its moon.yml.

const maxPackages = 200

// workspaceTasks are the tasks that a workspace runner is called with; none for
// other commands.
func workspaceTasks(argv []string) []string {
	switch path.Base(argv[0]) {
	case "turbo", "nx", "moon", "lerna":
		return tool.Of(argv).Tasks()
	}
	return nil
}

// workspace follows a task into the packages that have it.
func (e *expander) workspace(c shell.Command, tasks []string, dir string, depth int) {
	before := len(e.out)
	for _, task := range tasks {
		e.inPackages(c, task, dir, depth)
	}
	if len(e.out) == before {
		e.out = append(e.out, Step{Command: c, Dir: dir}) // it is unknown what it runs
	}
}

func (e *expander) inPackages(c shell.Command, task, dir string, depth int) {
	for _, need := range e.set.workspaceNeeds(task, dir) {
		e.enter(c, "task "+need, dir, depth, func() { e.inPackages(c, need, dir, depth+1) })
	}
	for _, pkg := range e.set.packages(dir) {
		for _, f := range e.set.In(pkg) {
			if _, ok := f.Find(task); ok && (f.Runner == "npm" || f.Runner == "nx" || f.Runner == "moon") {
				e.recipe(c, Call{File: f, Dir: pkg}, task, depth)
			}
		}
	}
}

// packages are the directories of a workspace that may contain a package: the root and two
// levels below it.
func (s *Set) packages(dir string) []string {
	out := []string{dir}
	var visit func(dir string, depth int)
	visit = func(dir string, depth int) {
		entries, err := fs.ReadDir(s.fsys, dir)
		if err != nil {
			return
		}
		for _, entry := range entries {
			if name := entry.Name(); entry.IsDir() && name[0] != '.' && name != "node_modules" && len(out) < maxPackages {
				out = append(out, path.Join(dir, name))
				if depth < 1 {
					visit(path.Join(dir, name), depth+1)
				}
			}
		}
	}
	visit(dir, 0)
	return out
}

// workspaceNeeds are the tasks that turbo.json or nx.json runs before one.
func (s *Set) workspaceNeeds(task, dir string) []string {
	var out []string
	if _, text := s.text(dir, "turbo.json", "turbo.jsonc", "nx.json"); text != "" {
		type settings struct {
			DependsOn []any `json:"dependsOn"`
		}
		var doc struct {
			Tasks    map[string]settings `json:"tasks"`
			Pipeline map[string]settings `json:"pipeline"`
			Targets  map[string]settings `json:"targetDefaults"`
		}
		if json.Unmarshal([]byte(withoutSlashComments(text)), &doc) == nil {
			for _, list := range []map[string]settings{doc.Tasks, doc.Pipeline, doc.Targets} {
				for _, need := range list[task].DependsOn {
					name := strings.TrimPrefix(asText(need), "^")
					if i := strings.LastIndexAny(name, "#:"); i >= 0 {
						name = name[i+1:]
					}
					if name != "" && name != task && !slices.Contains(out, name) {
						out = append(out, name)
					}
				}
			}
		}
	}
	return out
}

// nxTargets reads the targets of a project.json.
func (s *Set) nxTargets(dir string) (File, bool) {
	name, text := s.text(dir, "project.json")
	var doc struct {
		Targets map[string]struct {
			Executor string `json:"executor"`
			Command  string `json:"command"`
			Options  struct {
				Command  string `json:"command"`
				Commands []any  `json:"commands"`
				Cwd      string `json:"cwd"`
			} `json:"options"`
		} `json:"targets"`
	}
	if name == "" || json.Unmarshal([]byte(text), &doc) != nil {
		return File{}, false
	}
	f := File{Name: name, Runner: "nx"}
	for _, target := range slices.Sorted(maps.Keys(doc.Targets)) {
		t := doc.Targets[target]
		r := Recipe{Name: target}
		for _, line := range append([]string{t.Command, t.Options.Command}, commandTexts(t.Options.Commands)...) {
			if line != "" {
				r.Lines = append(r.Lines, line)
			}
		}
		if len(r.Lines) == 0 && t.Executor != "" {
			r.Lines = []string{executorTool(t.Executor)}
		}
		f.Recipes = append(f.Recipes, r)
	}
	return f, true
}

// commandTexts are the commands of a list whose items are texts or have one.
func commandTexts(list []any) []string {
	var out []string
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			item = m["command"]
		}
		out = append(out, asText(item))
	}
	return out
}

// executorTool is the tool that an executor of nx runs: @nx/jest:jest, @nx/vite:test.
func executorTool(executor string) string {
	plugin, action, _ := strings.Cut(executor, ":")
	tool := path.Base(plugin)
	switch {
	case (tool == "vite" || tool == "vitest") && action == "test":
		return "vitest"
	case tool == "eslint" || tool == "jest" || tool == "playwright" || tool == "cypress":
		if tool == "playwright" {
			return "playwright test"
		}
		return tool
	}
	return tool + " " + action
}

// moonTasks reads the tasks of a moon.yml.
func (s *Set) moonTasks(dir string) (File, bool) {
	name, text := s.text(dir, "moon.yml", ".moon/tasks.yml", ".moon/tasks/all.yml")
	var doc struct {
		Tasks map[string]struct {
			Command any `yaml:"command"`
			Script  any `yaml:"script"`
			Deps    any `yaml:"deps"`
		} `yaml:"tasks"`
	}
	if name == "" || DecodeYAML(text, &doc) != nil {
		return File{}, false
	}
	f := File{Name: name, Runner: "moon"}
	for _, task := range slices.Sorted(maps.Keys(doc.Tasks)) {
		t := doc.Tasks[task]
		r := Recipe{Name: task}
		if line := strings.Join(texts(t.Command), " "); line != "" {
			r.Lines = append(r.Lines, line)
		}
		r.Lines = append(r.Lines, texts(t.Script)...)
		for _, dep := range texts(t.Deps) {
			r.Needs = append(r.Needs, dep[strings.LastIndexByte(dep, ':')+1:])
		}
		f.Recipes = append(f.Recipes, r)
	}
	return f, true
}

// nox reads the sessions of a noxfile.py: the literal arguments of session.run.
func (s *Set) nox(dir string) (File, bool) {
	name, text := s.text(dir, "noxfile.py")
	if name == "" {
		return File{}, false
	}
	f := File{Name: name, Runner: "nox"}
	isSession, given := false, ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "@nox.session") || strings.HasPrefix(trimmed, "@session"):
			isSession = true
			if _, rest, ok := strings.Cut(trimmed, "name="); ok && len(rest) > 2 {
				given, _, _ = strings.Cut(rest[1:], rest[:1])
			}
		case isSession && strings.HasPrefix(trimmed, "def "):
			fn, _, _ := strings.Cut(strings.TrimPrefix(trimmed, "def "), "(")
			f.Recipes = append(f.Recipes, Recipe{Name: cmp.Or(given, strings.TrimSpace(fn))})
			isSession, given = false, ""
		case len(f.Recipes) > 0 && strings.Contains(trimmed, "session.run("):
			_, args, _ := strings.Cut(trimmed, "session.run(")
			var words []string
			for part := range strings.FieldsFuncSeq(args, func(r rune) bool { return r == '"' || r == '\'' }) {
				if word := strings.Trim(part, ",) \t"); word != "" {
					words = append(words, word)
				}
			}
			last := &f.Recipes[len(f.Recipes)-1]
			last.Lines = append(last.Lines, strings.Join(words, " "))
		}
	}
	return f, len(f.Recipes) > 0
}
