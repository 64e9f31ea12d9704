package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/autonomy"
	"gauntlet/internal/config"
	"gauntlet/internal/text"
)

func (app *App) autoCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "auto",
		Short: "Save the work when the context window fills up: on or off",
		Long: `In autonomous mode the stop hook itself saves the work when the context
window fills past the threshold: it updates CLAUDE.md, commits it, keeps a
snapshot of the work, pushes, and prompts the agent to continue. The switch
is the file ~/.claude/autonomous-mode.active and applies to all your projects.`,
		Example: `  gauntlet auto on
  gauntlet auto status --json`,
		RunE: func(*cobra.Command, []string) error { return app.autoStatus(false) },
	}
	turn := func(name, short string, on bool) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: short, Example: "  gauntlet auto " + name,
			RunE: func(*cobra.Command, []string) error { return app.autoTurn(on) },
		}
	}
	var asJSON bool
	status := &cobra.Command{
		Use: "status", Short: "Show what would happen at the threshold here, and why",
		Example: "  gauntlet auto status\n  gauntlet auto status --json",
		RunE:    func(*cobra.Command, []string) error { return app.autoStatus(asJSON) },
	}
	status.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(turn("on", "Switch autonomous mode on", true), turn("off", "Switch autonomous mode off", false), status)
	return cmd
}

// home is the user's home directory, "" when there is none.
func (app *App) home() string { return text.Home(app.Getenv) }

func (app *App) autoTurn(on bool) error {
	changed, err := autonomy.SetFlag(app.home(), on, app.Now())
	if err != nil {
		return err
	}
	state := map[bool]string{true: "on", false: "off"}[on]
	if !changed {
		fmt.Fprintf(app.Out, "Autonomous mode was %s already.\n", state)
	} else {
		fmt.Fprintf(app.Out, "Autonomous mode is %s.\n", state)
	}
	if !on {
		if st, err := app.autoState(); err == nil && st.Mode != autonomy.Off {
			fmt.Fprintf(app.Out, "In this project it still is in %s mode: %s.\n", st.Mode, st.Because)
		}
	}
	return nil
}

// autoState is what `auto status --json` prints.
type autoState struct {
	Mode     autonomy.Mode `json:"mode"`
	Because  string        `json:"because"`
	Flag     bool          `json:"flag"`
	FlagPath string        `json:"flag_path"`
	Loop     bool          `json:"loop"`
	Section  bool          `json:"section"`
	Enabled  *bool         `json:"enabled"`
	Disabled bool          `json:"disabled"`

	Threshold       int      `json:"threshold"`
	ThresholdSource string   `json:"threshold_source"`
	Warnings        []string `json:"warnings"`
}

// autoState reads the switches as a stop here would.
func (app *App) autoState() (autoState, error) {
	at, err := app.site()
	if err != nil {
		return autoState{}, err
	}
	root := at.Top()
	if at.InRepo {
		root = at.Repo.Root
	}
	var section *config.Autonomy
	st := autoState{Warnings: []string{}}
	if cfg, err := at.Config(); err != nil {
		st.Warnings = append(st.Warnings, err.Error())
	} else if cfg != nil {
		section = cfg.Project.Autonomy
		st.Warnings = append(st.Warnings, cfg.Warnings...)
	}
	sw := autonomy.SwitchesAt(app.home(), root, at.Cwd, autonomy.Switches{Config: section, LoopVar: app.Getenv(autonomy.LoopVar)})
	st.Mode, st.Because = sw.Mode()
	st.Flag, st.Loop, st.Section, st.Disabled = sw.Flag, autonomy.LoopOn(sw.LoopVar), section != nil, sw.Disabled
	if h := app.home(); h != "" {
		st.FlagPath = autonomy.FlagPath(h)
	}
	if section != nil {
		st.Enabled = section.Enabled
	}
	switch {
	case st.Mode == autonomy.Off:
	case st.Loop:
		st.Because = autonomy.LoopVar + " is " + sw.LoopVar
	case st.Flag:
		st.Because = st.FlagPath + " exists"
	case st.Mode == autonomy.Autonomous:
		st.Because = "autonomy.enabled is true"
	default:
		st.Because = "the configuration has an autonomy section"
	}
	var warnings []string
	st.Threshold, st.ThresholdSource, warnings = autonomy.Threshold(app.Getenv(autonomy.ThresholdVar), section)
	st.Warnings = append(st.Warnings, warnings...)
	return st, nil
}

func (app *App) autoStatus(asJSON bool) error {
	st, err := app.autoState()
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(app.Out, st)
	}
	what := map[autonomy.Mode]string{
		autonomy.Off:        "nothing happens",
		autonomy.Normal:     "the agent is advised to save its work",
		autonomy.Autonomous: "the hook saves the work itself",
		autonomy.Loop:       "the hook saves the work itself",
	}[st.Mode]
	fmt.Fprintf(app.Out, "Mode       %s (%s)\n", st.Mode, st.Because)
	fmt.Fprintf(app.Out, "Threshold  %d%% (%s): %s\n", st.Threshold, st.ThresholdSource, what)
	for _, w := range st.Warnings {
		fmt.Fprintln(app.Out, "Warning    "+strings.ReplaceAll(w, "\n", "\n           "))
	}
	return nil
}
