package cli

import (
	"fmt"

	"gauntlet/internal/redact"
	"gauntlet/internal/workflow/protocol"
)

// showDocument prints what init does to one document of state and hand-offs; changes to a
// project's own text are shown.
func (w *initWork) showDocument(c protocol.Change) {
	action := c.Action
	if action != protocol.Unchanged {
		action = "to be " + action
	}
	line := fmt.Sprintf("%-13s %s", action, c.Path)
	if c.Note != "" {
		line += " (" + redact.Line(c.Note, 300) + ")"
	}
	fmt.Fprintln(w.app.Out, line)
	if c.Action == protocol.Updated {
		w.showDiff(c.Path, c.Before, c.After)
	}
}
