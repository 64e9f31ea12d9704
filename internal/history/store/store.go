// Package store answers queries about the history. It reads the spool into SQLite,
// continues where it stopped the last time, and is rebuilt from the spool whenever it is
// missing, broken or of another version. For surfaces only: the hook's hot path appends to
// the spool and never uses it.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"

	"gauntlet/internal/history"
	"gauntlet/internal/safefile"
)

const (
	fileName = "store.db"
	lockName = "store.lock"
	// schemaVersion changes with the tables. An older store is migrated, because it
	// contains more than the spool, which is rotated; one of a newer version is rebuilt
	// from the spool.
	schemaVersion = 6
	// lockWait is how long to wait for another reader before reading the spool into memory
	// instead.
	lockWait = 5 * time.Second
	// maxRecords bounds the store: 100,000 verdicts with three gates each. The spool itself
	// has fewer.
	maxRecords = 400_000
)

func schema() string {
	return `
CREATE TABLE records (
	seq INTEGER PRIMARY KEY,
	hash BLOB NOT NULL UNIQUE,
	type TEXT NOT NULL, id TEXT NOT NULL, time INTEGER NOT NULL, project TEXT NOT NULL,
	body TEXT NOT NULL,
	session TEXT NOT NULL DEFAULT '', gate TEXT NOT NULL DEFAULT ''
);
CREATE INDEX records_by_session ON records (session, time);
CREATE INDEX records_by_gate ON records (gate, time);
CREATE INDEX records_by_time ON records (type, time);
CREATE INDEX records_by_id ON records (id);
` + factsSchema() + `
CREATE TABLE segments (name TEXT PRIMARY KEY, offset INTEGER NOT NULL, head_len INTEGER NOT NULL, head_hash BLOB NOT NULL);
`
}

// Store is an open store. It is used by one goroutine, for one command.
type Store struct {
	db   *sqlite3.Conn
	lock *safefile.Lock
	// Unreadable counts lines of the spool that were skipped when it was opened.
	Unreadable int

	late []history.Record // what was found out after a verdict, and is not with it yet
}

// Open brings the store of the spool in dir up to date. It falls back to memory
// when the directory cannot be written or another process is busy in it: an answer
// matters more than a cache.
func Open(ctx context.Context, dir string) (*Store, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return openMemory(ctx, dir)
	}
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock, err := safefile.Acquire(wait, filepath.Join(dir, lockName))
	if err != nil {
		return openMemory(ctx, dir)
	}
	path := filepath.Join(dir, fileName)
	s, err := openFile(ctx, path, dir)
	if err != nil {
		// Whatever is wrong with it, the spool has everything.
		for _, name := range []string{path, path + "-journal", path + "-wal", path + "-shm"} {
			_ = os.Remove(name)
		}
		s, err = openFile(ctx, path, dir)
	}
	if err != nil {
		_ = lock.Release()
		return openMemory(ctx, dir)
	}
	s.lock = lock
	return s, nil
}

// Damaged reports whether an error of an open store means that its file was damaged since:
// opened again, it is rebuilt from the spool.
func Damaged(err error) bool {
	for _, code := range []sqlite3.ErrorCode{sqlite3.NOTADB, sqlite3.CORRUPT, sqlite3.IOERR, sqlite3.ERROR} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// Close unlocks the store for others.
func (s *Store) Close() error {
	err := s.db.Close()
	if s.lock != nil {
		err = errors.Join(err, s.lock.Release())
	}
	return err
}

func openMemory(ctx context.Context, dir string) (*Store, error) {
	db, err := sqlite3.OpenContext(ctx, ":memory:")
	if err != nil {
		return nil, fmt.Errorf("history store: %w", err)
	}
	s := &Store{db: db}
	err = s.create()
	if err == nil {
		err = s.ingest(dir)
	}
	if err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("history store: %w", err)
	}
	return s, nil
}

func openFile(ctx context.Context, path, dir string) (_ *Store, err error) {
	// Created first, so that no other user may read it.
	f, err := safefile.Append("", path, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	db, err := sqlite3.OpenFlags(path, sqlite3.OPEN_READWRITE|sqlite3.OPEN_CREATE)
	if err != nil {
		return nil, err
	}
	db.SetInterrupt(ctx)
	defer func() {
		if err != nil {
			_ = db.Close()
		}
	}()
	s := &Store{db: db}
	// The lock excludes other processes, and what a kill or a power cut breaks is rebuilt.
	if err := db.Exec("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF"); err != nil {
		return nil, err
	}
	version, err := s.integer("PRAGMA user_version")
	if err != nil {
		return nil, err
	}
	switch version {
	case schemaVersion:
		if check, err := s.text("PRAGMA quick_check(1)"); err != nil || check != "ok" {
			return nil, errors.Join(fmt.Errorf("damaged: %s", check), err)
		}
	case 1, 2, 3, 4, 5:
		if err := s.migrate(version); err != nil {
			return nil, err
		}
	case 0:
		if err := s.create(); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("made by another version (%d)", version)
	}
	if err := s.ingest(dir); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Store) create() error {
	return s.db.Exec(fmt.Sprintf("BEGIN IMMEDIATE; %s PRAGMA user_version = %d; COMMIT", schema(), schemaVersion))
}

// migrate updates an older store. Facts are computed again from the bodies.
func (s *Store) migrate(from int64) error {
	steps := []string{
		1: `ALTER TABLE records ADD COLUMN session TEXT NOT NULL DEFAULT '';
ALTER TABLE records ADD COLUMN gate TEXT NOT NULL DEFAULT '';
UPDATE records SET session = coalesce(json_extract(body, '$.session'), ''), gate = coalesce(json_extract(body, '$.gate'), '')
	WHERE json_valid(body);
CREATE INDEX records_by_session ON records (session, time);
CREATE INDEX records_by_gate ON records (gate, time);`,
	}
	sql := "DROP VIEW IF EXISTS gauntlet_facts; DROP VIEW IF EXISTS gauntlet_texts; DROP TABLE IF EXISTS facts; DROP TABLE IF EXISTS texts;\n" + factsSchema() + factsFill + ";" + textsFill + ";"
	if from < int64(len(steps)) {
		sql = steps[from] + "\n" + sql
	}
	return s.db.Exec(fmt.Sprintf("BEGIN IMMEDIATE; %s PRAGMA user_version = %d; COMMIT", sql, schemaVersion))
}

func (s *Store) integer(sql string) (int64, error) {
	var n int64
	err := s.each(sql, nil, func(row *sqlite3.Stmt) { n = row.ColumnInt64(0) })
	return n, err
}

func (s *Store) text(sql string) (string, error) {
	var t string
	err := s.each(sql, nil, func(row *sqlite3.Stmt) { t = row.ColumnText(0) })
	return t, err
}

// each runs one query and passes on its rows.
func (s *Store) each(sql string, bind func(*sqlite3.Stmt) error, row func(*sqlite3.Stmt)) error {
	stmt, _, err := s.db.Prepare(sql)
	if err != nil {
		return fmt.Errorf("history store: %w", err)
	}
	defer stmt.Close()
	if bind != nil {
		if err := bind(stmt); err != nil {
			return fmt.Errorf("history store: %w", err)
		}
	}
	for stmt.Step() {
		row(stmt)
	}
	if err := stmt.Err(); err != nil {
		return fmt.Errorf("history store: %w", err)
	}
	return nil
}
