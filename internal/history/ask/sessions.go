package ask

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/history"
)

// Session is what one agent did, from its first stop to its last. A run by hand, or a stop
// without a session, is one of its own.
type Session struct {
	ID      string `json:"session,omitempty"`
	Machine string `json:"machine,omitempty"`
	Person  string `json:"person,omitempty"`
	// Prompt is what the person asked for first, "" where it was not recorded.
	Prompt string `json:"prompt,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Model  string `json:"model,omitempty"`
	// Project is its repository; Tree is the work tree, if it is another one.
	Project string `json:"project"`
	Tree    string `json:"workTree,omitempty"`
	// Files counts the different files that changed, Lines what was added and removed; nil:
	// not measured.
	Files int            `json:"files"`
	Lines *history.Lines `json:"lines,omitempty"`
	Stops []Detail       `json:"stops"` // oldest first
	// Hits are the stops that a filter left, if it asked for more than a time and a project.
	Hits []Detail `json:"-"`
}

// Last is the newest stop.
func (s Session) Last() Detail { return s.Stops[len(s.Stops)-1] }

// End is the stop that shows how the session ended so far: the newest that had something to
// check, if there is one.
func (s Session) End() Detail {
	for _, d := range slices.Backward(s.Stops) {
		if d.Outcome != event.OutcomeNotChecked || !event.Status(d.Status).NothingToCheck() {
			return d
		}
	}
	return s.Last()
}

// Badges are those of its stops, each once.
func (s Session) Badges() (out []event.Badge) {
	for _, b := range event.Badges() {
		if slices.ContainsFunc(s.Stops, func(d Detail) bool { return slices.Contains(d.Record.Badges, b) }) {
			out = append(out, b)
		}
	}
	return out
}

const (
	sessionPage = 30
	// maxStops bounds the stops of one session that are shown.
	maxStops = 200
)

// Sessions lists a page of the sessions that have a stop which the filter leaves, newest
// first; page 0 has the newest. more: there is another page.
func (f *Facts) Sessions(ctx context.Context, by Filter, page int) (list []Session, more bool, err error) {
	sel, err := f.searched(ctx, by)
	if err != nil {
		return nil, false, err
	}
	newest := f.newestStops(sel.in)
	from := min(max(page, 0)*sessionPage, len(newest))
	to := min(from+sessionPage, len(newest))
	var all []int32
	for _, i := range newest[from:to] {
		all = append(all, f.stopsWith(i)...)
	}
	stops, err := f.fetch(ctx, all)
	for _, i := range newest[from:to] {
		var of, hits []Detail
		for _, n := range f.stopsWith(i) {
			if d, known := stops[n]; known {
				of = append(of, d)
				if sel.in[n] && by.Text+by.Gate+by.Badge+by.Outcome+by.Status != "" {
					hits = append(hits, d)
				}
			}
		}
		if len(of) > 0 {
			list = append(list, sessionOf(of))
			list[len(list)-1].Hits = hits
		}
	}
	return list, to < len(newest), err
}

// searched applies a filter and its text.
func (f *Facts) searched(ctx context.Context, by Filter) (selection, error) {
	sel := f.chosen(by)
	if by.Text == "" {
		return sel, nil
	}
	found := make([]bool, len(sel.in))
	err := f.db.Query(ctx, `SELECT t.id, t.machine FROM gauntlet_texts t WHERE t.text LIKE ? ESCAPE '\'`, []any{contains(by.Text)}, func(r Row) {
		if i, known := f.byID[f.hash(r.Bytes(1), r.Bytes(0))]; known {
			found[i] = sel.in[i]
		}
	})
	sel.in = found
	return sel, err
}

// newestStops are the newest selected stops of every session, newest first.
func (f *Facts) newestStops(in []bool) (out []int32) {
	seen := map[uint64]bool{}
	for _, i := range slices.Backward(f.order) {
		v := &f.verdicts[i]
		if !in[i] || v.ghost {
			continue
		}
		if key := f.sessionKey(i); !seen[key] {
			seen[key] = true
			out = append(out, i)
		}
	}
	return out
}

// sessionKey identifies the session of a verdict; a stop without one is its own.
func (f *Facts) sessionKey(i int32) uint64 {
	v := &f.verdicts[i]
	if v.byHand {
		return v.id
	}
	return cmp.Or(v.session, v.id)
}

// stopsWith are all stops of the session of a verdict, oldest first.
func (f *Facts) stopsWith(i int32) (all []int32) {
	for n := f.next[i]; n >= 0 && len(all) < maxStops; n = f.next[n] {
		all = append(all, n)
	}
	slices.Reverse(all)
	for ; i >= 0 && len(all) < maxStops; i = f.prev[i] {
		all = append(all, i)
	}
	slices.Reverse(all)
	return all
}

