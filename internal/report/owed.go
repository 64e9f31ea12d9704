package report

import (
	"io"
	"strings"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/redact"
)

// Owed prints what a stop would say is owed, and the calls that proved the rest.
func Owed(w io.Writer, r rules.Result, now time.Time) error {
	out := &errWriter{w: w}
	if r.Message == "" {
		out.printf("Nothing is owed.\n")
	} else {
		out.printf("%s\n", strings.TrimRight(r.Message, "\n"))
	}
	if len(r.Suppressed) > 0 {
		out.printf("\nSeen to be done:\n")
	}
	for _, s := range r.Suppressed {
		at := ""
		if !s.By.At.IsZero() {
			at = " at " + s.By.At.Local().Format(time.TimeOnly)
			if now.Sub(s.By.At) > 12*time.Hour {
				at = " on " + s.By.At.Local().Format(time.DateTime)
			}
		}
		out.printf("  %-14s %s%s\n", s.ID, redact.Line(s.By.Command, 200), at)
	}
	return out.err
}
