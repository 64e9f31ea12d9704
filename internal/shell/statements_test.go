package shell

import (
	"fmt"
	"strings"
	"testing"
)

func TestStatements(t *testing.T) {
	tests := map[string]struct{ script, want string }{
		"lines":             {"go vet ./...\ngo test ./...\n", ".: go vet ./...\n.: go test ./..."},
		"talk":              {"set -e\necho hello\ngo test", ".: go test"},
		"directory":         {"cd web\nnpm test\ncd ../api && npm run lint && npm test", "web: npm test\napi: npm run lint && npm test"},
		"subshell":          {"(cd a && make test)\nmake", "a: make test\n.: make"},
		"out of the tree":   {"cd ../..\nmake test", ""},
		"assignment":        {"export A=1\nB='x y'\nmake $A", ".: make $A map[A:1 B:x y]"},
		"computed":          {"V=$(git describe)\ngo test -ldflags $V", ""},
		"loop":              {"for x in a b; do go test ./$x; done\ngo vet", ".: go vet"},
		"never fails":       {"go test || true\ngo vet || echo bad\nmake || exit 1", ".: make || exit 1"},
		"negated":           {"! grep TODO *.go", ""},
		"background":        {"node server.js &\nnpm test", ".: npm test"},
		"continued":         {"go test \\\n  ./...", ".: go test \\\n  ./..."},
		"not shell":         {"if (", ""},
		"a directory twice": {"cd a && cd b && make", ".: cd a && cd b && make"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, s := range Statements(tt.script, ".") {
				line := s.Dir + ": " + s.Text
				if len(s.Env) > 0 {
					line += fmt.Sprint(" ", s.Env)
				}
				got = append(got, line)
			}
			if strings.Join(got, "\n") != tt.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), tt.want)
			}
		})
	}
}

func TestUnset(t *testing.T) {
	for line, want := range map[string]string{
		"go test $A ${B:-x} $HOME": "[A]", "A=1 sh -c \"$A\"": "[]", "for f in a; do echo $f; done": "[]", "echo $C": "[]", "x \"${D}\" $D": "[D]", "(": "[?]",
	} {
		if got := fmt.Sprint(Unset(line, map[string]string{"C": "1"})); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}
