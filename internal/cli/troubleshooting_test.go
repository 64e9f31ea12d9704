package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
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

// Messages and docs name commands as `gauntlet --help` does; old names only still work.
func TestCurrentNamesOfCommands(t *testing.T) {
	texts := map[string]string{"a message": messages(t)}
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(docs) < 10 {
		t.Fatalf("%d pages, %v", len(docs), err)
	}
	for _, file := range append(docs, "../../README.md") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(b)
	}
	old := 0
	for _, cmd := range (&App{Out: io.Discard, Err: io.Discard, Getenv: os.Getenv}).root(nil).Commands() {
		for _, name := range cmd.Aliases {
			old++
			was := regexp.MustCompile("gauntlet " + name + "(?:[`\\s\"]|$)")
			for where, text := range texts {
				if found := was.FindString(text); found != "" && where != "coming-from.md" {
					t.Errorf("%s says %q; the command is called %s", where, found, cmd.Name())
				}
			}
		}
	}
	if old == 0 {
		t.Error("no command has an old name: nothing was checked")
	}
}
