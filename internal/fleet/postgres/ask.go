package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"gauntlet/internal/history/ask"
)

// Query answers one of ask's questions.
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

// Mark changes with every record that arrives.
func (s *Store) Mark(ctx context.Context) (string, error) {
	var n int64
	err := s.pool.QueryRow(ctx, `SELECT coalesce(max(received), 0) FROM gauntlet_records`).Scan(&n)
	return strconv.FormatInt(n, 10), err
}

// numbered turns question marks into PostgreSQL's $1, $2, …. No question holds
// one inside a literal.
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

// row reads the values as PostgreSQL's driver hands them over.
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

func (r row) Int(i int) int64 { return int64(r.Float(i)) }

func (r row) Float(i int) float64 {
	switch v := r[i].(type) {
	case int64:
		return float64(v)
	case int32:
		return float64(v)
	case float64:
		return v
	}
	f, err := strconv.ParseFloat(r.Text(i), 64)
	if err != nil {
		return 0
	}
	return f
}
