package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// A command is built alone by its name in the table.
func TestCommandNamesMatchTheTable(t *testing.T) {
	app := System(os.Exit)
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

// Help fits a terminal of 80 columns; only examples are lines that must stay whole.
func TestHelpFitsTheTerminal(t *testing.T) {
	app := System(os.Exit)
	app.Out = io.Discard
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		var out strings.Builder
		c.SetOut(&out)
		c.InitDefaultHelpFlag()
		app.showHelp(c, nil)
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > helpWidth && !strings.Contains(c.Example+c.Long, strings.TrimSpace(line)) {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), n, line)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(app.root(nil))
}

// The help has twelve commands, one line each; the rest is in help more, and what only agents
// call is in neither.
func TestHelpHasTwelveCommands(t *testing.T) {
	help := func(args ...string) string {
		var out strings.Builder
		app := System(os.Exit)
		app.Out, app.Err = &out, &out
		if code := Main(args, app); code != 0 {
			t.Fatalf("%q: exit code %d", args, code)
		}
		return out.String()
	}
	names := func(help string) (out []string) {
		for line := range strings.Lines(help) {
			if name, ok := strings.CutPrefix(line, "  "); ok && name[0] != ' ' {
				name, _, _ = strings.Cut(name, "  ")
				out = append(out, name)
			}
		}
		return out
	}
	want := []string{"init", "doctor", "status", "run", "list", "log", "explain", "off, on", "allow", "ui", "config", "uninstall"}
	if got := names(help("--help")); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	more := names(help("help", "more"))
	for _, c := range System(os.Exit).commands() {
		shown := slices.Contains(more, c.name)
		if c.group == "" && shown || c.group != "" && c.group != everyDay && !shown {
			t.Errorf("%s in help more: %v", c.name, shown)
		}
	}
}

