package doctor

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/proc"
	"gauntlet/internal/safefile"
	"gauntlet/internal/shell"
	"gauntlet/internal/tasks"
	"gauntlet/internal/text"
)

// LastRun is what the history has about a gate.
type LastRun struct {
	At      time.Time
	Status  string
	Message string
	// ObservedSince is when it was first recorded in observe, without having
	// been enforced since; zero when it was not.
	ObservedSince time.Time
}

// longObserved is how long a gate may be in observe before doctor asks for a decision.
const longObserved = 14 * 24 * time.Hour

// gates checks whether there are gates, and whether they can run.
func (d *Doctor) gates(cfg *config.Loaded) {
	if cfg == nil {
		return
	}
	used := map[string][]string{} // check → the directories it runs in
	reviews := 0
	for _, ep := range cfg.Project.EntryPoints {
		for _, name := range ep.Checks {
			used[name] = append(used[name], ep.Path)
		}
		reviews += len(ep.Reviews)
	}
	if len(used) == 0 && reviews == 0 {
		d.add(Check{
			Name: "gates", State: Warn, Message: "no gates are configured: stops are approved without running anything",
			Fix: "write .gauntlet/checks/NAME.yml (command: …) and name it in entry_points; gauntlet init --suggest lists what was found",
		})
	}
	good := 0
	for _, name := range slices.Sorted(maps.Keys(used)) {
		c, ok := cfg.Checks[name]
		if !ok {
			continue // an error of the configuration, reported there
		}
		if d.gate(name, c, used[name]) {
			good++
		}
	}
	if good > 0 {
		d.add(Check{Name: "gates", State: OK, Message: fmt.Sprintf("%d of %d checks can run", good, len(used))})
	}
	if cfg.Settings.Reentry == config.ReentryOnce {
		d.add(Check{
			Name: "fixes", State: Warn, Message: "fixes are not verified: after one block the next stop is approved unjudged (stop_hook.reentry: once)",
			Fix: "set stop_hook.preset: strict (or reentry: until_pass) in .gauntlet/config.yml",
		})
	}
}

// gate checks one check and reports whether nothing is wrong with it.
func (d *Doctor) gate(name string, c *config.Check, entries []string) bool {
	good := true
	complain := func(message, fix string) {
		good = false
		d.add(Check{Name: "gate " + name, State: Warn, Message: message, Fix: fix})
	}
	for _, dir := range d.dirsOf(c, entries) {
		if missing, fix := d.missing(c.Command, dir); missing != "" {
			complain(missing, fix)
			break
		}
	}
	last := d.Last[name]
	if last.Status == "error" {
		complain(fmt.Sprintf("could not run when it was last tried, %s: %s", text.Ago(d.Now.Sub(last.At)), last.Message), "install what is missing, then: gauntlet run "+name)
	}
	if c.Mode == config.ModeObserve {
		if since := d.observedSince(c, last); !since.IsZero() && d.Now.Sub(since) > longObserved {
			complain(fmt.Sprintf("only records since %s (mode: observe): it blocks nothing", since.Format(time.DateOnly)), "gauntlet gate "+name+" enforce, or remove the gate")
		}
	}
	return good
}

// observedSince is since when a gate is in observe: as recorded, or since its
// file was last written.
func (d *Doctor) observedSince(c *config.Check, last LastRun) time.Time {
	since := last.ObservedSince
	if info, err := os.Stat(filepath.Join(d.Site.Root, filepath.FromSlash(c.File))); err == nil && (since.IsZero() || info.ModTime().Before(since)) {
		since = info.ModTime()
	}
	return since
}

// dirsOf are the directories that a check runs in, relative to the root, as far as they are
// fixed.
func (d *Doctor) dirsOf(c *config.Check, entries []string) []string {
	if c.WorkingDirectory != "" {
		return []string{filepath.ToSlash(c.WorkingDirectory)}
	}
	var out []string
	for _, e := range entries {
		if strings.ContainsAny(e, "*?[{") {
			continue
		}
		if e = strings.TrimSuffix(e, "/"); e == "" {
			e = "."
		}
		out = append(out, e)
	}
	return out
}

