package text

import (
	"fmt"
	"strings"
	"testing"
)

func TestChangedLines(t *testing.T) {
	many := func(n int, word string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s %d\n", word, i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		before, now    string
		added, removed int
	}{
		{"", "", 0, 0},
		{"", "a\nb\n", 2, 0},
		{"a\nb\n", "", 0, 2},
		{"a\nb\nc\n", "a\nx\nc\n", 1, 1},
		{"a\nb\nc", "a\nb\nc\n", 0, 0},
		{"a\nb\nc\nd\n", "c\nd\na\nb\n", 2, 2}, // moved
		{"a\na\nb\n", "a\nb\nb\na\n", 2, 1},
		{"x\na\ny\n", "a\n", 0, 2},
		{many(3000, "a"), many(3000, "b"), 3000, 3000}, // beyond the limit
		{many(50000, "a"), "new\n" + many(50000, "a") + "end\n", 2, 0},
	} {
		if a, r := ChangedLines(tt.before, tt.now); a != tt.added || r != tt.removed {
			t.Errorf("%.20q → %.20q: +%d −%d, want +%d −%d", tt.before, tt.now, a, r, tt.added, tt.removed)
		}
	}
}
