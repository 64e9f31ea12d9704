package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/redact"
	"gauntlet/internal/workflow"
)

func (c *stateCall) listCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the records, the one worked on last first",
		Long:  "List the records: a table on a terminal, JSON everywhere else.",
		Example: `  gauntlet state list
  gauntlet state list --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.open(); err != nil {
				return err
			}
			list := c.store.List(cmd.Context())
			if !asJSON && terminal(c.app.Out) {
				if err := listRecords(c.app.Out, list); err != nil {
					return err
				}
				return c.verdict(c.lines > 0)
			}
			out, err := jsontree.FromGo(list)
			if err != nil {
				return err
			}
			return c.print(out.Indented(), c.lines > 0)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON on a terminal too")
	return cmd
}

func (c *stateCall) showCmd() *cobra.Command {
	var asJSON bool
	cmd := c.sub("show COMMAND", "Show a record: for a person on a terminal, as JSON everywhere else",
		`  gauntlet state show implement --feature auth`,
		func(ctx context.Context, _ []string) error {
			doc, failed := c.load(ctx)
			if asJSON || !terminal(c.app.Out) {
				return c.print(doc.Indented(), failed)
			}
			if doc == nil {
				return c.print([]byte("No record. Start one with: gauntlet state phase "+c.command+" PHASE --status in_progress"), failed)
			}
			return showRecord(c.app.Out, doc)
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON on a terminal too")
	return cmd
}

func listRecords(w io.Writer, list []workflow.Entry) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "No records. A workflow command starts one with: gauntlet state phase COMMAND PHASE --status in_progress")
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "COMMAND\tFEATURE\tSTATUS\tNEXT PHASE\tUPDATED")
	for _, e := range list {
		status := e.Status
		if e.Stale {
			status += ", stale"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", redact.Line(e.Command, 20), line(e.Feature, 40), status, line(e.Phase, 30), line(e.UpdatedAt, 24))
	}
	return tw.Flush()
}

// line is untrusted text in a column, "-" for none.
func line(s *string, limit int) string {
	if s == nil || strings.TrimSpace(*s) == "" {
		return "-"
	}
	return redact.Line(*s, limit)
}

func showRecord(w io.Writer, doc *jsontree.Value) error {
	text := func(path ...string) string {
		s, ok := doc.Get(path...).Text()
		if !ok {
			return line(nil, 0)
		}
		return line(&s, 200)
	}
	point := workflow.Resume(doc)
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, row := range [][2]string{
		{"command", text("command")},
		{"feature", text("feature")},
		{"saved at", text("head_commit")},
		{"started", text("started_at")},
		{"updated", text("updated_at")},
		{"completed", text("completed_at")},
		{"task", text("state", "current_task")},
		{"carry on with", line(point.Phase, 60)},
		{"summary", line(point.Summary, 400)},
	} {
		fmt.Fprintf(tw, "%s\t%s\n", row[0], row[1])
	}
	fmt.Fprintln(tw)
	for _, m := range doc.Get("phases").Members() {
		status, _ := m.Value.Get("status").Text()
		updated, _ := m.Value.Get("updated_at").Text()
		problem, _ := m.Value.Get("error").Text()
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", redact.Line(m.Key, 30), line(&status, 20), line(&updated, 24), redact.Line(problem, 80))
	}
	return tw.Flush()
}