// missing lists the programs that a command needs and that are not installed. What a recipe
// calls is checked too, except in projects that keep their tools in the tree.
func (d *Doctor) missing(command, dir string) (message, fix string) {
	set := tasks.Of(d.Site.Root)
	for _, c := range shell.Parse(command).Commands {
		if len(c.Views) == 0 || len(c.Views[0]) == 0 || c.Proof == shell.Unproven {
			continue
		}
		if program := c.Views[0][0]; !d.found(program, dir) {
			return fmt.Sprintf("`%s` is not found", program), "install it, or correct the command in .gauntlet/checks"
		}
		call, ok := set.Call(c.Views[0], dir)
		if !ok {
			continue
		}
		for _, name := range call.Recipes {
			if _, ok := call.File.Find(name); !ok {
				return fmt.Sprintf("%s has no recipe %q", filepath.ToSlash(filepath.Join(call.Dir, call.File.Name)), name), "correct the command in .gauntlet/checks"
			}
		}
		if call.File.Runner == "npm" || call.File.Runner == "composer" {
			continue // tools are in node_modules or vendor
		}
		for _, step := range set.Expand(command, dir) {
			if len(step.Views) == 0 || step.Proof == shell.Unproven {
				continue
			}
			if step.Name() == "." || step.Name() == "source" {
				break // what it reads may define functions of any name
			}
			if program := step.Views[0][0]; !strings.Contains(program, "/") && !d.found(program, dir) {
				return fmt.Sprintf("%s calls `%s`, which is not found", call.File.Runner, program), "install it"
			}
		}
	}
	return "", ""
}

// found reports whether a program is in PATH, in the tree, or built into the shell.
func (d *Doctor) found(program, dir string) bool {
	if program == "" || strings.ContainsAny(program, "$*`{") || isBuiltin(program) {
		return true
	}
	if strings.Contains(program, "/") {
		if !filepath.IsAbs(program) {
			program = filepath.Join(d.Site.Root, filepath.FromSlash(dir), filepath.FromSlash(program))
		}
		info, err := os.Stat(program)
		return err == nil && !info.IsDir()
	}
	_, err := d.LookPath(program)
	return err == nil
}

func isBuiltin(name string) bool {
	return slices.Contains([]string{
		"cd", "test", "[", "echo", "true", "false", "exit", "export", "set", "unset", "printf", "read", "eval", "exec", "command", "source", ".", ":",
		"trap", "wait", "type", "ulimit", "umask", "shift", "return", "local", "pwd", "hash", "alias", "[[", "pushd", "popd", "time",
	}, name)
}

// slowStart is when people begin to notice the start of the hook at every tool call.
const slowStart = 60 * time.Millisecond

// shim reports a script in front of the binary, which costs time at every call.
func (d *Doctor) shim(ctx context.Context, binary string) {
	if binary == "" || !d.SelfTest || !isScript(binary) {
		return
	}
	best := time.Hour
	for range 3 { // the fastest of three: the machine may be busy
		r := proc.Run(ctx, proc.Cmd{Args: []string{binary, "slug", "x"}, Env: d.env(os.TempDir(), d.Getenv("PATH")), Unguarded: true, Timeout: 10 * time.Second})
		if !r.OK() {
			return
		}
		best = min(best, r.Duration)
	}
	if best > slowStart {
		d.add(Check{
			Name: "binary", State: Warn, Message: fmt.Sprintf("%s is a script that takes %d ms to start gauntlet, at every stop and tool call", binary, best.Milliseconds()),
			Fix: "put the directory of the real binary first in PATH",
		})
	}
}

func isScript(path string) bool {
	f, err := safefile.OpenLinked(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 2)
	n, _ := f.Read(head)
	return n == 2 && string(head) == "#!"
}