// Every name that once worked still does.
func TestOldNames(t *testing.T) {
	for args, want := range map[string]string{
		"check --uncommitted":       "run --checks --uncommitted",
		"review":                    "run --reviews",
		"detect --json":             "list --changed --json",
		"owed --json":               "explain --next --json",
		"checkpoint":                "explain --next",
		"validate":                  "config check",
		"install --agent x --local": "init --agents --agent x --local",
		"label 3f wrong":            "explain 3f --label=wrong",
		"label 3f":                  "explain --label= 3f",
		"help validate":             "help config check",
		"run":                       "run",
	} {
		got := current(strings.Fields(args))
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q", args, got)
		}
		if cmd, _, err := System(os.Exit).root(nil).Find(got); got[0] != "help" && (err != nil || cmd.Name() == "gauntlet") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestWrongArgumentsGetAHint(t *testing.T) {
	for args, want := range map[string]string{
		"log -n x":               `gauntlet: --number needs a whole number, not "x"; see: gauntlet log --help`,
		"off --for 2":            `gauntlet: --for needs a time such as 30s, 10m or 2h, not "2"; see: gauntlet off --help`,
		"off --for":              `gauntlet: --for needs a time such as 30s, 10m or 2h; see: gauntlet off --help`,
		"init --dry":             `gauntlet: unknown flag --dry (did you mean --dry-run?); see: gauntlet init --help`,
		"init --user":            `gauntlet: --user needs --agents; see: gauntlet init --help`,
		"version --json":         `gauntlet: unknown flag --json; see: gauntlet version --help`,
		"snapshots --json":       `gauntlet: unknown flag --json; it is a flag of "gauntlet snapshots list"; see: gauntlet snapshots --help`,
		"clean x":                `gauntlet: gauntlet clean takes no arguments, but got "x"; see: gauntlet clean --help`,
		"list --commit x":        `gauntlet: --commit needs --changed; see: gauntlet list --help`,
		"init x":                 `gauntlet: gauntlet init takes no arguments, but got "x"; see: gauntlet init --help`,
		"snapshots lst":          `gauntlet: unknown command "lst" for "gauntlet snapshots" (did you mean "list"?)`,
		"snapshots restore":      `gauntlet: usage: gauntlet snapshots restore N; see: gauntlet snapshots restore --help`,
		"completion foo":         `gauntlet: unknown command "foo" for "gauntlet completion"; see: gauntlet completion --help`,
		"ci int":                 `gauntlet: unknown command "int" for "gauntlet ci" (did you mean "init"?)`,
		"baseline x":             `gauntlet: unknown command "x" for "gauntlet baseline"; see: gauntlet baseline --help`,
		"ui --port 70000":        `gauntlet: --port must be between 0 and 65535`,
		"-x":                     `gauntlet: unknown flag -x; see: gauntlet --help`,
		"stauts":                 "gauntlet: unknown command \"stauts\" (did you mean `gauntlet status`?); see: gauntlet --help",
		"skip test":              "gauntlet: unknown command \"skip\" (did you mean `gauntlet gate NAME skip`?); see: gauntlet --help",
		"disable":                "gauntlet: unknown command \"disable\" (did you mean `gauntlet off`?); see: gauntlet --help",
		"vlidate":                "gauntlet: unknown command \"vlidate\" (did you mean `gauntlet validate`?); see: gauntlet --help",
		"qwertzuiop":             `gauntlet: unknown command "qwertzuiop"; see: gauntlet --help`,
		"install --user --local": `gauntlet: --local and --user cannot be used together`,
		"help docter":            `gauntlet: no help for "docter" (did you mean "doctor"?)`,
		"help qwertz":            `gauntlet: no help for "qwertz"; see: gauntlet --help`,
	} {
		var out strings.Builder
		app := System(os.Exit)
		app.Out, app.Err = &out, &out
		if code := Main(strings.Fields(args), app); code != 2 || strings.TrimSpace(out.String()) != want {
			t.Errorf("%s: %d %s", args, code, out.String())
		}
	}
}

// No text of the Go runtime or of a system call reaches a person, whatever is typed.
func TestErrorsArePlain(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, ".gauntlet/config.yml", "entry_points: [{path: ., checks: [lint]}]\n")
	mustWrite(t, dir, ".gauntlet/checks/lint.yml", "command: \"true\"\n")
	for args, want := range map[string]string{
		"run lnt --allow":                         `no gate named "lnt" (did you mean "lint"?)`,
		"observe lnt":                             `no gate named "lnt" (did you mean "lint"?)`,
		"enforce lnt":                             `no gate named "lnt" (did you mean "lint"?)`,
		"observe checkpoint":                      ".gauntlet/config.yml has no checkpoint section; add one",
		"enforce checkpoint":                      ".gauntlet/config.yml has no checkpoint section; add one",
		"init --yes --agent foo":                  `unknown agent "foo"; known are: claude,`,
		"init --yes --try-timeout -1s":            "--try-timeout needs a time such as",
		"run nosuch --allow":                      "no gate named \"nosuch\" (see `gauntlet list`)",
		"replay /nowhere/x":                       "/nowhere/x does not exist",
		"replay /nowhere/\x1b[31mx":               `/nowhere/\x1b[31mx does not exist`,
		"help foo":                                `no help for "foo"; see: gauntlet --help`,
		"replay --config /nowhere/x.yml":          "/nowhere/x.yml: does not exist",
		"ci init --system x":                      `--system is github or gitlab, not "x"`,
		"run --allow --report /nowhere/there.xml": "/nowhere/there.xml does not exist",
	} {
		var errs strings.Builder
		app := System(os.Exit)
		app.Out, app.Err = &strings.Builder{}, &errs
		app.Getwd = func() (string, error) { return dir, nil }
		app.Getenv = func(name string) string {
			switch name {
			case "HOME":
				return dir
			case "GAUNTLET_TRUST":
				return "all"
			}
			return ""
		}
		if code := Main(strings.Fields(args), app); code != 2 || !strings.Contains(errs.String(), want) || strings.Contains(errs.String(), "no such file") {
			t.Errorf("%s: exit code %d, %s", args, code, errs.String())
		}
	}
}

func TestPermissionErrorsSayWhatToDo(t *testing.T) {
	denied := fmt.Errorf("trust: %w", &fs.PathError{Op: "mkdir", Path: "/state/gauntlet", Err: fs.ErrPermission})
	if got, want := plainError(denied), "trust: /state/gauntlet: permission denied (check who owns it, and its mode)"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

func mustWrite(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every command that a person can type has an example.
func TestEveryCommandHasAnExample(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if !c.HasSubCommands() && c.Example == "" && c.Name() != "help" && c.Parent().Name() != "completion" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		if c.Short == "" {
			t.Errorf("%s has no description", c.CommandPath())
		}
	}
	walk(System(os.Exit).root(nil))
}
