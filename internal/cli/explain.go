package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/replay"
	"gauntlet/internal/report"
	"gauntlet/internal/run"
)

func (app *App) explainCmd() *cobra.Command {
	var asJSON, next, undo, right, wrong bool
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
recorded. With --undo, find out for each file that the last session changed whether a
test notices its change. With --right or --wrong, record your own judgement of a
block, or of a stop that gauntlet replay shows: it counts more than what followed.`,
		Example: `  gauntlet explain
  gauntlet explain 3f9a1c
  gauntlet explain --next
  gauntlet explain --undo
  gauntlet explain 3f9a1c --wrong
  gauntlet explain --everywhere`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id := strings.Join(args[:min(1, len(args))], "")
			switch {
			case right:
				word = string(replay.Right)
			case wrong:
				word = string(replay.Wrong)
			}
			if cmd.Flags().Changed("label") || word != "" {
				return app.label(cmd.Context(), id, word)
			}
			if next {
				return app.explainNext(cmd.Context(), id, of, asJSON)
			}
			if undo {
				return app.explainUndo(cmd.Context(), asJSON)
			}
			if err := needs(cmd, nextFlag, "agent", "transcript"); err != nil {
				return err
			}
			return app.explain(cmd.Context(), id, asJSON, scope)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&next, nextFlag, false, "what a stop would say is owed now, and why")
	cmd.Flags().BoolVar(&undo, "undo", false, "whether a test notices the change of each file")
	cmd.Flags().BoolVar(&right, "right", false, "record that this block was right")
	cmd.Flags().BoolVar(&wrong, "wrong", false, "record that this block was wrong")
	cmd.Flags().StringVar(&word, "label", "", "right or wrong")
	_ = cmd.Flags().MarkHidden("label")
	cmd.MarkFlagsMutuallyExclusive("right", "wrong", "label", nextFlag, "undo")
	of.add(cmd)
	scope.flags(cmd)
	return cmd
}

// nextFlag asks about the stop to come.
const nextFlag = "next"

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
	return app.printer().Verdict(e)
}

// aftermath finds out what became of a stop: whether a block was right, and the session's
// next stop.
func (app *App) aftermath(ctx context.Context, s *store.Store, v store.Verdict) (report.Explained, error) {
	ownLogs(v)
	v.Outcome = v.EndedAs(v.Gates)
	e := report.Explained{Verdict: v}
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

// ownLogs names only the logs of this very run, where they are now.
func ownLogs(v store.Verdict) {
	for i := range v.Gates {
		v.Gates[i].LogPath = run.LogAt(v.Gates[i].LogPath, v.Time)
	}
}
