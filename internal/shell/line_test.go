package shell

import (
	"strings"
	"testing"
)

// proves reports whether a successful run of line, which printed output, proves the
// pattern.
func proves(line, pattern, output string) bool {
	p := Patterns(pattern)[0]
	l := Parse(line)
	for _, c := range l.Commands {
		if p.Match(c) && l.Proves(c, output) {
			return true
		}
	}
	return false
}

func TestProves(t *testing.T) {
	const (
		pytestOK   = "....\n==== 4 passed in 0.12s ====\n"
		pytestFail = "F...\n==== 1 failed, 3 passed in 0.12s ====\n"
		goOK       = "ok  \tgauntlet/internal/x\t0.01s\n"
		goFail     = "ok  \ta\t0.01s\n--- FAIL: TestX (0.00s)\nFAIL\tb\t0.01s\nFAIL\n"
	)
	tests := []struct {
		line, pattern, output string
		want                  bool
	}{
		// plain
		{"make restart", "make restart", "", true},
		{"make restart", "make status", "", false},
		{"make restart-all", "make restart", "", false},
		{"/usr/bin/make restart", "make restart", "", true},
		{"make -C sub -j4 restart FOO=1", "make restart", "", true},
		{"make -j 4 restart", "make restart", "", true},
		{"make -j restart", "make restart", "", true},
		{"make lint restart status", "make status", "", true},
		{"make", "make restart", "", false},
		{"remake restart", "make restart", "", false},

		// sequences
		{"make restart && make status", "make restart", "", true},
		{"make restart && make status", "make status", "", true},
		{"cd sub && make restart", "make restart", "", true},
		{"make restart; make status", "make status", "", true},
		{"make restart; make status", "make restart", "", false},
		{"make restart; echo done", "make restart", "done\n", false},
		{"make restart\nmake status", "make restart", "", false},
		{"set -e; make restart; echo done", "make restart", "done\n", true},
		{"set -euo pipefail\nmake restart\necho done", "make restart", "done\n", true},
		{"set -e; make restart && echo ok; echo done", "make restart", "", false},
		{"set -e; set +e; make restart; echo done", "make restart", "", false},
		{"bash -ec 'make restart; echo done'", "make restart", "", true},

		// or
		{"make test || true", "make test", pytestOK, false},
		{"pytest || true", "pytest", pytestOK, false},
		{"make restart || :", "make restart", "", false},
		{"make restart || exit 1", "make restart", "", true},
		{"make restart || exit", "make restart", "", true},
		{"make restart || exit $?", "make restart", "", true},
		{"make restart || { echo failed; exit 1; }", "make restart", "", true},
		{"make restart || { echo failed; exit; }", "make restart", "", false},
		{"make restart || exit 1; echo done", "make restart", "", true},
		{"make restart || false; echo done", "make restart", "", false},
		{"make restart || echo failed", "make restart", "", false},
		{"false || make restart", "make restart", "", false},
		{"make restart && echo OK || echo FAIL", "make restart", "OK\n", true},
		{"make restart && echo OK || echo FAIL", "make restart", "FAIL\n", false},
		{"make restart && echo OK || true", "make restart", "OK\n", false},
		{"cd x || exit 1; make restart", "make restart", "", true},
		{"[ -f x ] || exit 0; make restart", "make restart", "", false},

		// printed status
		{`make restart; echo "exit: $?"`, "make restart", "restarting\nexit: 0\n", true},
		{`make restart; echo "exit: $?"`, "make restart", "boom\nexit: 2\n", false},
		{`make restart; echo $?`, "make restart", "0\n", true},
		{`make restart | tail -3; echo $?`, "make restart", "0\n", false},
		{`make restart | tail -3; echo ${PIPESTATUS[0]}`, "make restart", "0\n", true},
		{`set -e; eval "make restart" | cat; echo p=${PIPESTATUS[0]}`, "make restart", "p=1\n", false},
		{`set -e; eval "make restart; make test" | cat; echo done`, "make restart", "done\n", false},
		{`set -e; f() { make restart; }; f | cat; echo done`, "make restart", "done\n", false},
		{`set -eo pipefail; eval "make restart; make test" | cat; echo done`, "make restart", "done\n", true},
		{`make restart > /tmp/o 2>&1; RC=$?; tail -3 /tmp/o; echo "RC=$RC"`, "make restart", "up\nRC=0\n", true},
		{`make restart > /tmp/o 2>&1; RC=$?; tail -3 /tmp/o; echo "RC=$RC"`, "make restart", "up\nRC=2\n", false},
		{`make restart; RC=$?; echo "RC=$RCX"`, "make restart", "RC=0X\n", false},
		{`make restart | tail; rc=${PIPESTATUS[0]}; echo rc $rc`, "make restart", "rc 0\n", true},
		{`make restart; exit $?`, "make restart", "", true},
		{`make restart; rc=$?; tail log; exit $rc`, "make restart", "", true},
		{`make restart; tail log; rc=$?; exit $rc`, "make restart", "", false},
		{`make restart | tee log; exit ${PIPESTATUS[0]}`, "make restart", "", true},
		{`make restart; exit 0`, "make restart", "", false},
		{`exit 0; make restart`, "make restart", "", false},

		// pipes
		{"make restart | tail -5", "make restart", "", false},
		{"set -o pipefail; make restart | tail -5", "make restart", "", true},
		{"set -o pipefail && make restart 2>&1 | tail -5", "make restart", "", true},
		{"set -o pipefail; make restart | tail -5; echo done", "make restart", "", false},
		{"bash -o pipefail -c 'make restart | tail'", "make restart", "", true},
		{"bash -euo pipefail -c 'make restart | tail; echo done'", "make restart", "", true},
		{"yes | make restart", "make restart", "", true},
		{"make restart |& tee log", "make restart", "", false},
		{"pytest -q 2>&1 | tail -5", "pytest", pytestOK, true},
		{"pytest -q 2>&1 | tail -5", "pytest", "\x1b[32m\x1b[1m4 passed\x1b[0m in 0.1s\n", true},
		{"pytest -q 2>&1 | tail -5", "pytest", pytestFail, false},
		{"pytest -q 2>&1 | tail -5", "pytest", "", false},
		{"pytest -q | grep passed", "pytest", "4 passed in 1s\n", true},
		{"pytest -q | grep -v failed", "pytest", "4 passed in 1s\n", false},
		{"pytest -q | wc -l", "pytest", "4 passed in 1s\n", false},
		{"cd x && go test ./... 2>&1 | tail -20", "go test", goOK, true},
		{"go test ./... 2>&1 | tail -20", "go test", goFail, false},
		{"go test ./... | grep ok", "go test", goOK, false},
		{"go test ./... | grep -E 'ok|FAIL'", "go test", goOK, true},
		{"go test ./... | head -1", "go test", goOK, false},
		{"go test ./... | head -30", "go test", goOK, true},
		{"go test ./... | head -n 30", "go test", goOK, true},
		{"go test ./... 2>&1 | grep -v 'no test files' | tail -20", "go test", goOK, true},
		{"go test ./... 2>&1 | grep -v 'no test files' | tail -20", "go test", goFail, false},
		{"go test ./... 2>&1 | grep -v FAIL", "go test", goOK, false},
		{"go test ./... 2>&1 | sed 's/x/y/' | sort | uniq", "go test", goOK, true},
		{"go test ./... 2>&1 | sed -n '1p'", "go test", goOK, false},
		{"go test ./... 2>&1 | sed '/FAIL/d'", "go test", goOK, false},
		{"make test 2>&1 | tee log", "make test", pytestOK, true},
		{"make test 2>&1 | tee log", "make test", "make: *** [test] Error 1\n4 passed\n", false},
		{"make restart 2>&1 | tee log", "make restart", pytestOK, false},
		{"pytest -q; echo exit: $?", "pytest", pytestOK + "exit: 0\n", true},
		{"pytest -q; echo exit: $?", "pytest", pytestFail + "exit: 1\n", false},
		{"pytest -q; echo done", "pytest", pytestOK, true},
		{"pytest > log 2>&1; tail -3 log", "pytest", pytestOK, true},
		{"tail -3 log; pytest > log 2>&1; echo", "pytest", pytestOK, false},
		{"pytest > /dev/null; echo done", "pytest", pytestOK, false},
		{"pytest > log 2>&1", "pytest", "", true},
		{"cargo test 2>&1 | tail", "cargo test", "test result: ok. 5 passed; 0 failed; 0 ignored\n", true},
		{"cargo test 2>&1 | tail", "cargo test", "test result: FAILED. 4 passed; 1 failed\n", false},
		{"npx jest | tail", "jest", "Tests:       5 passed, 5 total\n", true},
		{"npx vitest run | tail", "vitest", " Tests  1 failed | 4 passed (5)\n", false},

		// what agents really type
		{"cd /repo && source .venv/bin/activate && python -m pytest tests/ -x -q 2>&1 | tail -30", "pytest", pytestOK, true},
		{"PYTHONPATH=. pytest -q --tb=short 2>&1 | tail -15; echo '---'; git status --short", "pytest", pytestOK + "---\n M a.py\n", true},
		{"go build ./... && go vet ./... && go test ./... -count=1 2>&1 | tail -40", "go test", goOK, true},
		{"go build ./... && go vet ./... && go test ./... -count=1 2>&1 | tail -40", "go build", goOK, true},
		{"(cd web && npm test -- --run) 2>&1 | tail -20", "npm test", " Tests  5 passed (5)\n", true},
		{"npm run test -- --watch=false 2>&1 | grep -E 'Tests|passed|failed'", "npm test", "Tests: 5 passed, 5 total\n", true},
		{"cargo test --quiet 2>&1 | tail -5", "cargo test", "test result: ok. 5 passed; 0 failed; 0 ignored\n", true},
		{"timeout 120 pytest -q || echo FAILED", "pytest", pytestOK, true},
		{"timeout 120 pytest -q || echo FAILED", "pytest", pytestFail + "FAILED\n", false},
		{"pytest -q 2>&1 | tee /tmp/out.txt | tail -5", "pytest", pytestOK, true},
		{"bash -c \"set -o pipefail; make restart | tail\"", "make restart", "", true},
		{"make restart && sleep 3 && make status", "make restart", "", true},
		{"make restart; sleep 2; make status", "make restart", "", false},
		{"# run the tests\ncd /repo\npytest -q", "pytest", "", true},
		{"time (pytest -q)", "pytest", "", true},
		{"git add -A && git commit -m \"$(cat <<'EOF'\nfix: make restart works\nEOF\n)\" && make restart", "make restart", "", true},
		{"git add -A && git commit -m \"$(cat <<'EOF'\nmake restart\nEOF\n)\"", "make restart", "", false},
		{"export CI=1; npm test", "npm test", "", true},
		{"pushd web >/dev/null && npm test && popd", "npm test", "", true},
		{"npm test --silent 2>&1 | tail -3", "npm test", "Tests:       1 failed, 4 passed, 5 total\n", false},
		{"pytest -q & wait $!", "pytest", pytestOK, false},
		{"while true; do make status && break; sleep 1; done", "make status", "", false},
		{"sleep 5; make status", "make status", "", true},
		{"make status | grep -q running", "make status", "", false},
		{"git commit -m x; pytest", "pytest", "", true},

		// wrappers
		{"env FOO=1 make restart", "make restart", "", true},
		{"FOO=1 BAR=2 make restart", "make restart", "", true},
		{"env -u X -i make restart", "make restart", "", true},
		{"timeout 60 make restart", "make restart", "", true},
		{"timeout -k 5 -s KILL 60s make restart", "make restart", "", true},
		{"sudo -u dev -E make restart", "make restart", "", true},
		{"nohup make restart", "make restart", "", true},
		{"nice -n 10 make restart", "make restart", "", true},
		{"time make restart", "make restart", "", true},
		{"/usr/bin/time -f %e make restart", "make restart", "", true},
		{"command make restart", "make restart", "", true},
		{"command -v make restart", "make restart", "", false},
		{"exec make restart", "make restart", "", true},
		{"stdbuf -oL make restart", "make restart", "", true},
		{"bash -lc 'make restart'", "make restart", "", true},
		{`/bin/bash -lc "cd /repo && make restart"`, "make restart", "", true},
		{`bash -lc 'make restart; echo done'`, "make restart", "", false},
		{`sudo env A=b timeout 5 bash -c "sh -c 'make restart'"`, "make restart", "", true},
		{`eval "make restart"`, "make restart", "", true},
		{"bash scripts/check.sh --fast", "scripts/check.sh", "", true},
		{"./scripts/check.sh", "scripts/check.sh", "", true},
		{"/repo/scripts/check.sh", "./scripts/check.sh", "", true},
		{"docker exec app make restart", "make restart", "", false},
		{"docker compose exec -T web pytest -q", "pytest", pytestOK, true},
		{"docker compose -f dev.yml run --rm -e A=1 app pytest", "pytest", pytestOK, true},
		{"docker-compose exec web pytest | tail -3", "pytest", pytestFail, false},
		{"docker compose run -d app pytest", "pytest", "", false},
		{"docker compose logs pytest", "pytest", pytestOK, false},

		// runners that run no test
		{"make -i test", "make test", "", false},
		{"mvn test -DskipTests", "mvn test", "", false},
		{"mvn test -DskipTests=false", "mvn test", "", true},
		{"mvn -fn test", "mvn test", "", false},
		{"gradle test -m", "gradle test", "", false},
		{"dotnet test --list-tests", "dotnet test", "", false},
		{"npx playwright test --list", "playwright test", "", false},
		{"ctest -N", "ctest", "", false},
		{"swift test list", "swift test", "", false},
		{"deno test --no-run", "deno test", "", false},
		{"rake -T test", "rake test", "", false},
		{"just --show test", "just test", "", false},
		{"just test -n 4", "just test", "", true},
		{"turbo run test --dry=json", "turbo run test", "", false},
		{"tox --notest", "tox", "", false},
		{"tox list", "tox", "", false},
		{"tox -- -n 4", "tox", "", true},
		{"nox -l", "nox", "", false},
		{"mise run -n test", "mise run test", "", false},
		{"mise run test -n 4", "mise run test", "", true},
		{"ginkgo build", "ginkgo", "", false},
		{"setsid -f pytest", "pytest", "", false},
		{"setsid pytest", "pytest", "", true},
		{"devcontainer exec --workspace-folder . pytest", "pytest", "", true},
		{"env -S 'make restart'", "make restart", "", true},
		{"cross-env CI=1 pytest", "pytest", "", true},
		{"xvfb-run -a pytest", "pytest", "", true},
		{"xvfb-run -s '-screen 0' pytest", "pytest", "", true},
		{"dotenv -f .env run pytest", "pytest", "", true},
		{"dotenvx run -- pytest", "pytest", "", true},
		{"nix-shell --run 'pytest -q'", "pytest", "", true},
		{"nix-shell --run 'pytest || true'", "pytest", "", false},
		{`pwsh -NoProfile -Command "pytest -q"`, "pytest", "", true},
		{"pwsh -File test.ps1", "pytest", "", false},
		{`cmd /c "pytest -q"`, "pytest", "", true},

		// a filter that left nothing, then more commands
		{`go test ./... 2>&1 | grep -vE "^ok|no test files" | head -10; echo "=== done ==="; git status --short`, "go test", "=== done ===\n M a.go\n", true},
		{`go test ./... 2>&1 | grep -vE "^ok|no test files" | head -10; echo "=== done ==="; git status --short`, "go test", "--- FAIL: TestX (0.00s)\n=== done ===\n M a.go\n", false},
		{`go test ./... 2>&1 | grep -vE "^ok|no test files" | head -10; echo "=== done ==="; git status --short`, "go test", "panic-free log\n=== done ===\n", false},
		{`go test ./... 2>&1 | grep -vE "^ok|no test files" | head -10; git status --short`, "go test", " M a.go\n", false},

		// output kept in a variable
		{`out=$(pytest -q); echo "$out"`, "pytest", pytestOK, true},
		{`out=$(pytest -q 2>&1); echo "$out" | tail -3`, "pytest", pytestOK, true},
		{`out=$(pytest -q); echo "$out"`, "pytest", pytestFail, false},
		{`out=$(pytest -q); other=1; echo "$other"`, "pytest", pytestOK, false},
		{`out=$(echo $(pytest -q)); echo "$out"`, "pytest", pytestOK, false},
		{"ssh host make restart", "make restart", "", false},
		{"xargs make restart", "make restart", "", false},

		// runners
		{"uv run pytest -x", "pytest", "", true},
		{"uv run --with foo -p 3.12 pytest", "pytest", "", true},
		{"uv run -m pytest", "pytest", "", true},
		{"uv run python -m pytest tests", "pytest", "", true},
		{"uv pip install -e .", "pip install", "", true},
		{"uv sync", "pip install", "", false},
		{"uvx pytest", "pytest", "", true},
		{"python3.12 -m pytest", "pytest", "", true},
		{"python -W error -m pytest", "pytest", "", true},
		{".venv/bin/pytest tests/unit", "pytest", "", true},
		{".venv/bin/python -m pip install -e .", "pip install", "", true},
		{"pip3 install -e .", "pip install", "", true},
		{"pip install -e . -q", "pip install", "", true},
		{"pip --quiet install x", "pip install", "", true},
		{"poetry run pytest", "pytest", "", true},
		{"pipenv run pytest", "pytest", "", true},
		{"hatch run test:pytest", "pytest", "", true},
		{"pdm run pytest", "pytest", "", true},
		{"conda run -n env pytest", "pytest", "", true},
		{"coverage run -m pytest", "pytest", "", true},
		{"npx --yes jest@29 --ci", "jest", "", true},
		{"pnpm exec vitest run", "vitest", "", true},
		{"pnpm dlx vitest run", "vitest", "", true},
		{"yarn jest", "jest", "", true},
		{"bunx vitest", "vitest", "", true},
		{"npm test", "npm test", "", true},
		{"npm run test", "npm test", "", true},
		{"npm t -- --ci", "npm test", "", true},
		{"yarn test", "npm test", "", true},
		{"pnpm --filter web test", "npm test", "", true},
		{"npm run test:unit", "npm test", "", false},
		{"npm install", "npm install", "", true},
		{"npm --prefix web install", "npm install", "", true},
		{"mise exec -- make restart", "make restart", "", true},
		{"mise x node@20 -- npm test", "npm test", "", true},
		{"direnv exec . make restart", "make restart", "", true},
		{"bundle exec rspec", "rspec", "", true},
		{"cargo +nightly test --all", "cargo test", "", true},
		{"go -C sub test ./...", "go test", "", true},
		{"go test -race -run TestX ./...", "go test", "", true},
		{"go vet ./...", "go test", "", false},
		{"pkill -SIGUSR2 -f -- '-m teleclaude.cli.telec$'", "pkill -SIGUSR2", "", true},
		{"pkill -f telec", "pkill -SIGUSR2", "", false},
		{"kill -USR2 $(pgrep telec)", "kill -USR2", "", true},
		{"curl -s -X POST http://localhost:80/s/1/agent-restart", "curl *agent-restart*", "", true},
		{"curl -s http://localhost/health", "curl *agent-restart*", "", false},
		{"make test-unit", "make test-*", "", true},

		// not what it looks like
		{`echo "make restart"`, "make restart", "", false},
		{`printf '%s' "make restart"`, "make restart", "", false},
		{`git commit -m "make restart && pytest"`, "make restart", "", false},
		{`git commit -m "run pytest"`, "pytest", "", false},
		{"cat <<'EOF'\nmake restart\nEOF", "make restart", "", false},
		{"cat > run.sh <<EOF\nmake restart\nEOF", "make restart", "", false},
		{"bash <<'EOF'\nmake restart\nEOF", "make restart", "", false},
		{`grep "pip install" README.md`, "pip install", "", false},
		{"# make restart", "make restart", "", false},
		{"true # make restart", "make restart", "", false},
		{"which pytest", "pytest", "", false},
		{"make -n restart", "make restart", "", false},
		{"make restart -n", "make restart", "", false},
		{"make -Bn restart", "make restart", "", false},
		{"make --dry-run restart", "make restart", "", false},
		{"make -C nested restart", "make restart", "", true},
		{"make -f rules.mk -k restart", "make restart", "", true},
		{"pytest --version", "pytest", "", false},
		{"pytest --help", "pytest", "", false},
		{"pytest --collect-only -q", "pytest", "", false},
		{"pytest --co", "pytest", "", false},
		{"python -m pytest --version", "pytest", "", false},
		{"pip install --dry-run .", "pip install", "", false},
		{"pip --version", "pip install", "", false},
		{"go test -list .", "go test", "", false},
		{"cargo test --no-run", "cargo test", "", false},
		{"npm test -- --help", "npm test", "", false},
		{"telec init --help", "telec init", "", false},
		{"psql -h localhost -c migrate", "psql", "", true},

		// control flow
		{"! make restart", "make restart", "", false},
		{"make restart &", "make restart", "", false},
		{"nohup make restart > log 2>&1 &", "make restart", "", false},
		{"make restart & wait", "make restart", "", false},
		{"(make restart)", "make restart", "", true},
		{"(cd sub && make restart) && echo ok", "make restart", "", true},
		{"{ make restart; }", "make restart", "", true},
		{"{ make restart; echo done; }", "make restart", "", false},
		{"if [ -f Makefile ]; then make restart; fi", "make restart", "", false},
		{"if [ -f Makefile ]; then make restart; fi", "make restart", "restarted\n", true},
		{"if [ -f Makefile ]; then make restart; fi", "make restart", "(Bash completed with no output)", false},
		{"cd sub; if [[ -d .venv && -f x ]]; then .venv/bin/pytest -q; fi", "pytest", "..\n", true},
		{"if command -v make >/dev/null 2>&1; then make restart; fi", "make restart", "up\n", true},
		{"if [ -f a ]; then make restart; fi; echo done", "make restart", "done\n", false},
		{"echo start; if [ -f a ]; then make restart; fi", "make restart", "start\n", false},
		{"if grep x y; then make restart; fi", "make restart", "x\n", false},
		{"if [ -f a ]; then make restart; echo done; fi", "make restart", "done\n", false},
		{"if [ -f a ]; then make restart; else echo none; fi", "make restart", "none\n", false},
		{"if [ -f a ]; then make restart; fi; if [ -f b ]; then make status; fi", "make status", "up\n", false},
		{"if [ -f a ]; then make restart; fi && if [ -f b ]; then make status; fi", "make status", "up\n", false},
		{"if [ -f a ]; then make restart && make status; fi", "make restart", "up\n", true},
		{"make restart && echo ok || echo no; make status && echo ok || echo no", "make restart", "no\nok\n", false},
		{"if false; then make restart; fi", "make restart", "up\n", false},
		{"if true; then make restart; fi", "make restart", "", true},
		{"if make restart; then echo ok; fi", "make restart", "ok", false},
		{"if make restart; then echo ok; else exit 1; fi", "make restart", "ok", true},
		{"if make restart; then echo ok; else echo bad; exit 1; fi", "make restart", "ok", true},
		{"if make restart; then echo ok; else echo bad; fi", "make restart", "ok", false},
		{"if ! make restart; then exit 1; fi; echo done", "make restart", "", true},
		{"if pytest; then echo ok; fi", "pytest", pytestOK, true},
		{"for i in 1 2; do make restart; done", "make restart", "", true},
		{"for t in lint restart; do make $t || exit 1; done", "make restart", "", true},
		{"for t in lint restart; do make $t || exit 1; done", "make lint", "", true},
		{"for t in lint restart; do make $t; done", "make lint", "", false},
		{"for f in *.py; do pytest $f; done", "pytest", "", true},
		{"for f in $(ls); do make restart; done", "make restart", "", false},
		{"until make status; do sleep 1; done", "make status", "", true},
		{"while ! make status; do sleep 1; done", "make status", "", true},
		{"while ! make status; do sleep 1; break; done", "make status", "", false},
		{"while make status; do sleep 1; done", "make status", "", false},
		{"case x in x) make restart;; esac", "make restart", "", false},
		{"f() { make restart; }", "make restart", "", false},
		{"f() { make restart; }; f", "make restart", "", true},
		{"x=$(make restart)", "make restart", "", true},
		{"x=$(make restart); echo $x", "make restart", "", false},
		{"echo $(make restart)", "make restart", "", false},
		{"cat <(make restart)", "make restart", "", false},
		{"coproc make restart", "make restart", "", false},
		{"trap 'exit 0' EXIT; make restart", "make restart", "", false},
		{"T=restart; make $T", "make restart", "", true},
		{"make $T", "make restart", "", false},
		{"PY=.venv/bin/python; $PY -m pytest", "pytest", "", true},
		{"ls *(.om[1]) && make restart", "make restart", "", true}, // zsh
		{"make restart 'unclosed", "make restart", "", false},
		{"make restart )", "make restart", "", false},
		{"", "make restart", "", false},
	}
	for _, tt := range tests {
		if got := proves(tt.line, tt.pattern, tt.output); got != tt.want {
			t.Errorf("%q printing %q proves %q: %v, want %v", tt.line, tt.output, tt.pattern, got, tt.want)
		}
	}
	t.Logf("%d lines", len(tests))
}

