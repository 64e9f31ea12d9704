package proof

import (
	"os"
	"regexp"
	"testing"
)

// The vectors of docs/formats.md are those of the code.
func TestVectors(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| (`[^|]+`) \\| `([0-9a-f]{64})` \\|$").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 2 {
		t.Fatalf("%d vectors", len(rows))
	}
	for _, row := range rows {
		var texts []string
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			texts = append(texts, m[1])
		}
		if got := digest(texts...); got != row[2] {
			t.Errorf("%q: %s, not %s", texts, got, row[2])
		}
	}
}
