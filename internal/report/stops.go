package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// Printer prints for a person: W is the stream, T its terminal, Now the moment.
type Printer struct {
	W   io.Writer
	T   Terminal
	Now time.Time
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
func (p Printer) painted(o event.Outcome, line string) string {
	switch o {
	case event.OutcomePassed:
		return p.T.Good(line)
	case event.OutcomeSentBack:
		return p.T.Bad(line)
	case event.OutcomeLetGo:
		return p.T.Warn(line)
	case event.OutcomeNotChecked:
		return p.T.Dim(line)
	}
	return line
}

// Asks shows first what agents ask.
func (p Printer) Asks(asks []ask.Stop) {
	for _, a := range asks {
		fmt.Fprintln(p.W, p.T.Bold(p.T.Wrap(redact.Line(a.Message, 1000), 0)))
		fmt.Fprintln(p.W, p.T.Dim("  "+p.T.Wrap(fmt.Sprintf("%s, session %s in %s, %s: gauntlet explain %s",
			redact.Line(a.Agent, 20), redact.Line(a.Session[:min(len(a.Session), 8)], 20), redact.Line(filepath.Base(a.Project), 40), text.Ago(p.Now.Sub(a.At)), redact.Line(a.ID, 40)), 2)))
	}
	if len(asks) > 0 {
		fmt.Fprintln(p.W)
	}
}

// Stops prints one line per stop; in a narrow terminal times and ids are short, and
// columns make way for the message, which is what people look for.
func (p Printer) Stops(list []ask.Stop) error {
	table := Table{
		Head:  []string{"TIME", "ID", "BY", "OUTCOME", "TOOK", "MESSAGE"},
		Spare: []string{"TOOK", "BY", "TIME", "PROJECT"},
		Least: 24,
	}
	narrow := p.T.Width() < 120
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
		row := []string{v.At.In(p.Now.Location()).Format(layout), id, who(history.Source(v.Source), v.Agent), shownOutcome(v.Outcome, v.Status, v.Badges), Millis(v.MS)}
		if many {
			row = append(row, redact.Line(filepath.Base(v.Project), 30))
		}
		table.Rows = append(table.Rows, append(row, redact.Line(v.Message, 1000)))
	}
	return table.Print(p.W, p.T, func(row int, line string) string {
		if row < 0 {
			return p.T.Dim(line)
		}
		return p.painted(list[row].Outcome, line)
	})
}

// who asked for the verdict: an agent, or a person.
func who(source history.Source, agent string) string {
	switch {
	case source == history.FromRun:
		return "by hand"
	case agent != "":
		return redact.Line(agent, 20)
	}
	return "stop"
}

// Millis formats a duration for people: 0.4ms, 12ms, 3.4s, 2m05s.
func Millis(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case ms < 10:
		return fmt.Sprintf("%.1fms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0fms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}

// NamePage prints where the same is shown on the page.
func (p Printer) NamePage() error {
	_, err := fmt.Fprintln(p.W, "\n"+p.T.Dim("As a page: gauntlet ui"))
	return err
}
