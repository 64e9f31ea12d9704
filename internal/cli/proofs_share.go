package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/proof/share"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
)

func (app *App) proofsKeyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Make the key that signs your proofs, and print its line for allowed_signers",
		Long: `Make the key that signs proofs published from here, if there is none yet, and print the
line that others put into .gauntlet/allowed_signers to trust it. The key stays in your
state home, readable by you only.`,
		Example: `  gauntlet proofs key >> .gauntlet/allowed_signers`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			home := site.StateHome(app.Getenv)
			if home == "" {
				return exit(2, "there is no home directory to keep the key in (set HOME or XDG_STATE_HOME)")
			}
			pub, made, err := share.MakeKey(share.KeyFile(home))
			if err != nil {
				return exit(2, "%v", err)
			}
			if made {
				fmt.Fprintf(app.Err, "Made %s (%s).\n", share.KeyFile(home), pub.Fingerprint())
			}
			fmt.Fprintf(app.Out, "%s %s\n", principal(app.Getenv), pub.Line())
			return nil
		},
	}
}

// principal is how a line of allowed_signers calls its owner.
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
		Args:    cobra.NoArgs,
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
	cfg, err := s.Config()
	if err != nil || cfg == nil {
		return exit(2, "there is no project with a readable configuration at %s", project)
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
