// Package doctor checks an installation: the binary, the policy, the gates, the hooks of every
// client, and whether the installed commands answer. Every problem comes with its fix.
// Ring 3: imports rings 0 to 2 and install; never stop or cli.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/config"
	"gauntlet/internal/git"
	"gauntlet/internal/install"
	"gauntlet/internal/safefile"
	"gauntlet/internal/session"
)

// State is the result of one check.
type State string

// States. Only a failure makes doctor fail.
const (
	OK   State = "ok"
	Info State = "info"
	Warn State = "warn"
	Fail State = "fail"
)

// Check is one thing that was checked. Every problem comes with its fix.
type Check struct {
	Name    string `json:"name"`
	Agent   string `json:"agent,omitempty"`
	State   State  `json:"state"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// Doctor is what the checks need to know.
type Doctor struct {
	install.Places
	Executable string // this program
	Version    string
	Environ    []string
	Now        time.Time
	// SelfTest sends events through the installed commands.
	SelfTest bool
	// Last is the last recorded run of each gate, by name.
	Last map[string]LastRun

	checks []Check
}

// Examine checks everything and returns the results, in a fixed order.
func (d *Doctor) Examine(ctx context.Context) []Check {
	d.checks = nil
	binary := d.binary()
	d.shim(ctx, binary)
	cfg := d.config()
	if left := d.Site.LeftOut(ctx); left != "" {
		d.add(Check{Name: "config", State: Warn, Message: "HEAD has a policy: " + left, Fix: "git sparse-checkout add .gauntlet"})
	}
	repo, inRepo := d.repository(ctx)
	d.machine(ctx)
	d.switches(cfg)
	d.gates(cfg)
	d.agents(ctx, cfg, d.Site.Memory, binary)
	if inRepo {
		d.gitSpeed(ctx, repo)
	}
	return d.checks
}

func (d *Doctor) add(c Check) { d.checks = append(d.checks, c) }

// binary checks that the gauntlet in PATH is this one, because the hooks look it up there.
func (d *Doctor) binary() string {
	path, err := d.LookPath("gauntlet")
	for _, dir := range wire.Usual(d.Home) { // where hooks look, too
		if at := filepath.Join(dir, "gauntlet"); err != nil && safefile.Exists(at) {
			d.add(Check{Name: "binary", State: Info, Message: d.Short(at) + " is not on your PATH; hooks find it there", Fix: "add " + dir + " to PATH"})
			path, err = at, nil
		}
	}
	if err != nil {
		dir := filepath.Dir(d.Executable)
		d.add(Check{
			Name: "binary", State: Fail, Message: "gauntlet is not on PATH: every hook lets the agent stop unjudged",
			Fix: fmt.Sprintf("add %s to PATH, or copy %s into a directory that is on it", dir, d.Executable),
		})
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if filepath.IsAbs(d.Executable) && !safefile.Same(path, d.Executable) { // without /proc this program does not know its path
		d.add(Check{
			Name: "binary", State: Warn, Message: fmt.Sprintf("hooks call %s, but this is %s (%s)", path, d.Executable, d.Version),
			Fix: "put the directory of the one you want first in PATH, or remove the other",
		})
		return path
	}
	d.add(Check{Name: "binary", State: OK, Message: fmt.Sprintf("hooks call %s (%s)", path, d.Version)})
	return path
}

func (d *Doctor) config() *config.Loaded {
	if !d.Site.IsProject() {
		d.add(Check{Name: "config", State: Warn, Message: "no .gauntlet/config.yml here or above: every stop is approved (no_config)", Fix: "gauntlet init"})
		return nil
	}
	cfg, err := d.Site.OnDisk()
	if err != nil {
		until := "every stop is approved (error)"
		switch decided := d.Site.Trust(); {
		case decided.Trusted() && !decided.All:
			until = "the policy allowed before still judges"
		case !decided.Trusted():
			until = "every stop is approved (untrusted)"
		}
		d.add(Check{Name: "config", State: Fail, Message: err.Error(), Fix: "correct it there; `gauntlet config check` lists everything that is wrong. Until then " + until})
		return nil
	}
	d.add(Check{Name: "config", State: OK, Message: fmt.Sprintf("%s is valid: %s", filepath.Join(config.Dir, config.File), cfg.Summary())})
	for _, w := range cfg.Warnings {
		d.add(Check{Name: "config", State: Warn, Message: w, Fix: "correct it there"})
	}
	d.trust()
	return cfg
}

// trust reports which policy counts.
func (d *Doctor) trust() {
	switch decided := d.Site.Trust(); {
	case d.Site.Foreign != "":
		d.add(Check{Name: "trust", State: Fail, Message: d.Site.Foreign + "", Fix: "if you trust its owner, tell git so as above; else clone the repository yourself. Until then every stop is approved (untrusted)"})
	case !decided.Trusted():
		d.add(Check{Name: "trust", State: Fail, Message: "this policy is not allowed: every stop is approved (untrusted)", Fix: "gauntlet allow"})
	case decided.Change != "":
		d.add(Check{Name: "trust", State: Warn, Message: "policy changed: " + decided.Change + "; the one allowed before still judges", Fix: "gauntlet allow"})
	case decided.All:
		d.add(Check{Name: "trust", State: OK, Message: "every policy is trusted (" + decided.Source + ")"})
	default:
		d.add(Check{Name: "trust", State: OK, Message: "this policy is allowed"})
	}
}

func (d *Doctor) repository(ctx context.Context) (git.Repo, bool) {
	repo := d.Site.Repo
	switch {
	case d.Site.InRepo:
	case errors.Is(d.Site.RepoErr, git.ErrForeign):
		if !d.Site.IsProject() { // else reported with the trust
			d.add(Check{Name: "git", State: Warn, Message: d.Site.Foreign, Fix: "tell git so, or clone the repository yourself"})
		}
		return repo, false
	default:
		d.add(Check{Name: "git", State: Warn, Message: "not a git work tree: what changed cannot be determined", Fix: "git init"})
		return repo, false
	}
	if _, err := repo.Run(ctx, "rev-parse", "--git-dir"); err != nil {
		fix := "see what `git status` says there"
		if errors.Is(err, git.ErrMissing) {
			fix = "install git and put it on PATH"
		}
		d.add(Check{Name: "git", State: Fail, Message: err.Error(), Fix: fix})
		return repo, false
	}
	return repo, true
}

// switches reports off switches: they are fine, but a person who runs doctor should know.
func (d *Doctor) switches(cfg *config.Loaded) {
	if cfg != nil && !cfg.Settings.StopHookEnabled {
		d.add(Check{Name: "switch", State: Warn, Message: "the stop hook is switched off by configuration or environment", Fix: "set stop_hook.enabled: true, or unset " + config.EnvStopHookEnabled})
	}
	for _, st := range []session.Store{d.Site.Memory, d.Site.Everywhere()} {
		if o, off := st.IsOff("", d.Now); off {
			until := "until it is switched on"
			if !o.Until.IsZero() {
				until = "until " + o.Until.Local().Format("2006-01-02 15:04")
			}
			d.add(Check{Name: "switch", State: Warn, Message: "the stop hook is switched off by `gauntlet off` " + until, Fix: "gauntlet on (or: gauntlet on --everywhere)"})
		}
	}
}

// slowStatus is when people begin to notice git at every stop.
const slowStatus = 300 * time.Millisecond

// gitSpeed measures git status, which runs at every stop that reaches the gates.
func (d *Doctor) gitSpeed(ctx context.Context, repo git.Repo) {
	_, _ = repo.Status(ctx) // the first one fills the caches
	start := time.Now()
	if _, err := repo.Status(ctx); err != nil {
		d.add(Check{Name: "git", State: Fail, Message: err.Error(), Fix: "see what `git status` says there"})
		return
	}
	took := time.Since(start)
	var off, states []string
	for _, key := range []string{"core.fsmonitor", "core.untrackedCache"} {
		state := "on"
		out, err := repo.Run(ctx, "config", "--get", key)
		if v := string(out); err != nil || v == "false\n" || v == "keep\n" {
			off, state = append(off, key), "off"
		}
		states = append(states, key+" "+state)
	}
	c := Check{Name: "git", State: OK, Message: fmt.Sprintf("git status takes %d ms (%s)", took.Milliseconds(), strings.Join(states, ", "))}
	if took > slowStatus {
		c.State = Warn
		c.Fix = "keep large generated directories out with .gitignore"
		if len(off) > 0 {
			c.Fix = "git config " + strings.Join(off, " true && git config ") + " true"
		}
	}
	d.add(c)
}
