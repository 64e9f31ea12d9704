package ask

import (
	"context"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// Row is one row of an answer.
type Row interface {
	Text(column int) string
	// Bytes is the same, valid only until the next row.
	Bytes(column int) []byte
	Int(column int) int64
	Float(column int) float64
}

// DB is a database with the view gauntlet_facts. Placeholders are question marks.
type DB interface {
	Query(ctx context.Context, sql string, args []any, each func(Row)) error
	// Facts returns the columns of factColumns of every record after a position, in the
	// order of their positions.
	Facts(ctx context.Context, after int64, each func(Row)) error
	// Late is how many positions before the newest one a record may still appear: with many
	// writers the order of commits is not that of the positions.
	Late() int64
	// Mark changes whenever there is something new.
	Mark(ctx context.Context) (string, error)
}

// Filter narrows a query. Empty fields narrow nothing.
type Filter struct {
	// Projects are spellings of one project's directory; none: all projects.
	Projects []string
	Agent    string
	Status   string
	Outcome  string // one of event.Outcomes
	Badge    string // one of event.Badges
	// Checked leaves out the stops at which there was nothing to check.
	Checked bool
	Gate    string // its ID; lists also take its name
	Session string
	Machine string
	Person  string
	// Text is in what was asked, sent or printed, in a file name, the project or an id; it
	// narrows lists only.
	Text    string
	Blocked bool
	Since   time.Time
}

// clause collects conditions and their arguments.
type clause struct {
	conditions []string
	args       []any
}

func (c *clause) add(condition string, args ...any) {
	c.conditions = append(c.conditions, condition)
	c.args = append(c.args, args...)
}

func (c *clause) where() string { return strings.Join(c.conditions, " AND ") }

// verdicts makes the conditions for a list of verdicts.
func (f Filter) verdicts() *clause {
	c := &clause{}
	c.add("f.type = ?", "verdict")
	if len(f.Projects) > 0 {
		in := " IN (?" + strings.Repeat(",?", len(f.Projects)-1) + ")"
		c.add("(f.project"+in+" OR f.repository"+in+")", append(anys(f.Projects), anys(f.Projects)...)...)
	}
	for _, eq := range []struct{ column, value string }{
		{"machine", f.Machine}, {"person", f.Person}, {"agent", f.Agent}, {"status", f.Status}, {"session", f.Session}, {"outcome", f.Outcome},
	} {
		if eq.value != "" {
			c.add("f."+eq.column+" = ?", eq.value)
		}
	}
	if !f.Since.IsZero() {
		c.add("f.at >= ?", f.Since.UnixMicro())
	}
	if f.Blocked {
		c.add("f.blocked = 1")
	}
	if f.Badge != "" {
		c.add(`f.badges LIKE ? ESCAPE '\'`, `%"`+escape(f.Badge)+`"%`)
	}
	if f.Checked && f.Status == "" && f.Outcome == "" {
		c.add("NOT (f.outcome = ? AND f.status IN ("+quoted(nothingToCheck())+"))", string(event.OutcomeNotChecked))
	}
	switch f.Gate {
	case "":
	case Checkpoint:
		c.add(`(f.status = 'checkpoint' OR f.would = 1 AND NOT EXISTS (SELECT 1 FROM gauntlet_facts g WHERE g.id = f.id AND g.machine = f.machine AND g.type = 'gate' AND g.would = 1))`)
	default: // an ID, or the name at its end
		c.add(`EXISTS (SELECT 1 FROM gauntlet_facts g WHERE g.id = f.id AND g.machine = f.machine AND g.type = 'gate' AND (g.gate = ? OR g.gate LIKE ? ESCAPE '\'))`,
			f.Gate, "%:"+escape(f.Gate))
	}
	if f.Text != "" {
		c.add(`EXISTS (SELECT 1 FROM gauntlet_texts t WHERE t.id = f.id AND t.machine = f.machine AND t.text LIKE ? ESCAPE '\')`, contains(f.Text))
	}
	return c
}

// nothingToCheck lists the statuses of stops that lists leave out.
func nothingToCheck() (out []string) {
	for _, s := range event.Statuses() {
		if s.NothingToCheck() {
			out = append(out, string(s))
		}
	}
	return out
}

// quoted lists words of Gauntlet's own as SQL.
func quoted(words []string) string { return "'" + strings.Join(words, "', '") + "'" }

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// contains finds a text in what a list is searched in, which is in lower case.
func contains(text string) string { return "%" + escape(strings.ToLower(text)) + "%" }

// escape makes a person's text a literal in LIKE.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(s)
}

func when(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros)
}
