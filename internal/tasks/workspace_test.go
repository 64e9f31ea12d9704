package tasks

import (
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gauntlet/internal/shell"
)

func TestRuns(t *testing.T) {
	files := map[string]string{
		"package.json":                `{"scripts":{"verify":"pnpm run lint && pnpm run test","lint":"eslint .","test":"vitest run"}}`,
		"turbo.json":                  `{"tasks":{"ci":{"dependsOn":["test","^build"]},"test":{}}}`,
		"ci.mk":                       "all:\n\tgo test ./...\n",
		"mise-tasks/check":            "#!/usr/bin/env bash\nset -e\ngo test ./...\n",
		"mise-tasks/lint/_default":    "#!/bin/sh\ngolangci-lint run\n",
		".cargo/config.toml":          "[alias]\nt2 = \"nextest run\"\n",
		"deno.json":                   "{ // the tasks\n\"tasks\":{\"t\":\"deno test -A\", // https://x\n\"u\":\"curl https://x\"}}",
		"apps/web/package.json":       `{"name":"@x/web","scripts":{"unit":"jest","build":"vite build"}}`,
		"libs/a/project.json":         `{"targets":{"unit":{"executor":"@nx/vite:test"},"e2e":{"command":"playwright test"}}}`,
		"libs/b/moon.yml":             "tasks:\n  prove:\n    command: 'go test ./...'\n    deps: ['~:gen']\n  gen:\n    command: 'go generate ./...'\n",
		"tox.ini":                     "[tox]\nenv_list = py312\n\n[testenv]\ncommands =\n    pytest {posargs:tests}\n\n[testenv:lint]\ncommands = ruff check .\n",
		"noxfile.py":                  "import nox\n\n@nox.session\ndef tests(session):\n    session.install(\".\")\n    session.run(\"pytest\", \"-q\")\n\n@nox.session\ndef lint(session):\n    session.run('ruff', 'check')\n",
		"Makefile":                    "verify: lint test\nlint:\n\tgolangci-lint run\ntest:\n\t@go test ./...\n",
		"sub/keep":                    "",
		"node_modules/x/package.json": `{"scripts":{"unit":"evil"}}`,
	}
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for line, want := range map[string]string{
		"make verify":             "golangci-lint run; go test ./...",
		"pnpm verify":             "eslint .; vitest run",
		"turbo run ci":            "vitest run; vite build",
		"npx turbo unit":          "jest; vitest",
		"nx run-many -t unit e2e": "jest; vitest; playwright test",
		"nx run a:e2e":            "playwright test",
		"moon run b:prove":        "go generate ./...; go test ./...",
		"tox":                     "pytest tests",
		"tox -e py311":            "pytest tests",
		"tox -e lint":             "ruff check .",
		"nox -s tests":            "pytest -q",
		"nox":                     "pytest -q; ruff check",
		"nx run a:missing":        "?",
		"make nothing":            "?",
		"make":                    "golangci-lint run; go test ./...",
		"make -f ci.mk":           "go test ./...",
		"pnpm --filter web unit":  "jest",
		"npm run unit -w @x/web":  "jest",
		"yarn workspace web unit": "jest",
		"pnpm --filter api unit":  "?",
		"node --run test":         "vitest run",
		"mise check":              "go test ./...",
		"mise run lint":           "golangci-lint run",
		"mise nothing":            "?",
		"cargo t2":                "cargo nextest run",
		"cargo test":              "?",
		"deno task t":             "deno test -A",
		"go test ./...":           "?",
	} {
		c := shell.Parse(line).Commands[0]
		list, known := New(fsys).Runs(c, ".")
		var got []string
		for _, one := range list {
			got = append(got, strings.Join(one.Argv(), " "))
		}
		if text := strings.Join(got, "; "); known && text != want || known != (want != "?") {
			t.Errorf("%s: %q %v, want %q", line, text, known, want)
		}
	}
}

// A package of the workspace is found from any directory of it.
func TestWorkspaceAbove(t *testing.T) {
	fsys := fstest.MapFS{"packages/web/package.json": {Data: []byte(`{"name":"@x/web","scripts":{"test":"vitest run"}}`)}, "apps/desktop/native/keep": {}}
	list, known := New(fsys).Runs(shell.Parse("pnpm --filter @x/web test").Commands[0], "apps/desktop/native")
	if !known || len(list) != 1 || list[0].Name() != "vitest" {
		t.Errorf("%+v (known: %v), want vitest", list, known)
	}
}

