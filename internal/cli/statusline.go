package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/autonomy"
	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
)

// statusLine answers an agent that redraws its status line: it records how full the context
// window is and prints one line. It always exits with 0.
func (app *App) statusLine(ctx context.Context) {
	in := wire.DecodeStatusLine(agent.ReadEvent(app.In, 2*time.Second))
	line, use := autonomy.StatusLine{Model: in.Model, Window: in.Window}, "context –"
	if u := in.Use; u != nil {
		line.Known, line.Tokens = true, u.Tokens
		use = fmt.Sprintf("context %d%% (%s/%s)", u.Percent(), kilo(u.Tokens), kilo(u.Window))
	}
	cwd, _ := app.Getwd()
	at := site.Find(site.Dir(in.Cwd, cwd), app.Getenv) // as the stop hook does, so that it finds the figure
	if in.SessionID != "" && in.Window > 0 {
		if err := autonomy.Remember(ctx, at.Memory, in.SessionID, line); err != nil {
			fmt.Fprintln(app.Err, "gauntlet: "+redact.Line(err.Error(), 300))
		}
	}
	var parts []string
	if name := redact.Line(in.ModelName, 40); name != "" {
		parts = append(parts, name)
	}
	parts = append(parts, use)
	if dir, err := history.Dir(app.Getenv); err == nil && in.SessionID != "" {
		if last, ok := history.Last(dir, in.SessionID); ok {
			parts = append(parts, "last: "+strings.ToLower(event.Status(redact.Line(last.Status, 40)).Headline()))
		}
	}
	if cfg, err := at.Config(); err == nil && cfg != nil {
		if left, failing := run.AttemptsLeft(cfg); failing {
			parts = append(parts, text.Count(left, "attempt")+" left")
		}
	}
	fmt.Fprintln(app.Out, strings.Join(parts, " · "))
}

func kilo(n int) string {
	if n >= 1_000_000 && n%100_000 == 0 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e6), ".0") + "M"
	}
	if n >= 1000 {
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

func (app *App) statusLineCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "statusline",
		Short: "Print the agent's status line and remember its context use",
		Long: `Read the status-line JSON of Claude Code on stdin and print one line: model, how
full the context window is, the last verdict, and the attempts left while gates
fail. The figure is remembered for the stop hook. In the agent's settings:
  "statusLine": {"type": "command", "command": "gauntlet statusline"}`,
		Example: "  gauntlet statusline < statusline.json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			app.statusLine(cmd.Context())
			return nil
		},
	}
}
