package finding

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
)

type sarifLog struct {
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver struct {
			Name            string      `json:"name"`
			Version         string      `json:"version"`
			SemanticVersion string      `json:"semanticVersion"`
			Rules           []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	Results []sarifResult        `json:"results"`
	Bases   map[string]sarifBase `json:"originalUriBaseIds"`
	Files   []struct {
		Location sarifArtifact `json:"location"`
	} `json:"artifacts"`
	Invocations []struct {
		OK *bool `json:"executionSuccessful"`
	} `json:"invocations"`
}

type sarifBase struct {
	URI string `json:"uri"`
}

type sarifRule struct {
	ID     string `json:"id"`
	Config struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifArtifact struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId"`
	Index     *int   `json:"index"`
}

type sarifResult struct {
	RuleID    string `json:"ruleId"`
	RuleIndex *int   `json:"ruleIndex"`
	Rule      struct {
		ID    string `json:"id"`
		Index *int   `json:"index"`
	} `json:"rule"`
	Kind    string `json:"kind"`
	Level   string `json:"level"`
	Message struct {
		Text string `json:"text"`
		ID   string `json:"id"`
	} `json:"message"`
	BaselineState string            `json:"baselineState"`
	Suppressions  []json.RawMessage `json:"suppressions"`
	Locations     []struct {
		Physical struct {
			Artifact sarifArtifact `json:"artifactLocation"`
			Region   struct {
				Line   int `json:"startLine"`
				Column int `json:"startColumn"`
			} `json:"region"`
		} `json:"physicalLocation"`
	} `json:"locations"`
}

func (p *parser) sarif(data []byte) error {
	var log sarifLog
	if err := json.Unmarshal(data, &log); err != nil {
		return err
	}
	if log.Runs == nil {
		return errors.New("no runs array")
	}
	for _, run := range log.Runs {
		driver := run.Tool.Driver
		version := cmp.Or(driver.SemanticVersion, driver.Version)
		p.tool(driver.Name, version)
		for _, inv := range run.Invocations {
			if inv.OK != nil && !*inv.OK && len(run.Results) == 0 {
				return errors.New("the tool says that it did not run to its end")
			}
		}
		for _, r := range run.Results {
			p.sarifResult(run, r)
		}
	}
	return nil
}

func (p *parser) sarifResult(run sarifRun, r sarifResult) {
	if r.BaselineState == "absent" || len(r.Suppressions) > 0 || r.Kind != "" && r.Kind != "fail" {
		return
	}
	rules := run.Tool.Driver.Rules
	rule, level := r.RuleID, r.Level
	for _, i := range []*int{r.RuleIndex, r.Rule.Index} {
		if i == nil || *i < 0 || *i >= len(rules) {
			continue
		}
		if rule == "" {
			rule = rules[*i].ID
		}
		if level == "" {
			level = rules[*i].Config.Level
		}
	}
	rule = cmp.Or(rule, r.Rule.ID)
	switch level {
	case "none":
		return
	case "":
		level = Warn // the specification's default
	}
	text := cmp.Or(r.Message.Text, r.Message.ID)
	f := Finding{Rule: rule, Message: text, Severity: level}
	name := ""
	if len(r.Locations) > 0 {
		at := r.Locations[0].Physical
		f.Line, f.Column = at.Region.Line, at.Region.Column
		name = sarifPath(run, at.Artifact)
	}
	p.add(f, name)
}

// sarifPath resolves an artifact's URI against the base it names.
func sarifPath(run sarifRun, a sarifArtifact) string {
	if a.URI == "" && a.Index != nil && *a.Index >= 0 && *a.Index < len(run.Files) {
		a = run.Files[*a.Index].Location
	}
	if a.URI == "" {
		return ""
	}
	if strings.HasPrefix(a.URI, "file:") {
		return a.URI
	}
	name := a.URI
	if u, err := url.PathUnescape(name); err == nil {
		name = u
	}
	if base := run.Bases[a.URIBaseID].URI; strings.HasPrefix(base, "file://") && !strings.HasPrefix(name, "/") {
		if b, err := url.PathUnescape(base); err == nil {
			return strings.TrimSuffix(b, "/") + "/" + name
		}
	}
	return name
}

// tool remembers the tool of the report and its version.
func (p *parser) tool(name, version string) {
	t := strings.TrimSpace(plain(name, maxWord) + " " + plain(version, maxWord))
	if t != "" && !strings.Contains(p.report.Tool, t) && len(p.report.Tool) < 4*maxWord {
		p.report.Tool = strings.TrimPrefix(p.report.Tool+", "+t, ", ")
	}
}
