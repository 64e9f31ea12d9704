package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The messages in docs/troubleshooting.md are those of the program, so that people find
// them by searching. The text between placeholders has to be in a string of the program.
func TestTroubleshootingQuotesRealMessages(t *testing.T) {
	doc, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	code := messages(t)
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")
	hole := regexp.MustCompile(`…|\b[NM]\b|\b(?:FILE|LINE|COL|FIELD|NAME)\b`)
	rows, checked := 0, 0
	for _, m := range row.FindAllStringSubmatch(string(doc), -1) {
		rows++
		for _, part := range hole.Split(m[1], -1) {
			part = strings.Trim(part, " ;:.()\"")
			if len(part) < 10 {
				continue
			}
			checked++
			if !strings.Contains(code, part) {
				t.Errorf("%q of %q is not a message of the program", part, m[1])
			}
		}
	}
	if rows < 20 || checked < 20 {
		t.Errorf("only %d rows and %d texts found: the table is read wrongly", rows, checked)
	}
}

// messages are all strings of the program, one per line; struct tags, comments and tests
// are not messages.
func messages(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				return n.Tag == nil
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					all.WriteString(text + "\x00")
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
