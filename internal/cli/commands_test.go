package cli

import (
	"slices"
	"strings"
	"testing"
)

// A command is built alone by the name that the table gives it.
func TestCommandsAreCalledWhatTheTableSays(t *testing.T) {
	app := System()
	commands := app.commands()
	for _, c := range commands {
		if got := c.build().Name(); got != c.name {
			t.Errorf("%s is called %s", c.name, got)
		}
		if alone := app.root([]string{c.name, "--help"}).Commands(); len(alone) != 1 || alone[0].Name() != c.name {
			t.Errorf("%s: %d commands", c.name, len(alone))
		}
	}
	if !slices.IsSortedFunc(commands, func(a, b command) int { return strings.Compare(a.name, b.name) }) {
		t.Error("not in alphabetical order")
	}
	for _, args := range [][]string{nil, {"help"}, {"--help"}, {"__complete", "st"}, {"stat"}} {
		if all := app.root(args).Commands(); len(all) != len(commands) {
			t.Errorf("%q: %d of %d commands", args, len(all), len(commands))
		}
	}
}
