package meaning

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/event"
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
		{"python3 -m unittest -q", event.CanFail, ""},
		{"./run.sh", event.CanFail, ""},
		{"make test", event.CanFail, ""},
		{"true", event.CannotFail, ""},
		{"echo all good", event.CannotFail, ""},
		{"exit 0", event.CannotFail, ""},
		{"python3 -m unittest -q || true", event.CannotFail, ""},
		{"python3 -m unittest -q; echo done", event.CannotFail, ""},
		{"python3 -m unittest -q | tail -5", event.CannotFail, ""},
		{"./loose.sh", event.CannotFail, ""},
		{"make loose", event.CannotFail, ""},
		// A check that reads only a part, and no file of it can be broken.
		{"grep -q words page.txt", event.NotAssessed, "grep may read only a part of its inputs"},
		{"test -f page.txt", event.NotAssessed, "may read only a part"},
		{"python3 check.py", event.NotAssessed, "may read only a part"},
		// A red or missing environment is not a gate that can fail.
		{"false", event.NotAssessed, "does not pass on the untouched content either"},
		{"./needs_port.sh", event.NotAssessed, "does not pass on the untouched content either"},
		{"no-such-program", event.NotAssessed, "could not run"},
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
			if len(got.Tried) > maxCanaries || got.Result == event.CannotFail && len(got.Files) == 0 {
				t.Errorf("files: %v", got.Files)
			}
		})
	}
	t.Run("a file that it does not read", func(t *testing.T) {
		w := newWorld(t, map[string]string{"test_cart.py": "import unittest\n", "test_other.py": "import unittest\n", "cart.py": "x = 1\n"})
		now := w.take()
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(filepath.Join(w.root, "test_other.py"), later, later); err != nil {
			t.Fatal(err)
		}
		w.lab.Env.Environ = append(w.lab.Env.Environ, "ONLY=test_cart")
		if got := w.lab.Canary(t.Context(), w.job("test", "python3 -m unittest -q $ONLY || true"), now); got.Result == event.CannotFail && len(got.Tried) < 3 || got.Result == event.CanFail {
			t.Errorf("%+v", got)
		}
		if got := w.lab.Canary(t.Context(), w.job("test", "python3 -m unittest -q test_cart"), now); got.Result != event.CanFail || got.Files[0] != "test_cart.py" {
			t.Errorf("the file that the command names comes first: %+v", got)
		}
	})
	t.Run("no time", func(t *testing.T) {
		j := w.job("test", "sleep 5")
		short := 0.05
		j.Check.Timeout = &short
		if got := w.lab.Canary(t.Context(), j, now); got.Result != event.NotAssessed || !strings.Contains(got.Reason, "timed out") {
			t.Errorf("%+v", got)
		}
	})
	t.Run("it may judge the work tree", func(t *testing.T) {
		w := newWorld(t, python())
		w.lab.House.Plain = true
		now := w.take()
		if got := w.lab.Canary(t.Context(), w.job("test", "cd "+w.root+" && python3 -m unittest -q"), now); got.Result != event.NotAssessed || got.Reason != "it may judge the work tree" {
			t.Errorf("%+v", got)
		}
		if got := w.lab.Canary(t.Context(), w.job("test", "python3 -m unittest -q || true"), now); got.Result != event.CannotFail {
			t.Errorf("%+v", got)
		}
	})
	left, err := os.ReadFile(filepath.Join(w.root, "cart.py"))
	if err != nil || string(left) != python()["cart.py"] {
		t.Errorf("the work tree was touched: %q, %v", left, err)
	}
}
