package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/internal/history"
	"gauntlet/internal/redact"
	"gauntlet/internal/replay"
	"gauntlet/internal/report"
)

func (app *App) replayShowCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show one stop of the last replays",
		Long:    "Show one stop of the last replays: what changed, what the agent ran, what it would have received, and what happened next.",
		Example: "  gauntlet replay show 3f2a\n  gauntlet replay show 3f2a --json",
		RunE:    func(_ *cobra.Command, args []string) error { return app.replayShow(args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (app *App) replayShow(id string, asJSON bool) error {
	dir, err := app.replayDir()
	if err != nil {
		return err
	}
	found := replay.Show(dir, id)
	switch {
	case len(found) == 0:
		return exit(2, "no replayed stop %q (run `gauntlet replay` first; `gauntlet explain` shows recorded verdicts)", redact.Line(id, 60))
	case len(found) > 1:
		return exit(2, "%d replayed stops match %q: type more of the ID", len(found), redact.Line(id, 60))
	case asJSON:
		return writeJSON(app.Out, found[0])
	}
	report.Sample(app.Out, found[0])
	return nil
}

// label records whether a block was right, of a recorded verdict or of a replayed stop. A
// person's label counts more than what followed.
func (app *App) label(ctx context.Context, id, word string) error {
	if id == "" {
		return exit(2, "whose block was it? see `gauntlet log`, then: gauntlet explain ID --right (or --wrong)")
	}
	if word != string(replay.Right) && word != string(replay.Wrong) {
		return exit(2, "a label is right or wrong, not %q", redact.Line(word, 40))
	}
	if err := app.refuseAgents("gauntlet explain --"+word, " "+redact.Line(id, 60)); err != nil {
		return err
	}
	var ids []string
	if dir, err := app.replayDir(); err == nil {
		for _, s := range replay.Show(dir, id) {
			ids = append(ids, s.ID)
		}
	}
	s, err := app.openHistory(ctx)
	if err != nil {
		return err
	}
	found, err := s.Find(id)
	_ = s.Close()
	if err != nil {
		return err
	}
	for _, v := range found {
		ids = append(ids, v.ID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids) // a replay of the history keeps the IDs of its verdicts
	switch {
	case len(ids) == 0:
		return exit(2, "no verdict and no replayed stop %q (see `gauntlet log` and `gauntlet replay`)", redact.Line(id, 60))
	case len(ids) > 1:
		return exit(2, "%d verdicts match %q: type more of the ID", len(ids), redact.Line(id, 60))
	}
	dir, err := history.Dir(app.Getenv)
	if err != nil {
		return err
	}
	if err := history.Append(dir, history.Record{Type: history.Label, ID: ids[0], Time: app.Now(), Label: word}); err != nil {
		return err
	}
	fmt.Fprintf(app.Out, "%s: %s\n", ids[0], word)
	return nil
}
