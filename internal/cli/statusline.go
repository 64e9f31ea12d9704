package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/autonomy"
	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/site"
	"gauntlet/internal/stop"
)

// statusLine answers an agent that redraws its status line: it remembers how
// full the context window is and prints one line. It always ends with 0.
func (app *App) statusLine(ctx context.Context) int {
	in := decodeStatus(stop.ReadEvent(app.In, 2*time.Second))
	cwd, _ := app.Getwd()
	at := site.Find(site.Dir(in.Cwd, cwd), app.Getenv) // as the stop hook does, so that it finds the figure
	if in.SessionID != "" && in.line.Window > 0 {
		if err := autonomy.Remember(ctx, at.Memory, in.SessionID, in.line); err != nil {
			fmt.Fprintln(app.Err, "gauntlet: "+redact.Line(err.Error(), 300))
		}
	}
	var parts []string
	if in.Model != "" {
		parts = append(parts, in.Model)
	}
	parts = append(parts, in.use())
	if dir, err := history.Dir(app.Getenv); err == nil && in.SessionID != "" {
		if last, ok := history.Last(dir, in.SessionID); ok {
			parts = append(parts, "last: "+strings.ToLower(event.Status(redact.Line(last.Status, 40)).Headline()))
		}
	}
	if cfg, err := at.Config(); err == nil && cfg != nil {
		if left, failing := run.AttemptsLeft(cfg); failing {
			parts = append(parts, count(left, "attempt")+" left")
		}
	}
	fmt.Fprintln(app.Out, strings.Join(parts, " · "))
	return 0
}

// statusInput is what of the status-line JSON matters here.
type statusInput struct {
	SessionID, Cwd, Model string
	line                  autonomy.StatusLine
}

// use is the context window for a person.
func (s statusInput) use() string {
	if !s.line.Known {
		return "context –"
	}
	u := event.ContextUse{Tokens: s.line.Tokens, Window: s.line.Window}
	return fmt.Sprintf("context %d%% (%s/%s)", u.Percent(), kilo(u.Tokens), kilo(u.Window))
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

// decodeStatus takes every field that has the right type and leaves the others.
func decodeStatus(payload []byte) statusInput {
	var s statusInput
	top := object(payload)
	s.SessionID = text(top["session_id"])
	work := object(top["workspace"])
	for _, raw := range []json.RawMessage{top["cwd"], work["current_dir"], work["project_dir"]} {
		if s.Cwd == "" {
			s.Cwd = text(raw)
		}
	}
	model := object(top["model"])
	s.line.Model = text(model["id"])
	if s.Model = redact.Line(text(model["display_name"]), 40); s.Model == "" {
		s.Model = redact.Line(s.line.Model, 40)
	}
	window := object(top["context_window"])
	if n, ok := tokenCount(window["context_window_size"]); ok {
		s.line.Window = n
	}
	usage := object(window["current_usage"])
	sum, known := 0, false
	for _, key := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		raw, present := usage[key]
		if !present || string(raw) == "null" {
			continue
		}
		n, ok := tokenCount(raw)
		if !ok {
			return s // a sum that leaves a figure out would be a guess
		}
		sum, known = sum+n, true
	}
	if known && s.line.Window > 0 {
		s.line.Known, s.line.Tokens = true, sum
	}
	return s
}

func object(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// tokenCount reads a count; ok is false for anything else.
func tokenCount(raw json.RawMessage) (int, bool) {
	var f *float64
	if json.Unmarshal(raw, &f) != nil || f == nil || *f < 0 || *f > 1e12 {
		return 0, false
	}
	return int(*f), true
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
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			app.statusLine(cmd.Context())
			return nil
		},
	}
}
