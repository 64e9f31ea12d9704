package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/proof"
	"gauntlet/internal/proof/share"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
)

func (app *App) proofsKeyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Make the key that signs your proofs, and print its line",
		Long: `Make the key that signs proofs published from here, if there is none yet, and print the
line that others put into .gauntlet/allowed_signers to trust it. The key stays in your
state home, readable by you only.`,
		Example: `  gauntlet proofs key >> .gauntlet/allowed_signers`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			home := site.StateHome(app.Getenv)
			if home == "" {
				return exit(2, "no home directory for the key (set HOME or XDG_STATE_HOME)")
			}
			pub, made, err := share.MakeKey(cmd.Context(), share.KeyFile(home))
			if err != nil {
				return err
			}
			if made {
				fmt.Fprintf(app.Err, "Made %s (%s).\n", share.KeyFile(home), pub.Fingerprint())
			}
			fmt.Fprintf(app.Out, "%s %s\n", principal(app.Getenv), pub.Line())
			return nil
		},
	}
}

// principal is the owner's name in a line of allowed_signers.
func principal(getenv func(string) string) string {
	for _, name := range []string{"USER", "USERNAME", "LOGNAME"} {
		if v := getenv(name); v != "" && site.SessionFlag(v) != "" {
			return v
		}
	}
	return "me"
}

// publishDeadline bounds the child that publishes after a stop.
const publishDeadline = time.Minute

func (app *App) proofsPublishCmd() *cobra.Command {
	var project string
	cmd := &cobra.Command{
		Use:   "publish",
		Short: "Send the passes that wait in the outbox to the remote cache",
		Long: `Sign the passes of this project that wait in the outbox and send them to the remote
cache. After a stop or a run this happens by itself; in CI it is a step of its own.
Exit code 0: sent, or nothing to send. 1: the server or the key is missing; what waits
is kept for the next time.`,
		Example: `  gauntlet proofs publish`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), publishDeadline)
			defer cancel()
			return app.publishProofs(ctx, project)
		},
	}
	cmd.Flags().StringVar(&project, "project", "", "project directory (default: the one here)")
	return cmd
}

func (app *App) publishProofs(ctx context.Context, project string) error {
	if project == "" {
		cwd, err := app.Getwd()
		if err != nil {
			return exit(2, "the current directory cannot be read: %v", err)
		}
		project = cwd
	}
	s := site.Here(project, app.Getenv)
	policy := s.Config
	if app.inCI() { // the policy of the run also decides where its proofs go
		policy = s.OnDisk
	}
	cfg, err := policy()
	switch {
	case err != nil:
		return err
	case cfg == nil:
		return exit(2, "no .gauntlet/config.yml in %s", project)
	}
	sent, err := share.NewOutbox(cfg.Root, s.StateHome).Publish(ctx, share.Options{
		Config: cfg, StateHome: s.StateHome, Getenv: app.Getenv, Environ: app.Environ(), Now: app.Now,
	})
	if err != nil {
		return exit(1, "%v", err)
	}
	fmt.Fprintf(app.Out, "%s published.\n", text.Count(sent, "proof"))
	return nil
}

// minKey is how much of a key identifies a proof.
const minKey = 8

// denyProof puts a key into the policy's deny list, and removes the local copy of its
// proof.
func (app *App) denyProof(ctx context.Context, key string) error {
	at, err := app.project()
	if err != nil {
		return err
	}
	_, ledger, err := app.proofOptions()
	if err != nil {
		return err
	}
	if key, err = wholeKey(ledger, strings.ToLower(key)); err != nil {
		return err
	}
	trusted := at.Trust()
	added, err := config.Deny(at.Root, key)
	if err != nil {
		return err
	}
	if _, err := ledger.Forget(func(r proof.Record) bool { return r.Key == key && r.Source == proof.Remote }); err != nil {
		return err
	}
	if !added {
		fmt.Fprintf(app.Out, "Remote proofs under %s are denied already.\n", key)
		return nil
	}
	app.say(app.wrotePolicy(ctx, trusted, true, at))
	fmt.Fprintf(app.Out, "Remote proofs under %s no longer count. Commit %s/%s so that this applies to everyone.\n", key, config.Dir, config.DeniedFile)
	return nil
}

// wholeKey completes a key prefix from the proofs that are known here.
func wholeKey(ledger proof.Ledger, key string) (string, error) {
	if config.IsProofKey(key) {
		return key, nil
	}
	if len(key) < minKey || strings.Trim(key, "0123456789abcdef") != "" {
		return "", exit(2, "invalid key %q: want 64 hexadecimal digits, or at least the first %d (see `gauntlet proofs --json`)", redact.Line(key, 80), minKey)
	}
	found := map[string]bool{}
	for _, r := range ledger.List() {
		if strings.HasPrefix(r.Key, key) {
			found[r.Key] = true
		}
	}
	switch len(found) {
	case 0:
		return "", exit(2, "no known proof begins with %s: give the whole key", key)
	case 1:
		for whole := range found {
			return whole, nil
		}
	}
	return "", exit(2, "%d known proofs begin with %s: give the whole key", len(found), key)
}
