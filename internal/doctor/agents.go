package doctor

import (
	"context"
	"fmt"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/install"
	"gauntlet/internal/safefile"
	"gauntlet/internal/session"
	"gauntlet/internal/text"
)

// agents checks every agent that is used here, or that has Gauntlet's hooks.
func (d *Doctor) agents(ctx context.Context, cfg *config.Loaded, memory session.Store, binary string) {
	beats := memory.Heartbeats()
	installed := map[string]bool{}
	found := false
	for _, a := range agent.All() {
		ins := d.Inspect(a)
		for _, old := range d.Predecessors(a) {
			d.add(Check{Name: "hooks", Agent: a.Name(), State: Warn, Message: old.Notice(d.Places), Fix: "gauntlet init --replace --agents=" + a.Name()})
		}
		if len(ins) == 0 && !d.Uses(a) {
			continue
		}
		found = true
		last := lastBeats(a, beats)
		if d.agent(a, ins, last, cfg) {
			installed[a.Name()] = true
			d.heartbeat(a, last, binary)
			if d.SelfTest && binary != "" {
				d.selfTest(ctx, a, ins)
			}
		}
	}
	if !found {
		d.add(Check{Name: "agents", State: Warn, Message: "no coding agent found here", Fix: "gauntlet init --agents=NAME"})
	}
	for _, a := range agent.All() {
		for _, other := range a.Setup().AlsoRuns {
			if installed[a.Name()] && installed[other] {
				d.add(Check{Name: "hooks", Agent: a.Name(), State: Info, Message: fmt.Sprintf("%s also runs the hooks in %s's settings; the same stop is judged once", a.Setup().Label, other)})
			}
		}
	}
}

// agent reports whether Gauntlet's stop hook is in place.
func (d *Doctor) agent(a agent.Adapter, ins []install.Installed, last map[string]session.Heartbeat, cfg *config.Loaded) bool {
	s := a.Setup()
	good, byHand := 0, false
	for _, in := range ins {
		if in.Err != nil {
			d.add(Check{Name: "hooks", Agent: a.Name(), State: Fail, Message: d.Unreadable(in.Err), Fix: "correct the file, then: gauntlet init --agents=" + a.Name() + flag(in.Scope)})
			continue
		}
		byHand = byHand || in.ByHand
		if d.settings(a, in, cfg) {
			good++
		}
	}
	switch {
	case good > 1:
		d.add(Check{Name: "hooks", Agent: a.Name(), State: Info, Message: s.Label + " has the hooks in more than one settings file; one is enough", Fix: "gauntlet uninstall --agent " + a.Name() + " --user"})
	case good == 0 && byHand:
		d.add(Check{Name: "hooks", Agent: a.Name(), State: Info, Message: s.Label + " calls gauntlet stop-hook through an entry written by hand; it is not checked"})
	case good == 0 && len(ins) == 0:
		if stop, fired := last[string(event.Stop)]; fired {
			d.add(Check{Name: "hooks", Agent: a.Name(), State: Info, Message: fmt.Sprintf("%s has no Gauntlet stop hook in its settings, but one fired %s: a package installed it", s.Label, text.Ago(d.Now.Sub(stop.At)))})
			break
		}
		d.add(Check{Name: "hooks", Agent: a.Name(), State: Warn, Message: s.Label + " is installed, but has no Gauntlet stop hook", Fix: "gauntlet init --agents=" + a.Name()})
	}
	return good > 0
}

func flag(s wire.Scope) string { return " --" + string(s) }

