package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/shell"
	"gauntlet/internal/tasks"
)

// judge replays sessions under one policy.
type judge struct {
	cfg        *config.Loaded
	checkpoint *config.Checkpoint // nil: off
	actions    map[string]action
	gates      []gateCommand
	labels     map[string]string
	// tasks are the project's task files, the closest match to those at the session's time;
	// mu because they are read on demand.
	mu    sync.Mutex
	tasks *tasks.Set
}

// action is an action of the checkpoint with the commands that prove it.
type action struct {
	patterns []shell.Pattern
	test     bool // it is about tests: their output shows whether they passed
}

// stop is one stop under one policy.
type stop struct {
	sample Sample
	blocks bool
	// raised are the rules that objected, and which of them block.
	raised map[string]Outcome
	blocky map[string]bool
	gates  []gateLook
	// applied are the actions that the changes called for, done or not.
	applied []string
	// unseen is the command that did what was asked in a form that the rule did not
	// recognise.
	unseen map[string]string
}

func newJudge(cfg *config.Loaded, opts *Options) *judge {
	j := &judge{cfg: cfg, actions: map[string]action{}, labels: opts.Labels, gates: gateCommands(cfg), tasks: tasks.Of(cfg.Root)}
	c := cfg.Project.Checkpoint
	if !c.On() || cfg.Settings.ModeAtStop(c.Mode) == config.ModeOff {
		return j
	}
	j.checkpoint = c
	add := func(list []config.Action) {
		for _, a := range list {
			evidence := a.Evidence
			if len(evidence) == 0 && a.Run != "" {
				evidence = []string{a.Run}
			}
			act := j.actions[a.ID]
			for _, text := range evidence {
				if part, ok := config.Contained(text); ok {
					text = part
				}
				act.patterns = append(act.patterns, shell.Patterns(text)...)
				for _, cmd := range shell.Parse(text).Commands {
					act.test = act.test || cmd.TestRun()
				}
			}
			act.test = act.test || strings.Contains(a.ID, "test")
			j.actions[a.ID] = act
		}
	}
	eff := c.Effective()
	add(eff.Always)
	for _, cat := range eff.Categories {
		add(cat.Actions)
	}
	return j
}

// runs returns what a call of a task runner ends up running.
func (j *judge) runs(c shell.Command, dir string) ([]shell.Command, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tasks.Runs(c, dir)
}

// session judges every stop of a session.
func (j *judge) session(s *session) []stop {
	var out []stop
	sent := map[string]string{} // what was asked for → its files
	for i := range s.turns {
		t := &s.turns[i]
		if !t.Stopped || t.gap != "" || len(t.changed) == 0 {
			continue
		}
		st := stop{raised: map[string]Outcome{}, blocky: map[string]bool{}, unseen: map[string]string{}}
		st.sample = Sample{
			ID: stopID(s, t), Time: stamp(t.At), Project: s.root, Session: s.file,
			Prompt: redact.Line(t.HumanText, 200), Changed: head(t.changed, 20), Ran: ran(t),
		}
		st.gates = j.lookAtGates(s, i)
		for _, g := range st.gates {
			if g.blocks {
				st.blocks = true
				st.sample.Enforced = st.sample.Enforced || g.enforced
			}
		}
		j.askCheckpoint(s, i, &st, sent)
		st.conclude(labelOf(j.labels, st.sample.ID))
		out = append(out, st)
	}
	return out
}

// askCheckpoint decides what the checkpoint would have answered.
func (j *judge) askCheckpoint(s *session, i int, st *stop, sent map[string]string) {
	t := &s.turns[i]
	if j.checkpoint == nil {
		return
	}
	in := rules.Input{
		Config: j.checkpoint, Roots: []string{s.root}, TurnStart: t.read.Start, Now: t.now(),
		Turn:  rules.Turn{Readable: t.read.Readable, Truncated: t.read.Truncated, Calls: t.read.Calls, Earlier: t.read.Earlier},
		Tasks: j.runs, Members: j.tasks.Members,
	}
	for _, p := range t.changed {
		in.Changed = append(in.Changed, rules.Change{Path: p})
	}
	if !rules.OldEnough(j.checkpoint, in.TurnStart, in.Now) {
		return
	}
	res := rules.Decide(in)
	blocks := res.Blocks()
	about := strings.Join(res.About(), "\x00")
	if blocks && sent[res.Key()] == about && about != "" && !touchesAny(t, res.About()) {
		return // the same list about unchanged files is not sent again
	}
	if blocks {
		sent[res.Key()] = about
		st.blocks = true
		st.sample.Enforced = st.sample.Enforced || j.cfg.Settings.ModeAtStop(j.checkpoint.Mode).Blocks()
		st.sample.Said = redact.Strip(res.Message)
	}
	for _, done := range res.Suppressed {
		st.applied = append(st.applied, "action:"+done.ID)
	}
	for _, a := range res.Actions {
		if a.ID == "commit" {
			continue
		}
		st.applied = append(st.applied, "action:"+a.ID)
		name := "action:" + a.ID
		o, because, command := j.followedAction(s, i, a.ID)
		st.raise(name, o, because, blocks)
		if command != "" {
			st.unseen[name] = command
		}
	}
	for _, o := range res.Observations {
		if o.Kind == rules.Gap {
			continue // repeats an action
		}
		outcome, because := followedByHuman(s, i)
		st.raise("observation:"+string(o.Kind), outcome, because, blocks)
	}
}

