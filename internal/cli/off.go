package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
)

// reach selects the stops that a switch is for: one session, every project, or this
// project.
type reach struct {
	session    string
	everywhere bool
}

func (r *reach) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.session, "session", "", "only this session (the beginning of its ID is enough)")
	cmd.Flags().BoolVar(&r.everywhere, "everywhere", false, "every project of yours")
	cmd.MarkFlagsMutuallyExclusive("session", "everywhere")
}

// words are the flags as a person would type them.
func (r reach) words() string {
	switch {
	case r.everywhere:
		return " --everywhere"
	case r.session != "":
		return site.SessionFlag(r.session)
	}
	return ""
}

// caller names who called this command: the program above it and its process.
func (app *App) caller() string {
	above := proc.Ancestors()
	if len(above) == 0 || len(above[0]) == 0 {
		return ""
	}
	return redact.Line(fmt.Sprintf("%s (pid %d)", filepath.Base(above[0][0]), os.Getppid()), 80)
}

func (app *App) offCmd() *cobra.Command {
	var r reach
	var span time.Duration
	cmd := &cobra.Command{
		Use:   "off",
		Short: "Let agents stop without being judged",
		Long: `Switch the stop hook off for this project, for one session, or everywhere. It
takes effect at the next stop, also for an agent that is being blocked.
` + "`gauntlet on`" + ` undoes it.`,
		Example: `  gauntlet off --for 2h
  gauntlet off --session 09c322b6
  gauntlet off --everywhere`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := app.refuseAgents("gauntlet off", r.words()); err != nil {
				return err
			}
			store, what, on, err := app.switchFor(cmd, &r)
			if err != nil {
				return err
			}
			o := session.Off{Since: app.Now(), By: strings.TrimSpace(app.caller() + " " + string(app.act().By))}
			until := "until `" + on + "`"
			if cmd.Flags().Changed("for") {
				if span <= 0 {
					return exit(2, "--for needs a time such as 30m or 2h")
				}
				o.Until = app.Now().Add(span)
				until = "until " + o.Until.Local().Format("2006-01-02 15:04")
			}
			if err := store.SwitchOff(r.session, o); err != nil {
				return err
			}
			fmt.Fprintf(app.Out, "Stop hook off for %s, %s.\n", what, until)
			if at, err := app.site(); err == nil && r == (reach{}) {
				at.NotifyOff(site.Switch{Off: o, On: on}, app.Now())
			}
			return nil
		},
	}
	r.flags(cmd)
	cmd.Flags().DurationVar(&span, "for", 0, "switch it on again by itself after this time")
	return cmd
}

func (app *App) onCmd() *cobra.Command {
	var r reach
	cmd := &cobra.Command{
		Use:     "on",
		Short:   "Take `gauntlet off` back",
		Example: "  gauntlet on\n  gauntlet on --everywhere",
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, what, _, err := app.switchFor(cmd, &r)
			if err != nil {
				return err
			}
			was, err := store.SwitchOn(r.session)
			if err != nil {
				return err
			}
			if !was {
				fmt.Fprintf(app.Out, "Stop hook was not off for %s.\n", what)
			} else {
				fmt.Fprintf(app.Out, "Stop hook on again for %s.\n", what)
			}
			if _, off := session.Everywhere(seal.New(site.StateHome(app.Getenv))).IsOff(r.session, app.Now()); off {
				fmt.Fprintln(app.Out, "It is still off for every project; to switch that on: gauntlet on --everywhere")
			}
			return nil
		},
	}
	r.flags(cmd)
	return cmd
}

// switchFor finds the memory of a switch, and the command that switches on again. A session
// needs only its id, or the beginning of it, so that it can be switched off from any directory.
func (app *App) switchFor(cmd *cobra.Command, r *reach) (store session.Store, what, on string, err error) {
	if cmd.Flags().Changed("session") && r.session == "" {
		return store, "", "", exit(2, "--session needs the id of a session; to mean every session in this project leave it out")
	}
	if r.session != "" || r.everywhere {
		if store = session.Everywhere(seal.New(site.StateHome(app.Getenv))); store.Dir == "" {
			return store, "", "", exit(2, "neither XDG_STATE_HOME nor HOME is set")
		}
		if r.session != "" {
			if r.session, err = app.sessionOf(cmd.Context(), r.session); err != nil {
				return store, "", "", err
			}
			return store, "session " + redact.Line(r.session, 60), "gauntlet on" + site.SessionFlag(r.session), nil
		}
		return store, "every project", "gauntlet on --everywhere", nil
	}
	at, err := app.site()
	if err != nil {
		return store, "", "", err
	}
	if !at.IsProject() && !at.InRepo { // autonomy also works in a repository without a configuration
		return store, "", "", exit(2, "not in a project; for one session: gauntlet %s --session ID, for every project: gauntlet %s --everywhere", cmd.Name(), cmd.Name())
	}
	return at.Memory, "this project", "gauntlet on", nil
}
