package tasks

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/shell"
	"gauntlet/internal/tool"
)

// Part is a part of the project that a command resolves to, and that decides whether it
// passes: a script, a recipe, the configuration of a tool.
type Part struct {
	Path string // of its file
	Name string // the file, and what of it
	Text string
}

// Bounds of what is followed.
const (
	maxParts = 100
	maxNest  = 8
)

// Judge lists what a shell line run in dir resolves to in the project. changed are files that
// may belong to it without being called: the configuration of a tool, what tests share.
func (s *Set) Judge(line, dir string, changed []string) []Part {
	j := judge{set: s, words: map[string]bool{}}
	j.line(line, path.Clean(dir), 0)
	for _, p := range changed {
		j.settings(p, path.Clean(dir))
	}
	return j.parts
}

type judge struct {
	set   *Set
	parts []Part
	words map[string]bool // of every command that runs: the names of tools are among them
}

// add adds a part once.
func (j *judge) add(p Part) bool {
	if len(j.parts) == maxParts || slices.ContainsFunc(j.parts, func(k Part) bool { return k.Name == p.Name }) {
		return false
	}
	j.parts = append(j.parts, p)
	return true
}

func (j *judge) line(text, dir string, depth int) {
	if depth > maxNest {
		return
	}
	for _, c := range shell.Parse(text).Commands {
		at := inside(dir, c.Dir)
		argv := c.Argv()
		if len(argv) == 0 || at == "" {
			continue
		}
		for _, w := range slices.Concat(c.Views[0], argv) {
			j.words[path.Base(w)] = true
		}
		if call, ok := j.set.Call(argv, at); ok {
			for _, name := range call.Recipes {
				j.recipe(call, name, depth)
			}
			continue
		}
		if sources := argv[0] == "." || argv[0] == "source"; sources && depth > 0 {
			continue // a test in shell reads the code under test that way
		}
		for i, w := range argv {
			j.script(w, i == 0, at, depth)
		}
	}
}

// recipe adds a recipe and what it needs.
func (j *judge) recipe(call Call, name string, depth int) {
	r, ok := call.File.rule(name)
	if !ok || depth > maxNest {
		return
	}
	file := path.Join(call.Dir, call.File.Name)
	if !j.add(Part{Path: file, Name: file + " (" + name + ")", Text: strings.Join(append(slices.Clone(r.Needs), r.Lines...), "\n")}) {
		return
	}
	for _, need := range r.Needs {
		j.recipe(call, need, depth+1)
	}
	at := inside(call.Dir, r.Dir)
	for _, l := range r.Lines {
		j.line(strings.TrimPrefix(l, ignoreMark), at, depth+1)
	}
}

// script adds a script of the project that a word names: the program itself, or a file with
// the name of one. A test that is run is not what judges it.
func (j *judge) script(word string, program bool, dir string, depth int) {
	p := inside(dir, word)
	if p == "" || p == "." || !fs.ValidPath(p) || tool.IsTest(p) || !isScript(p) && !(program && strings.Contains(word, "/")) {
		return
	}
	text, ok := j.set.scriptText(p)
	if !ok || !j.add(Part{Path: p, Name: p, Text: text}) {
		return
	}
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasSuffix(p, ".sh") || strings.HasSuffix(p, ".bash") || strings.HasPrefix(first, "#!") && strings.HasSuffix(strings.TrimSpace(first), "sh") {
		j.line(text, dir, depth+1)
	}
}

func isScript(p string) bool {
	switch path.Ext(p) {
	case ".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php":
		return true
	}
	return false
}

// scriptText reads a file that is not too large to be a script.
func (s *Set) scriptText(p string) (string, bool) {
	info, err := fs.Stat(s.fsys, p)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxScript {
		return "", false
	}
	data, err := fs.ReadFile(s.fsys, p)
	return string(data), err == nil
}

