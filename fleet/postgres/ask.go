package postgres

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gauntlet/internal/history/ask"
)

// Query runs one of ask's queries.
func (s *Store) Query(ctx context.Context, sql string, args []any, each func(ask.Row)) error {
	rows, err := s.pool.Query(ctx, numbered(sql), args...)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return fmt.Errorf("database: %w", err)
		}
		each(row(values))
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	return nil
}

// Facts returns the values that sums are computed from.
func (s *Store) Facts(ctx context.Context, after int64, each func(ask.Row)) error {
	return s.Query(ctx, "SELECT received, "+ask.FactColumns+` FROM (SELECT *, coalesce(body->>'key', '') AS key, coalesce(body->>'turn', '') AS turn,
		coalesce((body->>'tokens')::bigint, -1) AS tokens, CASE body->>'agentAgreed' WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE -1 END AS agreed,
		CASE WHEN body->>'warning' LIKE '%ran no test%' OR body->>'badges' LIKE '%"weakened"%' THEN 1 ELSE 0 END AS notest, coalesce((body->>'limitMs')::float8, 0) AS time_limit,
		`+ask.OutcomeOf("body->>'outcome'")+` AS outcome, coalesce(body->>'badges', '') AS badges, coalesce(body->>'repository', project) AS repository
		FROM gauntlet_records) f WHERE received > ? ORDER BY received`, []any{after}, each)
}

// Late is how many records may still appear with a smaller number: batches of
// machines that sync at the same time are numbered before they are committed.
func (s *Store) Late() int64 { return 20_000 }

// Mark changes with every record that arrives.
func (s *Store) Mark(ctx context.Context) (string, error) {
	var n int64
	err := s.pool.QueryRow(ctx, `SELECT coalesce(max(received), 0) FROM gauntlet_records`).Scan(&n)
	return strconv.FormatInt(n, 10), err
}

// numbered turns question marks into PostgreSQL's $1, $2, …. No query contains one inside a
// literal.
func numbered(sql string) string {
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(sql, "?") {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
		n++
	}
	return b.String()
}

// row reads the values as PostgreSQL's driver returns them.
type row []any

func (r row) Text(i int) string {
	switch v := r[i].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case nil:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

func (r row) Bytes(i int) []byte { return []byte(r.Text(i)) }

func (r row) Int(i int) int64 { return int64(r.Float(i)) }

// Float is 0 for what is not a finite number: JSON cannot say it, and one row must not empty
// a page.
func (r row) Float(i int) float64 {
	f := 0.0
	switch v := r[i].(type) {
	case int64:
		return float64(v)
	case int32:
		return float64(v)
	case float64:
		f = v
	default:
		f, _ = strconv.ParseFloat(r.Text(i), 64) //nolint:errcheck // no number is 0
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
