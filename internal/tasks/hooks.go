package tasks

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/shell"
)

// hooks follows pre-commit and lefthook into the hooks that their files configure. Both skip
// hooks and succeed, so their status proves nothing.
func (e *expander) hooks(argv []string, dir string, depth int) bool {
	args := argv[1:]
	if len(args) == 0 || args[0] != "run" {
		return false
	}
	if argv[0] == "lefthook" {
		return e.lefthook(args[1:], dir, depth)
	}
	return e.preCommit(args[1:], dir, depth)
}

// preCommit follows the local hooks of a run over all files. Any other run sees what is
// staged, which may not be the content of the files.
func (e *expander) preCommit(args []string, dir string, depth int) bool {
	if !slices.Contains(args, "--all-files") && !slices.Contains(args, "-a") || slices.Contains(args, "-c") || slices.Contains(args, "--config") {
		return false
	}
	_, text := e.set.text(dir, ".pre-commit-config.yaml", ".pre-commit-config.yml")
	var doc struct {
		Repos []struct {
			Repo  string           `yaml:"repo"`
			Hooks []map[string]any `yaml:"hooks"`
		} `yaml:"repos"`
	}
	if text == "" || DecodeYAML(text, &doc) != nil {
		return false
	}
	asked, _ := operands(args, "--hook-stage", "--color")
	for _, repo := range doc.Repos {
		for _, hook := range repo.Hooks {
			id := asText(hook["id"])
			if repo.Repo != "local" || len(asked) > 0 && !slices.Contains(asked, id) {
				continue
			}
			name := asText(hook["name"])
			if name == "" {
				name = id
			}
			e.shown(strings.Join(append([]string{asText(hook["entry"])}, texts(hook["args"])...), " "), preCommitPass(name), dir, depth)
		}
	}
	return true
}

// preCommitPass is the line that pre-commit prints when a hook passed.
func preCommitPass(name string) string {
	const width, passed = 79, "Passed"
	return name + strings.Repeat(".", max(width-len(name)-len(passed), 0)) + passed
}

// lefthook follows the commands of a hook; their output is shown, and has to prove them. A
// run of pre-commit sees what is staged only.
func (e *expander) lefthook(args []string, dir string, depth int) bool {
	words, _ := operands(args)
	if len(words) != 1 || words[0] == "pre-commit" {
		return false
	}
	_, text := e.set.text(dir, "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml")
	var doc map[string]any
	if text == "" || DecodeYAML(text, &doc) != nil {
		return false
	}
	hook, _ := doc[words[0]].(map[string]any)
	commands, _ := hook["commands"].(map[string]any)
	list := listOf(hook["jobs"])
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		list = append(list, commands[name])
	}
	for _, item := range list {
		job, _ := item.(map[string]any)
		if run := asText(job["run"]); run != "" && !strings.Contains(run, "{") {
			e.shown(run, "", inside(dir, asText(job["root"])), depth)
		}
	}
	return len(list) > 0
}

// shown adds what a line runs, proved by its output: by its own, or by a line that is
// printed when all of it passed.
func (e *expander) shown(line, pass, dir string, depth int) {
	e.entered = true
	before := len(e.out)
	e.line(line, dir, depth+1)
	for i := before; i < len(e.out); i++ {
		c := e.out[i].Command
		if e.out[i].Command = c.Hidden(); pass != "" && c.Proof == shell.Proven {
			e.out[i].Command = c.Announced(pass)
		}
	}
}
