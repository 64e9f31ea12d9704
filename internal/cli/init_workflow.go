package cli

import (
	"fmt"

	"gauntlet/internal/redact"
	"gauntlet/internal/workflow/protocol"
)

// initWorkflow writes the documents of state and hand-offs into the project at
// root and says what it did; dryRun only says what it would do.
func (app *App) initWorkflow(root string, dryRun bool) error {
	do := protocol.Write
	if dryRun {
		do = protocol.Plan
	}
	changes, err := do(root)
	if err != nil {
		return exit(1, "workflow documents: %v", err)
	}
	for _, c := range changes {
		action := c.Action
		if dryRun && action != protocol.Unchanged {
			action = "to be " + action
		}
		line := fmt.Sprintf("%-13s %s", action, c.Path)
		if c.Note != "" {
			line += " (" + redact.Line(c.Note, 300) + ")"
		}
		if _, err := fmt.Fprintln(app.Out, line); err != nil {
			return fmt.Errorf("write the result: %w", err)
		}
	}
	return nil
}
