package text

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		s            string
		limit        int
		bytes, runes string
	}{
		{"", 0, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcdef", 5, "ab…", "abcd…"},
		{"äöüß", 7, "äö…", "äöüß"},
		{"äöüß", 3, "…", "äö…"},
		{"abc", 0, "…", "…"},
	} {
		if got := Cut(tt.s, tt.limit); got != tt.bytes {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.s, tt.limit, got, tt.bytes)
		}
		if got := CutRunes(tt.s, tt.limit); got != tt.runes {
			t.Errorf("CutRunes(%q, %d) = %q, want %q", tt.s, tt.limit, got, tt.runes)
		}
	}
}

// Whatever is cut keeps its beginning, its limit and its encoding.
func TestCutKeepsTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "s"), rapid.IntRange(3, 40).Draw(t, "limit")
		got := Cut(s, limit)
		if len(got) > limit || !utf8.ValidString(got) || !strings.HasPrefix(s, strings.TrimSuffix(got, "…")) {
			t.Fatalf("Cut(%q, %d) = %q", s, limit, got)
		}
		got = CutRunes(s, limit)
		if utf8.RuneCountInString(got) > limit || !strings.HasPrefix(s, strings.TrimSuffix(got, "…")) {
			t.Fatalf("CutRunes(%q, %d) = %q", s, limit, got)
		}
	})
}

func TestNames(t *testing.T) {
	if got := SafeName("a b/../c:ü.go", '_'); got != "a_b_.._c__.go" {
		t.Error(got)
	}
	if got := Count(0, "gate") + ", " + Count(1, "gate") + ", " + Count(2, "gate"); got != "0 gates, 1 gate, 2 gates" {
		t.Error(got)
	}
	for env, want := range map[string]string{"HOME": "/h", "USERPROFILE": "/p", "": ""} {
		got := Home(func(name string) string {
			return map[string]map[string]string{
				"HOME":        {"HOME": "/h", "USERPROFILE": "/p"},
				"USERPROFILE": {"HOME": "relative", "USERPROFILE": "/p"},
			}[env][name]
		})
		if got != want {
			t.Errorf("%s: %q, want %q", env, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":     "plain\ttext\n",
		"x\x1b]0;t\x07.yml": `x\x1b]0;t\x07.yml`,
		"a\rb\x7f":          `a\x0db\x7f`,
		"over\u202eride":    `over\u202eride`,
		"\u009b2J":          `\x9b2J`,
		"ec\u200bho\u2060":  `ec\u200bho\u2060`,
		"bad \xff":          `bad \xff`,
		"grüße 日本":          "grüße 日本",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestVisibleJSON(t *testing.T) {
	names := []string{"plain", "del\x7f", "c1\u0085\u009b2J", "over\u202eride", "\ufffd", "tag\U000e0041", "grüße 日本", `quote"\\`, "tab\tnew\nline\x01"}
	doc, err := json.MarshalIndent(names, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	shown := VisibleJSON(doc)
	if got := Visible(string(shown)); got != string(shown) {
		t.Errorf("a terminal would obey or hide something in %q", shown)
	}
	var again []string
	if err := json.Unmarshal(shown, &again); err != nil || !slices.Equal(again, names) {
		t.Errorf("%s: %q, %v", shown, again, err)
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 30 * time.Second: "just now", time.Minute: "1 minute ago", 59 * time.Minute: "59 minutes ago",
		time.Hour: "1 hour ago", 47 * time.Hour: "47 hours ago", 72 * time.Hour: "3 days ago",
	} {
		if got := Ago(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}
