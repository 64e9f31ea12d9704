package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/text"
)

// The part of SARIF 2.1.0 that a run needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		Properties  map[string]any    `json:"properties,omitempty"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		Name             string    `json:"name,omitempty"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		StartTimeUTC        string              `json:"startTimeUtc,omitempty"`
		EndTimeUTC          string              `json:"endTimeUtc,omitempty"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		// BaselineState is new or unchanged, if that was compared (new_only).
		BaselineState string            `json:"baselineState,omitempty"`
		Fingerprints  map[string]string `json:"partialFingerprints,omitempty"`
		Properties    map[string]any    `json:"properties,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

// sarif is the run as SARIF: a rule per gate, a result per finding and per
// failed check. A gate that could not judge is a notification, not a result.
func sarif(res run.Result, about About) ([]byte, error) {
	inv := sarifInvocation{ExecutionSuccessful: run.ExitCode(res.Status) != 2}
	if !about.Started.IsZero() {
		inv.StartTimeUTC = about.Started.UTC().Format("2006-01-02T15:04:05.000Z")
		inv.EndTimeUTC = about.Started.Add(about.Took).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if res.ErrorMessage != "" || res.Status == event.Error {
		inv.Notifications = append(inv.Notifications, sarifNotification{"error", sarifText{clean(res.Message + " " + res.ErrorMessage)}})
	}
	r := sarifRun{Tool: sarifTool{sarifDriver{Name: "gauntlet", Version: about.Version, Rules: []sarifRule{}}}, Results: []sarifResult{}}
	for i, g := range res.Gates {
		r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, sarifRule{g.ID, g.Name, sarifText{clean(string(g.Kind) + " " + g.Name)}})
		switch g.Status {
		case gate.Fail:
			r.Results = append(r.Results, failures(g, i)...)
		case gate.Error:
			inv.Notifications = append(inv.Notifications, sarifNotification{"error", sarifText{clean(g.ID + ": " + g.Message)}})
		case gate.Pass:
			if g.Report != nil && g.Report.Old > 0 { // old findings that do not fail the gate
				r.Results = append(r.Results, failures(g, i)...)
			}
		case gate.Skipped:
		}
	}
	r.Invocations = []sarifInvocation{inv}
	r.Properties = map[string]any{"status": string(res.Status)}
	data, err := json.MarshalIndent(sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{r},
	}, "", "  ")
	return append(data, '\n'), err
}

func failures(g gate.Result, rule int) []sarifResult {
	if len(g.Findings) == 0 {
		text := strings.TrimSpace(g.Message + "\n" + g.Tail)
		return []sarifResult{{
			RuleID: g.ID, RuleIndex: rule, Level: "error", Message: sarifText{clean(text)}, Locations: []sarifLocation{place("", 1)},
		}}
	}
	var list []sarifResult
	for _, f := range g.Findings {
		text := f.Issue
		if f.Fix != "" {
			text += "\nFix: " + f.Fix
		}
		r := sarifResult{
			RuleID: g.ID, RuleIndex: rule, Level: level(f.Priority), Message: sarifText{clean(text)}, Locations: []sarifLocation{place(f.File, f.Line)},
			BaselineState: f.State, Fingerprints: map[string]string{fingerprintKey: g.Fingerprint(f)},
		}
		if f.Rule != "" {
			r.Properties = map[string]any{"rule": f.Rule}
		}
		list = append(list, r)
	}
	return list
}

// fingerprintKey is the name of the fingerprints of findings; other names belong to other
// tools.
const fingerprintKey = "gauntlet/v1"

// place is a location. Many readers refuse a result without one: the gate's configuration
// is the closest to what names no file of the project.
func place(file string, line int) sarifLocation {
	p := sarifPhysical{Artifact: sarifArtifact{URI: uri(cmp.Or(file, ".gauntlet/config.yml")), URIBaseID: "%SRCROOT%"}}
	if line > 0 {
		p.Region = &sarifRegion{line}
	}
	return sarifLocation{p}
}

// uri is a relative path as a URI reference.
func uri(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if text.IsPlain(c) || c == '/' || c == '~' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func level(priority string) string {
	switch priority {
	case "medium", "warning":
		return "warning"
	case "low", "note", "info":
		return "note"
	}
	return "error"
}

// clean makes text that is never empty: SARIF requires a message.
func clean(s string) string {
	return cmp.Or(strings.TrimSpace(redact.Strip(redact.String(strings.ToValidUTF8(s, "\uFFFD")))), "no message")
}
