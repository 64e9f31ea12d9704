package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/git"
	"gauntlet/internal/install"
	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/setup"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
)

// hookFlags are the flags that init --agents and uninstall share.
type hookFlags struct {
	agents               []string
	user, project, local bool
	dryRun, json         bool
}

func (f *hookFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.agents, "agent", nil, "only these agents: "+strings.Join(agentNames(), ", ")+", or all (default: those found here)")
	f.scopeFlags(cmd)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would change, write nothing")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(append(agentNames(), "all"), cobra.ShellCompDirectiveNoFileComp))
}

func (f *hookFlags) scopeFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.user, "user", false, "your own settings, for every project")
	cmd.Flags().BoolVar(&f.project, "project", false, "the project's settings, for everybody (default)")
	cmd.Flags().BoolVar(&f.local, "local", false, "your own settings in this project, if the agent has them")
	cmd.MarkFlagsMutuallyExclusive("user", "project", "local")
}

func agentNames() []string {
	var names []string
	for _, a := range agent.All() {
		names = append(names, a.Name())
	}
	return names
}

// scopes are the selected settings.
func (f *hookFlags) scopes(def ...wire.Scope) []wire.Scope {
	switch {
	case f.user:
		return []wire.Scope{wire.User}
	case f.project:
		return []wire.Scope{wire.Project}
	case f.local:
		return []wire.Scope{wire.Local}
	}
	return def
}

// words are the scope flags as a person would type them.
func (f *hookFlags) words() string {
	for _, scope := range f.scopes() {
		return " --" + string(scope)
	}
	return ""
}

