package fleet

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/fleet/otlp"
	"gauntlet/fleet/postgres"
	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
	"gauntlet/internal/text"
)

// sendFlags are the flags that sync and export share.
type sendFlags struct {
	history  string
	plain    bool
	follow   time.Duration
	retryFor time.Duration
}

func (f *sendFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.history, "history", "", "history directory (default: the one of this user)")
	cmd.Flags().BoolVar(&f.plain, "plain-names", false, "send machine and user names and home directories in clear instead of hashed")
	cmd.Flags().DurationVar(&f.follow, "follow", 0, "keep running and send what is new at this interval, such as 30s")
	cmd.Flags().DurationVar(&f.retryFor, "retry-for", time.Minute, "how long to try to send a batch to a server that does not take it, 0s to try once")
}

// minFollow prevents a typo from querying a server without pause.
const minFollow = time.Second

// check reports values that make no sense.
func (f *sendFlags) check() error {
	switch {
	case f.follow < 0 || f.follow > 0 && f.follow < minFollow:
		return fmt.Errorf("--follow %s: want an interval of at least %s, such as 30s", f.follow, minFollow)
	case f.retryFor < 0:
		return fmt.Errorf("--retry-for %s: want a duration such as 1m, or 0s to try once", f.retryFor)
	}
	return nil
}

func (app *App) syncCmd() *cobra.Command {
	var flags sendFlags
	var database, file string
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Send this machine's history to PostgreSQL",
		Long: `Send this machine's history to PostgreSQL. Each record arrives exactly once, whatever
breaks in between; until the database has a record, it stays in the local history.

Exit codes: 0 everything was sent, 1 the database did not take everything (run it again
later), 2 wrong arguments.`,
		Example: `  DATABASE_URL=postgres://gauntlet@db.example/gauntlet gauntlet-fleet sync
  gauntlet-fleet sync --follow 30s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			if err := app.database(&database, file); err != nil {
				return err
			}
			return failed(app.sync(cmd.Context(), database, flags))
		},
	}
	cmd.Flags().StringVar(&database, "database", "", "address of the database, without a password (default $DATABASE_URL)")
	cmd.Flags().StringVar(&file, "database-file", "", "`FILE` that contains the address of the database")
	flags.add(cmd)
	return cmd
}

// maxAddress bounds the file with the address of the database.
const maxAddress = 64 << 10

// database completes the address of the database and checks it. A password comes from the
// environment or a file: every user of the machine sees what a program is started with.
func (app *App) database(address *string, file string) error {
	switch {
	case *address != "" && postgres.HasPassword(*address):
		return errors.New("--database must not contain a password, which every user of this machine could see; set DATABASE_URL, or put the address into a file and use --database-file")
	case *address != "" && file != "":
		return errors.New("use --database or --database-file, not both")
	case file != "":
		text, err := safefile.Read("", file, maxAddress)
		if err != nil {
			return fmt.Errorf("--database-file: %w", err)
		}
		*address = strings.TrimSpace(string(text))
	case *address == "":
		*address = app.Getenv("DATABASE_URL")
	}
	if *address == "" {
		return errors.New("no database: set DATABASE_URL or use --database-file")
	}
	return postgres.Check(*address)
}

func (app *App) sync(ctx context.Context, database string, flags sendFlags) error {
	dir, names, err := app.sender(flags)
	if err != nil {
		return err
	}
	s := &sink{database: database, names: names}
	d := app.drain(dir, readerName("postgres", database), flags)
	d.size = 1000
	d.batch = func(lines [][]byte) func(context.Context) error {
		batch := make([]postgres.Line, len(lines))
		for i, l := range lines {
			batch[i] = postgres.Line{Sum: sha256.Sum256(l), Body: names.line(l)}
		}
		return func(bounded context.Context) error { return s.add(ctx, bounded, batch) }
	}
	return app.repeat(ctx, flags.follow, func(ctx context.Context) error {
		s.added, s.unreadable = 0, 0
		sent, err := d.run(ctx)
		s.close()
		if err == nil && (sent > 0 || flags.follow == 0) {
			fmt.Fprintf(app.Out, "%d records sent, %d of them new to the database", sent-s.unreadable, s.added)
			if s.unreadable > 0 {
				fmt.Fprintf(app.Out, "; %s left out", text.Count(s.unreadable, "unreadable line"))
			}
			fmt.Fprintln(app.Out)
		}
		return err
	})
}

// sink is the database while something is sent to it.
type sink struct {
	database string
	names    names
	store    *postgres.Store // open only while something is sent: many machines share the server's connections
	migrated bool

	added, unreadable int
}

// add stores a batch. The server has to answer while bounded lasts; a migration may take
// longer.
func (s *sink) add(ctx, bounded context.Context, batch []postgres.Line) (err error) {
	if s.store == nil {
		if s.store, err = postgres.Open(ctx, s.database); err != nil {
			return err
		}
	}
	if !s.migrated {
		current, err := s.store.Current(bounded)
		if err != nil {
			return err
		}
		if !current {
			if err := s.store.Migrate(ctx); err != nil {
				return permanentIf(err, postgres.ErrNewer)
			}
			bounded = ctx // the migration may have used up the time
		}
		s.migrated = true
	}
	added, unreadable, err := s.store.Add(bounded, s.names.origin(), batch)
	if err != nil {
		return err
	}
	s.added, s.unreadable = s.added+added, s.unreadable+unreadable
	return nil
}

func (s *sink) close() {
	if s.store != nil {
		s.store.Close()
		s.store = nil
	}
}

// permanentIf marks an error that no retry can fix.
func permanentIf(err, target error) error {
	if errors.Is(err, target) {
		return fmt.Errorf("%w (%w)", err, errPermanent)
	}
	return err
}

// sender finds the spool and decides how names leave the machine.
func (app *App) sender(flags sendFlags) (dir string, n names, err error) {
	if dir, err = app.historyDir(flags.history); err != nil {
		return "", n, err
	}
	host, err := app.Hostname()
	if err != nil {
		return "", n, fmt.Errorf("host name: %w", err)
	}
	n = names{plain: flags.plain, machine: host, person: app.Username(), home: app.Getenv("HOME")}
	if n.plain {
		return dir, n, nil
	}
	if salt := app.Getenv("GAUNTLET_FLEET_SALT"); salt != "" {
		n.key = []byte(salt)
		return dir, n, nil
	}
	// The state home's own key: without it the names cannot be guessed from the hashes.
	n.key, err = seal.New(filepath.Dir(filepath.Dir(dir))).Seal("fleet names", nil)
	return dir, n, err
}

func (app *App) drain(dir, reader string, flags sendFlags) drain {
	return drain{dir: dir, reader: reader, retryFor: flags.retryFor, now: app.Now, wait: sleep, warn: app.warn}
}

// repeat runs once, or repeatedly at an interval until the process is asked to end. While
// following, it waits for a server that is down.
func (app *App) repeat(ctx context.Context, every time.Duration, once func(context.Context) error) error {
	for {
		err, pause := once(ctx), every
		if later, ok := errors.AsType[*otlp.RetryError](err); ok {
			pause = max(pause, later.After)
		}
		switch {
		case errors.Is(err, errBusy):
			app.warn("%v", err)
			err = nil
		case ctx.Err() != nil && every > 0:
			return nil
		case err != nil && every > 0 && !errors.Is(err, errPermanent):
			app.warn("%v", err)
			err = nil
		}
		if err != nil || every <= 0 {
			return err
		}
		if sleep(ctx, pause) != nil {
			return nil //nolint:nilerr // asked to end
		}
	}
}
