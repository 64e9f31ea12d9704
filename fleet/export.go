package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/fleet/otlp"
	"gauntlet/fleet/postgres"
	"gauntlet/internal/buildinfo"
	"gauntlet/internal/history"
)

func (app *App) exportCmd() *cobra.Command {
	var flags sendFlags
	var endpoint string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Send this machine's history to an OpenTelemetry collector",
		Long: `Send this machine's history to an OpenTelemetry collector over OTLP/HTTP: a trace per
stop with a span per gate, metrics as deltas, one log event per verdict. Headers come
from OTEL_EXPORTER_OTLP_HEADERS.

Exit codes: 0 everything was sent, 1 the collector did not take everything (run it again
later; what it refused for good is named and not sent again), 2 wrong arguments.`,
		Example: `  OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 gauntlet-fleet export
  gauntlet-fleet export --endpoint http://localhost:4318 --follow 30s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			if postgres.HasPassword(endpoint) {
				return errors.New("--endpoint must not contain a password, which every user of this machine could see; set OTEL_EXPORTER_OTLP_ENDPOINT")
			}
			if endpoint == "" {
				endpoint = app.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
			}
			if endpoint == "" {
				return errors.New("no collector: set OTEL_EXPORTER_OTLP_ENDPOINT or use --endpoint")
			}
			headers, err := parseHeaders(app.Getenv("OTEL_EXPORTER_OTLP_HEADERS"))
			if err != nil {
				return err
			}
			client, err := otlp.NewClient(endpoint, headers)
			if err != nil {
				return err
			}
			return failed(app.export(cmd.Context(), endpoint, client, flags))
		},
	}
	cmd.Flags().StringVar(&endpoint, "endpoint", "", "address of the collector (default $OTEL_EXPORTER_OTLP_ENDPOINT)")
	flags.add(cmd)
	return cmd
}

func (app *App) export(ctx context.Context, endpoint string, client *otlp.Client, flags sendFlags) error {
	dir, names, err := app.sender(flags)
	if err != nil {
		return err
	}
	res := otlp.Resource{Machine: names.origin().Machine, Version: buildinfo.Version()}
	refused := 0
	d := app.drain(dir, readerName("otlp", endpoint), flags)
	d.size = 250 // about 250 KB: a proxy in front of the collector may accept no more than 1 MB
	d.batch = func(lines [][]byte) func(context.Context) error {
		payload, encodeErr := otlp.Encode(res, decode(names, lines))
		counted := false
		return func(ctx context.Context) error {
			if encodeErr != nil {
				return fmt.Errorf("%w (%w)", encodeErr, errPermanent)
			}
			answer, err := client.Send(ctx, &payload)
			for _, r := range answer.Partial {
				app.warn("the collector accepted %s", r)
			}
			for _, r := range answer.Refused {
				app.warn("the collector refused %d records for good, and they are not sent again: %s", len(lines), r)
				if !counted {
					counted, refused = true, refused+len(lines)
				}
			}
			if _, later := errors.AsType[*otlp.RetryError](err); err != nil && !later && ctx.Err() == nil {
				return fmt.Errorf("%w (%w)", err, errPermanent)
			}
			return err
		}
	}
	return app.repeat(ctx, flags.follow, func(ctx context.Context) error {
		refused = 0
		sent, err := d.run(ctx)
		if err == nil && (sent > 0 || flags.follow == 0) {
			fmt.Fprintf(app.Out, "%d records sent", sent)
			if refused > 0 {
				fmt.Fprintf(app.Out, ", %d of them refused by the collector in whole or in part", refused)
			}
			fmt.Fprintln(app.Out)
		}
		if err == nil && refused > 0 && flags.follow == 0 {
			return errRefused
		}
		return err
	})
}

// errRefused makes a run fail that has sent everything it can.
var errRefused = errors.New("the collector refused records for good: they stay in the local history and are not sent again")

func decode(n names, lines [][]byte) []history.Record {
	var out []history.Record
	for _, l := range lines {
		var rec history.Record
		if json.Unmarshal(n.line(l), &rec) == nil && rec.ID != "" {
			out = append(out, rec)
		}
	}
	return out
}

// parseHeaders reads OTEL_EXPORTER_OTLP_HEADERS: name=value,name=value, with values
// percent-encoded as in W3C Baggage.
func parseHeaders(s string) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range strings.Split(s, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS is not a list of name=value")
		}
		value = strings.TrimSpace(value)
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		out[strings.TrimSpace(name)] = value
	}
	return out, nil
}
