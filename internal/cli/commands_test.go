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
		for _, name := range c.names() {
			alone := app.root([]string{name, "--help"}).Commands()
			if len(alone) != 1 || alone[0].Name() != c.name || name != c.name && !alone[0].HasAlias(name) {
				t.Errorf("%s: %d commands", name, len(alone))
			}
		}
	}
	for _, args := range [][]string{nil, {"help"}, {"--help"}, {"__complete", "st"}, {"stat"}} {
		if all := app.root(args).Commands(); len(all) != len(commands)+1 { // and completion
			t.Errorf("%q: %d of %d commands", args, len(all), len(commands))
		}
	}
}

// A person finds a command in a group; what only agents call is not shown.
func TestHelpIsInGroups(t *testing.T) {
	var out strings.Builder
	app := System()
	app.Out, app.Err = &out, &out
	if code := Main([]string{"--help"}, app); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	help := out.String()
	var at []int
	for _, title := range []string{"Set up:", "Every day:", "When it blocks:", "Insight:", "For agents and scripts:"} {
		at = append(at, strings.Index(help, "\n"+title+"\n"))
	}
	if slices.Contains(at, -1) || !slices.IsSorted(at) || strings.Contains(help, "Additional Commands") {
		t.Errorf("groups at %v:\n%s", at, help)
	}
	for _, hidden := range []string{"stop-hook", "statusline", "notify", "inject", "slug", "checkpoints", "health"} {
		if strings.Contains(help, "\n  "+hidden+" ") {
			t.Errorf("%s is shown", hidden)
		}
	}
	if strings.Index(help, "  init ") > strings.Index(help, "  uninstall ") {
		t.Error("init does not come first")
	}
}

func TestWrongArgumentsGetAHint(t *testing.T) {
	for args, want := range map[string]string{
		"log -n x":          `gauntlet: --number needs a whole number, not "x"; see: gauntlet log --help`,
		"off --for 2":       `gauntlet: --for needs a time such as 30s, 10m or 2h, not "2"; see: gauntlet off --help`,
		"off --for":         `gauntlet: --for needs a time such as 30s, 10m or 2h; see: gauntlet off --help`,
		"init --dry":        `gauntlet: unknown flag --dry (did you mean --dry-run?); see: gauntlet init --help`,
		"init --user":       `gauntlet: unknown flag --user; it is a flag of "gauntlet install"; see: gauntlet init --help`,
		"list x":            `gauntlet: gauntlet list takes no arguments, but got "x"; see: gauntlet list --help`,
		"snapshots lst":     `gauntlet: unknown command "lst" for "gauntlet snapshots" (did you mean "list"?)`,
		"snapshots restore": `gauntlet: usage: gauntlet snapshots restore N; see: gauntlet snapshots restore --help`,
		"completion foo":    `gauntlet: unknown command "foo" for "gauntlet completion"; see: gauntlet completion --help`,
		"help docter":       `gauntlet: no help for "docter" (did you mean "doctor"?)`,
		"help qwertz":       `gauntlet: no help for "qwertz"; see: gauntlet --help`,
	} {
		var out strings.Builder
		app := System()
		app.Out, app.Err = &out, &out
		if code := Main(strings.Fields(args), app); code != 2 || strings.TrimSpace(out.String()) != want {
			t.Errorf("%s: %d %s", args, code, out.String())
		}
	}
}
