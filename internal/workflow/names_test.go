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

// Escaped names differ whenever the features do; every name is in the directory, and every
// one that is not hashed says what it stands for.
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
		list, made := n.candidates(c1, f1)
		for i, name := range list {
			if !filepath.IsLocal(name) || i < made && (len(name) > maxName || filepath.Base(name) != name) {
				t.Fatalf("%q is no name in the directory", name)
			}
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

// Features are found under the names that react-basecamp's module gives them, whoever wrote
// the record, and two features never share one.
func TestModuleNames(t *testing.T) {
	for feature, want := range map[string]string{
		"feat/login": "feat-login", `a\b`: "a-b", "..": "", "v1..2": "v12", "what? <now>: \"x\"|*": "what now x", " padded\t": "padded", "größe & co": "größe & co", "a\x01b": "ab",
	} {
		if got := moduleName(feature); got != want {
			t.Errorf("%q is %q, not %q", feature, got, want)
		}
	}
	f := outside(t)
	f.put("design-feat-login.json", `{"version":1,"command":"design","feature":"feat/login","state":{"current_phase":"write"},"phases":{}}`)
	if got := show(f.GetResumePoint(t.Context(), "design", "feat/login")); got != `"write" null` {
		t.Errorf("the module's record: %s", got)
	}
	features := []string{"feat/login", "feat-login", `feat\login`, "feat:/login", "feat?-login", "feat%2Flogin", "..feat-login"}
	for _, feature := range features {
		if !f.UpdatePhase(t.Context(), "design", "phase of "+feature, Update{Status: InProgress}, feature) {
			t.Fatal(f.said())
		}
	}
	for _, feature := range features {
		if got := show(f.GetResumePoint(t.Context(), "design", feature)); got != `"phase of `+strings.ReplaceAll(feature, `\`, `\\`)+`" null` {
			t.Errorf("%s: %s", feature, got)
		}
	}
	if list := f.List(t.Context()); len(list) != len(features) {
		t.Errorf("%d records for %d features", len(list), len(features))
	}
	if !strings.Contains(f.content("design-feat-login.json"), "phase of feat/login") {
		t.Error("the update went elsewhere")
	}
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