func TestFiles(t *testing.T) {
	tests := []struct{ line, shown, written string }{
		{"cat a.py b.py", "a.py b.py", ""},
		{"cd src && cat a.py", "src/a.py", ""},
		{"(cd src && cat a.py); cat b.py", "src/a.py b.py", ""},
		{"sed -n '1,20p' a.py", "a.py", ""},
		{"sed -i 's/a/b/' a.py", "", "a.py"},
		{"sed -i.bak -e 's/a/b/' a.py", "", "a.py"},
		{"sed -e 's/i/j/' a.py", "a.py", ""},
		{"head -n 20 a.py", "a.py", ""},
		{"tail -20 a.py | grep x", "a.py", ""},
		{"grep -n foo a.py", "a.py", ""},
		{"rg foo src/a.py", "src/a.py", ""},
		{"less a.py", "a.py", ""},
		{"git show HEAD:src/a.py", "src/a.py", ""},
		{"git diff -- a.py", "a.py", ""},
		{"echo x > a.py", "", "a.py"},
		{"cat a.py >> b.py", "a.py", "b.py"},
		{"cat > a.py <<'EOF'\nx\nEOF", "", "a.py"},
		{"cd sub; echo x | tee a.py", "", "sub/a.py"},
		{"mv a.py b.py", "", "a.py b.py b.py/a.py"},
		{"cp a.py b.py", "a.py", "b.py b.py/a.py"},
		{"rm -f a.py", "", "a.py"},
		{"gofmt -w a.go", "", "a.go"},
		{"gofmt -l a.go", "", ""},
		{"perl -pi -e 's/a/b/' a.py", "", "a.py"},
		{"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n*** End Patch\nEOF", "", "a.py"},
		{"make 2>&1 >/dev/null", "", ""},
		{"wc -l < a.py", "a.py", ""},
		{"bash -lc 'cat a.py'", "a.py", ""},
	}
	names := func(list []File) string {
		var out []string
		for _, f := range list {
			out = append(out, f.Path)
		}
		return strings.Join(out, " ")
	}
	for _, tt := range tests {
		l := Parse(tt.line)
		if got := names(l.Shown); got != tt.shown {
			t.Errorf("%q shows %q, want %q", tt.line, got, tt.shown)
		}
		if got := names(l.Written); got != tt.written {
			t.Errorf("%q writes %q, want %q", tt.line, got, tt.written)
		}
	}
}

