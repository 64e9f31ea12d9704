package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gauntlet/internal/history/ask"
)

// migrations are applied in order, each once. One that has been released is
// never changed: add another.
func migrations() []string {
	return []string{
		`CREATE TABLE gauntlet_records (
			machine   text        NOT NULL,
			line      bytea       NOT NULL, -- SHA-256 of the record as it was written
			type      text        NOT NULL,
			id        text        NOT NULL, -- of the verdict; its gates and labels share it
			at        bigint      NOT NULL, -- microseconds since 1970
			person    text        NOT NULL,
			project   text        NOT NULL,
			agent     text        NOT NULL,
			session   text        NOT NULL,
			model     text        NOT NULL,
			client    text        NOT NULL,
			status    text        NOT NULL,
			blocked   integer     NOT NULL,
			would     integer     NOT NULL,
			mode      text        NOT NULL,
			gate      text        NOT NULL,
			kind      text        NOT NULL,
			source    text        NOT NULL,
			cached    integer     NOT NULL,
			flaky     integer     NOT NULL,
			label     text        NOT NULL,
			message   text        NOT NULL,
			ms        double precision NOT NULL,
			saved     double precision NOT NULL,
			body      jsonb       NOT NULL,
			received  bigserial   NOT NULL,
			PRIMARY KEY (machine, line)
		);
		CREATE INDEX gauntlet_records_time ON gauntlet_records (type, at);
		CREATE INDEX gauntlet_records_verdict ON gauntlet_records (id, machine);
		CREATE INDEX gauntlet_records_project ON gauntlet_records (project, at);
		CREATE INDEX gauntlet_records_gate ON gauntlet_records (gate, at);
		CREATE INDEX gauntlet_records_session ON gauntlet_records (session, at);
		CREATE INDEX gauntlet_records_received ON gauntlet_records (received);
		CREATE VIEW gauntlet_facts AS SELECT * FROM gauntlet_records;`,
		// A record is the same whatever its machine is called now, or which of two machines
		// with one home sends it.
		`DELETE FROM gauntlet_records a USING gauntlet_records b WHERE a.line = b.line AND a.received > b.received;
		ALTER TABLE gauntlet_records DROP CONSTRAINT gauntlet_records_pkey, ADD PRIMARY KEY (line);`,
		// The page is filtered by outcome and badge.
		`DROP VIEW gauntlet_facts;
		CREATE VIEW gauntlet_facts AS SELECT *, ` + ask.OutcomeOf("body->>'outcome'") + ` AS outcome, coalesce(body->>'badges', '') AS badges FROM gauntlet_records;`,
		// Work trees are shown as one repository, and a search looks through what was printed.
		`DROP VIEW gauntlet_facts;
		CREATE VIEW gauntlet_facts AS SELECT *, received AS seq, ` + ask.OutcomeOf("body->>'outcome'") + ` AS outcome, coalesce(body->>'badges', '') AS badges, coalesce(body->>'repository', project) AS repository FROM gauntlet_records;
		CREATE VIEW gauntlet_texts AS SELECT id, machine, lower(concat_ws(E'\n', id, session, project, body->>'prompt', body->>'message', body->>'reason', body->>'tail', body->>'changed', body->>'findings')) AS text
			FROM gauntlet_records WHERE type IN ('verdict', 'gate');`,
	}
}

// migrationLock serialises machines that find an empty database at once. Any
// number will do, as long as it stays the same.
const migrationLock = 0x6761756e746c6574

// ErrNewer means that the database was migrated by a newer version.
var ErrNewer = errors.New("the database was made by a newer gauntlet-fleet: upgrade this one")

// Migrate brings the database to the present schema. If it is already current, that costs
// one query.
func (s *Store) Migrate(ctx context.Context) error {
	if current, err := s.Current(ctx); current || err != nil {
		return err
	}
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer tx.Rollback(ctx) //nolint:errcheck // a committed transaction has nothing to roll back
	if err := migrate(ctx, tx, migrations()); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return tx.Commit(ctx)
}

// Current reports whether the database has the present schema.
func (s *Store) Current(ctx context.Context) (bool, error) {
	have := 0
	err := s.pool.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM gauntlet_schema`).Scan(&have)
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok && answer.Code == noTable {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("database: %w", err)
	}
	return have == len(migrations()), nil
}

// noTable is PostgreSQL's code for a table that does not exist.
const noTable = "42P01"

func migrate(ctx context.Context, tx pgx.Tx, steps []string) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLock)); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS gauntlet_schema (version integer NOT NULL)`); err != nil {
		return err
	}
	have := 0
	if err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM gauntlet_schema`).Scan(&have); err != nil {
		return err
	}
	if have > len(steps) {
		return ErrNewer
	}
	for i, step := range steps[have:] {
		if _, err := tx.Exec(ctx, step); err != nil {
			return fmt.Errorf("step %d: %w", have+i+1, err)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO gauntlet_schema VALUES ($1)`, have+i+1); err != nil {
			return err
		}
	}
	return nil
}