// A task whose runner ignores that a command failed proves nothing by its status.
func TestIgnoredFailures(t *testing.T) {
	for line, files := range map[string]map[string]string{
		"make t": {"Makefile": "t:\n\t-pytest\n"},
		"make u": {"Makefile": "Q = @-\nu:\n\t$(Q)pytest\n"},
		"just t": {"justfile": "t:\n  -pytest\n"},
		"task t": {"Taskfile.yml": "version: '3'\ntasks:\n  t:\n    cmds:\n      - cmd: pytest\n        ignore_error: true\n"},
		"task u": {"Taskfile.yml": "version: '3'\ntasks:\n  u:\n    ignore_error: true\n    cmds: [pytest]\n"},
		"tox":    {"tox.ini": "[testenv]\ncommands =\n    - pytest\n"},
	} {
		fsys := fstest.MapFS{}
		for name, text := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		list, known := New(fsys).Runs(shell.Parse(line).Commands[0], ".")
		if !known || len(list) != 1 || list[0].Name() != "pytest" || list[0].Proof == shell.Proven {
			t.Errorf("%s runs %+v (known: %v), want a pytest that its status does not prove", line, list, known)
		}
	}
}

// tox may be configured in three more places than tox.ini.
// Names with braces, commands for a factor, and the choice by factor or label.
func TestToxFactors(t *testing.T) {
	ini := "[tox]\nenv_list =\n    lint-{ruff,hooks},\n    # all Pythons\n    3.1{0-2}-tests\n    3.1{0-2}-mypy\n    docs\nlabels =\n    static = lint-ruff, 3.10-mypy\n\n" +
		"[testenv]\ncommands =\n    tests: pytest {posargs:-n auto}\n    mypy: mypy \\\n        src\n    !mypy-docs: echo\n\n" +
		"[testenv:lint-{ruff,hooks}]\ncommands =\n    ruff: ruff check .\n    hooks: prek run --all-files\n"
	set := New(fstest.MapFS{"tox.ini": {Data: []byte(ini)}})
	for line, want := range map[string]string{
		"tox run -f lint":               "ruff check .; prek run --all-files",
		"tox -e lint-hooks":             "prek run --all-files",
		"tox run -e 3.11-mypy":          "mypy src",
		"tox -e 3.11-tests":             "pytest -n auto",
		"tox -f tests":                  "pytest -n auto",
		"tox -e py-tests":               "pytest -n auto",
		"tox -e py":                     "",
		"tox -m static":                 "ruff check .; mypy src",
		"tox":                           "ruff check .; prek run --all-files; pytest -n auto; mypy src; echo",
		"uvx --with tox-uv tox -f lint": "ruff check .; prek run --all-files",
	} {
		var got []string
		for _, s := range set.Expand(line, ".") {
			got = append(got, strings.Join(s.Argv(), " "))
		}
		if joined := strings.Join(got, "; "); joined != want {
			t.Errorf("%s: got %q, want %q", line, joined, want)
		}
	}
}

func TestPartsAreCommands(t *testing.T) {
	set := New(fstest.MapFS{
		"tox.ini":  {Data: []byte("[tox]\nenvlist = format, py{38, 39}\n[testenv]\ncommands = pytest\n[testenv:format]\ncommands = black --check .\n")},
		"Makefile": {Data: []byte("all: lint test\nlint:\n\truff check\ntest:\n\tpytest\n")},
	})
	for line, want := range map[string][]string{
		"tox --parallel auto": {"tox -e format", "tox -e py"},
		"make":                {"make lint", "make test"},
		"make all":            {"make lint", "make test"},
	} {
		if got := set.Parts(line, "."); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func TestToxElsewhere(t *testing.T) {
	for name, text := range map[string]string{
		"setup.cfg":        "[tox:tox]\nenvlist = lint\n[testenv]\ncommands = pytest\n[testenv:lint]\ncommands = flake8 {posargs:src}\n",
		"pyproject.toml":   "[tool.tox]\nlegacy_tox_ini = \"\"\"\n[tox]\nenvlist = lint\n[testenv]\ncommands = pytest\n[testenv:lint]\ncommands = flake8 src\n\"\"\"\n",
		"./pyproject.toml": "[tool.tox.env_run_base]\ncommands = [[\"pytest\"]]\n[tool.tox.env.lint]\ncommands = [[\"flake8\", \"src\"]]\n",
	} {
		f, ok := New(fstest.MapFS{path.Clean(name): {Data: []byte(text)}}).By("tox", ".")
		base, _ := f.Find("default")
		lint, _ := f.Find("lint")
		if !ok || !slices.Equal(base.Lines, []string{"pytest"}) || !slices.Equal(lint.Lines, []string{"flake8 src"}) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	f, _ := New(fstest.MapFS{"noxfile.py": {Data: []byte("@nox.session(name=\"type-check\")\ndef types(session):\n    session.run(\"mypy\")\n")}}).By("nox", ".")
	if r, ok := f.Find("type-check"); !ok || !slices.Equal(r.Lines, []string{"mypy"}) {
		t.Errorf("nox: %+v", f)
	}
}
