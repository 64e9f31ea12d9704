package tokens

import (
	"strings"
	"testing"
	"unicode"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]int{
		"":                      0,
		" \t\n":                 0,
		"one":                   1,
		"  one  two\nthree\t":   3,
		"a\u00a0b":              2,
		"a\ufeffb":              2,
		"\ufeff":                0,
		"a\u0085b":              1,
		"a\u200bb":              1, // zero width space is no \s
		"a\u180eb":              1, // nor the Mongolian separator
		"a\u2028b\u2029c":       3,
		"a\u3000b":              2,
		"a\x00b\x1cc":           1, // Go and Python differ from JavaScript here
		"\xff\xfe":              1, // bytes that are no text still count
		strings.Repeat("x", 99): 1,
		strings.Repeat("x ", 9): 9,
	} {
		if got := Count(text); got != want {
			t.Errorf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}

// The two differences to unicode.IsSpace are the whole reason for isSpace.
func TestSpaceIsUnicodeSpaceExceptTwo(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.IsSpace(r)
		switch r {
		case 0x85:
			want = false
		case 0xfeff:
			want = true
		}
		if isSpace(r) != want {
			t.Errorf("isSpace(%U) = %v, want %v", r, !want, want)
		}
	}
}

func TestValidate(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("w ", n)) }
	for _, c := range []struct {
		name, text string
		limit      int
		want       Result
	}{
		{"empty", "", Limit, Result{Valid: true, Limit: 500}},
		{"at the limit", words(500), Limit, Result{Valid: true, TokenCount: 500, Limit: 500}},
		{"over", words(501), Limit, Result{TokenCount: 501, Limit: 500, Error: "Context summary exceeds 500 token limit (actual: 501 tokens)"}},
		{"own limit", "a b c", 2, Result{TokenCount: 3, Limit: 2, Error: "Context summary exceeds 2 token limit (actual: 3 tokens)"}},
		{"limit zero", "", 0, Result{Valid: true}},
		{"8 KiB", strings.Repeat("x", ByteLimit), Limit, Result{Valid: true, TokenCount: 1, Limit: 500}},
		{"one byte more", strings.Repeat("x", ByteLimit+1), Limit, Result{TokenCount: 1, Limit: 500, Error: "Context summary exceeds 8192 byte limit (actual: 8193 bytes)"}},
	} {
		if got := Validate(c.text, c.limit); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestEstimate(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a b c": 3, strings.Repeat("x", 400): 100, "abc": 1} {
		if got := Estimate(text); got != want {
			t.Errorf("Estimate(%.9q) = %d, want %d", text, got, want)
		}
	}
	if r := ValidateEstimate(strings.Repeat("x", 2004), Limit); r.Valid || r.TokenCount != 501 {
		t.Errorf("2004 bytes: %+v", r)
	}
}

func FuzzCount(f *testing.F) {
	f.Add("a b\ufeffc")
	f.Fuzz(func(t *testing.T, s string) {
		if n := Count(s); n > len(s) || n != len(strings.FieldsFunc(s, isSpace)) {
			t.Errorf("Count(%q) = %d", s, n)
		}
	})
}