func TestRewriters(t *testing.T) {
	for line, want := range map[string]int{
		"gofmt -w .": 1, "cargo fmt": 1, "cargo fmt --check": 0, "go generate ./...": 1, "ruff format": 1, "ruff check --fix src": 1, "ruff check src": 0,
		"python fix.py": 1, "python - <<'EOF'\nx\nEOF": 1, "python -m pytest": 0, "git checkout main": 1, "git checkout -b x": 0, "git stash list": 0, "git stash pop": 1, "git reset HEAD~": 0, "git reset --hard": 1, "git status": 0, "make fmt": 1, "make test": 0, "node fix.js": 1, "node --test": 0,
	} {
		if got := len(Parse(line).Rewriters); got != want {
			t.Errorf("%q: %d rewriters, want %d", line, got, want)
		}
	}
}

func TestBounds(t *testing.T) {
	for _, unit := range []string{"(", "{ ", "$(", "`", "a|", "a&&", "if ", "\"$(", "${a:-", "$((", "((-", "a;", "bash -c '", "f(){ f; };f;", "for i in 1 2 3 4 5 6 7 8; do ", "eval "} {
		for _, n := range []int{10, 1000, 100000} {
			Parse(strings.Repeat(unit, n))
		}
	}
	nest := "make restart"
	for range 20 {
		nest = "for i in 1 2 3 4 5 6 7 8 9; do " + nest + "; done"
	}
	if got := len(Parse(nest).Commands); got > maxCommands+1 {
		t.Errorf("nested loops gave %d commands", got)
	}
	if Parse("f(){ f; f; }; f").Commands != nil {
		t.Error("a function that only calls itself runs nothing")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"make restart && make status", "bash -lc 'pytest | tail'", "cat <<EOF\n$(x)\nEOF", "a=(1 2); ${a[@]}", "case x in a|b) c;; esac", "f(){ g; }; g(){ f; }; f"} {
		f.Add(seed, "0\n4 passed\n")
	}
	f.Fuzz(func(t *testing.T, text, output string) {
		l := Parse(text)
		if len(l.Commands) > maxCommands+64 {
			t.Errorf("%d commands", len(l.Commands))
		}
		for _, c := range l.Commands {
			if len(c.Argv()) == 0 {
				t.Error("a command without words")
			}
			l.Proves(c, output)
			c.TestRun()
		}
		for _, p := range Patterns(text) {
			_ = p.Leading().String()
		}
	})
}

// What grows without bound here never ends, and the test's own deadline says so.
func TestHostileLinesEnd(t *testing.T) {
	for _, s := range []string{
		strings.Repeat("{ ", 3900) + "a" + strings.Repeat("; }", 3900),
		strings.Repeat("if a; then ", 3000) + "a" + strings.Repeat("; fi", 3000),
		strings.Repeat("a|", 3900) + "a",
		strings.Repeat("echo $(", 3900) + "a" + strings.Repeat(")", 3900),
		strings.Repeat("while a; do ", 1900) + "a" + strings.Repeat("; done", 1900),
		"f(){ " + strings.Repeat("f;", 1000) + "}; f",
	} {
		Parse(s)
	}
}
