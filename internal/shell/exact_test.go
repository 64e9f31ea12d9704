package shell

import "testing"

func TestExactProvedBy(t *testing.T) {
	x := Exact{Command: "go test ./...", Dir: "/repo"}
	for line, want := range map[string]bool{
		"go test ./...":                                 true,
		"go  test   './...'":                            true,
		`go test "./..."`:                               true,
		"go test ./... 2>&1":                            true,
		"go test ./... > /dev/null 2>&1":                true,
		"cd /repo && go test ./...":                     true,
		"(cd /repo && go test ./...)":                   true,
		"timeout 120 go test ./...":                     true,
		"timeout -k 5 -s KILL 120 go test ./...":        true,
		"env go test ./...":                             true,
		"bash -lc 'go test ./...'":                      true,
		`bash -c "cd /repo && timeout 9 go test ./..."`: true,
		"time go test ./...":                            true,
		"go vet ./... && go test ./...":                 true,
		"go test ./... && echo ok":                      true,
		"cd sub && cd .. && go test ./...":              true,

		"go test -v ./...":                              true,
		"go test -v -json=true ./...":                   true,
		"bash -lc 'go test -v ./...'":                   true,
		"go test -v -short ./...":                       false,
		"go test ./... -- -v":                           false,
		"go test -run X ./...":                          false,
		"go test -short ./...":                          false,
		"go test ./a":                                   false,
		"go test ./... ./x":                             false,
		"(cd /repo && go test ./...) && echo ok":        true,
		"(cd sub && go vet) && go test ./...":           true,
		"bash -c 'cd sub' && go test ./...":             true,
		"(cd sub && go test ./...) && cd /repo":         false,
		"cd sub && (cd /repo) && go test ./...":         false,
		"cd sub && bash -c 'cd /repo' && go test ./...": false,
		"cd sub && go test ./...":                       false,
		"cd - && go test ./...":                         false,
		"go test ./... | tail":                          false,
		"go test ./... || true":                         false,
		"go test ./...; echo done":                      false,
		"echo a; go test ./...":                         false,
		"go test ./... &":                               false,
		"! go test ./...":                               false,
		"go test ./... < input":                         false,
		"FOO=1 go test ./...":                           false,
		"env FOO=1 go test ./...":                       false,
		"export FOO=1 && go test ./...":                 false,
		"bash -c 'FOO=1 go test ./...'":                 false,
		"FOO=1 bash -c 'go test ./...'":                 false,
		"source venv/bin/activate && go test ./...":     false,
		"set +e && go test ./...":                       false,
		"eval x && go test ./...":                       false,
		"go() { true; }\ngo test ./...":                 false,
		"go() { true; } && go test ./...":               false,
		"echo go test ./...":                            false,
		"echo 'go test ./...'":                          false,
		"if true; then go test ./...; fi":               false,
		"false && go test ./... || true":                false,
		"go test $ARGS":                                 false,
		"go test ./... && false | true":                 true, // the last step's status is the line's; the wanted command ran before it
		"cat <<EOF\ngo test ./...\nEOF":                 false,
		"":                                              false,
		"\x00":                                          false,
	} {
		if got := x.ProvedBy(Ran{Line: line, Dir: "/repo"}); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

// Flags that change only what is printed make no difference, on either side.
func TestExactWithoutPrinting(t *testing.T) {
	for _, tt := range []struct {
		gate, line string
		want       bool
	}{
		{"pytest", "pytest -q", true},
		{"pytest -q", "pytest", true},
		{"pytest", "pytest -vv --tb short --color=yes", true},
		{"pytest", "pytest -q -k x", false},
		{"pytest", "pytest -q --lf", false},
		{"pytest", "pytest -s", false}, // a test may read what it prints
		{"uv run pytest", "uv run pytest -q", true},
		{"python3 -m pytest", "python3 -m pytest -q tests", false},
		{"python3 -m pytest", "python3 -m pytest -q", true},
		{"cargo test", "cargo test --verbose", true},
		{"cargo test", "cargo test --quiet -- --nocapture", false}, // the dashes are an argument
		{"cargo test --workspace", "cargo test -q --workspace", true},
		{"cargo test", "cargo test --release", false},
		{"npm test", "npm test --silent", true},
		{"npm test", "npm test -- --silent", false},
		{"make test", "make -s test", true},
		{"make test", "make -n test", false},
		{"./scripts/check", "./scripts/check -q", false}, // nobody knows what it means there
	} {
		if got := (Exact{Command: tt.gate, Dir: "/repo"}).ProvedBy(Ran{Line: tt.line, Dir: "/repo"}); got != tt.want {
			t.Errorf("%q proves %q: %v, want %v", tt.line, tt.gate, got, tt.want)
		}
	}
}

func TestExactEnvironmentAndShape(t *testing.T) {
	env := func(k string) string { return map[string]string{"CI": "1"}[k] }
	for _, tt := range []struct {
		name string
		x    Exact
		line string
		want bool
	}{
		{"declared, in front", Exact{Command: "make test", Dir: "/r", Env: map[string]string{"GOFLAGS": "-race"}}, "GOFLAGS=-race make test", true},
		{"declared, exported", Exact{Command: "make test", Dir: "/r", Env: map[string]string{"GOFLAGS": "-race"}}, "export GOFLAGS=-race && make test", true},
		{"declared, missing", Exact{Command: "make test", Dir: "/r", Env: map[string]string{"GOFLAGS": "-race"}}, "make test", false},
		{"declared, another value", Exact{Command: "make test", Dir: "/r", Env: map[string]string{"GOFLAGS": "-race"}}, "GOFLAGS= make test", false},
		{"declared, inherited", Exact{Command: "make test", Dir: "/r", Env: map[string]string{"CI": "1"}}, "make test", true},
		{"own assignment", Exact{Command: "CGO_ENABLED=0 go test", Dir: "/r"}, "CGO_ENABLED=0 go test", true},
		{"own assignment missing", Exact{Command: "CGO_ENABLED=0 go test", Dir: "/r"}, "go test", false},
		{"two steps", Exact{Command: "go vet && go test", Dir: "/r"}, "cd /r && go vet && go test", true},
		{"half of two", Exact{Command: "go vet && go test", Dir: "/r"}, "go test", false},
		{"a pipe of its own", Exact{Command: "gofmt -l . | tee out", Dir: "/r"}, "gofmt -l .  |  tee out", true},
		{"an expansion of its own", Exact{Command: `test -z "$(gofmt -l .)"`, Dir: "/r"}, `test -z "$(gofmt -l .)"`, true},
		{"another expansion", Exact{Command: `test -z "$(gofmt -l .)"`, Dir: "/r"}, `test -z "$(gofmt -l x)"`, false},
		{"wrapped command", Exact{Command: "timeout 10 go test", Dir: "/r"}, "go test", true},
		{"python", Exact{Command: "python3 -m pytest", Dir: "/r"}, "python3 -m pytest -k x", false},
		{"npm", Exact{Command: "npm test", Dir: "/r"}, "npm test -- --grep x", false},
	} {
		if got := tt.x.ProvedBy(Ran{Line: tt.line, Dir: "/r", Getenv: env}); got != tt.want {
			t.Errorf("%s: %q: %v, want %v", tt.name, tt.line, got, tt.want)
		}
	}
}

func FuzzExactProvedBy(f *testing.F) {
	f.Add("cd x && go test ./...", "go test ./...")
	f.Add("bash -lc 'A=1 timeout 3 make'", "make")
	f.Fuzz(func(t *testing.T, line, command string) {
		Exact{Command: command, Dir: "/r"}.ProvedBy(Ran{Line: line, Dir: "/r"})
	})
}
