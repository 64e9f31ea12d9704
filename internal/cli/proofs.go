package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/gate"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/run"
	"gauntlet/internal/text"
	"gauntlet/internal/trust"
)

func (app *App) proofsCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "proofs",
		Short: "List what is already proved, and by whom",
		Long: `List what is already proved, and by whom: passes that are not run again while the
content is the same, and failures that are kept to distinguish old ones from new ones.
All work trees of a repository share them.

Exit code 0: printed. 2: could not determine (configuration, git).`,
		Example: `  gauntlet proofs
  gauntlet proofs show test
  gauntlet proofs forget`,
		RunE: func(*cobra.Command, []string) error { return app.listProofs(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	cmd.AddCommand(app.proofsShowCmd(), app.proofsForgetCmd(), app.proofsTrustCmd(), app.proofsKeyCmd(), app.proofsPublishCmd())
	return cmd
}

// proofOptions are a run's options for reading its ledger.
func (app *App) proofOptions() (run.Options, proof.Ledger, error) {
	opts, err := app.optionsOnDisk()
	if err != nil {
		return run.Options{}, proof.Ledger{}, err
	}
	ledger, err := run.LedgerOf(opts)
	return opts, ledger, err
}

// listedProof is a record as `proofs --json` shows it.
type listedProof struct {
	proof.Record
	Proof proof.Origin `json:"proof"`
}

func (app *App) listProofs(asJSON bool) error {
	opts, ledger, err := app.proofOptions()
	if err != nil {
		return err
	}
	here := opts.Config.Root
	list := []listedProof{}
	for _, r := range ledger.List() {
		o := r.Origin(here)
		r.Source, r.LogPath = o.Source, run.LogOf(r)
		list = append(list, listedProof{r, o})
	}
	if asJSON {
		return writeJSON(app.Out, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(app.Out, "Nothing is proved yet.")
		return nil
	}
	return app.printTable(func(w io.Writer) {
		for _, p := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\n", redact.Line(p.Gate, 100), p.Key[:12], describe(p.Record, p.Proof, here, app))
		}
	})
}

// describe describes what a record proves.
func describe(r proof.Record, o proof.Origin, here string, app *App) string {
	text := o.Describe(here, app.Now())
	if r.Outcome == proof.Fail {
		text = strings.Replace(text, "passed", "failed", 1)
	}
	if r.Warning != "" {
		text += ", " + r.Warning
	}
	return text
}

func (app *App) proofsShowCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show GATE",
		Short: "Show whether a gate is proved for what is here now",
		Long: `Show whether a gate is proved for the current content. If it is not, show
which part of what it depends on differs from its newest proof.

Exit code 0: printed. 2: could not determine (configuration, git).`,
		Example: "  gauntlet proofs show test",
		RunE: func(cmd *cobra.Command, args []string) error {
			return app.showProof(cmd.Context(), args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer as JSON")
	return cmd
}

func (app *App) showProof(ctx context.Context, name string, asJSON bool) error {
	opts, ledger, err := app.proofOptions()
	if err != nil {
		return err
	}
	if err := gateNames(opts.Config, []string{name}); err != nil {
		return err
	}
	if opts.Config.Checks[name] == nil {
		return exit(2, "%s is a review: its proofs depend on the diff of a run (see `gauntlet proofs`)", redact.Line(name, 80))
	}
	if d := opts.Site.Trust(); !d.Trusted() || d.Change != "" { // it asks the check's tools
		return exit(2, "the policy on disk is not allowed, so nothing of it is run; look at it with: gauntlet allow")
	}
	keys, err := run.Keys(ctx, opts, func(j gate.Job) bool { return j.Name == name })
	if err != nil {
		return exit(2, "git: %v", err)
	}
	here := opts.Config.Root
	records := ledger.List()
	shown := []report.Proof{}
	for _, j := range run.Checks(opts) {
		if j.Name != name {
			continue
		}
		key := keys[j.ID]
		s := report.Proof{Gate: j.ID, Key: key.ID, Files: key.Files}
		_, s.Doubted = ledger.Doubted(j.ID)
		known := ledger.Get(key.ID)
		if rec := known.Claimed(); rec != nil {
			o := rec.Origin(here)
			s.Claim = &o
		}
		if rec := known.Newest(); rec != nil && rec.Outcome == proof.Pass && run.Counts(opts, *rec) {
			o := rec.Origin(here)
			s.Proved, s.Proof = true, &o
		} else if i := slices.IndexFunc(records, func(r proof.Record) bool { return r.Gate == j.ID && r.Outcome == proof.Pass && r.Key != key.ID }); i >= 0 {
			o := records[i].Origin(here)
			s.Newest, s.Differs = &o, key.Differs(records[i].Parts)
		}
		shown = append(shown, s)
	}
	if asJSON {
		return writeJSON(app.Out, shown)
	}
	if len(shown) == 0 {
		fmt.Fprintf(app.Out, "%s runs nowhere: no entry point names it.\n", redact.Line(name, 80))
	}
	for _, s := range shown {
		app.printer().Proof(s, here)
	}
	return nil
}

func (app *App) proofsForgetCmd() *cobra.Command {
	var remoteKey string
	cmd := &cobra.Command{
		Use:   "forget [GATE]",
		Short: "Remove the proofs of a gate, or all of them",
		Long: `Remove the proofs of a gate, or all of them, for every work tree of the repository.
The next run runs the gate again.

A proof at a remote cache cannot be deleted there. With --remote its key goes into
.gauntlet/denied_proofs instead: for everyone with that policy it no longer counts.
KEY is what ` + "`gauntlet proofs --json`" + ` shows, or an unambiguous prefix of it.

Exit code 0: done. 2: not done.`,
		Example: `  gauntlet proofs forget
  gauntlet proofs forget test
  gauntlet proofs forget --remote 3f2a9c1d04be`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("remote") {
				if len(args) > 0 {
					return exit(2, "name a gate, or a key with --remote, not both")
				}
				return app.denyProof(cmd.Context(), remoteKey)
			}
			opts, ledger, err := app.proofOptions()
			if err != nil {
				return err
			}
			n, err := ledger.Forget(func(r proof.Record) bool {
				return len(args) == 0 || gate.Name(r.Gate) == args[0] || r.Gate == args[0]
			})
			if err != nil {
				return err
			}
			if n == 0 && len(args) > 0 {
				if err := gateNames(opts.Config, args); err != nil {
					return err // a name that is wrong, not a gate without proofs
				}
			}
			fmt.Fprintf(app.Out, "%s dropped.\n", text.Count(n, "proof"))
			return nil
		},
	}
	cmd.Flags().StringVar(&remoteKey, "remote", "", "deny remote proofs under this `KEY`")
	return cmd
}

func (app *App) proofsTrustCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "trust GATE",
		Short: "Accept an agent's own runs of a gate again",
		Long: `Accept an agent's own runs of a gate again, after one of them passed where
Gauntlet's own run failed on the same content. Only a person may do this: called from
within an agent it is refused.

Exit code 0: done. 2: not done.`,
		Example: "  gauntlet proofs trust test",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := app.refuseAgents("gauntlet proofs trust", " "+redact.Line(args[0], 80)); err != nil {
				return err
			}
			opts, ledger, err := app.proofOptions()
			if err != nil {
				return err
			}
			if err := gateNames(opts.Config, args); err != nil {
				return err
			}
			was := false
			for _, j := range run.Checks(opts) {
				if j.Name != args[0] {
					continue
				}
				doubted, err := ledger.Trust(j.ID)
				if err != nil {
					return err
				}
				was = was || doubted
			}
			if !was {
				fmt.Fprintf(app.Out, "Agents' own runs of %s were accepted already.\n", args[0])
				return nil
			}
			if err := opts.Site.Allowed().Note(cmd.Context(), app.act()); err != nil && !errors.Is(err, trust.ErrNoHome) {
				return err
			}
			fmt.Fprintf(app.Out, "Agents' own runs of %s are accepted again.\n", args[0])
			return nil
		},
	}
}
