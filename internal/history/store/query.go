package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"gauntlet/internal/event"
	"gauntlet/internal/history"
)

// Verdict is a judged stop with its gates.
type Verdict struct {
	history.Record
	Gates []history.Record `json:"gates"`
}

// Verdicts lists the newest verdicts, newest first. projects narrows it to
// roots (any spelling of one) and their work trees; limit 0 means all.
func (s *Store) Verdicts(projects []string, limit int) ([]Verdict, error) {
	where, bind := narrowed(projects, history.Verdict)
	if _, in, only := strings.Cut(where, " AND project"); only {
		where = "type = ? AND (project" + in + " OR repository" + in + ")"
		bind = append(bind, bind[1:]...)
	}
	if limit <= 0 {
		limit = -1
	}
	list, err := s.records("SELECT r.body FROM (SELECT seq, at FROM facts WHERE "+where+") f JOIN records r ON r.seq = f.seq ORDER BY f.at DESC, f.seq DESC LIMIT ?", append(bind, limit))
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

// Sessions lists the sessions whose ids begin with a text, at most 100.
func (s *Store) Sessions(prefix string) ([]string, error) {
	var out []string
	err := s.each("SELECT DISTINCT session FROM records WHERE session != '' AND substr(session, 1, length(?)) = ? LIMIT 100",
		func(stmt *sqlite3.Stmt) error { return bindAll(stmt, []any{prefix, prefix}) },
		func(stmt *sqlite3.Stmt) { out = append(out, stmt.ColumnText(0)) })
	return out, err
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

// CheckpointBlocks lists, newest first, the stops since a moment that a checkpoint
// blocked, or would have but for its mode, and whose log is known: what was asked, when,
// and where the log is, and nothing else.
func (s *Store) CheckpointBlocks(since time.Time) ([]history.Record, error) {
	var list []history.Record
	err := s.stream(`SELECT r.body FROM facts f JOIN records r ON r.seq = f.seq
		WHERE f.type = ? AND f.at >= ? AND (f.status = 'checkpoint' OR f.would = 1) ORDER BY f.at DESC LIMIT ?`,
		[]any{string(history.Verdict), since.UnixMicro(), maxBlocks}, func(rec history.Record) {
			if rec.Transcript != nil && len(rec.Owed) > 0 {
				list = append(list, history.Record{ID: rec.ID, Time: rec.Time, Project: rec.Project, Transcript: rec.Transcript, Owed: rec.Owed})
			}
		})
	return list, err
}

// Saves counts those that autonomy was to make itself since a moment, and those that
// succeeded.
type Saves struct {
	Made      int `json:"made"`
	Succeeded int `json:"succeeded"`
}

// Saves counts the saves of the projects; none: of all.
func (s *Store) Saves(projects []string, since time.Time) (n Saves, err error) {
	where, bind := narrowed(projects, history.Verdict)
	err = s.stream("SELECT body FROM records WHERE "+where+" AND time >= ? AND json_extract(body, '$.executed') IS NOT NULL", append(bind, since.UnixMicro()), func(rec history.Record) {
		n.Made++
		if *rec.Executed {
			n.Succeeded++
		}
	})
	return n, err
}

// Meanings counts the answers about stops and gates since a moment, by question and result:
// undo, oldTests, canary. Of a gate the last answer counts.
func (s *Store) Meanings(projects []string, since time.Time) (map[string]map[string]int, error) {
	out := map[string]map[string]int{}
	count := func(question string, a *event.Answer) {
		if a != nil {
			if out[question] == nil {
				out[question] = map[string]int{}
			}
			out[question][a.Result]++
		}
	}
	where, bind := narrowed(projects, history.Meaning)
	gates := map[string]*event.Answer{}
	err := s.stream("SELECT body FROM records WHERE "+where+" AND time >= ? ORDER BY time, seq", append(bind, since.UnixMicro()), func(rec history.Record) {
		count("undo", rec.Undo)
		count("oldTests", rec.OldTests)
		if rec.Canary != nil {
			gates[rec.Project+" "+rec.Gate] = rec.Canary
		}
	})
	for _, a := range gates {
		count("canary", a)
	}
	return out, err
}

// maxBlocks bounds how many blocks are followed up.
const maxBlocks = 2000

// Labels are the newest words of people about verdicts and replayed stops, by ID.
func (s *Store) Labels() (map[string]string, error) {
	labels := map[string]string{}
	err := s.stream("SELECT body FROM records WHERE type = ? ORDER BY time, seq", []any{string(history.Label)}, func(rec history.Record) {
		labels[rec.ID] = rec.Label
	})
	return labels, err
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

// Forget removes every record of some projects, and the labels of their verdicts.
func (s *Store) Forget(projects []string) error {
	where, bind := narrowed(projects, history.Verdict)
	_, in, _ := strings.Cut(where, " AND ")
	if in == "" {
		return nil
	}
	bind = append(bind[1:len(bind):len(bind)], bind[1:]...)
	of := "(SELECT seq FROM records WHERE " + in + " OR id IN (SELECT id FROM records WHERE " + in + "))"
	for _, table := range []string{"facts", "texts", "records"} {
		err := s.each("DELETE FROM "+table+" WHERE seq IN "+of, func(q *sqlite3.Stmt) error { return bindAll(q, bind) }, func(*sqlite3.Stmt) {})
		if err != nil {
			return err
		}
	}
	return s.db.Exec("VACUUM") // what is deleted is not left in the file
}
