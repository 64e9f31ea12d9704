package finding

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/redact"
)

// Bounds of a report. A larger report is not read: then the exit code decides.
const (
	MaxReport   = 32 << 20
	maxFindings = 50_000
	maxMessage  = 2000
	maxWord     = 200 // of a rule or of a tool's name
)

// Severities, as far as tools report them.
const (
	Err  = "error"
	Warn = "warning"
	Note = "note"
)

// Finding is one problem that a tool reported.
type Finding struct {
	// Path is relative to the project root, with slashes; "" when the report
	// names no file of the project.
	Path     string
	Line     int
	Column   int
	Rule     string
	Message  string
	Severity string
	// Test is the package and name of a failed test: a test is the same finding whatever it
	// prints this time.
	Test string
	// Print identifies the finding without its path, line and gate.
	Print string
}

// Report is the result of one run of a tool.
type Report struct {
	Findings []Finding
	// Tool is the tool and its version if the report names them.
	Tool string
	// Tests and Failed count tests where the format has both; 0 otherwise.
	Tests, Failed int
	// Outside counts findings about files that are not in the project.
	Outside int
	// Unread is what the output says about failures besides the findings; nil when it is a
	// structured report and nothing else.
	Unread *Unread
}

// HasTests reports whether findings are failed tests.
func (r Report) HasTests() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Test != "" })
}

// Source is where a report comes from.
type Source struct {
	Format  string // see Formats
	Command string // the gate's command, for auto
	Root    string // absolute path of the project
	Dir     string // the gate's working directory, relative to Root with slashes; "" or "." is Root
	// Text returns the content of a file of the project, nil when there is none.
	Text func(path string) []byte
}

// ErrUnreadable means that the report is not in the expected format.
var ErrUnreadable = errors.New("report cannot be read")

// Parse reads a report. An error means that nothing in it may be used.
func Parse(data []byte, src Source) (Report, error) {
	if len(data) > MaxReport {
		return Report{}, fmt.Errorf("%w: it is larger than %d MB", ErrUnreadable, MaxReport>>20)
	}
	p := &parser{src: src, files: newFiles(src)}
	if err := p.parse(data, src.Format); err != nil {
		return Report{}, err
	}
	p.report.Findings = p.identified()
	if !p.structured {
		p.report.Unread = UnreadIn(string(data), p.report.HasTests())
	}
	return p.report, nil
}

// parser collects the findings of one report.
type parser struct {
	src    Source
	files  *files
	report Report
	full   bool
	// structured: the report has no room for lines of other programs.
	structured bool
}

func (p *parser) parse(data []byte, format string) error {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	p.structured = p.structured || slices.Contains([]string{"sarif", "checkstyle", "junit", "rdjson"}, format)
	var err error
	switch format {
	case "", "auto":
		if err = p.auto(data); err != nil {
			return err
		}
	case "sarif":
		err = p.sarif(data)
	case "checkstyle":
		err = p.checkstyle(data)
	case "junit":
		err = p.junit(data)
	case "go-test-json":
		err = p.goTestJSON(data)
	case "rdjson":
		err = p.rdjson(data)
	case "github":
		p.github(data)
	default:
		if name, ok := strings.CutPrefix(format, "efm:"); ok {
			err = p.errorformat(data, name)
		} else {
			err = p.pattern(data, format)
		}
	}
	if err == nil && p.full {
		err = fmt.Errorf("more than %d findings", maxFindings)
	}
	if err != nil {
		return fmt.Errorf("%w as %s: %w", ErrUnreadable, redact.Line(format, 60), err)
	}
	return nil
}

// add takes one finding as the tool wrote it; path is the tool's own spelling.
func (p *parser) add(f Finding, path string) {
	if len(p.report.Findings) >= maxFindings {
		p.full = true
		return
	}
	f.Message = plain(f.Message, maxMessage)
	f.Rule, f.Test = plain(f.Rule, maxWord), plain(f.Test, 4*maxWord)
	f.Line, f.Column = max(0, f.Line), max(0, f.Column)
	if path != "" {
		inside := false
		if f.Path, inside = p.files.place(path); !inside {
			p.report.Outside++
			f.Path, f.Line, f.Column = "", 0, 0
		}
	}
	p.report.Findings = append(p.report.Findings, f)
}

// plain is text of a tool on one line, without escape sequences and control
// characters.
func plain(s string, limit int) string {
	if len(s) > 4*limit {
		s = s[:4*limit]
	}
	if !isPlain(s) {
		s = strings.Join(strings.Fields(redact.Strip(strings.ToValidUTF8(s, "\uFFFD"))), " ")
	}
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit-len("…")], "") + "…"
	}
	return s
}

// isPlain reports printable ASCII without double spaces, which most messages are.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == ' ' && (i == 0 || i == len(s)-1 || s[i+1] == ' ') {
			return false
		}
	}
	return true
}
