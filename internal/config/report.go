package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reviewdog/errorformat/fmts"

	"gauntlet/internal/text"
)

// ReportFormats are the values of report, besides efm:NAME and a regular expression.
func ReportFormats() []string {
	return []string{"auto", "sarif", "checkstyle", "junit", "go-test-json", "rdjson", "github"}
}

// ReportFormat is how the output of a check is read: "" when it is not.
func (c *Check) ReportFormat() string {
	if c.Report == "" && (c.NewOnly != "" || c.ReportFile != "") {
		return "auto"
	}
	return c.Report
}

// checkReport applies the rules of the fields that read a check's output.
func checkReport(d *decoder, c *Check) {
	if problem, hint := reportProblem(c.Report); problem != "" {
		d.failField("report", hint, "%s", problem)
	}
	if f := c.ReportFile; f != "" && !filepath.IsLocal(filepath.FromSlash(f)) {
		d.failField("report_file", "", "%s must be relative to the check's working directory and stay in the project", quote(f))
	}
	if q := c.Quarantine; q != nil && q.Until != "" {
		if _, err := time.Parse(time.DateOnly, q.Until); err != nil {
			d.failField("quarantine.until", "", "%s must be a day, such as 2026-12-31", quote(q.Until))
		}
	}
}

// reportProblem returns what is wrong with a value of report.
func reportProblem(report string) (problem, hint string) {
	if report == "" || slices.Contains(ReportFormats(), report) {
		return "", ""
	}
	if name, ok := strings.CutPrefix(report, "efm:"); ok {
		known := slices.Sorted(maps.Keys(fmts.DefinedFmts()))
		if !slices.Contains(known, name) {
			return fmt.Sprintf("unknown errorformat %s", quote(name)), text.Nearest(name, known)
		}
		return "", ""
	}
	if !strings.Contains(report, "(?") {
		return quote(report) + " is neither a report format nor a regular expression with named groups", text.Nearest(report, ReportFormats())
	}
	re, err := regexp.Compile(report)
	if err != nil {
		return err.Error(), ""
	}
	for _, group := range []string{"file", "message"} {
		if !slices.Contains(re.SubexpNames(), group) {
			return fmt.Sprintf("the regular expression needs a group (?P<%s>…)", group), ""
		}
	}
	return "", ""
}
