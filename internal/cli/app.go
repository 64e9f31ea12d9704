// Package cli is the surface of the program: command tree, flags, wiring and
// exit codes, one file per command. Ring 5: nothing imports it but main.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/ahead"
	"gauntlet/internal/redact"
	"gauntlet/internal/room"
	_ "gauntlet/internal/start" // every start is cheaper
	"gauntlet/internal/stop"
)

// App is the environment of the commands; tests pass in their own.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Environ  func() []string
	Getwd    func() (string, error)
	Now      func() time.Time
	Exit     func(code int) // ends the process while something in it hangs

	args []string // of this call, for what has to be known before they are parsed
}

// System is the real environment; exit ends the process.
func System(exit func(code int)) *App {
	return &App{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ, Getwd: os.Getwd, Now: time.Now, Exit: exit,
	}
}

// exitError carries an exit code out of a command; an empty message prints nothing.
type exitError struct {
	code  int
	msg   string
	cause error
}

func (e *exitError) Error() string { return e.msg }
func (e *exitError) Unwrap() error { return e.cause }

// exit makes an error that ends the program with code and prints msg on stderr.
func exit(code int, format string, args ...any) error {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = plainError(err)
		}
	}
	return &exitError{code: code, msg: fmt.Sprintf(format, args...)}
}

// plainError is an error for a person: without the names of system calls.
func plainError(err error) string {
	msg := err.Error()
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		said := at.Path + ": " + at.Err.Error()
		switch {
		case errors.Is(at.Err, fs.ErrNotExist):
			said = at.Path + " does not exist"
		case errors.Is(at.Err, fs.ErrPermission):
			said += " (check who owns it, and its mode)"
		}
		msg = strings.Replace(msg, at.Error(), said, 1)
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		msg = strings.Replace(msg, link.Error(), link.New+": "+link.Err.Error(), 1)
	}
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		msg = strings.Replace(msg, call.Error(), call.Err.Error(), 1)
	}
	return msg
}

// Main runs one command line and returns its exit code. Hook commands are
// dispatched before the command tree is built: they must start in a
// millisecond and must never fail.
func Main(args []string, app *App) int {
	debug.SetGCPercent(200) // most commands end before garbage is worth the time to collect it
	ctx := context.Background()
	if len(args) > 0 {
		if code, ok := app.hook(ctx, args); ok {
			return code
		}
	}
	ctx, cancel := interruptible(ctx)
	defer cancel()
	defer app.onScreen()()
	args = current(args)
	root := app.root(args)
	app.args = args
	root.SetArgs(args)
	root.SetIn(app.In)
	root.SetOut(app.Out)
	root.SetErr(app.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if ee, ok := errors.AsType[*exitError](err); ok {
		if ee.msg != "" {
			fmt.Fprintln(visible{app.Err}, "gauntlet: "+ee.msg)
		}
		return ee.code
	}
	fmt.Fprintln(visible{app.Err}, "gauntlet: "+plainFlagError(plainError(err)))
	return 2
}

// interruptible is a context that ends when a signal asks the process to end.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// hook runs the commands that agents call; ok is false when args name none of them.
// Each is one line here and one file of its own: func (app *App) xxxHook(ctx, args) int.
// A bug in Gauntlet must not keep an agent from its work: a panic is silence, too.
func (app *App) hook(ctx context.Context, args []string) (code int, ok bool) {
	defer func() {
		if recover() != nil {
			code, ok = 0, true
		}
	}()
	if wantsHelp(args) {
		return 0, false
	}
	switch args[0] {
	case "hook", "notify", "statusline", "stop-hook":
		if starved() {
			if args[0] == "stop-hook" {
				_, _ = app.Out.Write(stop.Unable(agentFlag(args[1:]), "this process may open too few files (ulimit -n)"))
			}
			return 0, true // silence lets every agent continue
		}
	}
	switch args[0] {
	case "hook":
		return app.smallHook(ctx, args[1:])
	case "notify":
		return app.notify(ctx, args[1:]), true
	case "statusline":
		app.watched(ctx, hookDeadline, app.statusLine)
		return 0, true
	case "stop-hook":
		return app.stopHook(ctx, agentFlag(args[1:])), true
	case room.Command: // by Gauntlet itself, to run a check in a room
		fmt.Fprintln(app.Err, "gauntlet: "+redact.Line(room.Enter(args[1:], app.Environ()).Error(), 500))
		return notEntered, true
	case ahead.Command: // by a hook, to prove gates before a stop needs them
		app.ahead(ctx, args[1:])
		return 0, true
	default:
		return 0, false
	}
}

// notEntered is the exit code of a check whose room could not be entered: it could not run.
const notEntered = 126

// root is the command tree. Building all of it takes longer than most commands do; so args
// that name one get that one, and everything else (help, completion, an unknown word) gets
// them all.
func (app *App) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "gauntlet",
		Short:         "Check a coding agent's work every time it tries to stop",
		Long:          "Check a coding agent's work every time it tries to stop: run the project's gates on what\nchanged, and send the agent back with what failed. In a project, gauntlet alone shows its status.",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          app.unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if at, err := app.site(); err != nil || !at.IsProject() {
				return cmd.Help()
			}
			return app.status(cmd.Context(), false)
		},
	}
	root.SetFlagErrorFunc(app.flagError)
	root.SetHelpFunc(app.showHelp)
	root.SetHelpCommand(app.helpCmd())
	cobra.EnableCommandSorting = false // the table is in order of use
	commands := app.commands()
	if i := slices.IndexFunc(commands, func(c command) bool { return len(args) > 0 && slices.Contains(c.names(), args[0]) }); i >= 0 {
		commands = commands[i : i+1]
		if showsProject(commands[0].name) {
			app.Out = visible{app.Out}
		}
		root.CompletionOptions.DisableDefaultCmd = true
	}
	for _, c := range commands {
		cmd := c.build()
		cmd.Hidden = c.group == ""
		explainArgs(cmd)
		root.AddCommand(cmd)
	}
	if !root.CompletionOptions.DisableDefaultCmd {
		finishCompletion(root)
	}
	return root
}

