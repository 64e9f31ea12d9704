package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/replay"
	"gauntlet/internal/report"
	"gauntlet/internal/run"
	"gauntlet/internal/text"
)

func (app *App) explainCmd() *cobra.Command {
	var asJSON, next, right, wrong bool
	var word string
	var scope historyScope
	var of checkpointFlags
	cmd := &cobra.Command{
		Use:   "explain [ID]",
		Short: "Show how a stop was judged and why, or what is still owed",
		Long: `Show everything that is known about one verdict: what was decided, the time of
each step, the result of each gate, and what was sent to the agent. Without an ID
it is the last stop of this project. An ID of ` + "`gauntlet log`" + ` may be shortened
to its beginning or its end. The ID of a session stands for its last stop.

With --next, show what a stop would say is owed now, and why; nothing is blocked or
recorded. With --right or --wrong, record your own judgement of a block, or of a stop
that gauntlet replay shows: it counts more than what followed.`,
		Example: `  gauntlet explain
  gauntlet explain 3f9a1c
  gauntlet explain --next
  gauntlet explain 3f9a1c --wrong
  gauntlet explain --everywhere`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			switch {
			case right:
				word = string(replay.Right)
			case wrong:
				word = string(replay.Wrong)
			}
			if cmd.Flags().Changed("label") || word != "" {
				if id == "" {
					return exit(2, "whose block was it? see `gauntlet log`, then: gauntlet explain ID --right (or --wrong)")
				}
				return app.label(cmd.Context(), id, word)
			}
			if next && id != "" {
				return exit(2, "--next is about the stop to come and takes no ID, but got %q; see: gauntlet explain --help", redact.Line(id, 60))
			}
			if next {
				return app.explainNext(cmd.Context(), of, asJSON)
			}
			if err := needs(cmd, "next", "agent", "transcript"); err != nil {
				return err
			}
			return app.explain(cmd.Context(), id, asJSON, scope)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&next, "next", false, "what a stop would say is owed now, and why")
	cmd.Flags().BoolVar(&right, "right", false, "record that this block was right")
	cmd.Flags().BoolVar(&wrong, "wrong", false, "record that this block was wrong")
	cmd.Flags().StringVar(&word, "label", "", "right or wrong")
	_ = cmd.Flags().MarkHidden("label")
	cmd.MarkFlagsMutuallyExclusive("right", "wrong", "label", "next")
	of.add(cmd)
	scope.flags(cmd)
	return cmd
}

func (app *App) explain(ctx context.Context, id string, asJSON bool, scope historyScope) error {
	s, err := app.openHistory(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	var v store.Verdict
	if id != "" {
		v, err = app.pick(ctx, s, id)
	} else {
		v, err = app.lastStop(s, scope)
	}
	if err != nil {
		return err
	}
	e, err := app.aftermath(ctx, s, v)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(app.Out, e)
	}
	return app.printVerdict(e)
}

// explained is a verdict and what became of it, as explain prints it as JSON.
type explained struct {
	store.Verdict
	// Word is whether a block was right; nil: nothing blocked or would have.
	*ask.Word
	// Then is the session's next stop.
	Then *ask.Stop `json:"then,omitempty"`
}

// aftermath finds out what became of a stop: whether a block was right, and the session's
// next stop.
func (app *App) aftermath(ctx context.Context, s *store.Store, v store.Verdict) (explained, error) {
	ownLogs(v)
	v.Outcome = v.EndedAs(v.Gates)
	e := explained{Verdict: v}
	if v.Decision == "block" || v.WouldBlock {
		facts, err := app.facts(ctx, s, v.Time)
		if err != nil {
			return e, err
		}
		if word, known := facts.Aftermath("", v.ID); known {
			e.Word = &word
		}
	}
	one, err := ask.One(ctx, s, "", v.ID)
	if err == nil && len(one.After) > 0 {
		e.Then = &one.After[0]
	}
	return e, err
}

// pick finds a verdict by its ID, or the newest one of a session by the session's.
func (app *App) pick(ctx context.Context, s *store.Store, id string) (store.Verdict, error) {
	list, err := s.Find(id)
	if err == nil && len(list) == 0 {
		session, unknown := app.sessionIn(s, id)
		if unknown == nil {
			list, err = newest(ctx, s, ask.Filter{Session: session}, 1)
		}
	}
	switch {
	case err != nil:
		return store.Verdict{}, err
	case len(list) == 0:
		return store.Verdict{}, exit(2, "no verdict and no session %s is known (see `gauntlet log`)", redact.Line(id, 60))
	case len(list) > 1:
		var ids []string
		for _, v := range list[:min(len(list), 5)] {
			ids = append(ids, redact.Line(v.ID, 40))
		}
		if more := len(list) - len(ids); more > 0 {
			ids = append(ids, fmt.Sprintf("and %d more", more))
		}
		return store.Verdict{}, exit(2, "%d verdicts match %q: type more of the ID (%s)", len(list), redact.Line(id, 60), strings.Join(ids, ", "))
	}
	return list[0], nil
}

// lastStop is the newest stop of the selected project; without one the newest run by hand.
func (app *App) lastStop(s *store.Store, scope historyScope) (store.Verdict, error) {
	paths, err := scope.paths(app)
	if err != nil {
		return store.Verdict{}, err
	}
	list, err := s.Verdicts(paths, 100)
	switch {
	case err != nil:
		return store.Verdict{}, err
	case len(list) == 0 && paths != nil:
		return store.Verdict{}, exit(1, "nothing recorded for this project yet (all projects: gauntlet explain --everywhere)")
	case len(list) == 0:
		return store.Verdict{}, exit(1, "nothing recorded yet")
	}
	if i := slices.IndexFunc(list, func(v store.Verdict) bool { return v.Source != history.FromRun }); i >= 0 {
		return list[i], nil
	}
	return list[0], nil
}

