package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"gauntlet/internal/history"
)

// Verdict is a judged stop with its gates.
type Verdict struct {
	history.Record
	Gates []history.Record `json:"gates"`
}

// Verdicts lists the newest verdicts, newest first. projects narrows it to
// roots (any spelling of one); limit 0 means all.
func (s *Store) Verdicts(projects []string, limit int) ([]Verdict, error) {
	where, bind := narrowed(projects, history.Verdict)
	if limit <= 0 {
		limit = -1
	}
	list, err := s.records("SELECT body FROM records WHERE "+where+" ORDER BY time DESC, seq DESC LIMIT ?", append(bind, limit))
	if err != nil {
		return nil, err
	}
	return s.withGates(list)
}

// Find lists the verdicts whose ID is id or begins or ends with it: people
// type the part they can remember.
func (s *Store) Find(id string) ([]Verdict, error) {
	list, err := s.records(`SELECT body FROM records WHERE type = ? AND (id = ? OR substr(id, 1, length(?)) = ? OR substr(id, -length(?)) = ?)
		ORDER BY id = ? DESC, time DESC LIMIT 20`, []any{string(history.Verdict), id, id, id, id, id, id})
	if err != nil {
		return nil, err
	}
	if len(list) > 1 && list[0].ID == id {
		list = list[:1]
	}
	return s.withGates(list)
}

func (s *Store) withGates(list []history.Record) ([]Verdict, error) {
	all := make([]Verdict, 0, len(list))
	for _, rec := range list {
		gates, err := s.records("SELECT body FROM records WHERE id = ? AND type = ? ORDER BY seq", []any{rec.ID, string(history.Gate)})
		if err != nil {
			return nil, err
		}
		if gates == nil {
			gates = []history.Record{}
		}
		all = append(all, Verdict{rec, gates})
	}
	return all, nil
}

// Labels are the newest words of people about verdicts and replayed stops, by ID.
func (s *Store) Labels() (map[string]string, error) {
	labels := map[string]string{}
	err := s.stream("SELECT body FROM records WHERE type = ? ORDER BY time, seq", []any{string(history.Label)}, func(rec history.Record) {
		labels[rec.ID] = rec.Label
	})
	return labels, err
}

// Stats sums up what happened since a moment.
type Stats struct {
	Since    time.Time  `json:"since"`
	Verdicts int        `json:"verdicts"`
	Blocks   int        `json:"blocks"`
	Gates    []GateStat `json:"gates"`
	Days     []DayStat  `json:"days"`
}

// GateStat is one gate over time. Times are of runs that were executed, not of
// results that were reused; nil: it did not run.
type GateStat struct {
	Project string `json:"project"`
	Gate    string `json:"gate"`
	Kind    string `json:"kind"`
	// Results, reused ones included.
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Error   int `json:"error"`
	Skipped int `json:"skipped"`
	Cached  int `json:"cached"` // reused, whoever proved it
	// Runs were executed here; Failures of them said no. The rest was proved
	// before: here (Reused), by the agent itself, in another work tree, elsewhere.
	Runs     int `json:"runs"`
	Failures int `json:"failures"`
	Reused   int `json:"reused"`
	Agent    int `json:"agent"`
	Worktree int `json:"worktree"`
	Remote   int `json:"remote"`
	// AgentChecked counts runs that checked an agent's word, AgentAgreed those that
	// came to the same.
	AgentChecked int `json:"agentChecked"`
	AgentAgreed  int `json:"agentAgreed"`
	// Flakes counts contents on which it both passed and failed.
	Flakes     int `json:"flakes"`
	WouldBlock int `json:"wouldBlock"`
	// Right, Wrong and Unknown are its blocks by what followed them.
	Right   int `json:"right"`
	Wrong   int `json:"wrong"`
	Unknown int `json:"unknown"`

	SpentMS  float64  `json:"spentMs"`
	SavedMS  float64  `json:"savedMs"`
	MedianMS *float64 `json:"medianMs"`
	MaxMS    *float64 `json:"maxMs"`
}

// DayStat is one day, in the time zone of the caller.
type DayStat struct {
	Day      string `json:"day"`
	Verdicts int    `json:"verdicts"`
	Blocks   int    `json:"blocks"`
}

// Stats counts verdicts and gates since a moment; days are those of since's zone.
func (s *Store) Stats(projects []string, since time.Time) (Stats, error) {
	st := Stats{Since: since, Gates: []GateStat{}, Days: []DayStat{}}
	days := map[string]*DayStat{}
	err := s.since(projects, history.Verdict, since, func(rec history.Record) {
		day := rec.Time.In(since.Location()).Format(time.DateOnly)
		if days[day] == nil {
			days[day] = &DayStat{Day: day}
		}
		st.Verdicts++
		days[day].Verdicts++
		if rec.Decision == "block" {
			st.Blocks++
			days[day].Blocks++
		}
	})
	if err != nil {
		return st, err
	}
	sums := map[gateKey]*gateSum{}
	err = s.since(projects, history.Gate, since, func(rec history.Record) {
		k := gateKey{rec.Project, rec.Gate}
		if sums[k] == nil {
			sums[k] = &gateSum{GateStat: GateStat{Project: rec.Project, Gate: rec.Gate, Kind: rec.Kind}, flaky: map[string]bool{}, seen: map[string]string{}}
		}
		sums[k].add(rec)
	})
	for _, g := range sums {
		st.Gates = append(st.Gates, g.stat())
	}
	slices.SortFunc(st.Gates, func(a, b GateStat) int {
		if c := strings.Compare(a.Project, b.Project); c != 0 {
			return c
		}
		return strings.Compare(a.Gate, b.Gate)
	})
	for _, d := range days {
		st.Days = append(st.Days, *d)
	}
	slices.SortFunc(st.Days, func(a, b DayStat) int { return strings.Compare(a.Day, b.Day) })
	return st, err
}

func (s *Store) since(projects []string, typ history.Type, since time.Time, each func(history.Record)) error {
	where, bind := narrowed(projects, typ)
	return s.stream("SELECT body FROM records WHERE "+where+" AND time >= ? ORDER BY time, seq", append(bind, since.UnixMicro()), each)
}

func narrowed(projects []string, typ history.Type) (where string, bind []any) {
	where, bind = "type = ?", []any{string(typ)}
	if len(projects) > 0 {
		where += " AND project IN (?" + strings.Repeat(",?", len(projects)-1) + ")"
		for _, p := range projects {
			bind = append(bind, p)
		}
	}
	return where, bind
}

func (s *Store) records(sql string, args []any) ([]history.Record, error) {
	var list []history.Record
	err := s.stream(sql, args, func(rec history.Record) { list = append(list, rec) })
	return list, err
}

func (s *Store) stream(sql string, args []any, each func(history.Record)) error {
	return s.each(sql, func(q *sqlite3.Stmt) error { return bindAll(q, args) }, func(row *sqlite3.Stmt) {
		var rec history.Record
		if json.Unmarshal(row.ColumnRawText(0), &rec) == nil {
			each(rec)
		}
	})
}

func bindAll(q *sqlite3.Stmt, args []any) error {
	var errs error
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			errs = errors.Join(errs, q.BindText(i+1, v))
		case int:
			errs = errors.Join(errs, q.BindInt(i+1, v))
		case int64:
			errs = errors.Join(errs, q.BindInt64(i+1, v))
		default:
			errs = errors.Join(errs, fmt.Errorf("argument %d is a %T", i+1, arg))
		}
	}
	return errs
}
