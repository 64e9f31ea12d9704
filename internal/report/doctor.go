package report

import (
	"fmt"
	"io"

	"gauntlet/internal/doctor"
	"gauntlet/internal/text"
)

// Checks prints what doctor found, each problem with its fix.
func Checks(w io.Writer, checks []doctor.Check, t Terminal) error {
	out := &errWriter{w: w}
	label := func(c doctor.Check) string {
		if c.Agent == "" {
			return c.Name
		}
		return c.Agent + " " + c.Name
	}
	names := 0
	count := map[doctor.State]int{}
	for _, c := range checks {
		names = max(names, len(label(c)))
		count[c.State]++
	}
	paint := map[doctor.State]func(string) string{doctor.OK: t.Good, doctor.Info: t.Dim, doctor.Warn: t.Warn, doctor.Fail: t.Bad}
	for _, c := range checks {
		out.printf("%s\n", t.Beside(fmt.Sprintf("%s  %-*s  ", paint[c.State](fmt.Sprintf("%-4s", c.State)), names, label(c)), c.Message))
		if c.Fix != "" {
			out.printf("%s\n", t.Beside(fmt.Sprintf("%*s  ", 6+names, ""), "fix: "+c.Fix))
		}
	}
	switch {
	case count[doctor.Fail] > 0:
		out.printf("\n%s, %s.\n", text.Count(count[doctor.Fail], "problem"), text.Count(count[doctor.Warn], "warning"))
	case count[doctor.Warn] > 0:
		out.printf("\nNo problems, %s.\n", text.Count(count[doctor.Warn], "warning"))
	default:
		out.printf("\nNo problems found.\n")
	}
	return out.err
}
