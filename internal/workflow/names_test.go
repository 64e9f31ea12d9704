package workflow

import (
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFileNames(t *testing.T) {
	for _, c := range []struct{ command, feature, want string }{
		{"implement", "", "implement-checkpoint.json"},
		{"implement", "auth", "implement-auth.json"},
		{"implement", "user-auth_2.0", "implement-user-auth_2.0.json"},
		{"implement", "BAS-123", "implement-BAS-123.json"},
		{"ship", "..", "ship-...json"},
		{"ship", "checkpoint", "ship-%63heckpoint.json"},
		{"ship", "../../etc/passwd", "ship-..%2F..%2Fetc%2Fpasswd.json"},
		{"ship", `a\b:c`, "ship-a%5Cb%3Ac.json"},
		{"ship", "a%2Fb", "ship-a%252Fb.json"},
		{"ship", "größe", "ship-gr%C3%B6%C3%9Fe.json"},
		{"ship", "a b\n\x00", "ship-a%20b%0A%00.json"},
		{"ship", "~", "ship-%7E.json"},
		{"my-command", "x", "my%2Dcommand-x.json"},
		{"..", "", "..-checkpoint.json"},
		{"a/b", "", "a%2Fb-checkpoint.json"},
	} {
		if got := (names{}).file(c.command, c.feature); got != c.want {
			t.Errorf("%q %q: got %s, want %s", c.command, c.feature, got, c.want)
		}
	}
	long := strings.Repeat("x", 300)
	got := names{}.file("ship", long)
	if len(got) != maxName || !strings.HasPrefix(got, "ship-xxx") || !strings.Contains(got, "~") {
		t.Errorf("long: %d bytes, %s", len(got), got)
	}
	if got == (names{}).file("ship", long+"x") {
		t.Error("two long features share a file")
	}
	if got := (names{foldCase: true}).file("ship", "Foo"); got != "ship-%46oo.json" {
		t.Errorf("where case does not count: %s", got)
	}
}

// Different commands or features, different files; every file in the directory;
// every name that is not hashed says what it stands for.
func TestNamesNeverCollideNorEscape(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[aA%~./\\ -]{0,12}`), rapid.StringMatching(`(%2F|x|Ä){60,200}`),
		rapid.SampledFrom([]string{"", "checkpoint", "CHECKPOINT", "..", "a-b", "a", "ship", "ship-a"}))
	rapid.Check(t, func(t *rapid.T) {
		n := names{foldCase: rapid.Bool().Draw(t, "fold")}
		c1, c2 := text.Draw(t, "command 1"), text.Draw(t, "command 2")
		f1, f2 := text.Draw(t, "feature 1"), text.Draw(t, "feature 2")
		a, b := n.file(c1, f1), n.file(c2, f2)
		same := a == b
		if n.foldCase {
			same = strings.EqualFold(a, b)
		}
		if same != (c1 == c2 && f1 == f2) {
			t.Fatalf("%q/%q is %s, %q/%q is %s", c1, f1, a, c2, f2, b)
		}
		if len(a) > maxName || !filepath.IsLocal(a) || filepath.Base(a) != a {
			t.Fatalf("%q is no name in the directory", a)
		}
		if c1 == "" {
			return // the functions refuse it
		}
		c, f, hashed, ok := n.parse(a)
		if !ok || !hashed && (c != c1 || f != f1) {
			t.Fatalf("%s: got %q %q %v, want %q %q", a, c, f, ok, c1, f1)
		}
	})
}

func TestForeignNames(t *testing.T) {
	for _, name := range []string{
		"x.json", "-a.json", "a-.json", "a-b", "a-%.json", "a-%zz.json", "a-b c.json", "a-%61.json",
		"a-%63heckpoin.json", ".lock", "a-b.json.corrupt-1", "a-%2f.json",
	} {
		if _, _, _, ok := (names{}).parse(name); ok {
			t.Errorf("%s is taken for a record", name)
		}
	}
}
