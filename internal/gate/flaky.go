package gate

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/redact"
)

// maxRetried is how long a check may have run to be run again.
const maxRetried = 60 * time.Second

// mayBeFlaky reports whether a failed check is to be run again: its settings ask for it, it
// was quick, there is time, and not most of it failed, because flakes are few.
func (res Result) mayBeFlaky(ctx context.Context, c *config.Check) bool {
	took := time.Duration(res.DurationMS) * time.Millisecond
	if !c.Retried() || res.Status != Fail || res.TimedOut || took >= maxRetried || ctx.Err() != nil {
		return false
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) < took+took/4+time.Second {
		return false
	}
	return res.Report == nil || 2*res.Report.Failed <= res.Report.Tests
}

// FlakyMessage reports both results.
const FlakyMessage = "failed 1 of 2 on identical content"

// again combines a failed run and a second one of the same content. A lucky second run does
// not excuse work that touched what failed.
func (res Result) again(second Result, touched func(string) bool) Result {
	second.Attempt = 2
	second.DurationMS += res.DurationMS
	switch second.Status {
	case Pass:
		second.Flaky, second.Message = true, FlakyMessage+res.failedTests()
		for _, f := range res.Findings {
			if touched != nil && f.File != "" && touched(f.File) {
				second.Status, second.Findings, second.Report, second.ExitCode = Fail, res.Findings, res.Report, res.ExitCode
				second.Tail, second.Output, second.Failure = res.Tail, res.Output, res.Failure
				return second
			}
		}
	case Fail:
		second.Message += "; failed twice"
	case Error, Skipped:
	}
	return second
}

// failedTests names what failed, for a person.
func (res Result) failedTests() string {
	var names []string
	for _, f := range res.Findings {
		name := cmp.Or(f.Test, f.File)
		if name = redact.Line(name, 120); name == "" || slices.Contains(names, name) {
			continue
		}
		if len(names) == 3 {
			names = append(names, "and others")
			break
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}
