package finding

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

type rdDiagnostic struct {
	Message  string `json:"message"`
	Severity string `json:"severity"`
	Location struct {
		Path  string `json:"path"`
		Range struct {
			Start struct {
				Line   int `json:"line"`
				Column int `json:"column"`
			} `json:"start"`
		} `json:"range"`
	} `json:"location"`
	Code struct {
		Value string `json:"value"`
	} `json:"code"`
	Source struct {
		Name string `json:"name"`
	} `json:"source"`
}

// rdjson reads reviewdog's Diagnostic Format, one document or one diagnostic per
// line.
func (p *parser) rdjson(data []byte) error {
	var doc struct {
		Severity    string         `json:"severity"`
		Diagnostics []rdDiagnostic `json:"diagnostics"`
		Source      struct {
			Name string `json:"name"`
		} `json:"source"`
	}
	if json.Unmarshal(data, &doc) == nil && doc.Diagnostics != nil {
		p.tool(doc.Source.Name, "")
		for _, d := range doc.Diagnostics {
			p.diagnostic(d, doc.Severity)
		}
		return nil
	}
	seen := false
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var d rdDiagnostic
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		if d.Message == "" && d.Location.Path == "" {
			return errors.New("neither diagnostics nor a diagnostic per line")
		}
		seen = true
		p.tool(d.Source.Name, "")
		p.diagnostic(d, "")
	}
	if !seen {
		return errors.New("it is empty")
	}
	return nil
}

func (p *parser) diagnostic(d rdDiagnostic, severity string) {
	if d.Severity != "" {
		severity = d.Severity
	}
	severity = strings.ToLower(severity)
	if severity == "info" {
		severity = Note
	}
	at := d.Location.Range.Start
	p.add(Finding{Line: at.Line, Column: at.Column, Rule: d.Code.Value, Message: d.Message, Severity: severity}, d.Location.Path)
}

// github reads workflow commands: `::error file=a.go,line=3,title=x::message`.
func (p *parser) github(data []byte) {
	for raw := range bytes.Lines(data) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "::")
		if !ok {
			continue
		}
		head, message, ok := strings.Cut(rest, "::")
		if !ok {
			continue
		}
		word, list, _ := strings.Cut(head, " ")
		f := Finding{Severity: word, Message: unescape(message)}
		switch word {
		case Err, Warn:
		case "notice":
			f.Severity = Note
		default:
			continue
		}
		file := ""
		for pair := range strings.SplitSeq(list, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			value = unescape(value)
			switch name {
			case "file":
				file = value
			case "line":
				f.Line = number(value)
			case "col":
				f.Column = number(value)
			case "title":
				f.Rule = value
			}
		}
		p.add(f, file)
	}
}

// unescape undoes the escapes of workflow commands.
func unescape(s string) string {
	return strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(s)
}
