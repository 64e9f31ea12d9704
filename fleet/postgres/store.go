package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
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

// HasPassword reports whether an address or a connection string contains a password.
func HasPassword(address string) bool {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		if _, has := u.User.Password(); has {
			return true
		}
	}
	return regexp.MustCompile(`(?i)password\s*=`).MatchString(address)
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

// Add stores spool lines exactly once: a batch that is sent again, whole or in part, adds
// only what is missing. It returns how many were new. Lines that are not records, or that
// the database can never store, are counted and left out.
func (s *Store) Add(ctx context.Context, from Origin, lines []Line) (added, unreadable int, err error) {
	added, unreadable, err = s.add(ctx, from, lines)
	if !neverStored(err) {
		return added, unreadable, err
	}
	if len(lines) == 1 {
		return 0, 1, nil
	}
	added, unreadable = 0, 0
	for half := range slices.Chunk(lines, (len(lines)+1)/2) { // one line must not keep the others out
		n, bad, err := s.Add(ctx, from, half)
		if err != nil {
			return added, unreadable, err
		}
		added, unreadable = added+n, unreadable+bad
	}
	return added, unreadable, nil
}

// neverStored reports whether a record itself is the reason of an error: PostgreSQL's classes
// "data exception" and "program limit exceeded".
func neverStored(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (strings.HasPrefix(answer.Code, "22") || strings.HasPrefix(answer.Code, "54"))
}

// add stores all lines or none of them.
func (s *Store) add(ctx context.Context, from Origin, lines []Line) (added, unreadable int, err error) {
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
	body := bytes.ReplaceAll(bytes.ToValidUTF8(line.Body, []byte("\ufffd")), []byte(`\u0000`), []byte(`\ufffd`))
	if json.Unmarshal(body, &rec) != nil || rec.ID == "" || rec.Type == "" {
		return nil, false
	}
	return []any{
		from.Machine, line.Sum[:], string(rec.Type), cut(rec.ID, maxIndexed), rec.Time.UnixMicro(), from.Person, cut(rec.Project, maxIndexed), rec.Agent,
		cut(rec.Session, maxIndexed), rec.Model, rec.Client, rec.Status, number(rec.Decision == "block"), number(rec.WouldBlock), rec.Mode,
		cut(rec.Gate, maxIndexed), rec.Kind, string(rec.Source), number(rec.Cached), number(rec.Flaky), rec.Label, cut(rec.Message, maxMessage),
		rec.DurationMS, rec.SavedMS, json.RawMessage(body),
	}, true
}

const (
	maxIndexed = 2000 // an entry of an index has 2704 bytes at most
	maxMessage = 300  // in lists
)

// cut bounds the text of a column; the body has all of it.
func cut(s string, limit int) string {
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit], "")
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
