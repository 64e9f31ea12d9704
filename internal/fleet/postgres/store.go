package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"gauntlet/internal/history"
)

// Store is the fleet's history.
type Store struct {
	pool *pgxpool.Pool
}

// Check reports what is wrong with the address of a database.
func Check(address string) error {
	_, err := parse(address)
	return err
}

func parse(address string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", err) // pgx leaves the password out
	}
	return cfg, nil
}

// Open prepares connections to the database, a postgres:// address or a connection
// string.
func Open(ctx context.Context, address string) (*Store, error) {
	cfg, err := parse(address)
	if err != nil {
		return nil, err
	}
	cfg.ConnConfig.ConnectTimeout = cmp.Or(cfg.ConnConfig.ConnectTimeout, 10*time.Second)
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	return &Store{pool: pool}, nil
}

// Close closes the connections.
func (s *Store) Close() { s.pool.Close() }

// Origin identifies who wrote the records.
type Origin struct {
	Machine string
	Person  string
}

// Line is one record of a spool. Sum identifies it as it was written, even if Body is
// shortened.
type Line struct {
	Sum  [sha256.Size]byte
	Body []byte
}

// Add stores spool lines exactly once, all or none of them: a batch that is sent again,
// whole or in part, adds only what is missing. It returns how many were new. Lines that are
// not records are counted and left out.
func (s *Store) Add(ctx context.Context, from Origin, lines []Line) (added, unreadable int, err error) {
	batch, sql := &pgx.Batch{}, insert()
	for _, line := range lines {
		row, ok := columns(from, line)
		if !ok {
			unreadable++
			continue
		}
		batch.Queue(sql, row...).Exec(func(tag pgconn.CommandTag) error {
			added += int(tag.RowsAffected())
			return nil
		})
	}
	if batch.Len() == 0 {
		return 0, unreadable, nil
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return tx.SendBatch(ctx, batch).Close() })
	if err != nil {
		return 0, unreadable, fmt.Errorf("store: %w", err)
	}
	return added, unreadable, nil
}

// insert adds one record unless it exists.
func insert() string {
	var places []string
	for i := range names() {
		places = append(places, "$"+strconv.Itoa(i+1))
	}
	return "INSERT INTO gauntlet_records (" + strings.Join(names(), ", ") + ") VALUES (" + strings.Join(places, ", ") + ") ON CONFLICT DO NOTHING"
}

func names() []string {
	return []string{
		"machine", "line", "type", "id", "at", "person", "project", "agent", "session", "model", "client", "status", "blocked", "would", "mode",
		"gate", "kind", "source", "cached", "flaky", "label", "message", "ms", "saved", "body",
	}
}

func columns(from Origin, line Line) ([]any, bool) {
	var rec history.Record
	// PostgreSQL's text and jsonb cannot store NUL; JSON writes it as an escape.
	body := bytes.ReplaceAll(line.Body, []byte(`\u0000`), []byte(`\ufffd`))
	if json.Unmarshal(body, &rec) != nil || rec.ID == "" || rec.Type == "" {
		return nil, false
	}
	return []any{
		from.Machine, line.Sum[:], string(rec.Type), rec.ID, rec.Time.UnixMicro(), from.Person, rec.Project, rec.Agent, rec.Session, rec.Model, rec.Client,
		rec.Status, number(rec.Decision == "block"), number(rec.WouldBlock), rec.Mode, rec.Gate, rec.Kind, string(rec.Source),
		number(rec.Cached), number(rec.Flaky), rec.Label, cut(rec.Message), rec.DurationMS, rec.SavedMS, json.RawMessage(body),
	}, true
}

// cut bounds the message in lists; the body has all of it.
func cut(s string) string {
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "")
	}
	return s
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Count is how many records there are.
func (s *Store) Count(ctx context.Context) (n int, err error) {
	err = s.pool.QueryRow(ctx, `SELECT count(*) FROM gauntlet_records`).Scan(&n)
	return n, err
}
