package tasks

import (
	"strings"
	"testing"
	"testing/fstest"

	"gauntlet/internal/shellcmd"
)

func TestRuns(t *testing.T) {
	files := map[string]string{
		"package.json":                `{"scripts":{"verify":"pnpm run lint && pnpm run test","lint":"eslint .","test":"vitest run"}}`,
		"turbo.json":                  `{"tasks":{"ci":{"dependsOn":["test","^build"]},"test":{}}}`,
		"apps/web/package.json":       `{"scripts":{"unit":"jest","build":"vite build"}}`,
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
		"go test ./...":           "?",
	} {
		c := shellcmd.Parse(line).Commands[0]
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
