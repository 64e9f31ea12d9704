package replay

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// Recorded is a verdict of the history with its gates.
type Recorded struct {
	Verdict history.Record
	Gates   []history.Record
}

// History replays recorded verdicts, newest first as the store lists them: what
// failed then, under the modes and gates of the policy now. The gates are not run
// again.
func History(opts Options, verdicts []Recorded) Report {
	list := make([]Recorded, 0, len(verdicts))
	for _, v := range slices.Backward(verdicts) {
		if opts.Since.IsZero() || !v.Verdict.Time.Before(opts.Since) {
			list = append(list, v)
		}
	}
	reports := make([]Report, 0, 2)
	for _, cfg := range opts.policies() {
		reports = append(reports, (&recorder{
			cfg: cfg, list: list, labels: opts.Labels, t: newTally("history", cfg.Digest), after: newAftermath(list), judges: newJudge(cfg, &opts),
		}).report())
	}
	return joined(reports)
}

type recorder struct {
	cfg    *config.Loaded
	list   []Recorded
	labels map[string]string
	t      *tally
	after  *aftermath
	judges *judge
}

func (r *recorder) report() Report {
	c := &r.t.report.Coverage
	sessions, turns := map[string]bool{}, map[string]bool{}
	for i, v := range r.list {
		rec := v.Verdict
		if rec.Source != history.FromStop {
			continue // a run by hand does not block an agent
		}
		sessions[rec.Session] = true
		turns[rec.Session+"\x00"+rec.Turn] = true
		c.Stops++
		c.Formats[agentName(rec)]++
		r.t.gap("stops recorded by the first version of the history: without proof key, tree and mode", count(rec.Schema < history.Schema))
		if len(v.Gates) == 0 && len(rec.Owed) == 0 && rec.Status != string(event.Checkpoint) {
			r.t.gap("stops at which nothing was judged ("+redact.Line(rec.Status, 40)+")", 1)
			continue
		}
		c.Changed++
		r.judge(i)
	}
	c.Sessions, c.Turns = len(sessions), len(turns)
	r.suggest()
	return r.t.finish()
}

func agentName(rec history.Record) string {
	if rec.Agent == "" {
		return "unknown"
	}
	return redact.Line(rec.Agent, 40)
}

// judge counts one recorded stop.
func (r *recorder) judge(i int) {
	v := r.list[i]
	st := Sample{
		ID: v.Verdict.ID, Time: stamp(v.Verdict.Time), Project: v.Verdict.Project, Session: v.Verdict.Session,
		Changed: head(v.Verdict.Changed, 20), Said: v.Verdict.Reason, Outcome: Unknown,
	}
	r.t.report.Stops++
	var outcomes []Outcome
	note := func(rule, because string, o Outcome) {
		if said := r.labelled(v, o); said != o {
			o, because = said, byPerson
		}
		st.Rules = append(st.Rules, rule)
		outcomes = append(outcomes, o)
		r.t.rule(rule).count(o)
		if because != "" && !slices.Contains(st.Next, because) {
			st.Next = append(st.Next, because)
		}
	}
	for _, g := range v.Gates {
		mode, known := r.mode(g.Gate)
		if !known || mode == config.ModeOff {
			r.t.gap("results of gates that the policy does not have or run", 1)
			continue
		}
		rule := r.t.rule(g.Gate)
		rule.Stops++
		rule.Proved += count(g.Source == history.FromAgent)
		if !g.Cached && g.Status != "skipped" {
			rule.costs = append(rule.costs, g.DurationMS)
		}
		if g.Status != string(gate.Fail) {
			continue
		}
		rule.Raised++
		o, because := r.followedGate(i, g)
		note(g.Gate, because, o)
		st.Enforced = st.Enforced || mode.Blocks()
	}
	if r.checkpoint(i, note) {
		st.Enforced = true
	}
	if len(st.Rules) == 0 {
		return
	}
	r.t.report.Blocks++
	r.t.report.Observed += count(!st.Enforced)
	st.Outcome = together(outcomes)
	if len(st.Next) > 0 {
		st.Because = st.Next[0]
	}
	r.t.report.all = append(r.t.report.all, st)
}