// touchesAny reports whether the turn changed one of the files.
func touchesAny(t *turn, files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool { return slices.Contains(t.changed, f) })
}

func (st *stop) raise(rule string, o Outcome, because string, blocks bool) {
	st.raised[rule] = o
	st.blocky[rule] = blocks
	if blocks {
		st.sample.Rules = append(st.sample.Rules, rule)
	}
	if because != "" && !slices.Contains(st.sample.Next, because) {
		st.sample.Next = append(st.sample.Next, because)
	}
}

// conclude combines the outcomes of the rules. A person's label counts most.
func (st *stop) conclude(label Outcome) {
	for _, g := range st.gates {
		if g.blocks {
			st.raise(g.rule, g.outcome, g.because, true)
		}
	}
	var outcomes []Outcome
	for rule, o := range st.raised {
		if st.blocky[rule] {
			outcomes = append(outcomes, o)
		}
	}
	st.sample.Outcome = together(outcomes)
	if label != "" {
		st.sample.Outcome, st.sample.Because = label, byPerson
		for rule := range st.raised {
			st.raised[rule] = label
		}
	} else if len(st.sample.Next) > 0 {
		st.sample.Because = st.sample.Next[0]
	}
	slices.Sort(st.sample.Rules)
}

// report summarises the results of a policy.
func (j *judge) report(read []judged, policy int) Report {
	t := newTally("sessions", j.cfg.Digest)
	c := &t.report.Coverage
	unseen := map[string]map[string]int{} // rule → command → how often
	for _, one := range read {
		s := one.session
		c.Sessions++
		if s.broken {
			c.Unreadable++
		}
		t.gap(s.gap, count(s.gap != ""))
		if s.format != "" {
			c.Formats[s.format]++
		}
		c.Turns += len(s.turns)
		for _, turn := range s.turns {
			if turn.Stopped {
				c.Stops++
				c.Changed += count(len(turn.changed) > 0)
			} else {
				t.gap("turns that were interrupted: no stop", 1)
			}
			t.gap(turn.gap, count(turn.gap != ""))
		}
		for _, st := range one.stops[policy] {
			t.stop(st, j)
			for rule, command := range st.unseen {
				if unseen[rule] == nil {
					unseen[rule] = map[string]int{}
				}
				unseen[rule][command]++
			}
		}
	}
	if j.checkpoint == nil {
		t.gap("stops without a checkpoint: it is not configured or off", t.report.Stops)
	}
	for _, r := range t.rules {
		if strings.HasPrefix(r.Rule, "observation:") {
			r.Stops = t.report.Stops // any stop may be observed
		}
	}
	t.suggestEvidence(j, unseen)
	t.suggestNeverRight()
	t.suggestRepeats(j)
	return t.finish()
}

// stop counts one stop.
func (t *tally) stop(st stop, j *judge) {
	t.report.Stops++
	if st.blocks {
		t.report.Blocks++
		t.report.Observed += count(!st.sample.Enforced)
		t.report.all = append(t.report.all, st.sample)
	}
	if j.checkpoint != nil {
		all := t.rule("checkpoint")
		all.Stops++
		asked := false
		for _, rule := range st.applied {
			t.rule(rule).Stops++
		}
		for _, rule := range slices.Sorted(maps.Keys(st.raised)) {
			o := st.raised[rule]
			if strings.HasPrefix(rule, "check:") {
				continue
			}
			r := t.rule(rule)
			r.Raised++
			if st.blocky[rule] {
				asked = true
				r.count(o)
			} else if o != Unknown { // known anyway
				if o == Right {
					r.Right++
				} else {
					r.Wrong++
				}
			}
		}
		if asked {
			all.Raised++
			all.count(st.sample.Outcome)
		}
	}
	for _, g := range st.gates {
		r := t.rule(g.rule)
		r.Stops++
		r.Proved += count(g.proved)
		if g.blocks {
			r.Raised++
			o := g.outcome
			if labelled, ok := st.raised[g.rule]; ok {
				o = labelled
			}
			r.count(o)
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// now is when the turn's stop happened, as far as the log shows: late enough for every rule
// if it does not.
func (t *turn) now() time.Time {
	if t.end.IsZero() {
		return t.read.Start.Add(time.Hour)
	}
	return t.end.Add(time.Second)
}

// stopID identifies a stop: the same for the same log in any place.
func stopID(s *session, t *turn) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", filepath.Base(s.file), t.HumanID, t.Start))
	return "r-" + hex.EncodeToString(sum[:5])
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

func head(list []string, n int) []string { return slices.Clone(list[:min(len(list), n)]) }

// ran lists the shell calls after the turn's last change, newest last.
func ran(t *turn) []string {
	var out []string
	for _, c := range t.read.Calls[min(t.last+1, len(t.read.Calls)):] {
		if c.Kind == event.ToolShell {
			out = append(out, string(c.Outcome)+": "+redact.Line(c.Command, 200))
		}
	}
	return out[max(0, len(out)-8):]
}

// gateCommand is a check of the policy as a command.
type gateCommand struct {
	rule string
	job  gate.Job
	// dir is where it runs, relative to the project: sessions may have worked in another
	// copy of it.
	dir string
}
