package stack

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gauntlet/internal/shellcmd"
)

func tree(pairs ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1]), Mode: 0o644}
		if dir, ok := strings.CutSuffix(pairs[i], "go.mod"); ok && pairs[i+1] != "module tools\n" {
			m[dir+"internal/x/x.go"] = &fstest.MapFile{}
		}
	}
	return m
}

// show renders entry points and gates on one line each.
func show(r Result) string {
	entries, gates := r.Gates()
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s [%s]", e.Dir, strings.Join(e.Gates, " "))
		if len(e.Exclude) > 0 {
			fmt.Fprintf(&b, " without %s", strings.Join(e.Exclude, " "))
		}
		b.WriteString("\n")
	}
	for _, g := range gates {
		fmt.Fprintf(&b, "%s: %s\n", g.Name, g.Run)
	}
	return b.String()
}

func TestDetect(t *testing.T) {
	executable := &fstest.MapFile{Mode: 0o755}
	tests := map[string]struct {
		fs   fstest.MapFS
		want string
	}{
		"nothing": {tree("README.md", "x"), ""},
		"go": {
			tree("go.mod", "module x\n"),
			". [lint test]\nlint: go vet ./...\ntest: go test ./...\n",
		},
		"go with its linter": {
			tree("go.mod", "module x\n", ".golangci.yml", "version: 2\n"),
			". [lint test]\nlint: golangci-lint run\ntest: go test ./...\n",
		},
		"go with a Makefile": {
			tree("go.mod", "module x\n", "Makefile", ".PHONY: test lint\nVERSION := 1\ntest: build # run\n\tgo test ./...\nbuild:\n\tgo build\n"),
			". [lint test]\nlint: go vet ./...\ntest: make test\n",
		},
		"make alone": {
			tree("Makefile", "check: a b\n\t./run\n"),
			". [check]\ncheck: make check\n",
		},
		"make: check is the sum of the others": {
			tree("Makefile", "check: lint test\nlint:\n\tx\ntest:\n\ty\n"),
			". [lint test]\nlint: make lint\ntest: make test\n",
		},
		"make: no such targets": {
			tree("Makefile", "all:\n\tcc x.c\n%.o: %.c\nOUT=test:\n"),
			"",
		},
		"npm": {
			tree("package.json", `{"scripts":{"test":"node --test","lint":"eslint .","build":"tsc","start":"node ."}}`, "package-lock.json", "{}"),
			". [lint test]\nlint: npm run lint\ntest: npm test\n",
		},
		"npm placeholder": {
			tree("package.json", `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`),
			"",
		},
		"npm: build for want of anything else": {
			tree("package.json", `{"scripts":{"build":"node build.js"}}`),
			". [build]\nbuild: npm run build\n",
		},
		"pnpm": {
			tree("package.json", `{"scripts":{"test":"vitest run","typecheck":"tsc --noEmit"}}`, "pnpm-lock.yaml", ""),
			". [typecheck test]\ntypecheck: pnpm run typecheck\ntest: pnpm test\n",
		},
		"yarn, told by packageManager": {
			tree("package.json", `{"packageManager":"yarn@4.1.0","scripts":{"test":"jest"}}`, "package-lock.json", "{}"),
			". [test]\ntest: yarn test\n",
		},
		"bun": {
			tree("package.json", `{"scripts":{"test":"bun test"}}`, "bun.lock", ""),
			". [test]\ntest: bun run test\n",
		},
		"node: tools without a script": {
			tree("package.json", `{"devDependencies":{"eslint":"9","typescript":"5"}}`, "eslint.config.js", "", "tsconfig.json", "{}"),
			". [lint typecheck]\nlint: npx --no-install eslint .\ntypecheck: npx --no-install tsc --noEmit\n",
		},
		"node: watching and rewriting scripts are left out": {
			tree("package.json", `{"scripts":{"test":"jest --watch","test:ci":"jest --ci","lint":"eslint --fix .","lint:check":"eslint ."}}`),
			". [lint test]\nlint: npm run lint:check\ntest: npm run test:ci\n",
		},
		"npm workspaces: the root runs its members": {
			tree("package.json", `{"workspaces":["packages/*"],"scripts":{"test":"npm test -ws"}}`,
				"packages/a/package.json", `{"scripts":{"test":"node --test","lint":"eslint ."}}`,
				"packages/b/package.json", `{"scripts":{"test":"node --test"}}`),
			". [test]\npackages/a [lint]\ntest: npm test\nlint: npm run lint\n",
		},
		"uv": {
			tree("pyproject.toml", "[project]\nname='x'\n[dependency-groups]\ndev = ['pytest>=8']\n[tool.ruff.lint]\nselect=['E']\n[tool.mypy]\nstrict=true\n", "uv.lock", ""),
			". [lint typecheck test]\nlint: uv run ruff check .\ntypecheck: uv run mypy .\ntest: uv run pytest\n",
		},
		"poetry": {
			tree("pyproject.toml", "[tool.poetry]\nname='x'\n[tool.pytest.ini_options]\n"),
			". [test]\ntest: poetry run pytest\n",
		},
		"pip with pytest": {
			tree("requirements-dev.txt", "pytest==8\n", "requirements.txt", "flask\n", ".flake8", "[flake8]\n"),
			". [lint test]\nlint: flake8\ntest: python3 -m pytest\n",
		},
		"pip with a virtual environment": {
			tree("requirements.txt", "pytest\n", ".venv/bin/python", "", ".venv/pyvenv.cfg", "", "ruff.toml", ""),
			". [lint test]\nlint: .venv/bin/ruff check .\ntest: .venv/bin/python -m pytest\n",
		},
		"unittest": {
			tree("setup.py", "", "tests/__init__.py", "", "tests/test_a.py", ""),
			". [test]\ntest: python3 -m unittest discover -s tests -t .\n",
		},
		"pytest only in a comment": {
			tree("pyproject.toml", "[project]\nname='x' # pytest one day\n"), "",
		},
		"pytest as part of another word": {
			tree("requirements.txt", "pytest-xdist-fork\n"), "",
		},
		"rust": {
			tree("Cargo.toml", "[package]\nname='x'\n[lints.clippy]\nall='deny'\n", "rustfmt.toml", ""),
			". [format lint test]\nformat: cargo fmt --all --check\nlint: cargo clippy --all-targets -- -D warnings\ntest: cargo test\n",
		},
		"rust workspace": {
			tree("Cargo.toml", "[workspace]\nmembers=['a']\n", "a/Cargo.toml", "[package]\nname='a'\n"),
			". [test]\ntest: cargo test --workspace\n",
		},
		"maven": {
			tree("pom.xml", "<project><modules><module>core</module></modules></project>", "core/pom.xml", "<project/>"),
			". [test]\ntest: mvn -B -q test\n",
		},
		"maven wrapper": {
			fstest.MapFS{"pom.xml": {Data: []byte("spotless-maven-plugin")}, "mvnw": executable},
			". [lint test]\nlint: ./mvnw -B -q spotless:check\ntest: ./mvnw -B -q test\n",
		},
		"maven wrapper that is not executable": {
			tree("pom.xml", "", "mvnw", ""),
			". [test]\ntest: sh ./mvnw -B -q test\n",
		},
		"gradle": {
			fstest.MapFS{"build.gradle.kts": {Data: []byte("plugins { checkstyle }")}, "gradlew": executable, "app/build.gradle.kts": {}},
			". [test]\ntest: ./gradlew check\n",
		},
		"mixed monorepo": {
			tree("README.md", "", "api/go.mod", "module x\n", "web/package.json", `{"scripts":{"test":"vitest run"}}`, "web/yarn.lock", "",
				"tools/gen/go.mod", "module y\n", "web/node_modules/z/package.json", `{"scripts":{"test":"no"}}`),
			"api [lint test-go]\ntools/gen [lint test-go]\nweb [test-node]\nlint: go vet ./...\ntest-go: go test ./...\ntest-node: yarn test\n",
		},
		"a front end inside a Go repository": {
			tree("go.mod", "module x\n", "web/package.json", `{"scripts":{"lint":"eslint .","test":"vitest run"}}`),
			". [lint-go test-go] without web\nweb [lint-node test-node]\nlint-go: go vet ./...\ntest-go: go test ./...\nlint-node: npm run lint\ntest-node: npm test\n",
		},
		"two projects of one kind that differ": {
			tree("a/package.json", `{"scripts":{"test":"x"}}`, "a/yarn.lock", "", "b/package.json", `{"scripts":{"test":"x"}}`),
			"a [test-a]\nb [test-b]\ntest-a: yarn test\ntest-b: npm test\n",
		},
		"folders that look the same as file names": {
			tree("a b/package.json", `{"scripts":{"test":"x"}}`, "a b/yarn.lock", "", "a-b/package.json", `{"scripts":{"test":"x"}}`),
			"a b [test-a-b-node]\na-b [test-a-b-node-2]\ntest-a-b-node: yarn test\ntest-a-b-node-2: npm test\n",
		},
		"folder with glob characters": {
			tree("[x]/go.mod", ""), "",
		},
		"vendored and sample code": {
			tree("vendor/x/go.mod", "", "examples/y/go.mod", "", "testdata/z/Cargo.toml", "", ".cache/q/go.mod", ""), "",
		},
		"go before the first file": {
			tree("go.mod", "module tools\n"),
			". [lint test]\nlint: go vet ./...\ntest: go test ./...\n",
		},
		"go modules that only pin tools": {
			tree("go.mod", "module x\n", "tools/lint/go.mod", "module tools\n"),
			". [lint test]\nlint: go vet ./...\ntest: go test ./...\n",
		},
		"other repositories": {
			tree("go.mod", "", "sub/.git", "gitdir: x", "sub/go.mod", "", "nested/.git/HEAD", "", "nested/package.json", `{"scripts":{"test":"x"}}`),
			". [lint test]\nlint: go vet ./...\ntest: go test ./...\n",
		},
		"broken package.json": {tree("package.json", `{"scripts":`), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := Detect(tt.fs)
			if got := show(found); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			_, gates := found.Gates()
			for _, g := range gates {
				if !provesItself(g.Command) {
					t.Errorf("running %q would not prove it: %q", g.Run, g.Evidence)
				}
			}
		})
	}
}