func (app *App) printVerdict(v explained) error {
	t := app.terminal()
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(app.Out, "%-*s%s\n", nameWidth, name, t.Wrap(redact.Line(value, 1000), nameWidth))
		}
	}
	line("verdict", v.ID)
	line("time", v.Time.In(app.Now().Location()).Format(time.DateTime))
	line("by", strings.TrimSpace(who(v.Source, v.Agent)+" "+v.Client))
	line("model", v.Model)
	line("session", v.Session)
	line("turn", v.Turn)
	line("project", v.Project)
	if v.Cwd != "" && filepath.Clean(v.Cwd) != v.Project {
		line("directory", v.Cwd)
	}
	fmt.Fprintf(app.Out, "%-*s%s\n", nameWidth, "outcome", painted(t, v.Outcome, shownOutcome(v.Outcome, v.Status, v.Badges)))
	line("decision", v.Decision)
	line("status", v.Status)
	line("message", v.Message)
	line("shown", v.SystemMessage)
	if v.Word != nil {
		line("block", strings.TrimSuffix(v.Aftermath+": "+v.Because, ": "))
	}
	if next := v.Then; next != nil {
		line("then", fmt.Sprintf("%s later: %s, %s (%s)", millis(float64(next.At.Sub(v.Time).Milliseconds())), next.Status, next.Message, next.ID))
	}
	line("took", millis(v.DurationMS))
	if v.Tokens != nil {
		line("tokens", fmt.Sprintf("%d used by the turn so far, input from a cache not counted", *v.Tokens))
	}
	app.printSteps(t, v.Steps)
	app.printGates(t, v.Gates)
	app.printText(t, "Judged by something that this work changed", v.JudgeChange)
	app.printText(t, "What was sent to the agent", v.Reason)
	return app.namePage(t)
}

// printText prints a text of several lines below a heading.
func (app *App) printText(t report.Terminal, heading, text string) {
	if text == "" {
		return
	}
	fmt.Fprintln(app.Out, "\n"+t.Bold(heading))
	for line := range strings.Lines(redact.Strip(text)) {
		fmt.Fprintln(app.Out, "  "+strings.TrimRight(line, "\n"))
	}
}

// nameWidth is the column of names in explain, its gap included.
const nameWidth = 11

// namePage prints where the same is shown on the page.
func (app *App) namePage(t report.Terminal) error {
	_, err := fmt.Fprintln(app.Out, "\n"+t.Dim("As a page: gauntlet ui"))
	return err
}

func (app *App) printSteps(t report.Terminal, steps []history.Step) {
	if len(steps) == 0 {
		return
	}
	fmt.Fprintln(app.Out, "\n"+t.Bold("Steps"))
	names := 0
	for _, s := range steps {
		names = max(names, utf8.RuneCountInString(redact.Line(s.Name, 60)))
	}
	for _, s := range steps {
		head := fmt.Sprintf("  %-*s  %-5s  ", names, redact.Line(s.Name, 60), millis(s.MS))
		fmt.Fprintln(app.Out, t.Beside(head, redact.Line(s.Note, 200)))
	}
}

// printGates prints each gate's result, and its log in full: people copy it.
func (app *App) printGates(t report.Terminal, gates []history.Record) {
	if len(gates) == 0 {
		return
	}
	fmt.Fprintln(app.Out, "\n"+t.Bold("Gates"))
	names := 0
	for _, g := range gates {
		names = max(names, utf8.RuneCountInString(redact.Line(gate.Label(g.Gate), 120)))
	}
	for _, g := range gates {
		took := millis(g.DurationMS)
		switch {
		case g.Cached && g.Status == "fail": // a review whose findings have no answer yet
			took = "not run"
		case g.Cached:
			took = "reused"
		}
		message := strings.Trim(g.Message+"; "+g.Warning, "; ")
		head := fmt.Sprintf("  %-*s  %-5s  %-6s  ", min(names, t.Width()/2), redact.Line(gate.Label(g.Gate), 120), redact.Line(g.Status, 20), took)
		line := t.Beside(head, redact.Line(message, 200))
		switch g.Status {
		case "fail":
			line = t.Bad(line)
		case "error":
			line = t.Warn(line)
		}
		fmt.Fprintln(app.Out, line)
		app.printOutput(t, g)
		if g.LogPath != "" {
			fmt.Fprintln(app.Out, "    Log: "+redact.Line(g.LogPath, 300))
		}
	}
}

// ownLogs names only the logs of this very run, where they are now.
func ownLogs(v store.Verdict) {
	for i := range v.Gates {
		v.Gates[i].LogPath = run.LogAt(v.Gates[i].LogPath, v.Time)
	}
}

// shownLines is how much of a gate's output explain shows; --json has all that is kept.
const shownLines = 40

// printOutput prints what a gate printed that did not pass, from its own record.
func (app *App) printOutput(t report.Terminal, g history.Record) {
	lines := strings.Split(strings.TrimRight(redact.Strip(g.Tail), "\n"), "\n")
	switch {
	case g.Status != "fail" && g.Status != "error":
		return
	case g.Tail == "" && g.Kind == string(gate.KindCheck) && g.LogPath == "":
		fmt.Fprintln(app.Out, "    "+t.Dim("The output of this run was not kept."))
		return
	case g.Tail == "":
		return
	}
	if more := len(lines) - shownLines; more > 0 {
		fmt.Fprintln(app.Out, "    "+t.Dim(fmt.Sprintf("(%s above: gauntlet explain --json %s)", text.Count(more, "more line"), g.ID)))
		lines = lines[more:]
	}
	for _, line := range lines {
		fmt.Fprintln(app.Out, "    "+line)
	}
}
