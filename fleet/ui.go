package fleet

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/fleet/postgres"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/ui"
)

// headerChars are the characters of header names that proxies use.
const headerChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func (app *App) uiCmd() *cobra.Command {
	var database, file, listen, header string
	var hosts []string
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Show the history of all machines as a page",
		Long: `Serve the page over the database of all machines, with machines and people as filters.
Access needs the token in the address that is printed (or in GAUNTLET_FLEET_TOKEN) or,
with --login-header, a login at the proxy in front of it. With --login-header listen only where the proxy alone can reach it.

Exit codes: 0 it was asked to end, 1 the database or the address to listen on cannot be
had, 2 wrong arguments.`,
		Example: `  DATABASE_URL=postgres://gauntlet@db.example/gauntlet gauntlet-fleet ui
  gauntlet-fleet ui --listen 127.0.0.1:8080 --host stops.example.com --login-header X-Forwarded-User`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := app.database(&database, file); err != nil {
				return err
			}
			if strings.Trim(header, headerChars) != "" {
				return fmt.Errorf("--login-header: %q is not the name of a header", header)
			}
			return failed(app.ui(cmd.Context(), database, listen, header, hosts))
		},
	}
	cmd.Flags().StringVar(&database, "database", "", "address of the database, without a password (default $DATABASE_URL)")
	cmd.Flags().StringVar(&file, "database-file", "", "`FILE` that contains the address of the database")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address to listen on")
	cmd.Flags().StringVar(&header, "login-header", "", "header in which a proxy names who is logged in")
	cmd.Flags().StringSliceVar(&hosts, "host", nil, "host name under which it is reached (may be repeated)")
	return cmd
}

func (app *App) ui(ctx context.Context, database, listen, header string, hosts []string) error {
	store, err := postgres.Open(ctx, database)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	at := listener.Addr().String()
	if tcp, ok := listener.Addr().(*net.TCPAddr); header != "" && ok && !tcp.IP.IsLoopback() {
		app.warn("any client that reaches %s without the proxy can log in by sending %s itself", at, header)
	}
	token := app.Getenv("GAUNTLET_FLEET_TOKEN")
	if token == "" {
		token = rand.Text()
	}
	guard := ui.Guard{Hosts: append(hosts, at), Token: token, Cookie: "gauntlet-fleet"}
	if header != "" {
		guard.Login = func(r *http.Request) bool { return r.Header.Get(header) != "" || bearerIs(r, token) }
		fmt.Fprintf(app.Out, "The fleet's page: http://%s/ (for users that the proxy names in %s)\n", at, header)
	} else {
		fmt.Fprintf(app.Out, "The fleet's page: http://%s/?token=%s\n", at, token)
	}
	return ui.ServeOn(ctx, listener, ui.New(ui.Options{
		Open: func(context.Context) (ask.DB, error) { return store, nil }, Now: app.Now, Many: true, Guard: guard,
	}))
}

func bearerIs(r *http.Request, token string) bool {
	return subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) == 1
}
