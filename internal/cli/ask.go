package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/event"
	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
	"gauntlet/internal/turn"
)

func (app *App) askCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "ask TEXT…",
		Short: "Ask a person instead of fixing what fails",
		Long: `For agents: say why you do not fix what fails, for example because a test is
wrong or a person has to decide. Then stop: the next stop of this turn is
approved, and the person sees the text first. The work stays unproved.
It works once per human turn, and not with ` + "`stop_hook.ask: false`" + `.`,
		Example: `  gauntlet ask "TestFee expects the old rate; is 2% right?"`,
		// A text may begin with a dash.
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if wantsHelp(args) {
				return cmd.Help()
			}
			return app.askPerson(cmd.Context(), strings.Join(args, " "))
		},
	}
}

// orByReply is how an agent asks without this command.
const orByReply = "; you can end your last message with a line GAUNTLET ASK: why"

func (app *App) askPerson(ctx context.Context, words string) error {
	q := site.NewAsk(words, app.Now())
	if q.Text == "" {
		return exit(2, `say what you ask: gauntlet ask "why"`)
	}
	here, err := app.site()
	if err != nil {
		return err
	}
	id, err := app.ownSession(here)
	if err != nil {
		return err
	}
	at := here
	if pin, ok, _ := here.Pinned(id); ok {
		if seen := here.At(pin); seen != nil {
			at = seen
		}
	}
	cfg, err := at.Config()
	switch {
	case !at.IsProject():
		return exit(2, "not in a project that Gauntlet judges, so there is nothing to ask about")
	case err != nil:
		return exit(2, "%v", err)
	case !cfg.Settings.Ask:
		return exit(2, "asking is switched off here: stop_hook.ask is false (%s)", cfg.Source("stop_hook.ask"))
	}
	st, err := at.Memory.Load(id)
	if err != nil {
		return exit(2, "%v%s", err, orByReply)
	}
	if at.AskOf(id).In(turn.Of(st).Prompt.At, app.Now()) {
		return exit(2, "this turn has asked already; fix what fails, or stop and wait for the answer")
	}
	if err := at.KeepAsk(ctx, id, q); err != nil {
		return exit(2, "the question cannot be kept: %v%s", err, orByReply)
	}
	fmt.Fprintln(app.Out, "Kept for the person. Now stop.")
	return nil
}

// ownSession is the session that this command was called in: the one that the client's
// environment names, else that of the client among the ancestors.
func (app *App) ownSession(here *site.Site) (string, error) {
	if app.Getenv(event.GuardVar) != "" {
		return "", exit(2, "a gate or a reviewer cannot ask")
	}
	above := sessionsAbove(site.Sessions(here.Everywhere()), proc.Lineage(), here.Root)
	var named []string
	unknown := ""
	for _, v := range agent.SessionVars() {
		switch id := app.Getenv(v); {
		case id == "":
		case app.knowsSession(here, id):
			named = append(named, id)
		default:
			unknown = id
		}
	}
	mine := slices.DeleteFunc(slices.Clone(above), func(id string) bool { return len(named) > 0 && !slices.Contains(named, id) })
	switch {
	case unknown != "" && len(named) == 0:
		return "", exit(2, "nothing is known of session %s: its prompts did not reach Gauntlet%s", redact.Line(unknown, 60), orByReply)
	case len(mine) > 0:
		return mine[0], nil // the nearest
	case len(above) > 0:
		return "", exit(2, "session %s is not the one that calls this", redact.Line(named[0], 60))
	case len(named) > 0:
		return named[0], nil
	}
	return "", exit(2, "no session of an agent is known here%s", orByReply)
}

// knowsSession reports whether something is remembered of a session.
func (app *App) knowsSession(here *site.Site, id string) bool {
	if _, ok, _ := here.Pinned(id); ok {
		return true
	}
	st, err := here.Memory.Load(id)
	return err == nil && !st.Empty()
}

// sessionsAbove are the sessions of the clients among the ancestors: of the nearest client
// first, and of one client the one in this project that was prompted last.
func sessionsAbove(known []site.Client, above []proc.Process, root string) []string {
	slices.SortStableFunc(known, func(a, b site.Client) int {
		switch {
		case (a.Root == root) == (b.Root == root):
			return b.At.Compare(a.At)
		case a.Root == root:
			return -1
		}
		return 1
	})
	var out []string
	for _, a := range above {
		for _, c := range known {
			if c.Is(a) {
				out = append(out, c.Session)
			}
		}
	}
	return out
}
