package finding

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/reviewdog/errorformat"
	"github.com/reviewdog/errorformat/fmts"

	"gauntlet/internal/redact"
)

// maxReportLine bounds a line: the scanner of the library gives up on longer ones.
const maxReportLine = 32 << 10

// errorformat reads a report by one of the formats of reviewdog/errorformat.
func (p *parser) errorformat(data []byte, name string) error {
	def, ok := fmts.DefinedFmts()[name]
	if !ok {
		return fmt.Errorf("unknown errorformat %q", plain(name, 60))
	}
	efm, err := errorformat.NewErrorformat(def.Errorformat)
	if err != nil {
		return err
	}
	scan := efm.NewScanner(bytes.NewReader(shortLines([]byte(redact.Strip(string(data))))))
	for scan.Scan() {
		e := scan.Entry()
		if !e.Valid || e.Filename == "" && e.Lnum == 0 {
			continue
		}
		f := Finding{Line: e.Lnum, Column: e.Col, Severity: efmSeverity(e.Type)}
		f.Rule, f.Message = splitRule(e.Text)
		if f.Rule == "" && e.Nr > 0 {
			f.Rule = fmt.Sprint(e.Nr)
			if e.Type > ' ' {
				f.Rule = string(e.Type) + f.Rule
			}
		}
		p.add(f, e.Filename)
	}
	return nil
}

func efmSeverity(t rune) string {
	switch t {
	case 'E', 'e', 'F':
		return Err
	case 'W', 'w':
		return Warn
	case 'I', 'i', 'N', 'n':
		return Note
	}
	return ""
}

// shortLines cuts lines that are too long to be read.
func shortLines(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if len(line) > maxReportLine {
			if out == nil {
				out = make([]byte, 0, len(data))
			}
			line = append(line[:maxReportLine:maxReportLine], '\n')
		}
		out = append(out, line...)
	}
	return out
}

// pattern reads a report line by line with the user's own regular expression.
func (p *parser) pattern(data []byte, expression string) error {
	re, err := regexp.Compile(expression)
	if err != nil {
		return err
	}
	group := map[string]int{}
	for i, name := range re.SubexpNames() {
		if name != "" {
			group[name] = i
		}
	}
	for _, name := range []string{"file", "message"} {
		if _, ok := group[name]; !ok {
			return fmt.Errorf("the expression has no group named %s", name)
		}
	}
	for raw := range strings.Lines(redact.Strip(string(data))) {
		raw = strings.TrimRight(raw, "\r\n")
		if len(raw) > maxReportLine {
			raw = raw[:maxReportLine]
		}
		m := re.FindStringSubmatch(raw)
		if m == nil {
			continue
		}
		get := func(name string) string {
			if i, ok := group[name]; ok {
				return m[i]
			}
			return ""
		}
		p.add(Finding{
			Line: number(get("line")), Column: number(get("column")), Rule: get("rule"),
			Message: get("message"), Severity: strings.ToLower(get("severity")),
		}, strings.TrimSpace(get("file")))
	}
	return nil
}
