package meaning

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// python is a project whose tests need nothing but Python.
func python() map[string]string {
	return map[string]string{
		"cart.py":       "def total(x):\n    return x + 1\n",
		"test_cart.py":  "import unittest, cart\nclass T(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(cart.total(1), 2)\n",
		"tools/gen.py":  "print('gen')\n",
		"run.sh":        "#!/bin/sh\nset -e\npython3 -m unittest -q\n",
		"loose.sh":      "#!/bin/sh\npython3 -m unittest -q | cat\nexit 0\n",
		"Makefile":      "test:\n\tpython3 -m unittest -q\nloose:\n\t-python3 -m unittest -q\n",
		"page.txt":      "words\n",
		"check.py":      "import sys\nsys.exit(0)\n",
		"sub/other.sh":  "echo other\n",
		"needs_port.sh": "#!/bin/sh\nexit 1\n",
	}
}

func TestCanary(t *testing.T) {
	needs(t, "python3")
	w := newWorld(t, python())
	now := w.take()
	for _, c := range []struct{ command, want, reason string }{
		{"python3 -m unittest -q", CanFail, ""},
		{"./run.sh", CanFail, ""},
		{"make test", CanFail, ""},
		{"true", CannotFail, ""},
		{"echo all good", CannotFail, ""},
		{"exit 0", CannotFail, ""},
		{"python3 -m unittest -q || true", CannotFail, ""},
		{"python3 -m unittest -q; echo done", CannotFail, ""},
		{"python3 -m unittest -q | tail -5", CannotFail, ""},
		{"./loose.sh", CannotFail, ""},
		{"make loose", CannotFail, ""},
		// A check that reads only a part, and no file of it can be broken.
		{"grep -q words page.txt", NotAssessed, "grep may read only a part of its inputs"},
		{"test -f page.txt", NotAssessed, "may read only a part"},
		{"python3 check.py", NotAssessed, "may read only a part"},
		// A red or missing environment is not a gate that can fail.
		{"false", NotAssessed, "does not pass on the untouched content either"},
		{"./needs_port.sh", NotAssessed, "does not pass on the untouched content either"},
		{"no-such-program", NotAssessed, "could not run"},
	} {
		t.Run(c.command, func(t *testing.T) {
			got := w.lab.Canary(t.Context(), w.job("test", c.command), now)
			if got.Result != c.want || !strings.Contains(got.Reason, c.reason) || c.reason != "" && got.Reason == "" {
				t.Fatalf("%+v, want %s, %q", got, c.want, c.reason)
			}
			for _, trial := range got.Tried {
				if trial.Line < 2 || strings.Contains("run.sh loose.sh Makefile check.py", trial.File) && strings.Contains(c.command, trial.File) {
					t.Errorf("it broke what the command resolves to: %+v", trial)
				}
			}
			if len(got.Tried) > maxCanaries || got.Result == CannotFail && len(got.Files) == 0 {
				t.Errorf("files: %v", got.Files)
			}
		})
	}
	left, err := os.ReadFile(filepath.Join(w.root, "cart.py"))
	if err != nil || string(left) != python()["cart.py"] {
		t.Errorf("the work tree was touched: %q, %v", left, err)
	}
}
