package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/text"
)

// named finds the value that a person means: blanks may be written as dashes.
func named[T ~string](flag, value string, all []T) (string, error) {
	plain := strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(strings.TrimSpace(value)))
	words := make([]string, len(all))
	for i, v := range all {
		if words[i] = string(v); words[i] == plain {
			return plain, nil
		}
	}
	return "", exit(2, "--%s must be one of %s, not %q", flag, strings.Join(words, ", "), value)
}

// shownOutcome is an outcome with its symbol and badges; a run by hand shows its status.
func shownOutcome(o event.Outcome, status string, badges []event.Badge) string {
	shown := o.Symbol() + " " + o.Shown(event.Status(status))
	if o == "" {
		shown = strings.ToLower(event.Status(status).Headline())
	}
	for _, b := range badges {
		shown += ", " + string(b)
	}
	return redact.Line(shown, 120)
}

// painted is a line in the colour of an outcome.
func painted(t report.Terminal, o event.Outcome, line string) string {
	switch o {
	case event.OutcomePassed:
		return t.Good(line)
	case event.OutcomeSentBack:
		return t.Bad(line)
	case event.OutcomeLetGo:
		return t.Warn(line)
	case event.OutcomeNotChecked:
		return t.Dim(line)
	}
	return line
}

// newestStops are the newest n stops (0: all) that a filter leaves.
func newestStops(ctx context.Context, s *store.Store, only ask.Filter, n int) ([]ask.Stop, error) {
	var out []ask.Stop
	for before := ""; ; {
		page, err := ask.Stops(ctx, s, only, before)
		if err != nil {
			return nil, err
		}
		out = append(out, page.Stops...)
		if n > 0 && len(out) >= n {
			return out[:n], nil
		}
		if before = page.Next; before == "" {
			return out, nil
		}
	}
}

// printAsks shows first what agents ask.
func (app *App) printAsks(t report.Terminal, asks []ask.Stop) {
	for _, a := range asks {
		fmt.Fprintln(app.Out, t.Bold(t.Wrap(redact.Line(a.Message, 1000), 0)))
		fmt.Fprintln(app.Out, t.Dim("  "+t.Wrap(fmt.Sprintf("%s, session %s in %s, %s: gauntlet explain %s",
			redact.Line(a.Agent, 20), redact.Line(a.Session[:min(len(a.Session), 8)], 20), redact.Line(filepath.Base(a.Project), 40), text.Ago(app.Now().Sub(a.At)), redact.Line(a.ID, 40)), 2)))
	}
	if len(asks) > 0 {
		fmt.Fprintln(app.Out)
	}
}

// printStops prints one line per stop; in a narrow terminal times and ids are short, and
// columns make way for the message, which is what people look for.
func (app *App) printStops(t report.Terminal, list []ask.Stop) error {
	table := report.Table{
		Head:  []string{"TIME", "ID", "BY", "OUTCOME", "TOOK", "MESSAGE"},
		Spare: []string{"TOOK", "BY", "TIME", "PROJECT"},
		Least: 24,
	}
	narrow := t.Width() < 120
	many := slices.ContainsFunc(list, func(v ask.Stop) bool { return v.Project != list[0].Project })
	if many {
		table.Head = slices.Insert(table.Head, len(table.Head)-1, "PROJECT")
	}
	for _, v := range list {
		id, layout := redact.Line(v.ID, 40), time.DateTime
		if narrow {
			id = id[strings.LastIndexByte(id, '-')+1:] // enough for gauntlet explain
			layout = "01-02 15:04"
		}
		row := []string{v.At.In(app.Now().Location()).Format(layout), id, who(history.Source(v.Source), v.Agent), shownOutcome(v.Outcome, v.Status, v.Badges), millis(v.MS)}
		if many {
			row = append(row, redact.Line(filepath.Base(v.Project), 30))
		}
		table.Rows = append(table.Rows, append(row, redact.Line(v.Message, 1000)))
	}
	return table.Print(app.Out, t, func(row int, line string) string {
		if row < 0 {
			return t.Dim(line)
		}
		return painted(t, list[row].Outcome, line)
	})
}