// settings adds a changed file that decides how a tool that runs in dir judges: its own
// configuration, its section of a file that several tools share, or what its tests share.
func (j *judge) settings(p, dir string) {
	at := path.Dir(p)
	if at != "." && at != dir && !strings.HasPrefix(dir, at+"/") && path.Base(p) != "conftest.py" && !strings.HasSuffix(p, "_test.go") {
		return // settings are where the command runs, or above
	}
	text, ok := j.set.scriptText(p)
	if !ok {
		return
	}
	switch base := path.Base(p); {
	case base == "conftest.py" && (dir == "." || strings.HasPrefix(p, dir+"/")):
		j.add(Part{Path: p, Name: p, Text: text})
	case strings.HasSuffix(base, "_test.go"):
		if body := function(text, "func TestMain("); body != "" {
			j.add(Part{Path: p, Name: p + " (TestMain)", Text: body})
		}
	case base == "pyproject.toml" || base == "setup.cfg" || base == "tox.ini" || base == "Cargo.toml":
		for name := range j.words {
			if section := section(text, name); section != "" {
				j.add(Part{Path: p, Name: p + " [" + name + "]", Text: section})
			}
		}
	case base == "package.json":
		var keys map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &keys) != nil {
			return
		}
		for name := range j.words {
			for _, key := range []string{name, name + "Config"} {
				if v, ok := keys[key]; ok && key != "scripts" {
					j.add(Part{Path: p, Name: p + " (" + key + ")", Text: string(v)})
				}
			}
		}
	case j.owns(base):
		j.add(Part{Path: p, Name: p, Text: text})
	}
}

// owns reports whether a file is named after a tool that runs: jest.config.js, .eslintrc.json,
// .eslintignore, pytest.ini, .golangci.yml, tsconfig.json.
func (j *judge) owns(base string) bool {
	stem, _, _ := strings.Cut(strings.TrimLeft(base, "."), ".")
	for _, end := range []string{"rc", "ignore", "config", "-config"} {
		stem = strings.TrimSuffix(stem, end)
	}
	if isScript(base) && !strings.Contains(base, ".config.") && !strings.HasPrefix(base, ".") {
		return false // a program of that name
	}
	for _, name := range []string{stem, stem + "-lint", stem + "c"} {
		if len(name) > 2 && j.words[name] {
			return true
		}
	}
	return false
}

// section is the text of the sections of one tool: [tool.NAME…], [NAME], [tool:NAME],
// [NAME:…].
func section(text, name string) string {
	var out []string
	in := false
	for line := range strings.Lines(text) {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "[") && strings.HasSuffix(t, "]") {
			head := strings.TrimPrefix(strings.TrimPrefix(strings.Trim(t, "[] "), "tool."), "tool:")
			in = head == name || strings.HasPrefix(head, name+".") || strings.HasPrefix(head, name+":")
		}
		if in {
			out = append(out, strings.TrimRight(line, "\r\n"))
		}
	}
	return strings.Join(out, "\n")
}

// function is the text of a function that begins at the start of a line.
func function(text, head string) string {
	i := strings.Index("\n"+text, "\n"+head)
	if i < 0 {
		return ""
	}
	body, _, _ := strings.Cut(text[i:], "\n}")
	return body
}

// Changed is a part that judged otherwise before.
type Changed struct {
	Name        string
	Before, Now string
}

// ChangedJudge lists the parts that a line resolves to in both trees and that differ, and
// those of before whose file is gone.
func ChangedJudge(before, now *Set, line, dir string, changed []string) (out []Changed) {
	is, had := now.Judge(line, dir, changed), before.Judge(line, dir, changed)
	for _, was := range had {
		i := slices.IndexFunc(is, func(p Part) bool { return p.Name == was.Name })
		switch {
		case i >= 0 && is[i].Text != was.Text:
			out = append(out, Changed{was.Name, was.Text, is[i].Text})
		case i < 0 && slices.Contains(changed, was.Path): // the file, its section or its recipe is gone
			out = append(out, Changed{was.Name, was.Text, ""})
		}
	}
	for _, p := range is { // what is new in a file that was there
		_, there := before.scriptText(p.Path)
		if there && slices.Contains(changed, p.Path) && !slices.ContainsFunc(had, func(k Part) bool { return k.Name == p.Name }) {
			out = append(out, Changed{p.Name, "", p.Text})
		}
	}
	return out
}