// provesItself: whoever runs the very command that is proposed has done it.
func provesItself(c Command) bool {
	line := shellcmd.Parse(c.Run)
	for _, text := range c.Evidence {
		pattern, ok := shellcmd.NewPattern(text)
		if ok && slices.ContainsFunc(line.Commands, func(c shellcmd.Command) bool { return pattern.Match(c) && line.Proves(c, "") }) {
			return true
		}
	}
	return false
}

func TestNotesSayWhatWasLeftOut(t *testing.T) {
	for want, fsys := range map[string]fs.FS{
		"package.json is not valid JSON":           tree("package.json", "{"),
		"scripts.test watches files":               tree("package.json", `{"scripts":{"test":"jest --watch"}}`),
		"scripts.lint rewrites files":              tree("package.json", `{"scripts":{"lint":"eslint --fix ."}}`),
		`"[x]" has characters that mean something`: tree("[x]/go.mod", ""),
	} {
		r := Detect(fsys)
		r.Gates()
		if got := strings.Join(r.Notes, "\n"); !strings.Contains(got, want) {
			t.Errorf("notes %q, want %q", got, want)
		}
	}
}

func TestDetectIsBounded(t *testing.T) {
	if r := Detect(tree("a/b/c/d/go.mod", "module x\n")); len(r.Projects) != 0 {
		t.Errorf("too deep: %+v", r.Projects)
	}
	m := tree("z/Cargo.toml", "")
	for i := range 50 {
		m[fmt.Sprintf("d%02d/x", i)] = &fstest.MapFile{}
	}
	if r := detect(m, 50); len(r.Projects) != 0 {
		t.Errorf("too many folders: %+v", r.Projects)
	}
	if r := detect(m, 60); len(r.Projects) != 1 {
		t.Errorf("not found: %+v", r.Projects)
	}
}