// settings checks one settings file.
func (d *Doctor) settings(a agent.Adapter, in install.Installed, cfg *config.Loaded) bool {
	s := a.Setup()
	again := "gauntlet init --agents=" + a.Name() + flag(in.Scope)
	path := d.Short(in.Path)
	stop := in.Stop()
	if stop == nil {
		if !in.ByHand {
			d.add(Check{Name: "hooks", Agent: a.Name(), State: Fail, Message: fmt.Sprintf("%s has Gauntlet hooks but no stop hook", path), Fix: again})
		}
		return false
	}
	c := Check{Name: "hooks", Agent: a.Name(), State: OK, Message: fmt.Sprintf("%s: %s (%s)", s.Label, path, in.Scope)}
	deadline := config.Defaults().Deadline
	if cfg != nil {
		deadline = cfg.Settings.Deadline
	}
	timeout := time.Duration(stop.Timeout) * s.Unit
	have := map[wire.Hook]int{}
	for _, cmd := range in.Commands {
		have[cmd.Hook]++
	}
	switch {
	case len(in.Pitfalls) > 0:
		bad := in.Pitfalls[0]
		c.State, c.Message, c.Fix = Fail, d.Short(bad.Path)+": "+bad.Why, "change that in "+d.Short(bad.Path)
	case s.TimeoutKey != "" && stop.Timeout > 0 && timeout < 10*time.Second:
		c.State, c.Message, c.Fix = Fail, fmt.Sprintf("%s: timeout %d means %s for %s; the hook is killed before it answers", path, stop.Timeout, timeout, s.Label), again
	case s.TimeoutKey != "" && stop.Timeout > 0 && timeout <= deadline:
		c.State, c.Message = Warn, fmt.Sprintf("%s: the agent's timeout (%s) is not above stop_hook.deadline_seconds (%s): a slow run is killed without a verdict", path, timeout, deadline)
		c.Fix = "lower stop_hook.deadline_seconds, or raise the timeout in that file; default: " + again
	case have[stop.Hook] > 1:
		c.State, c.Message, c.Fix = Warn, fmt.Sprintf("%s: the stop hook is there %d times", path, have[stop.Hook]), "gauntlet uninstall --agent "+a.Name()+flag(in.Scope)+" && "+again
	case stop.Line != s.Command(stop.Hook.Args):
		c.State, c.Message, c.Fix = Warn, path+": the stop hook was written by another version", again
	case len(have) < len(s.Hooks):
		c.State, c.Message, c.Fix = Warn, path+": not every hook is there", again
	case in.Untrusted > 0:
		c.State, c.Message, c.Fix = Warn, fmt.Sprintf("%s: %d hooks are not trusted yet, so %s does not run them", path, in.Untrusted, s.Label), s.Trust.How+"; or: "+again+" --trust"
	}
	if c.State == OK && in.Scope != wire.User && !d.FolderTrusted(s) {
		c.State, c.Message, c.Fix = Info, c.Message+"; "+s.Label+" runs project hooks only in a directory that it trusts", s.Folder.How
		if s.Folder.Silent {
			c.State = Warn
		}
	}
	d.add(c)
	return true
}

// lastBeats is when each event of an agent last fired.
func lastBeats(a agent.Adapter, beats []session.Heartbeat) map[string]session.Heartbeat {
	last := map[string]session.Heartbeat{}
	for _, b := range beats {
		if b.Agent == a.Name() && b.At.After(last[b.Event].At) {
			last[b.Event] = b
		}
	}
	return last
}

// heartbeat reports when each hook last fired: the proof that it is called.
func (d *Doctor) heartbeat(a agent.Adapter, last map[string]session.Heartbeat, binary string) {
	stop, fired := last[string(event.Stop)]
	if !fired {
		d.add(Check{Name: "heartbeat", Agent: a.Name(), State: Info, Message: "the stop hook has not fired in this project yet" + d.others(a, last), Fix: "start " + a.Setup().Label + " here and let it answer once"})
		return
	}
	c := Check{Name: "heartbeat", Agent: a.Name(), State: OK, Message: "the stop hook last fired " + text.Ago(d.Now.Sub(stop.At)) + status(stop.Status) + d.others(a, last)}
	switch stop.Status {
	case string(event.InfrastructureErr), string(event.Error), string(event.InvalidInput), string(event.Untrusted):
		c.State, c.Fix = Warn, "gauntlet explain" // it was approved unjudged
	}
	if stop.Binary != "" && binary != "" && !safefile.Same(stop.Binary, binary) {
		c.State, c.Message = Warn, c.Message+"; it ran "+stop.Binary
		c.Fix = "restart the agent so that it sees your PATH, or remove the other binary"
	}
	d.add(c)
}

// others are the events besides the stop, in the order of the hooks.
func (d *Doctor) others(a agent.Adapter, last map[string]session.Heartbeat) string {
	var out string
	reported := map[event.Kind]bool{event.Stop: true}
	for _, h := range a.Setup().Hooks {
		if b, ok := last[string(h.Kind)]; ok && !reported[h.Kind] {
			out += ", " + h.Event + " " + text.Ago(d.Now.Sub(b.At))
		}
		reported[h.Kind] = true
	}
	return out
}

func status(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
