package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// flagError explains what is wrong with a flag and which value it takes, not what the
// value's parser found.
func (app *App) flagError(cmd *cobra.Command, err error) error {
	see := "; see: " + cmd.CommandPath() + " --help"
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			return exit(2, "unknown flag -%s%s", name, see)
		}
		if near := text.Nearest(name, flagNames(cmd)); near != "" {
			return exit(2, "unknown flag --%s (did you mean --%s?)%s", name, near, see)
		}
		if other := app.hasFlag(cmd, name); other != "" {
			return exit(2, "unknown flag --%s; it is a flag of %q%s", name, other, see)
		}
		return exit(2, "unknown flag --%s%s", name, see)
	}
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return exit(2, "--%s needs %s, not %q%s", value.GetFlag().Name, takes(value.GetFlag()), value.GetValue(), see)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return exit(2, "--%s needs %s%s", missing.GetFlag().Name, takes(missing.GetFlag()), see)
	}
	return exit(2, "%v%s", err, see)
}

// plainFlagError rewrites cobra's message about flags that exclude each other.
func plainFlagError(msg string) string {
	rest, ok := strings.CutPrefix(msg, "if any flags in the group [")
	_, set, found := strings.Cut(rest, "; [")
	if names, _, closed := strings.Cut(set, "]"); ok && found && closed {
		return "--" + strings.ReplaceAll(names, " ", " and --") + " cannot be used together"
	}
	return msg
}

// unknownCommand names the command that was meant, as far as that can be known.
func (app *App) unknownCommand(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	meant := map[string]string{
		"skip": "gate NAME skip", "disable": "off", "pause": "off", "stop": "off", "enable": "on", "resume": "on", "fix": "run --fix", "test": "run", "lint": "run",
		"why": "explain", "show": "explain", "history": "log", "page": "ui", "web": "ui", "dashboard": "ui", "trust": "allow", "remove": "uninstall", "setup": "init", "settings": "config",
	}[args[0]]
	if meant == "" {
		names := []string{"check", "review", "detect", "owed", "validate", "install", "label", "enforce", "observe", "help", "completion"}
		for _, c := range app.commands() {
			names = append(names, c.names()...)
		}
		meant = text.Nearest(args[0], names)
	}
	if meant == "" {
		return exit(2, "unknown command %q; see: gauntlet --help", redact.Line(args[0], 60))
	}
	return exit(2, "unknown command %q (did you mean `gauntlet %s`?); see: gauntlet --help", redact.Line(args[0], 60), meant)
}

// hasFlag is the command with a flag of this name that may have been meant: a sub-command,
// or another one; a flag that many commands have points to none of them.
func (app *App) hasFlag(cmd *cobra.Command, name string) string {
	has := func(list []*cobra.Command) (out []string) {
		for _, c := range list {
			if !c.Hidden && c.Flags().Lookup(name) != nil {
				out = append(out, c.CommandPath())
			}
		}
		return out
	}
	if subs := has(cmd.Commands()); len(subs) > 0 {
		return subs[0]
	}
	if all := has(app.root(nil).Commands()); len(all) == 1 || len(all) == 2 {
		return all[0]
	}
	return ""
}

// takes describes the value of a flag.
func takes(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64", "uint", "count":
		return "a whole number"
	case "float64":
		return "a number"
	case "duration":
		return "a time such as 30s, 10m or 2h"
	case "bool":
		return "true or false"
	}
	return "a value"
}

func flagNames(cmd *cobra.Command) []string {
	var out []string
	add := func(f *pflag.Flag) { out = append(out, f.Name) }
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return out
}

// explainArgs makes a command and its sub-commands describe their arguments.
func explainArgs(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		explainArgs(sub)
	}
	if cmd.HasSubCommands() && !cmd.Runnable() { // else a wrong word would print the help and succeed
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	valid := cmd.Args
	if valid == nil {
		valid = argsOf(cmd.Use)
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := valid(cmd, args)
		if err == nil {
			return nil
		}
		see := "see: " + cmd.CommandPath() + " --help"
		_, wants, _ := strings.Cut(cmd.Use, " ")
		switch {
		case cmd.HasSubCommands() && len(args) > 0:
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			if near := text.Nearest(args[0], names); near != "" {
				return exit(2, "unknown command %q for %q (did you mean %q?)", args[0], cmd.CommandPath(), near)
			}
			return exit(2, "unknown command %q for %q; %s", args[0], cmd.CommandPath(), see)
		case wants == "" && len(args) > 0:
			return exit(2, "%s takes no arguments, but got %q; %s", cmd.CommandPath(), args[0], see)
		case wants != "":
			return exit(2, "usage: %s; %s", cmd.CommandPath()+" "+wants, see)
		}
		return exit(2, "%v; %s", err, see)
	}
}

// argsOf are the arguments that a usage line such as "show GATE" or "prune [GATE…]" names.
func argsOf(use string) cobra.PositionalArgs {
	words := strings.Fields(use)[1:]
	required := len(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w[0] == '[' }))
	if strings.Contains(use, "…") || strings.Contains(use, "...") {
		return cobra.MinimumNArgs(required)
	}
	return cobra.RangeArgs(required, len(words))
}

// finishCompletion makes a shell that does not exist an error.
func finishCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Hidden = true
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			explainArgs(c)
		}
	}
}
