package setup

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"gauntlet/internal/tasks"
)

const maxWorkflows = 60

// workflow is the part of a GitHub Actions workflow that is read.
type workflow struct {
	Name     string         `yaml:"name"`
	On       any            `yaml:"on"`
	Env      map[string]any `yaml:"env"`
	Defaults ghDefaults     `yaml:"defaults"`
	Jobs     yaml.MapSlice  `yaml:"jobs"`
}

type ghDefaults struct {
	Run struct {
		Dir string `yaml:"working-directory"`
	} `yaml:"run"`
}

// github offers what the workflows run on pushes and pull requests. Forgejo and
// Gitea read the same files from directories of their own.
func (f *finder) github() {
	for _, dir := range []string{".github/workflows", ".forgejo/workflows", ".gitea/workflows"} {
		f.workflows(dir)
	}
}

func (f *finder) workflows(dir string) {
	entries, err := fs.ReadDir(f.fsys, dir)
	if err != nil {
		return
	}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(ciOrder(a.Name()), ciOrder(b.Name())) })
	for i, e := range entries {
		ext := path.Ext(e.Name())
		if e.IsDir() || ext != ".yml" && ext != ".yaml" || i >= maxWorkflows {
			continue
		}
		file := path.Join(dir, e.Name())
		var w workflow
		if err := tasks.DecodeYAML(f.text(file), &w); err != nil {
			f.note("%s cannot be read as a workflow and was left out", file)
			continue
		}
		if !triggered(w.On) || ciUnfit(strings.TrimSuffix(e.Name(), ext)) || ciUnfit(w.Name) {
			continue
		}
		for _, j := range w.Jobs {
			f.githubJob(file, text(j.Key), table(j.Value), w)
		}
	}
}

// triggered reports whether the workflow runs when code is pushed or proposed, not only for
// releases, on a schedule, or by hand.
func triggered(on any) bool {
	code := func(name string) bool {
		return name == "push" || name == "pull_request" || name == "merge_group" || name == "workflow_call"
	}
	switch on := on.(type) {
	case string:
		return code(on)
	case []any:
		return slices.ContainsFunc(on, func(v any) bool { return code(text(v)) })
	case map[string]any:
		for name, v := range on {
			if !code(name) {
				continue
			}
			m := table(v)
			if name == "push" && m["tags"] != nil && m["branches"] == nil && m["branches-ignore"] == nil {
				continue // a release
			}
			return true
		}
	}
	return false
}

func (f *finder) githubJob(file, id string, job map[string]any, w workflow) {
	if ciUnfit(id) || ciUnfit(text(job["name"])) || elsewhere(text(job["runs-on"])) || elsewhere(text(job["if"])) || job["continue-on-error"] == true {
		return
	}
	dir := w.Defaults.Run.Dir
	if d, ok := at(job, "defaults", "run", "working-directory").(string); ok {
		dir = d
	}
	env := literals(literals(nil, w.Env), table(job["env"]))
	var steps []ciStep
	for _, v := range listOf(job["steps"]) {
		step := table(v)
		if step["continue-on-error"] == true || elsewhere(text(step["if"])) {
			continue
		}
		s := ciStep{why: jobOf(file, id), name: text(step["name"]), dir: dir, env: env}
		if d, ok := step["working-directory"].(string); ok {
			s.dir = d
		}
		s.sets(step["env"])
		s.script = cmp.Or(text(step["run"]), ofAction(step))
		if shell := text(step["shell"]); shell == "" || strings.HasPrefix(shell, "bash") || strings.HasPrefix(shell, "sh") {
			steps = append(steps, f.matrix(s, job)...)
		}
	}
	f.offerJob(steps, job["services"] != nil)
}

// elsewhere reports whether a condition or runner names another platform.
func elsewhere(condition string) bool {
	c := strings.ToLower(condition)
	if strings.Contains(c, "!=") || strings.Contains(c, "!contains") || strings.Contains(c, "!startswith") {
		return strings.Contains(c, "ubuntu") || strings.Contains(c, "linux")
	}
	return strings.Contains(c, "windows") || strings.Contains(c, "macos") || strings.Contains(c, "schedule") || strings.Contains(c, "refs/tags") || strings.Contains(c, "workflow_dispatch")
}

// literals adds the variables that have a plain value.
func literals(base map[string]string, env map[string]any) map[string]string {
	out := maps.Clone(base)
	for k, v := range env {
		if s := text(v); !strings.Contains(s, "${{") {
			if out == nil {
				out = map[string]string{}
			}
			out[k] = s
		}
	}
	return out
}

// matrix repeats a step for each directory that its matrix names.
func (f *finder) matrix(s ciStep, job map[string]any) []ciStep {
	for key, v := range table(at(job, "strategy", "matrix")) {
		list, ok := v.([]any)
		if !ok || job["services"] != nil { // which is refused as a whole
			continue
		}
		var spelled string
		for _, form := range []string{"${{ matrix." + key + " }}", "${{matrix." + key + "}}"} {
			if strings.Contains(s.dir, form) || strings.Contains(s.script, form) {
				spelled = form
			}
		}
		if spelled == "" || len(list) > maxDirs {
			continue
		}
		var out []ciStep
		for _, item := range list {
			value := text(item)
			one := s
			one.dir, one.script = strings.ReplaceAll(s.dir, spelled, value), strings.ReplaceAll(s.script, spelled, value)
			if value == "" || one.dir == s.dir && !f.isDir(value) || one.dir != s.dir && !f.isDir(one.dir) {
				return []ciStep{s}
			}
			out = append(out, one)
		}
		return out
	}
	return []ciStep{s}
}

func (f *finder) isDir(name string) bool {
	name = path.Clean(name)
	if !fs.ValidPath(name) {
		return false
	}
	info, err := fs.Stat(f.fsys, name)
	return err == nil && info.IsDir()
}

// ofAction is the command that a well-known action stands for.
func ofAction(step map[string]any) string {
	action, _, _ := strings.Cut(text(step["uses"]), "@")
	with := table(step["with"])
	arg := func(name string) string {
		if s := text(with[name]); !strings.Contains(s, "${{") {
			return strings.Join(strings.Fields(s), " ")
		}
		return ""
	}
	line := ""
	switch action {
	case "golangci/golangci-lint-action":
		line = "golangci-lint run " + arg("args")
	case "astral-sh/ruff-action", "chartboost/ruff-action":
		line = "ruff " + arg("args")
		if arg("args") == "" {
			line = "ruff check " + arg("src")
		}
	case "pre-commit/action", "j178/prek-action":
		line = "pre-commit run --all-files"
	case "actions-rs/cargo":
		line = "cargo " + arg("command") + " " + arg("args")
	case "actions-rs/clippy-check":
		line = "cargo clippy " + arg("args")
	case "dominikh/staticcheck-action":
		line = "staticcheck ./..."
	case "codespell-project/actions-codespell":
		line = "codespell"
	case "crate-ci/typos":
		line = "typos"
	case "gradle/gradle-build-action":
		line = "./gradlew " + arg("arguments")
	default:
		return ""
	}
	if dir := arg("working-directory"); dir != "" && dir != "." {
		line = "cd '" + strings.ReplaceAll(dir, "'", "") + "' && " + line
	}
	return strings.TrimSpace(line)
}

// text is a scalar as text; a list's items joined.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var out []string
		for _, item := range v {
			out = append(out, text(item))
		}
		return strings.Join(out, " ")
	case nil, map[string]any:
		return ""
	}
	return strings.TrimSpace(yamlScalar(v))
}
