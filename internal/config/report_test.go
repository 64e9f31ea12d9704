package config

import (
	"strings"
	"testing"
	"time"
)

func TestReportFields(t *testing.T) {
	root := project(t, map[string]string{
		"config.yml": minimal,
		"checks/lint.yml": "command: x\nreport: '^(?P<file>[^:]+):(?P<line>\\d+): (?P<message>.*)$'\nnew_only: base\nretries: 1\n" +
			"quarantine: {until: 2026-12-31, reason: flaky since the move}\nreport_file: out/r.sarif\n",
	})
	c := mustLoad(t, root, env(t)).Checks["lint"]
	if c.NewOnly != "base" || *c.Retries != 1 || c.Quarantine.Until != "2026-12-31" || c.ReportFile != "out/r.sarif" {
		t.Errorf("read as %+v", c)
	}
	for day, want := range map[string]bool{"2026-12-30": true, "2026-12-31": true, "2027-01-01": false} {
		now, err := time.ParseInLocation(time.DateTime, day+" 23:59:59", time.Local)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Quarantined(now); got != want {
			t.Errorf("quarantined on %s: %v", day, got)
		}
	}
	if (&Check{NewOnly: "turn"}).ReportFormat() != "auto" || (&Check{}).ReportFormat() != "" {
		t.Error("new_only alone reads by the tool")
	}
}

func TestReportErrors(t *testing.T) {
	for field, want := range map[string]string{
		"report: sarfi":                          `did you mean "sarif"`,
		"report: efm:golangci-lnt":               `did you mean "golangci-lint"`,
		"report: '(?P<file>x)'":                  "(?P<message>",
		"report: '(?P<file>x'":                   "missing closing )",
		"report_file: ../x.xml":                  "stay in the project",
		"report_file: /tmp/x.xml":                "stay in the project",
		"new_only: yes":                          "new_only",
		"retries: 2":                             "retries",
		"quarantine: {reason: x}":                "quarantine.until",
		"quarantine: {until: 31.12., reason: x}": "2026-12-31",
		"quarantine: {until: 2026-02-30}":        "2026-12-31",
	} {
		root := project(t, map[string]string{"config.yml": minimal, "checks/lint.yml": "command: x\n" + field + "\n"})
		_, err := Load(root, env(t))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "lint.yml:2") {
			t.Errorf("%s: %v", field, err)
		}
	}
}
