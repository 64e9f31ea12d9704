package setup

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/shell"
	"gauntlet/internal/tasks"
)

// hooks offers what the git hooks of a project call, if they are configured in its files.
func (d *directory) hooks() {
	d.preCommit()
	d.lefthook()
	d.husky()
}

// preCommit reads .pre-commit-config.yaml. `pre-commit run` is never proposed: its hooks
// download their tools and most of them rewrite files. Only local hooks that run a command
// of the project are used, and the few tools whose scope is configured elsewhere.
func (d *directory) preCommit() {
	file := d.first(".pre-commit-config.yaml", ".pre-commit-config.yml")
	if file == "" {
		return
	}
	var doc struct {
		Repos []struct {
			Repo  string           `yaml:"repo"`
			Hooks []map[string]any `yaml:"hooks"`
		} `yaml:"repos"`
	}
	if err := tasks.DecodeYAML(d.read(file), &doc); err != nil {
		d.note("%s cannot be read and was left out", d.where(file))
		return
	}
	_, bin := d.pythonRunner()
	for _, repo := range doc.Repos {
		for _, h := range repo.Hooks {
			id := text(h["id"])
			c := found{dir: d.dir, name: id, why: d.where(file) + ": " + id, source: FromHooks}
			if slices.Contains(listOf(h["stages"]), any("manual")) {
				continue
			}
			args := strings.Fields(text(h["args"]))
			switch {
			case repo.Repo == "local":
				entry := text(h["entry"])
				if language := text(h["language"]); entry == "" || language != "system" && language != "script" && language != "unsupported" {
					continue
				}
				c.run = strings.TrimSpace(entry + " " + strings.Join(args, " "))
				if h["pass_filenames"] != false && !d.hasOwnScope(c.run) {
					continue // it checks the files that are handed to it
				}
			case id == "ruff" || id == "ruff-check":
				c.run = bin("ruff") + " check"
			case id == "ruff-format":
				c.run = bin("ruff") + " format --check"
			case id == "flake8":
				c.run = bin("flake8")
			case id == "mypy" && d.mypyScope():
				c.run = bin("mypy")
			default:
				continue
			}
			d.offer(c)
		}
	}
}

// hasOwnScope reports whether the command knows what to check without a list of files.
func (d *directory) hasOwnScope(run string) bool {
	for _, s := range d.set.Expand(run, d.dir) {
		c, ok := classify(s)
		if !ok {
			continue
		}
		if c.role == Test || len(c.operands) > 0 || c.head == "golangci-lint run" || strings.HasPrefix(c.head, "cargo ") || c.head == "tsc" {
			return true
		}
	}
	return false
}

// lefthook reads the commands of lefthook.yml.
func (d *directory) lefthook() {
	file := d.first("lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml")
	if file == "" {
		return
	}
	var doc map[string]any
	if err := tasks.DecodeYAML(d.read(file), &doc); err != nil {
		d.note("%s cannot be read and was left out", d.where(file))
		return
	}
	for _, hook := range []string{"pre-push", "pre-commit"} {
		m := table(doc[hook])
		commands := table(m["commands"])
		for _, name := range slices.Sorted(maps.Keys(commands)) {
			d.hookCommand(file, name, table(commands[name]))
		}
		for _, v := range listOf(m["jobs"]) {
			d.hookCommand(file, text(table(v)["name"]), table(v))
		}
	}
}

func (d *directory) hookCommand(file, name string, command map[string]any) {
	run := text(command["run"])
	dir := d.dir
	if root, ok := command["root"].(string); ok {
		if dir = shell.Inside(d.dir, root); dir == "" || inFixture(dir) {
			return
		}
	}
	if run == "" || strings.Contains(run, "{") || command["skip"] == true {
		return // it checks the files that are handed to it
	}
	if command["stage_fixed"] == true {
		d.out.Refusals = append(d.out.Refusals, Refusal{Dir: dir, Run: run, Why: d.where(file) + ": " + name, Reason: "rewrites files (stage_fixed)"})
		return
	}
	for _, st := range shell.Statements(run, dir) {
		d.offer(found{dir: st.Dir, run: st.Text, why: d.where(file) + ": " + name, name: name, source: FromHooks})
	}
}

// husky reads the scripts in .husky.
func (d *directory) husky() {
	for _, hook := range []string{".husky/pre-push", ".husky/pre-commit"} {
		script := d.read(hook)
		if script == "" {
			continue
		}
		for _, st := range shell.Statements(script, d.dir) {
			if len(shell.Unset(st.Text, st.Env)) == 0 {
				d.offer(found{dir: st.Dir, run: st.Text, why: d.where(hook), source: FromHooks})
			}
		}
	}
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
