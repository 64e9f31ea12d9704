package ask

import (
	"context"
	"strings"
	"time"
)

// Row is one row of an answer.
type Row interface {
	Text(column int) string
	Int(column int) int64
	Float(column int) float64
}

// DB is a database with the view gauntlet_facts. Placeholders are question marks.
type DB interface {
	Query(ctx context.Context, sql string, args []any, each func(Row)) error
	// Mark changes whenever there is something new.
	Mark(ctx context.Context) (string, error)
}

// Filter narrows what is asked about. Empty fields narrow nothing.
type Filter struct {
	Project string
	Agent   string
	Status  string
	Gate    string
	Machine string
	Person  string
	Text    string // in message, id, session or project
	Blocked bool
	Since   time.Time
}

// clause collects conditions and what is bound to them.
type clause struct {
	conditions []string
	args       []any
}

func (c *clause) add(condition string, args ...any) {
	c.conditions = append(c.conditions, condition)
	c.args = append(c.args, args...)
}

func (c *clause) where() string { return strings.Join(c.conditions, " AND ") }

// of makes the conditions for records of a type. Status and Blocked are about
// verdicts, so they narrow those only.
func (f Filter) of(typ string) *clause {
	c := &clause{}
	c.add("f.type = ?", typ)
	for _, eq := range []struct{ column, value string }{{"project", f.Project}, {"machine", f.Machine}, {"person", f.Person}} {
		if eq.value != "" {
			c.add("f."+eq.column+" = ?", eq.value)
		}
	}
	if !f.Since.IsZero() {
		c.add("f.at >= ?", f.Since.UnixMicro())
	}
	switch typ {
	case "verdict":
		f.verdicts(c)
	case "gate":
		if f.Gate != "" {
			c.add("f.gate = ?", f.Gate)
		}
	}
	return c
}

func (f Filter) verdicts(c *clause) {
	if f.Agent != "" {
		c.add("f.agent = ?", f.Agent)
	}
	if f.Status != "" {
		c.add("f.status = ?", f.Status)
	}
	if f.Blocked {
		c.add("f.blocked = 1")
	}
	if f.Gate != "" {
		c.add("EXISTS (SELECT 1 FROM gauntlet_facts g WHERE g.id = f.id AND g.machine = f.machine AND g.type = 'gate' AND g.gate = ?)", f.Gate)
	}
	if f.Text != "" {
		like := "%" + escape(strings.ToLower(f.Text)) + "%"
		c.add(`(lower(f.message) LIKE ? ESCAPE '\' OR lower(f.id) LIKE ? ESCAPE '\' OR lower(f.session) LIKE ? ESCAPE '\' OR lower(f.project) LIKE ? ESCAPE '\')`,
			like, like, like, like)
	}
}

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
