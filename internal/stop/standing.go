package stop

import (
	"fmt"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
)

// standing approves a tree that is a commit which was there before the prompt: both
// hear that it fails.
func standing(f Facts) Decision {
	var names []string
	passed := false
	for _, g := range f.Gates.Gates {
		passed = passed || g.Status == gate.Pass
	}
	for _, g := range f.Gates.Failed() {
		names = append(names, redact.Line(g.Name, 60))
	}
	status := event.KnownFailures
	if passed {
		status = event.PassedWithWarnings
	}
	d := loud(status, fmt.Sprintf("the tree is now at %s, which fails %s", f.Standing, strings.Join(names[:min(len(names), 5)], ", ")))
	d.Settled, d.Context = true, "Gauntlet: "+d.Message+". You did not write it, so it is not held against you."
	return d
}
