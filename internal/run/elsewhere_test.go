package run

import (
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