// labelled is a person's label of a stop, which counts most, else what followed.
func (r *recorder) labelled(v Recorded, o Outcome) Outcome {
	return cmp.Or(labelOf(r.labels, v.Verdict.ID), o)
}

// checkpoint counts what a checkpoint asked for; it reports whether that really blocks.
func (r *recorder) checkpoint(i int, note func(rule, because string, o Outcome)) (enforced bool) {
	v := r.list[i]
	c := r.cfg.Project.Checkpoint
	blocked := v.Verdict.Status == string(event.Checkpoint) || v.Verdict.WouldBlock && len(v.Verdict.Owed) > 0
	if c == nil || r.cfg.Settings.ModeAtStop(c.Mode) == config.ModeOff {
		return false
	}
	r.t.rule("checkpoint").Stops++
	if !blocked {
		return false
	}
	r.t.rule("checkpoint").Raised++
	o, because := r.judges.followedBlock(r.log(v.Verdict.Transcript), v.Verdict, func(id string, one Outcome) {
		name := r.judges.ruleOf(id)
		if name == "" {
			return
		}
		r.t.rule(name).Stops++
		r.t.rule(name).Raised++
		r.t.rule(name).count(r.labelled(v, r.orSwitchedOff(i, one)))
	})
	if o == Unknown && r.orSwitchedOff(i, o) == Wrong {
		o, because = Wrong, "it was switched off next"
	}
	note("checkpoint", because, o)
	return r.cfg.Settings.ModeAtStop(c.Mode).Blocks()
}

// mode is what a failure of a recorded gate means under the policy; known is false
// when the policy has no such gate.
func (r *recorder) mode(id string) (mode config.Mode, known bool) {
	parts := strings.SplitN(id, ":", 2)
	if len(parts) != 2 {
		return "", false
	}
	name := gate.Name(parts[1])
	if c := r.cfg.Checks[name]; c != nil && parts[0] == string(gate.KindCheck) {
		return r.cfg.Settings.ModeAtStop(c.Mode), true
	}
	if rev := r.cfg.Reviews[name]; rev != nil && parts[0] == string(gate.KindReview) {
		return r.cfg.Settings.ModeAtStop(rev.Mode), true
	}
	return "", false
}

// suggest looks for gates that only repeat another, are flaky, or are never right.
func (r *recorder) suggest() {
	ids := slices.Sorted(maps.Keys(r.t.rules))
	type pair struct{ a, b string }
	both, differ := map[pair]int{}, map[pair]int{}
	failed, flaky := map[string]int{}, map[string]int{}
	for _, v := range r.list {
		status := map[string]string{}
		for _, g := range v.Gates {
			if g.Status == string(gate.Pass) || g.Status == string(gate.Fail) {
				status[g.Gate] = g.Status
			}
			failed[g.Gate] += count(g.Status == string(gate.Fail))
			flaky[g.Gate] += count(g.Flaky)
		}
		for _, a := range ids {
			for _, b := range ids {
				if a != b && status[a] != "" && status[b] != "" {
					both[pair{a, b}]++
					differ[pair{a, b}] += count(status[a] != status[b])
				}
			}
		}
	}
	add := r.t.suggest
	for i, a := range ids {
		for _, b := range ids[i+1:] {
			p := pair{a, b}
			if both[p] >= MinSamples && differ[p] == 0 && failed[a] >= minSuggestion {
				add("repeats", b, failed[b], "%s failed exactly when %s did, %s in %s: it only repeats it", b, a, text.Count(failed[b], "time"), text.Count(both[p], "stop"))
			}
		}
		rule := r.t.rules[a]
		if rule.Wrong >= minSuggestion && rule.Right == 0 {
			add("never_right", a, rule.Wrong, "%s was never shown to be right and %s wrong: gauntlet gate %s observe", a, text.Count(rule.Wrong, "time"), gate.Name(a))
		}
		if flaky[a] > 0 {
			add("flaky", a, flaky[a], "%s passed and failed on the same content %s: set retries: 1, or quarantine it until it is repaired", a, text.Count(flaky[a], "time"))
		}
	}
}
