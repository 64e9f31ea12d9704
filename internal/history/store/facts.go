package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/ncruces/go-sqlite3"

	"gauntlet/internal/history/ask"
	"gauntlet/internal/safefile"
)

// Facts are the columns that queries use, without the bodies: a scan of all of them stays
// cheap. SQLite itself computes them from the bodies, so that ingest and migration cannot
// differ. The queries use the view; a database of many machines has one of the same shape.
func factsSchema() string {
	return `
CREATE TABLE facts (
	seq INTEGER PRIMARY KEY,
	type TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, project TEXT NOT NULL,
	agent TEXT NOT NULL, session TEXT NOT NULL, model TEXT NOT NULL, client TEXT NOT NULL,
	status TEXT NOT NULL, blocked INTEGER NOT NULL, would INTEGER NOT NULL, mode TEXT NOT NULL,
	gate TEXT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL, cached INTEGER NOT NULL, flaky INTEGER NOT NULL,
	label TEXT NOT NULL, message TEXT NOT NULL, ms REAL NOT NULL, saved REAL NOT NULL,
	key TEXT NOT NULL, turn TEXT NOT NULL, tokens INTEGER NOT NULL, agreed INTEGER NOT NULL, notest INTEGER NOT NULL, time_limit REAL NOT NULL,
	ended TEXT NOT NULL, badges TEXT NOT NULL, repository TEXT NOT NULL
);
CREATE INDEX facts_by_time ON facts (type, at, id);
CREATE INDEX facts_by_id ON facts (id);
CREATE INDEX facts_by_session ON facts (session, at);
CREATE TABLE texts (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX texts_by_id ON texts (id);
CREATE VIEW gauntlet_texts AS SELECT id, '' AS machine, text FROM texts;
CREATE VIEW gauntlet_facts AS
	SELECT f.*, '' AS machine, '' AS person, r.body AS body FROM (SELECT *, ` + ask.OutcomeOf("ended") + ` AS outcome FROM facts) f LEFT JOIN records r ON r.seq = f.seq;
`
}

const factsFill = `
INSERT INTO facts SELECT seq, type, id, time, project,
	coalesce(json_extract(body, '$.agent'), ''), session, coalesce(json_extract(body, '$.model'), ''), coalesce(json_extract(body, '$.client'), ''),
	coalesce(json_extract(body, '$.status'), ''), coalesce(json_extract(body, '$.decision'), '') = 'block',
	coalesce(json_extract(body, '$.wouldBlock'), 0), coalesce(json_extract(body, '$.mode'), ''),
	gate, coalesce(json_extract(body, '$.kind'), ''), coalesce(json_extract(body, '$.source'), ''),
	coalesce(json_extract(body, '$.cached'), 0), coalesce(json_extract(body, '$.flaky'), 0),
	coalesce(json_extract(body, '$.label'), ''), substr(coalesce(json_extract(body, '$.message'), ''), 1, 300),
	coalesce(json_extract(body, '$.durationMs'), 0), coalesce(json_extract(body, '$.savedMs'), 0),
	coalesce(json_extract(body, '$.key'), ''), coalesce(json_extract(body, '$.turn'), ''), coalesce(json_extract(body, '$.tokens'), -1),
	coalesce(json_extract(body, '$.agentAgreed'), -1), coalesce(json_extract(body, '$.warning'), '') LIKE '%ran no test%' OR coalesce(json_extract(body, '$.badges'), '') LIKE '%"weakened"%',
	coalesce(json_extract(body, '$.limitMs'), 0), coalesce(json_extract(body, '$.outcome'), ''), coalesce(json_extract(body, '$.badges'), ''), coalesce(json_extract(body, '$.repository'), project)
FROM records WHERE json_valid(body)
`

// textsFill collects what a search looks through, in lower case.
const textsFill = `
INSERT INTO texts SELECT seq, id, lower(id || char(10) || session || char(10) || project || char(10) || coalesce(json_extract(body, '$.prompt'), '') || char(10) ||
	coalesce(json_extract(body, '$.message'), '') || char(10) || coalesce(json_extract(body, '$.reason'), '') || char(10) || coalesce(json_extract(body, '$.tail'), '') || char(10) ||
	coalesce(json_extract(body, '$.changed'), '') || char(10) || coalesce(json_extract(body, '$.findings'), '')
)
FROM records WHERE type IN ('verdict', 'gate') AND json_valid(body) AND (type = 'verdict' OR json_extract(body, '$.status') <> 'pass')
`

// Query runs one of ask's queries.
func (s *Store) Query(_ context.Context, sql string, args []any, each func(ask.Row)) error {
	return s.each(sql, func(stmt *sqlite3.Stmt) error { return bindAll(stmt, args) }, func(stmt *sqlite3.Stmt) { each(row{stmt}) })
}

// Facts returns the values that sums are computed from.
func (s *Store) Facts(ctx context.Context, after int64, each func(ask.Row)) error {
	return s.Query(ctx, "SELECT f.seq, "+ask.FactColumns+" FROM (SELECT *, '' AS machine, '' AS person, "+ask.OutcomeOf("ended")+" AS outcome FROM facts) f WHERE f.seq > ? ORDER BY f.seq", []any{after}, each)
}

// Late is 0: records are added one transaction after the other.
func (s *Store) Late() int64 { return 0 }

// Mark changes with every record that is added.
func (s *Store) Mark(context.Context) (string, error) {
	n, err := s.integer("SELECT coalesce(max(seq), 0) FROM facts")
	return strconv.FormatInt(n, 10), err
}

// Share lets other processes use the store while this one keeps it open for
// reading, as a page does for hours.
func (s *Store) Share() error {
	if s.lock == nil {
		return nil
	}
	err := s.lock.Release()
	s.lock = nil
	return errors.Join(err, s.db.Exec("PRAGMA busy_timeout = 2000"))
}

// Refresh reads what is new in the spool in dir. While another process does so there is
// nothing to do.
func (s *Store) Refresh(dir string) error {
	lock, err := safefile.TryAcquire(filepath.Join(dir, lockName))
	if errors.Is(err, safefile.ErrHeld) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(s.ingest(dir), lock.Release())
}

type row struct{ stmt *sqlite3.Stmt }

func (r row) Text(i int) string   { return r.stmt.ColumnText(i) }
func (r row) Bytes(i int) []byte  { return r.stmt.ColumnRawText(i) }
func (r row) Int(i int) int64     { return r.stmt.ColumnInt64(i) }
func (r row) Float(i int) float64 { return r.stmt.ColumnFloat(i) }
