package scaffold

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	for _, tt := range []struct{ before, after, want string }{
		{"a\nb\n", "a\nb\n", ""},
		{"", "a\n", "+ a"},
		{"a\nb\nc\nd\n", "a\nb\nX\nc\nd\n", "  a|  b|+ X|  c|  d"},
		{"a\nb\nc\n", "a\nc\n", "  a|- b|  c"},
		{"1\n2\n3\n4\n5\n", "1\n2\n3\n4\nFIVE\n", "  3|  4|- 5|+ FIVE"},
		{"a", "a\nb", "  a|+ b"},
	} {
		if got := strings.Join(Diff(tt.before, tt.after), "|"); got != tt.want {
			t.Errorf("%q → %q: %q, want %q", tt.before, tt.after, got, tt.want)
		}
	}
}

// Going along the diff leads from the one to the other.
func TestChangedLeadsThere(t *testing.T) {
	gen := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 12)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := gen.Draw(rt, "a"), gen.Draw(rt, "b")
		var from, to []string
		for _, l := range changed(a, b) {
			if l[0] != '+' {
				from = append(from, l[2:])
			}
			if l[0] != '-' {
				to = append(to, l[2:])
			}
		}
		if strings.Join(from, "") != strings.Join(a, "") || strings.Join(to, "") != strings.Join(b, "") {
			rt.Errorf("%v → %v: %v", a, b, changed(a, b))
		}
	})
}