// command is a command by its name, in the group of the help in which a person looks for
// it; commands for agents and editors have no group.
type command struct {
	name  string
	also  string // the name it had before
	group string
	build func() *cobra.Command
}

func (c command) names() []string {
	if c.also == "" {
		return []string{c.name}
	}
	return []string{c.name, c.also}
}

// The groups of the help: what everybody needs, then what `gauntlet help more` shows.
const (
	everyDay = "Every day"
	insight  = "Insight"
	findings = "Findings"
	proofs   = "Proofs"
	policy   = "Policy"
	atWork   = "Workflow"
	fleet    = "Fleet"
	inCI     = "CI"
	shell    = "Shell"
)

// commands are all of them, each in a file of its own.
func (app *App) commands() []command {
	return []command{
		{"init", "", everyDay, app.initCmd},
		{"doctor", "", everyDay, app.doctorCmd},
		{"status", "", everyDay, app.statusCmd},
		{"run", "", everyDay, app.runCmd},
		{"list", "", everyDay, app.listCmd},
		{"log", "", everyDay, app.logCmd},
		{"explain", "", everyDay, app.explainCmd},
		{"off", "", everyDay, app.offCmd},
		{"on", "", everyDay, app.onCmd},
		{"allow", "", everyDay, app.allowCmd},
		{"ui", "", everyDay, app.uiCmd},
		{"config", "", everyDay, app.configCmd},
		{"uninstall", "", everyDay, app.uninstallCmd},
		{"stats", "", insight, app.statsCmd},
		{"replay", "", insight, app.replayCmd},
		{"reviewers", "health", findings, app.healthCmd},
		{"baseline", "", findings, app.baselineCmd},
		{"proofs", "", proofs, app.proofsCmd},
		{"snapshots", "checkpoints", proofs, app.snapshotsCmd},
		{"clean", "", proofs, app.cleanCmd},
		{"gate", "", policy, app.gateCmd},
		{"deny", "", policy, app.denyCmd},
		{"ask", "", atWork, app.askCmd},
		{"auto", "", atWork, app.autoCmd},
		{"state", "", atWork, app.stateCmd},
		{"handoff", "", atWork, app.handoffCmd},
		{"ship", "", atWork, app.shipCmd},
		{"ci", "", inCI, app.ciCmd},
		{"version", "", shell, app.versionCmd},
		{"hook", "", "", app.hookCmd},
		{"inject", "", "", app.injectCmd},
		{"man", "", "", app.manCmd},
		{"notify", "", "", app.notifyCmd},
		{"slug", "", "", app.slugCmd},
		{"statusline", "", "", app.statusLineCmd},
		{"stop-hook", "", "", app.stopHookCmd},
		{"tokens", "", "", app.tokensCmd},
	}
}

// current is a command line in the words of today: commands that were merged into others
// keep working under their old names.
func current(args []string) []string {
	if len(args) == 0 {
		return args
	}
	rest := args[1:]
	now := func(words ...string) []string { return append(words, rest...) }
	switch args[0] {
	case "check":
		return now("run", "--checks")
	case "review":
		return now("run", "--reviews")
	case "detect":
		return now("list", "--changed")
	case "owed", "checkpoint":
		return now("explain", "--next")
	case "validate":
		return now("config", "check")
	case "install":
		return now("init", "--agents")
	case "enforce", "observe":
		if len(rest) > 0 && rest[0] != "" && rest[0][0] != '-' {
			return append([]string{"gate", rest[0], args[0]}, rest[1:]...)
		}
		return now("gate")
	case "label":
		if len(rest) == 2 && rest[1] != "" && rest[1][0] != '-' {
			return []string{"explain", rest[0], "--label=" + rest[1]}
		}
		return now("explain", "--label=")
	case "help", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return append([]string{args[0]}, current(rest)...)
	}
	return args
}
