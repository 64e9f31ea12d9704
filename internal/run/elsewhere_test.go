package run

import (
	"strings"
	"testing"

	"gauntlet/internal/config"
	"gauntlet/internal/gate"
)

// An outage is one of these workers, at this farm, with this token; for a command, of this
// command alone.
func TestRunnersOfOutages(t *testing.T) {
	name := func(token, address string, c config.Check) string {
		e := &execution{opts: Options{Config: &config.Loaded{}, Getenv: func(string) string { return token }}}
		e.opts.Config.Project.Remote.Farm = &config.Farm{Address: address}
		return e.runner(gate.Job{Check: &c})
	}
	farm := func(pool string) config.Check {
		return config.Check{Runner: &config.Runner{Kind: config.RunnerRemote}, Platform: map[string]string{"pool": pool}}
	}
	ssh := func(host string) config.Check {
		return config.Check{Runner: &config.Runner{Exec: []string{"ssh", host}}}
	}
	small := name("t", "a:1", farm("small"))
	if small != name("t", "a:1", farm("small")) || name("t", "a:1", ssh("h")) != name("u", "b:1", ssh("h")) {
		t.Error("the same runner has two names")
	}
	for what, other := range map[string]string{
		"token": name("u", "a:1", farm("small")), "farm": name("t", "b:1", farm("small")), "workers": name("t", "a:1", farm("large")), "command": name("t", "a:1", ssh("h")),
	} {
		if other == small {
			t.Errorf("another %s has the same name", what)
		}
	}
	if name("t", "a:1", ssh("h")) == name("t", "a:1", ssh("i")) {
		t.Error("two hosts have the same name")
	}
}

// Only a shell that ran the script prints the proof, which is not part of the output.
func TestWitness(t *testing.T) {
	for name, tt := range map[string]struct {
		prints func(w *witness, script string) string
		output string
		code   int
		ok     bool
	}{
		"ran": {func(w *witness, _ string) string {
			return "out\n" + "\n" + w.halves[0] + w.halves[1] + " 3\n"
		}, "out\n", 3, true},
		"ran, and the connection says goodbye": {func(w *witness, _ string) string {
			return "out" + "\n" + w.halves[0] + w.halves[1] + " 0\n" + "bye\n"
		}, "outbye\n", 0, true},
		"long output": {func(w *witness, _ string) string {
			return strings.Repeat("x", 3*maxProof) + "\n" + w.halves[0] + w.halves[1] + " 0\n"
		}, strings.Repeat("x", 3*maxProof), 0, true},
		"nothing":     {func(*witness, string) string { return "" }, "", 0, false},
		"welcome":     {func(*witness, string) string { return "Welcome\n" }, "Welcome\n", 0, false},
		"broken off":  {func(w *witness, _ string) string { return "\n" + w.halves[0] + w.halves[1] + " 0" }, "", 0, false},
		"no number":   {func(w *witness, _ string) string { return "\n" + w.halves[0] + w.halves[1] + " -1\n" }, "", -1, false},
		"another one": {func(*witness, string) string { return "\ngauntlet-AAAABBBB 0\n" }, "\ngauntlet-AAAABBBB 0\n", 0, false},
	} {
		var out strings.Builder
		w := newWitness(&out)
		for _, part := range strings.SplitAfter(tt.prints(w, w.script("true")), "x") {
			if _, err := w.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
		if code, ok := w.end(); code != tt.code || ok != tt.ok || out.String() != tt.output {
			t.Errorf("%s: %d %t %q", name, code, ok, out.String())
		}
	}
	var out strings.Builder
	w := newWitness(&out)
	if _, err := w.Write([]byte(w.script("true"))); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.end(); ok {
		t.Error("a runner that repeats what it got proves something")
	}
}
