package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/report"
	"gauntlet/internal/text"
)

// helpWidth is the widest line of a help text: longer ones are hard to read.
const helpWidth = 80

// showHelp prints what a command is for and how it is called.
func (app *App) showHelp(cmd *cobra.Command, _ []string) {
	width := min(app.terminal().Width(), helpWidth)
	var b strings.Builder
	for _, paragraph := range strings.Split(strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)), "\n\n") {
		b.WriteString(filled(paragraph, width) + "\n\n")
	}
	if cmd.HasParent() {
		if cmd.Runnable() && !cmd.Hidden && !strings.Contains(cmd.Long, "xit code") {
			b.WriteString(report.Fold("Exit code 0: done. 1: something was found, or it was not done. 2: wrong usage, or it could not be determined.", width) + "\n\n")
		}
		for line := range strings.Lines(cmd.UsageString()) {
			b.WriteString(folded(line, width))
		}
	} else {
		b.WriteString("Usage: gauntlet COMMAND [flags]\n\n" + app.listed(width, everyDay) +
			"\nMore:  gauntlet help more\nHelp:  gauntlet COMMAND --help\n")
	}
	fmt.Fprint(cmd.OutOrStdout(), b.String())
}

// listed is one line per command of a group.
func (app *App) listed(width int, group string) string {
	var b strings.Builder
	line := func(name, about string) {
		b.WriteString(report.Fold(fmt.Sprintf("  %-12s  %s", name, about), width) + "\n")
	}
	for _, c := range app.commands() {
		switch {
		case c.group != group || c.name == "on":
		case c.name == "off":
			line("off, on", c.build().Short+"; judge them again")
		default:
			line(c.name, c.build().Short)
		}
	}
	switch group {
	case fleet:
		line("gauntlet-fleet", "Show the history of many machines on one page (a program of its own)")
	case shell:
		line("completion", "Print the completion script of a shell")
	}
	return b.String()
}

// filled wraps the lines of a paragraph again; one that is indented or a heading
// stays unchanged.
func filled(paragraph string, width int) string {
	if strings.Contains("\n"+paragraph, "\n ") || strings.Contains(paragraph, "\t") || strings.HasPrefix(paragraph, "#") {
		return paragraph
	}
	return report.Fold(strings.Join(strings.Fields(paragraph), " "), width)
}

// folded breaks the description of a flag, under where it begins, or below the flag if there
// is little room.
func folded(line string, width int) string {
	words := strings.TrimRight(line, "\n")
	at := strings.LastIndex(words, "   ") + 3
	if len([]rune(words)) <= width || !strings.HasPrefix(strings.TrimSpace(words), "-") || at < 3 {
		return line
	}
	indent := at
	head := words[:at]
	if width-at < 24 {
		indent, head = 10, strings.TrimRight(head, " ")+"\n"+strings.Repeat(" ", 10)
	}
	pad := strings.Repeat(" ", indent)
	return head + strings.ReplaceAll(report.Fold(words[at:], width-indent), "\n", "\n"+pad) + "\n"
}

// helpCmd is cobra's help, except that a topic that does not exist is an error.
func (app *App) helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show the help of a command, or more commands",
		Example: "  gauntlet help more\n  gauntlet help run",
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "more" {
				app.showMore(cmd)
				return nil
			}
			words := slices.DeleteFunc(slices.Clone(args), func(w string) bool { return strings.HasPrefix(w, "-") })
			found, rest, err := cmd.Root().Find(words)
			if err != nil || found == nil || len(rest) > 0 {
				names := []string{"more"}
				for _, c := range cmd.Root().Commands() {
					names = append(names, append(slices.Clone(c.Aliases), c.Name())...)
				}
				if near := text.Nearest(args[0], names); near != "" {
					return exit(2, "no help for %q (did you mean %q?)", strings.Join(args, " "), near)
				}
				return exit(2, "no help for %q; see: gauntlet --help", strings.Join(args, " "))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
		DisableFlagParsing: true,
	}
}

// showMore prints the commands that not everybody needs, by what they are about.
func (app *App) showMore(cmd *cobra.Command) {
	width := min(app.terminal().Width(), helpWidth)
	for i, group := range []string{insight, findings, proofs, policy, atWork, fleet, inCI, shell} {
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s", group, app.listed(width, group))
	}
}
