package tasks

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

func tree(pairs ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1]), Mode: 0o644}
	}
	return m
}

// shown is what a line runs, one command per line, "dir: argv".
func shown(steps []Step) string {
	var out []string
	for _, s := range steps {
		line := strings.Join(s.Views[0], " ")
		if s.Dir != "." {
			line = s.Dir + ": " + line
		}
		if s.Hollow {
			line += " ?"
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func TestExpand(t *testing.T) {
	tests := map[string]struct {
		fs   fstest.MapFS
		line string
		want string
	}{
		"no task file": {tree(), "make test", "make test"},
		"make": {
			tree("Makefile", "GO ?= go\nFLAGS := -v \\\n  -race\n.PHONY: test\ntest: lint gen.go # all\n\t@$(GO) test $(FLAGS) ./...\nlint:\n\t-golangci-lint run\nOUT=x\n"),
			"make test", "golangci-lint run\ngo test -v -race ./...",
		},
		"make: first rule is the default":  {tree("Makefile", "VERSION = 1\nall: test\ntest:\n\tcc x.c\n"), "make", "cc x.c"},
		"make: variables on the line":      {tree("Makefile", "t:\n\tcc x.c\n"), "make -j4 t V=1", "cc x.c"},
		"make: another directory":          {tree("sub/Makefile", "t:\n\t./x\n"), "make -C sub t", "sub: ./x"},
		"make: cd":                         {tree("sub/Makefile", "t:\n\tmake u\nu:\n\ty\n"), "cd sub && make t", "sub: y"},
		"make: included rules":             {tree("Makefile", "include common.mk\n", "common.mk", "t:\n\tx\n"), "make t", "x"},
		"make: recursive":                  {tree("Makefile", "t:\n\t$(MAKE) u\nu: t\n\tx\n"), "make t", "x"},
		"make: no such target":             {tree("Makefile", "t:\n\tx\n"), "make nope", "make nope ?"},
		"make: inline and continued":       {tree("Makefile", "t: ; cc x.c\n\tcd a && \\\n\t  cc y.c\n"), "make t", "cc x.c\na: cc y.c"},
		"make: a pattern that makes files": {tree("Makefile", "%.o: %.c\n\tcc\n"), "make x.o", "make x.o ?"},
		"make: a pattern for everything":   {tree("Makefile", "all: vet\n%:\n\tgo run build.go $* $(FLAGS)\n"), "make test", "go run build.go test"},
		"make: a pattern with a stem":      {tree("Makefile", "t-%: prepare-%\n\ttool -s $* -o ${@}\nprepare-a:\n\tx\n"), "make t-a", "x\ntool -s a -o t-a"},
		"make: a rule before a pattern":    {tree("Makefile", "%:\n\tx\nt:\n\ty\n"), "make t", "y"},
		"make: -j without a number":        {tree("Makefile", "t:\n\tmake -j -C sub u\n", "sub/Makefile", "u: x.o\n\tx -j\n"), "make -j 4 t", "sub: x -j"},
		"make: a file that no rule names":  {tree("Makefile", "t:\n\tmake -C sub lib.a\n", "sub/Makefile", "u:\n\tx\n"), "make t", "sub: make -C sub lib.a"},
		"make: the target's own name":      {tree("Makefile", "t:\n\t$(MAKE) -C sub $@\n", "sub/Makefile", "t:\n\tx\n"), "make t", "sub: x"},
		"make: target variables":           {tree("Makefile", "t: CFLAGS=-g\nt:\n\tx\n"), "make t", "x"},
		"make: quiet unless asked":         {tree("Makefile", "Q = $(if $(filter 1,$(V)),,@)\nS := @\nt:\n\t$(Q)$(MAKE) u\nu:\n\t$(S)x $(if $(V),-v)\n"), "make t", "x _"},
		"make: installs what is missing":   {tree("Makefile", "L = $(shell which lint)\nt:\n\t$(if $(L), ,go install $(U))\n\tlint run\n"), "make t", "go install\nlint run"},
		"make: shell functions":            {tree("Makefile", "P = $(shell go list ./...)\nt:\n\tgo vet $(P) $$HOME\n"), "make t", "go vet _ $HOME"},
		"just": {
			tree("justfile", "set shell := ['bash']\npy := 'python3'\nalias t := test\n# tests\n@test *args: lint (build 'x')\n  {{py}} -m pytest {{args}}\n\nlint:\n    ruff check .\nbuild what='y':\n    echo {{what}}\n"),
			"just t", "ruff check .\necho _\npython3 -m pytest _",
		},
		"just: attributes and scripts": {
			tree("Justfile", "[group('x')]\n[unix] test:\n  #!/usr/bin/env bash\n  set -e\n  cargo test\n"), "just test", "cargo test",
		},
		"task": {
			tree("Taskfile.yml", "version: '3'\nvars:\n  BIN: gotestsum\ntasks:\n  default:\n    cmds:\n      - task: test\n  test:\n    aliases: [t]\n    deps: [lint, {task: gen}]\n    cmds:\n      - '{{.BIN}} ./...'\n      - cmd: echo done\n  lint: golangci-lint run\n  gen:\n    dir: sub\n    cmd: go generate\n"),
			"task t", "golangci-lint run\nsub: go generate\ngotestsum ./...\necho done",
		},
		"npm":                           {tree("package.json", `{"scripts":{"pretest":"eslint .","test":"npm run unit && tsc","unit":"mocha"}}`), "npm test", "eslint .\nmocha\ntsc"},
		"npm: a flag before":            {tree("package.json", `{"scripts":{"x":"mocha"}}`), "npm --silent run x -- --grep y", "mocha"},
		"npm: words for the script":     {tree("package.json", `{"scripts":{"x":"npm run z a.mjs","z":"zx run.mjs"}}`), "npm run x b '*'", "zx run.mjs a.mjs"},
		"npm: no such script":           {tree("package.json", `{"scripts":{}}`), "npm run x", "npm run x ?"},
		"npm: another directory":        {tree("web/package.json", `{"scripts":{"x":"mocha"}}`), "npm --prefix web run x", "web: mocha"},
		"yarn by name":                  {tree("package.json", `{"scripts":{"x":"mocha"}}`), "yarn x", "mocha"},
		"pnpm: other packages":          {tree("package.json", `{"scripts":{"test":"mocha"}}`), "pnpm --filter web test", "pnpm --filter web test"},
		"pnpm: names by expression":     {tree("package.json", `{"scripts":{"t":"pnpm run '/^t:ts[0-9]{2}$/'","t:ts50":"tsc50","t:ts51":"tsc51","t:x":"x"}}`), "pnpm run t", "tsc50\ntsc51"},
		"scripts one after another":     {tree("package.json", `{"scripts":{"t":"run-s -l a b:*","a":"eslint .","b:1":"mocha","b:1:x":"never","b:2":"tsc"}}`), "npm run t", "eslint .\nmocha\ntsc"},
		"scripts at once":               {tree("package.json", `{"scripts":{"t":"npm-run-all --parallel \"a -- --x\" b:**","a":"eslint .","b:1:x":"mocha"}}`), "npx t; npm run t", "npx t\neslint .\nmocha"},
		"scripts that are not there":    {tree("package.json", `{"scripts":{"t":"run-p a b","a":"x"}}`), "npm run t", "run-p a b"},
		"concurrently by name":          {tree("package.json", `{"scripts":{"t":"concurrently -k npm:a 'npm:b:*'","a":"x","b:c":"y"}}`), "npm run t", "x\ny"},
		"concurrently with commands":    {tree("package.json", `{"scripts":{"t":"concurrently 'tsc -w' npm:a","a":"x"}}`), "npm run t", "concurrently tsc -w npm:a"},
		"bun: the shell of a script":    {tree("package.json", `{"scripts":{"x":"rm -rf dist"}}`), "bun run --shell bun x", "rm -rf dist"},
		"bun's own runner":              {tree("package.json", `{"scripts":{"test":"vitest"}}`), "bun test", "bun test"},
		"composer":                      {tree("composer.json", `{"scripts":{"test":["@lint","phpunit"],"lint":"@php -l x.php"}}`), "composer test", "php -l x.php\nphpunit"},
		"deno":                          {tree("deno.jsonc", "{\n// c\n\"tasks\":{\"t\":{\"command\":\"deno test\",\"dependencies\":[\"l\"]},\"l\":\"deno lint\",}}"), "deno task t", "deno lint\ndeno test"},
		"mise":                          {tree("mise.toml", "[tools]\ngo='1'\n[tasks.t]\nrun=['a','b']\ndepends=['l']\n[tasks]\nl='c'\n"), "mise run t", "c\na\nb"},
		"mise tables":                   {tree("mise.toml", "[tasks.t]\nrun=['a','b']\ndepends=['l']\n[tasks.l]\nrun='c'\ndir='sub'\n"), "mise run t", "sub: c\na\nb"},
		"poe":                           {tree("pyproject.toml", "[tool.poe.tasks]\ntest='pytest'\nall=['test','lint']\nlint={cmd='ruff check'}\n"), "poe all", "pytest\nruff check"},
		"pdm: a program, not a recipe":  {tree("pyproject.toml", "[tool.pdm.scripts]\ntest='pytest -x'\n"), "pdm run mypy", "pdm run mypy"},
		"hatch":                         {tree("pyproject.toml", "[tool.hatch.envs.default.scripts]\ntest='pytest {args}'\ncov='test --cov'\n"), "hatch run cov", "pytest {args} --cov"},
		"scripts of the project":        {tree("scripts/check", "#!/bin/sh -e\nexport P=\"x\"\nset -x\n${P}ruff check y\n", "a.sh", "pytest\n"), "scripts/check && bash a.sh", ""},
		"a program is no script":        {tree("bin/x", "\x7fELF"), "bin/x", "bin/x"},
		"a script of another language":  {tree("run.py", "#!/usr/bin/env python3\nimport os\n"), "./run.py", "./run.py"},
		"out of the tree":               {tree("Makefile", "t:\n\tx\n"), "make -C ../.. t", "make -C ../.. t"},
		"not a task file after all":     {tree("package.json", `{`, "Taskfile.yml", "\t", "mise.toml", "="), "npm test && task x", "npm test\ntask x ?"},
		"a recipe that calls a runner":  {tree("Makefile", "t:\n\tnpm test\n", "package.json", `{"scripts":{"test":"jest"}}`), "make t", "jest"},
		"a wrapper before the runner":   {tree("Makefile", "t:\n\tx\n"), "CI=1 timeout 5 make t", "x"},
		"quoted, in a shell of its own": {tree("Makefile", "t:\n\tx\n"), "bash -c 'make t'", "x"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := shown(New(tt.fs).Expand(tt.line, "."))
			switch name {
			case "scripts of the project":
				if !strings.Contains(got, "ruff check y") || !strings.HasSuffix(got, "pytest") {
					t.Errorf("got %q", got)
				}
			default:
				if strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
					t.Errorf("got\n%s\nwant\n%s", got, tt.want)
				}
			}
		})
	}
}

// A cycle, a deep nest and a huge file end.
func TestExpandIsBounded(t *testing.T) {
	var deep, wide strings.Builder
	for i := range 50 {
		fmt.Fprintf(&deep, "t%d: \n\tmake t%d\n", i, i+1)
	}
	wide.WriteString("t:\n")
	for range 5_000 {
		wide.WriteString("\tx\n")
	}
	if steps := New(tree("Makefile", deep.String())).Expand("make t0", "."); len(steps) != 1 || !steps[0].Hollow {
		t.Errorf("deep: %d steps", len(steps))
	}
	if steps := New(tree("Makefile", wide.String())).Expand("make t", "."); len(steps) != maxSteps {
		t.Errorf("wide: %d steps", len(steps))
	}
	if steps := New(tree("Makefile", "t:\n\tx\n#"+strings.Repeat("x", maxFile))).Expand("make t", "."); shown(steps) != "make t" {
		t.Errorf("huge: %s", shown(steps))
	}
}

func TestIn(t *testing.T) {
	s := New(tree("Makefile", "t:\n\tx\n", "justfile", "t:\n  x\n", "sub/package.json", `{"scripts":{"a":"b"}}`))
	var got []string
	for _, dir := range []string{".", "sub", "../x"} {
		for _, f := range s.In(dir) {
			got = append(got, path.Join(dir, f.Name)+" "+f.Runner)
		}
	}
	if want := "[Makefile make justfile just sub/package.json npm]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// A few lines of aliases of aliases, and brackets without end, are not followed.
func TestDecodeYAMLIsBounded(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	for name, text := range map[string]string{
		"aliases": bomb.String(),
		"nested":  strings.Repeat("[", 200_000),
	} {
		var doc map[string]any
		if err := DecodeYAML(text, &doc); err == nil {
			t.Errorf("%s: decoded", name)
		}
	}
	var doc map[string]any
	if err := DecodeYAML("a: &a [*a]\nb: {c: &d {e: *d}}\n", &doc); err != nil {
		t.Errorf("an alias of itself: %v", err) // it ends, with nothing in its place
	}
	doc = nil
	if err := DecodeYAML("base: &b {x: 1}\nmore: [*b, *b]\nmerged: {<<: *b, y: 2}\n", &doc); err != nil || len(doc) != 3 {
		t.Errorf("ordinary aliases: %v %v", doc, err)
	}
}
