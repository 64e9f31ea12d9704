package setup

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// What passes stays, what is red stays to be observed, what cannot run gives way
// to the next command or to its own parts.
func TestTry(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		out   map[string]State // how each command ends; what is not named passes
		want  string
	}{
		"all pass": {map[string]string{"go.mod": "module x\n", "x_test.go": ""}, nil, "go vet ./... passed; go test ./... passed"},
		"red is kept": {
			map[string]string{"go.mod": "module x\n", "x_test.go": ""}, map[string]State{"go test ./...": Red}, "go vet ./... passed; go test ./... red",
		},
		"the next command for the same thing": {
			map[string]string{"go.mod": "module x\n", "x_test.go": "", "Makefile": "lint:\n\tgolangci-lint run\n"},
			map[string]State{"make lint": Cannot},
			"go vet ./... passed; go test ./... passed | make lint: could not run: reason",
		},
		"without its launcher": {
			map[string]string{"pyproject.toml": "[project]\nname='x'\n[tool.pytest.ini_options]\n", "uv.lock": "", "test_x.py": ""},
			map[string]State{"uv run pytest": Cannot},
			".venv/bin/pytest passed | uv run pytest: could not run: reason",
		},
		"the tool itself, where no environment has it": {
			map[string]string{"pyproject.toml": "[project]\nname='x'\n[tool.pytest.ini_options]\n", "poetry.lock": "", "test_x.py": ""},
			map[string]State{"poetry run pytest": Cannot, ".venv/bin/pytest": Cannot, "venv/bin/pytest": Cannot},
			"pytest passed | poetry run pytest: could not run: reason",
		},
		"a red test is not tried in other places": {
			map[string]string{"pyproject.toml": "[project]\nname='x'\n[tool.pytest.ini_options]\n", "uv.lock": "", "test_x.py": ""},
			map[string]State{"uv run pytest": Red},
			"uv run pytest red",
		},
		"nothing can run": {
			map[string]string{"package.json": `{"scripts":{"test":"mocha"}}`}, map[string]State{"npm test": Cannot}, " | npm test: could not run: reason",
		},
		"parts of what cannot run as a whole": {
			map[string]string{"package.json": `{"scripts":{"test":"npm run test:eslint && npm run test:unit && npm run test:net","test:eslint":"eslint lib","test:unit":"mocha","test:net":"mocha net"}}`},
			map[string]State{"npm test": Cannot, "npm run test:net": Red},
			"npm run test:eslint passed; npm run test:unit passed; npm run test:net red | npm test: could not run: reason",
		},
		"what did not end in time is kept, to be tried later": {
			map[string]string{"Makefile": "test: vet main docs\nvet:\n\tgo vet ./...\nmain:\n\tpytest main\ndocs:\n\tpytest docs\n"},
			map[string]State{"make test": Late},
			"make test late",
		},
		"a shorter recipe stands in for tests that are too slow": {
			map[string]string{"Makefile": "test:\n\tpytest all\ncheck:\n\tpytest -m quick\n", ".travis.yml": "script: make test\n"},
			map[string]State{"make test": Late},
			"make check passed | make test: did not end in time (--try-timeout waits longer)",
		},
		"parts that did not fit into the time are tried later": {
			map[string]string{"Makefile": "test: a b\na:\n\tpytest a\nb:\n\tpytest b\n"},
			map[string]State{"make test": Red, "make a": Late, "make b": Late},
			"make a late; make b late",
		},
		"the less trusted command has no launcher either": {
			map[string]string{"pyproject.toml": "[project]\nname='x'\n[tool.pytest.ini_options]\n", "uv.lock": "", "test_x.py": "", "tox.ini": "[testenv]\ncommands = pytest\n"},
			map[string]State{"tox -e py": Cannot, "uv run pytest": Cannot, ".venv/bin/pytest": Cannot, "venv/bin/pytest": Cannot, ".venv/bin/tox -e py": Cannot, "venv/bin/tox -e py": Cannot},
			"pytest passed | tox -e py: could not run: reason; uv run pytest: could not run: reason",
		},
		"no part passes": {
			map[string]string{"Makefile": "test: a b\na:\n\tpytest a\nb:\n\tpytest b\n"},
			map[string]State{"make test": Red, "make a": Red, "make b": Red},
			"make test red",
		},
		"a simpler command passes where the first is red": {
			map[string]string{"setup.py": "", "test_x.py": "", "tox.ini": "[testenv]\ncommands = pytest\n"},
			map[string]State{"tox -e py": Red},
			"tox -e py red; python3 -m pytest passed",
		},
		"nothing for the same thing passes": {
			map[string]string{"setup.py": "", "test_x.py": "", "tox.ini": "[testenv]\ncommands = pytest\n"},
			map[string]State{"tox -e py": Red, "python3 -m pytest": Red},
			"tox -e py red",
		},
		"the same script in another spelling is not tried again": {
			map[string]string{"package.json": `{"scripts":{"lint":"eslint .","test":"jest"}}`, "pnpm-lock.yaml": "", ".github/workflows/ci.yml": "on: [push]\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pnpm lint\n      - run: pnpm test\n"},
			map[string]State{"pnpm lint": Red},
			"pnpm lint red; pnpm test passed",
		},
		"most commands fail: a project that is not built": {
			map[string]string{"package.json": `{"scripts":{"build":"tsc","lint":"eslint .","typecheck":"tsc --noEmit","test":"mocha"}}`},
			map[string]State{"npm run lint": Red, "npm run typecheck": Red, "npm test": Red},
			"npm test red | npm run lint: fails on the untouched tree: reason; npm run typecheck: fails on the untouched tree: reason",
		},
		"changed files, too slow": {
			map[string]string{"package.json": `{"scripts":{"test":"mocha","lint":"eslint ."}}`},
			map[string]State{"npm test": Changed, "npm run lint": Late},
			"npm run lint late | npm test: reason",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for file, text := range tt.files {
				fsys[file] = &fstest.MapFile{Data: []byte(text)}
			}
			r := Find(fsys)
			times := map[string]int{}
			r.Try(t.Context(), func(_ context.Context, p Proposal, _ int) Trial {
				times[p.Run]++
				if state, ok := tt.out[p.Run]; ok {
					return Trial{State: state, Detail: "reason"}
				}
				return Trial{State: Passed}
			})
			var kept, left []string
			for _, p := range r.Proposals {
				kept = append(kept, fmt.Sprint(p.Run, " ", p.Trial().State))
			}
			for _, x := range r.Refusals {
				left = append(left, x.Run+": "+x.Reason)
			}
			got := strings.Join(kept, "; ")
			if len(left) > 0 {
				got += " | " + strings.Join(left, "; ")
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			for run, n := range times {
				if n > 1 {
					t.Errorf("%s was tried %d times", run, n)
				}
			}
		})
	}
}

// One command that passes here and fails there is two gates; the plain name is
// for the one that passes.
func TestNamesAfterTheTrial(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, dir := range []string{"a", "b", "c"} {
		fsys["services/"+dir+"/go.mod"] = &fstest.MapFile{Data: []byte("module " + dir + "\n")}
		fsys["services/"+dir+"/x_test.go"] = &fstest.MapFile{Data: []byte("package x\n")}
	}
	r := Find(fsys)
	r.Try(t.Context(), func(_ context.Context, p Proposal, _ int) Trial {
		if p.Dir == "services/a" && p.Role == Test {
			return Trial{State: Red}
		}
		return Trial{State: Passed}
	})
	entries, gates := r.Gates()
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprint(e.Dir, e.Gates))
	}
	if want := "services/a[lint test-a] services/b[lint test] services/c[lint test]"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if len(gates) != 3 {
		t.Errorf("%d gates", len(gates))
	}
}
