package finding

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// item is one element of the lists that tools print as JSON: eslint (a file with its
// messages), ruff, shellcheck and their like (a message with its file).
type item struct {
	FilePath string `json:"filePath"`
	Filename string `json:"filename"`
	File     string `json:"file"`
	Messages []item `json:"messages"`

	Message  string `json:"message"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Location struct {
		Row    int `json:"row"`
		Column int `json:"column"`
	} `json:"location"`
	RuleID   any `json:"ruleId"`
	Code     any `json:"code"`
	Severity any `json:"severity"` // eslint: 1 warns, 2 is an error
	Level    any `json:"level"`
}

// list reads such a list.
func (p *parser) list(data []byte) error {
	var items []item
	if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	for _, it := range items {
		if it.Messages == nil {
			it.add(p, cmp.Or(it.Filename, it.File))
			continue
		}
		for _, m := range it.Messages {
			m.add(p, it.FilePath)
		}
	}
	return nil
}

func (it *item) add(p *parser, file string) {
	f := Finding{Line: max(it.Line, it.Location.Row), Column: max(it.Column, it.Location.Column), Message: it.Message, Severity: Warn}
	for _, rule := range []any{it.RuleID, it.Code} {
		switch v := rule.(type) {
		case string:
			f.Rule = v
		case float64: // shellcheck
			f.Rule = fmt.Sprintf("SC%.0f", v)
		}
	}
	for _, word := range []any{it.Severity, it.Level} {
		switch word {
		case 2.0, "error":
			f.Severity = Err
		case "info", "style", "note":
			f.Severity = Note
		}
	}
	p.add(f, file)
}