// fetch reads verdicts, without their gates.
func (f *Facts) fetch(ctx context.Context, list []int32) (map[int32]Detail, error) {
	out, at := map[int32]Detail{}, map[int64]int32{}
	for part := range slices.Chunk(list, 500) {
		args := make([]any, len(part))
		for i, n := range part {
			args[i] = f.verdicts[n].seq
			at[f.verdicts[n].seq] = n
		}
		err := f.db.Query(ctx, `SELECT f.seq, cast(f.body AS text), f.machine, f.person, f.outcome FROM gauntlet_facts f WHERE f.seq IN (?`+strings.Repeat(",?", len(args)-1)+")", args, func(r Row) {
			d := Detail{Machine: r.Text(2), Person: r.Text(3)}
			if json.Unmarshal([]byte(r.Text(1)), &d.Record) == nil {
				d.Outcome = event.Outcome(r.Text(4))
				out[at[r.Int(0)]] = d
			}
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// sessionOf sums up the stops of a session.
func sessionOf(stops []Detail) Session {
	last := stops[len(stops)-1]
	s := Session{ID: last.Session, Machine: last.Machine, Person: last.Person, Project: last.Home(), Stops: stops}
	files := map[string]bool{}
	turns := map[string]*history.Lines{}
	for _, d := range stops {
		s.Prompt, s.Agent = cmp.Or(s.Prompt, d.Prompt), cmp.Or(s.Agent, d.Agent)
		s.Model, s.Tree = cmp.Or(d.Model, s.Model), d.Project
		for _, p := range d.Changed {
			files[p] = true
		}
		if d.Lines != nil { // a later stop of the turn has all of it
			turns[cmp.Or(d.Turn, d.Prompt)] = d.Lines
		}
		s.Files = max(s.Files, d.ChangedTotal)
	}
	if s.Tree == s.Project {
		s.Tree = ""
	}
	s.Files = max(s.Files, len(files))
	for _, l := range turns {
		if s.Lines == nil {
			s.Lines = &history.Lines{}
		}
		s.Lines.Added += l.Added
		s.Lines.Removed += l.Removed
	}
	return s
}

// Session is one session with everything that is known of its stops, and its neighbours in
// the list of sessions, nil where there is none.
func (f *Facts) Session(ctx context.Context, machine, id string) (s Session, newer, older *Session, err error) {
	keys := map[name]uint64{} // of this session, if it is of that machine
	is := func(n int32) bool {
		v := &f.verdicts[n]
		if _, known := keys[v.machine]; !known {
			keys[v.machine] = f.hash([]byte(f.name(v.machine)), []byte(id))
		}
		return v.session == keys[v.machine] && id != "" && !v.ghost && !v.byHand
	}
	all := f.newestStops(f.chosen(Filter{Checked: true, Machine: machine}).in)
	at := slices.IndexFunc(all, is)
	if at < 0 { // it may have had nothing to check
		all = f.newestStops(f.chosen(Filter{Machine: machine}).in)
		at = slices.IndexFunc(all, is)
	}
	if at < 0 {
		return s, nil, nil, ErrNotFound
	}
	around := func(i int) *Session {
		if i < 0 || i >= len(all) {
			return nil
		}
		stops, _ := f.fetch(ctx, all[i:i+1]) //nolint:errcheck // a link less
		for _, d := range stops {
			n := sessionOf([]Detail{d})
			return &n
		}
		return nil
	}
	var details []Detail
	stops, err := f.fetch(ctx, f.stopsWith(all[at]))
	for _, n := range f.stopsWith(all[at]) {
		d, known := stops[n]
		if !known || err != nil {
			continue
		}
		if err = d.withGates(ctx, f.db); err == nil {
			details = append(details, d)
		}
	}
	if err != nil || len(details) == 0 {
		return s, nil, nil, cmp.Or(err, ErrNotFound)
	}
	return sessionOf(details), around(at - 1), around(at + 1), nil
}

// Span is what a gate did in one day or week.
type Span struct {
	Start            time.Time
	Pass, Fail, Errs int
	MedianMS         *float64
	times            []float64
}

// Trend is what one gate of a repository did, step by step since a moment; steps without a
// result are left out.
func (f *Facts) Trend(by Filter, step time.Duration) []Span {
	gate, known := f.names.find(by.Gate)
	if !known {
		return nil
	}
	sel, words := f.chosen(by), f.statusWords()
	size := int64(step / time.Microsecond)
	sums := map[int64]*Span{}
	for i := range f.gates {
		g := &f.gates[i]
		if !sel.in[g.of] || g.gate != gate {
			continue
		}
		at := floor(f.verdicts[g.of].at-monday, size)
		s := sums[at]
		if s == nil {
			s = &Span{Start: time.UnixMicro(monday + at*size).UTC()}
			sums[at] = s
		}
		switch g.status {
		case words.pass:
			s.Pass++
		case words.fail:
			s.Fail++
		case words.err:
			s.Errs++
		}
		if !g.cached && g.status != words.err && g.status != words.skipped {
			s.times = append(s.times, float64(g.ms))
		}
	}
	out := make([]Span, 0, len(sums))
	for _, s := range sums {
		s.MedianMS = Median(s.times)
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Span) int { return a.Start.Compare(b.Start) })
	return out
}

// WhyNot is why a gate could not run the last time.
func (f *Facts) WhyNot(ctx context.Context, g Gate) (why string, err error) {
	if g.LastError == 0 {
		return "", nil
	}
	err = f.db.Query(ctx, `SELECT g.message FROM gauntlet_facts v JOIN gauntlet_facts g ON g.id = v.id AND g.machine = v.machine
		WHERE v.seq = ? AND g.type = 'gate' AND g.gate = ? AND g.status = 'error'`, []any{g.LastError, g.Gate}, func(r Row) { why = r.Text(0) })
	return why, err
}

// Home is the repository of a stop: the project, in the main work tree.
func (d Detail) Home() string { return cmp.Or(d.Repository, d.Project) }
