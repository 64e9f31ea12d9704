package finding

import (
	"bytes"
	"slices"
	"strings"

	"github.com/reviewdog/errorformat/fmts"

	"gauntlet/internal/shell"
	"gauntlet/internal/tool"
)

// auto finds the format from the command's tool, then from the content: a task such as
// `make lint` does not show which tool it calls.
func (p *parser) auto(data []byte) error {
	program, format := toolOf(p.src.Command)
	if format != "" {
		return p.parse(data, format)
	}
	if isList(data) && p.list(data) == nil {
		p.structured = true
		return nil
	}
	if format = sniff(data); format != "" {
		return p.parse(data, format)
	}
	if tool.Of([]string{program}).Is("namesfiles") {
		p.fileList(data)
		return nil
	}
	p.text(data)
	if _, known := fmts.DefinedFmts()[program]; known && len(p.report.Findings) == 0 {
		return p.errorformat(data, program)
	}
	return nil
}

// toolOf is the program that a command runs last, and the report format that its
// arguments ask for.
func toolOf(command string) (program, format string) {
	for _, c := range shell.Parse(command).Commands {
		argv := c.Argv()
		call := tool.Of(argv)
		if len(argv) == 0 || call.Is("prints") || slices.Contains([]string{"cd", "export", "set"}, c.Name()) {
			continue
		}
		program = c.Name()
		if f := call.Report(); f != "" {
			return program, f
		}
		for i, arg := range argv {
			if i > 0 && strings.HasPrefix(arg, "-") || i > 0 && strings.HasPrefix(argv[i-1], "-") {
				if f := formatWord(arg); f != "" {
					return program, f
				}
			}
		}
	}
	return program, ""
}

// formatWord finds the name of a format in an option such as --output-format=sarif,
// -fcheckstyle or --format rdjsonl. An option that writes the report to a file does not
// affect what is printed.
func formatWord(arg string) string {
	arg = strings.ToLower(arg)
	if strings.ContainsAny(arg, "/\\") || strings.Contains(arg, ".") && !strings.HasPrefix(arg, "--output.") {
		return ""
	}
	for _, f := range []struct{ word, format string }{
		{"sarif", "sarif"}, {"checkstyle", "checkstyle"}, {"rdjson", "rdjson"}, {"junit", "junit"}, {"github", "github"},
	} {
		if i := strings.Index(arg, f.word); i >= 0 && !strings.HasSuffix(arg, "file") {
			return f.format
		}
	}
	return ""
}

// isList reports whether it is a JSON list whose elements name files.
func isList(data []byte) bool {
	head := bytes.TrimSpace(data[:min(len(data), 4096)])
	return len(head) > 1 && head[0] == '[' && bytes.TrimSpace(head[1:])[0] == '{' &&
		(bytes.Contains(head, []byte(`"filePath"`)) || bytes.Contains(head, []byte(`"filename"`)) || bytes.Contains(head, []byte(`"file"`)))
}

// sniff recognises structured reports by their beginning.
func sniff(data []byte) string {
	head := bytes.TrimSpace(data[:min(len(data), 4096)])
	switch {
	case len(head) == 0:
		return ""
	case head[0] == '<' && bytes.Contains(head, []byte("<checkstyle")):
		return "checkstyle"
	case head[0] == '<' && bytes.Contains(head, []byte("<testsuite")):
		return "junit"
	case head[0] == '{' && bytes.Contains(head, []byte(`"Action":"`)):
		return "go-test-json"
	case head[0] == '{' && bytes.Contains(head, []byte(`"runs"`)) && bytes.Contains(head, []byte(`"version"`)):
		return "sarif"
	case head[0] == '{' && bytes.Contains(head, []byte(`"diagnostics"`)):
		return "rdjson"
	case bytes.Contains(head, []byte("::error ")) && bytes.Contains(head, []byte("file=")):
		return "github"
	}
	return ""
}

// fileList reads the output of formatters that print the files they would change.
func (p *parser) fileList(data []byte) {
	for raw := range bytes.Lines(data) {
		name := strings.TrimSpace(string(raw))
		if name == "" || strings.ContainsAny(name, " \t") && !strings.Contains(name, ".go") || strings.HasPrefix(name, "diff ") || name[0] == '-' || name[0] == '+' || name[0] == '@' {
			continue
		}
		if file, line, rest, ok := placed(name); ok { // a syntax error
			p.add(Finding{Line: line, Message: rest, Severity: Err}, file)
			continue
		}
		if strings.HasSuffix(name, ".go") {
			p.add(Finding{Rule: "format", Message: "not formatted", Severity: Err}, name)
		}
	}
}
