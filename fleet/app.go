package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/buildinfo"
	"gauntlet/internal/history"
	"gauntlet/internal/redact"
)

// App is the environment of the commands; tests pass in their own.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Hostname func() (string, error)
	Username func() string
	Now      func() time.Time
}

// System is the real environment.
func System() *App {
	return &App{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Hostname: os.Hostname, Username: username, Now: time.Now}
}

func username() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// Main runs one command line and returns its exit code: 0 done, 1 not done but nothing
// lost, 2 wrong usage.
func Main(args []string, app *App) int {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	root := app.root()
	root.SetArgs(args)
	root.SetIn(app.In)
	root.SetOut(app.Out)
	root.SetErr(app.Err)
	err := root.ExecuteContext(ctx)
	var failed *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &failed):
		fmt.Fprintln(app.Err, "gauntlet-fleet: "+redact.Line(failed.Error(), 1000))
		return failed.code
	}
	fmt.Fprintln(app.Err, "gauntlet-fleet: "+redact.Line(err.Error(), 1000)+" (see `gauntlet-fleet --help`)")
	return 2
}

// exitError is an error of a command that was called correctly.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func failed(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: 1, err: err}
}

func (app *App) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "gauntlet-fleet",
		Short: "Share Gauntlet's history and gates between machines",
		Long: `Share Gauntlet's history and gates between machines: send the history of this machine
to PostgreSQL or to an OpenTelemetry collector, look at the history of all machines,
and run gates on a build farm. One machine alone needs none of it.`,
		Example: `  DATABASE_URL=postgres://gauntlet@db.example/gauntlet gauntlet-fleet sync --follow 30s
  DATABASE_URL=postgres://gauntlet@db.example/gauntlet gauntlet-fleet ui
  OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318 gauntlet-fleet export`,
		Version:       buildinfo.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(app.syncCmd(), app.exportCmd(), app.uiCmd(), app.executeCmd())
	return root
}

// historyDir is where this machine's spool is.
func (app *App) historyDir(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	dir, err := history.Dir(app.Getenv)
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o700) // it may be started before the first stop
}

func (app *App) warn(format string, args ...any) {
	fmt.Fprintln(app.Err, "gauntlet-fleet: "+redact.Line(fmt.Sprintf(format, args...), 500))
}

// sleep waits unless the context ends first.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
