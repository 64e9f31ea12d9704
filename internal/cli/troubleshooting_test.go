package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The messages in docs/troubleshooting.md are those of the program: whoever
// searches for one finds it. What stands between placeholders has to be in the source.
func TestTroubleshootingQuotesRealMessages(t *testing.T) {
	doc, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	err = filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		source.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	code := strings.ReplaceAll(source.String(), `\"`, `"`)
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
				t.Errorf("%q of %q is no message of the program", part, m[1])
			}
		}
	}
	if rows < 20 || checked < 20 {
		t.Errorf("only %d rows and %d texts found: the table is read wrongly", rows, checked)
	}
}