// named are the selected agents; nil for none.
func (f *hookFlags) named() ([]agent.Adapter, error) {
	var out []agent.Adapter
	for _, name := range f.agents {
		if name == "all" {
			return agent.All(), nil
		}
		a, err := adapter(name)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// adapter is the agent that a person named.
func adapter(name string) (agent.Adapter, error) {
	if a, ok := agent.Lookup(name); ok {
		return a, nil
	}
	return nil, exit(2, "unknown agent %q; known are: %s", name, strings.Join(agentNames(), ", "))
}

// places is this machine from the view of an installation.
func (app *App) places() (install.Places, error) {
	cwd, err := app.Getwd()
	if err != nil {
		return install.Places{}, exit(2, "the current directory cannot be read: %v", err)
	}
	p := install.Places{Cwd: cwd, Project: cwd, Getenv: app.Getenv, LookPath: proc.LookPath, Home: text.Home(app.Getenv)}
	p.Site = reading(site.Here(cwd, app.Getenv))
	if p.Site.IsProject() || !safefile.Same(p.Site.Top(), p.Home) {
		p.Project = p.Site.Top() // a home directory that is a repository is not a project
	}
	if state := p.Site.StateHome; state != "" {
		p.State = filepath.Join(state, "gauntlet")
	}
	return p, nil
}

// hooksOnly adds to init the flags that make it install hooks and do nothing else.
func (app *App) hooksOnly(cmd *cobra.Command) {
	var f hookFlags
	var agents string
	var statusLine, trust, replace bool
	flags := cmd.Flags()
	flags.StringVar(&agents, "agents", "", "only install the hooks, of the agents found here or of these: try nothing, write no policy")
	flags.Lookup("agents").NoOptDefVal = foundHere
	f.scopeFlags(cmd)
	flags.BoolVar(&statusLine, "statusline", false, "with --agents: also set the agent's status line, if it has one and none is set")
	flags.BoolVar(&replace, "replace", false, "with --agents: also remove the stop hooks of agent-gauntlet, agent-validator, claude-sovereign and TeleClaude (shown first)")
	flags.BoolVar(&trust, "trust", false, "with --agents: also mark the hooks as trusted, for agents that would ask you first")
	for _, other := range []string{"suggest", "no-try", "reviews", "workflow", "diff"} {
		cmd.MarkFlagsMutuallyExclusive("agents", other)
	}
	whole := cmd.RunE
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if agents == "" {
			return cobra.NoArgs(cmd, args)
		}
		return nil // --agents A,B: cobra takes the value for an argument
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if agents == "" {
			if err := needs(cmd, "agents", "user", "project", "local", "statusline", "trust", "replace"); err != nil {
				return err
			}
			return whole(cmd, args)
		}
		f.agents, _ = flags.GetStringSlice("agent")
		for _, list := range append(args, agents) {
			if list != foundHere {
				f.agents = append(f.agents, strings.Split(list, ",")...)
			}
		}
		f.dryRun, _ = flags.GetBool("dry-run")
		f.json, _ = flags.GetBool("json")
		yes, _ := flags.GetBool("yes")
		return app.installHooks(cmd, f, install.Request{StatusLine: statusLine, Trust: trust}, replace, yes)
	}
}

// foundHere stands for --agents without a value.
const foundHere = "found here"

// installHooks adds Gauntlet's hooks to the settings of agents, and changes nothing else.
func (app *App) installHooks(cmd *cobra.Command, f hookFlags, r install.Request, replace, yes bool) error {
	w, err := app.hookWork(f)
	if err != nil {
		return err
	}
	if w.agents == nil {
		if w.agents = w.places.Present(); len(w.agents) == 0 {
			return exit(1, "no agent found here; name one: gauntlet init --agents=%s", strings.Join(agentNames(), "|"))
		}
	}
	r.Scope = f.scopes(wire.Project)[0]
	if cfg, err := w.places.Site.Config(); err == nil && cfg != nil && r.Scope != wire.User {
		r.Tasks = cfg.Settings.Tasks
	}
	plan := func(a agent.Adapter) ([]*install.Change, error) {
		if replace {
			return w.places.PlanReplace(a, r)
		}
		return w.places.PlanInstall(a, r)
	}
	if replace && !yes && !f.dryRun {
		if err := w.preview(cmd, plan); err != nil {
			return err
		}
	}
	err = w.run(cmd, plan)
	if _, missing := w.places.LookPath("gauntlet"); missing != nil {
		fmt.Fprintln(app.Err, "warning: gauntlet is not on PATH, and until it is the hooks let every stop pass; see: gauntlet doctor")
	}
	return err
}

// preview shows the changes and asks whether to make them.
func (w *hookWork) preview(cmd *cobra.Command, plan func(agent.Adapter) ([]*install.Change, error)) error {
	show := *w
	show.flags.dryRun, show.flags.json = true, false
	if err := show.run(cmd, plan); err != nil {
		return err
	}
	switch {
	case !w.app.canAsk():
		return exit(2, "nothing was written: this is not a terminal, so it cannot ask; to write: gauntlet init --agents --replace --yes")
	case !w.app.ask(cmd.Context(), "Write this? [y/N] "):
		return exit(1, "nothing was written")
	}
	return nil
}

// hookWork is one run of init --agents or uninstall over several agents.
type hookWork struct {
	app      *App
	places   install.Places
	flags    hookFlags
	agents   []agent.Adapter
	explicit bool // the person named them one by one
	changes  []*install.Change
	failures []hookFailure
	remains  []setup.Remain // what an uninstall leaves, or removes with --purge
}

func (app *App) hookWork(f hookFlags) (*hookWork, error) {
	p, err := app.places()
	if err != nil {
		return nil, err
	}
	agents, err := f.named()
	return &hookWork{app: app, places: p, flags: f, agents: agents, explicit: !slices.Contains(f.agents, "all") && agents != nil}, err
}

// hookFailure is one agent whose files were not changed.
type hookFailure struct {
	Agent   string `json:"agent"`
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

// run plans and, unless it is a dry run, applies the changes of each agent. A failing agent
// does not affect the others.
func (w *hookWork) run(cmd *cobra.Command, plan func(agent.Adapter) ([]*install.Change, error)) error {
	if !w.flags.dryRun {
		release, err := w.places.Lock(cmd.Context())
		if err != nil {
			return exit(1, "%v", err)
		}
		defer release()
	}
	for _, a := range w.agents {
		changes, err := plan(a)
		if err == nil && !w.flags.dryRun {
			err = w.places.Apply(changes)
		}
		if err != nil {
			w.fail(a, err)
			continue
		}
		w.changes = append(w.changes, changes...)
	}
	return w.app.show(w.flags.json, struct {
		DryRun   bool              `json:"dry_run"`
		Changes  []*install.Change `json:"changes"`
		Failures []hookFailure     `json:"failures"`
		Remains  []setup.Remain    `json:"remains,omitempty"`
	}{w.flags.dryRun, orEmpty(w.changes), orEmpty(w.failures), w.remains}, w.print, min(len(w.failures), 1))
}

func (w *hookWork) fail(a agent.Adapter, err error) {
	if scope, ok := errors.AsType[*install.NoScopeError](err); ok && scope.Scope == wire.Local && !w.explicit {
		return // the agent was not named
	}
	hf := hookFailure{Agent: a.Name(), Message: w.places.Explain(err)}
	if refused, ok := errors.AsType[*install.RefusedError](err); ok {
		hf.Path, hf.Line, hf.Column = refused.Path, refused.Line, refused.Column
	}
	w.failures = append(w.failures, hf)
}

func (w *hookWork) print() error {
	labels, words := 0, 0
	for _, c := range w.changes {
		labels, words = max(labels, len(c.Label)), max(words, len(w.word(c)))
	}
	for _, c := range w.changes {
		fmt.Fprintf(w.app.Out, "%-*s  %-*s  %s\n", labels, c.Label, words, w.word(c), redact.Strip(w.places.Short(c.Path)))
		for _, n := range c.Notes {
			fmt.Fprintf(w.app.Out, "%*s  %s\n", labels, "", redact.Strip(n))
		}
		if w.flags.dryRun {
			fmt.Fprint(w.app.Out, redact.Strip(git.Patch(filepath.ToSlash(w.places.Short(c.Path)), c.Before(), c.After())))
		}
	}
	for _, f := range w.failures {
		fmt.Fprintf(w.app.Err, "gauntlet: %s\n", redact.Strip(f.Message))
	}
	return nil
}

// word is what happened, or would happen.
func (w *hookWork) word(c *install.Change) string {
	if w.flags.dryRun && c.Action != install.Unchanged {
		return "would be " + string(c.Action)
	}
	return string(c.Action)
}
