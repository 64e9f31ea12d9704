package content

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever an ignore list says, the account has exactly the files that git lists as
// untracked.
func TestIgnoresWhatGitIgnores(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 7)) //nolint:gosec // repeatable
			w := newWorld(t)
			drawFiles(w, r)
			for _, dir := range []string{"", "a/", "a/b/", "d d/"} {
				if dir == "" || r.IntN(2) == 0 {
					w.write(dir+".gitignore", drawRules(r))
				}
			}
			w.write(".git/info/exclude", drawRules(r))
			w.sameAsGit()
		})
	}
}

func drawFiles(w *world, r *rand.Rand) {
	names := []string{"a", "b", "ab", "a.o", "b.txt", "x y ", "#c", "!d", "[z]", "A", "foo", "é", `q\r`, "-", "a]"}
	for range 60 {
		p := ""
		for range r.IntN(3) {
			p += []string{"a", "b", "c", "d d", "foo"}[r.IntN(5)] + ".d/"
		}
		if r.IntN(3) == 0 {
			p = []string{"a/", "a/b/", "d d/", "foo/"}[r.IntN(4)] + p
		}
		p += names[r.IntN(len(names))]
		full := filepath.Join(w.root, p)
		_ = os.MkdirAll(filepath.Dir(full), 0o755)
		_ = os.WriteFile(full, []byte(p), 0o644) // a directory may be in the way
	}
}

func drawRules(r *rand.Rand) string {
	lines := []string{
		"a", "b/", "/a", "/foo/", "*.o", "!a.o", "a*", "*.d/", "!*.d/", "**/foo", "foo/**", "a/**/b", "/a/b/*", "!/a/b/b", "d d/", `x y\ `, "x y ", `\#c`, "#c", `\!d`,
		"[z]", `\[z]`, "[[:upper:]]", "[!a-c]", "[^a]*", "?", "??", "a/b", "*/a", "**/*.txt", "!", "/", "//", "**", "*", "!*", "!*/", "a.d/b", "*.d/*", "[a-", "[]a]", `q\\r`, `[\]]`, "[[:digit:]", "[a-c-e]", "é", "a]", "*\t", "foo.d", "b.txt\r", "a**b", "***", "**/a/**", `a\`, "[[:nope:]]a", "[b-a]", "[--a]",
	}
	var out strings.Builder
	for range 1 + r.IntN(6) {
		out.WriteString(lines[r.IntN(len(lines))] + []string{"\n", "\n", "\n", "\r\n", " \n"}[r.IntN(5)])
	}
	if r.IntN(4) == 0 {
		return strings.TrimSuffix(out.String(), "\n")
	}
	return out.String()
}

func TestOneLine(t *testing.T) {
	for _, tt := range []struct {
		line, path string
		dir        bool
		want       verdict
	}{
		{"a", "x/a", false, ignored},
		{"/a", "x/a", false, silent},
		{"a/", "a", false, silent},
		{"a/", "a", true, ignored},
		{"!a", "a", false, kept},
		{"**/b", "b", false, ignored},
		{"a/**", "a", true, silent},
		{"a/**/b", "a/b", false, ignored},
		{"*.o", "x/y.o", false, ignored},
		{"a/*", "a/b/c", false, silent},
		{strings.Repeat("*a", 40) + "b", strings.Repeat("a", 200), false, silent},
	} {
		if got := parseList(tt.line).match(tt.path, tt.dir); got != tt.want {
			t.Errorf("%q on %q: %d, want %d", tt.line, tt.path, got, tt.want)
		}
	}
}

// sameAsGit compares the account with what git lists.
func (w *world) sameAsGit() {
	w.t.Helper()
	var got []string
	for _, f := range w.take(nil).Files {
		got = append(got, f.Path)
	}
	out := w.git("ls-files", "-z", "--others", "--cached", "--exclude-standard")
	want := strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		for _, p := range got {
			if !slices.Contains(want, p) {
				w.t.Errorf("%q is ignored by git", p)
			}
		}
		for _, p := range want {
			if !slices.Contains(got, p) {
				w.t.Errorf("%q is not ignored by git", p)
			}
		}
		for where, text := range w.take(nil).Rules {
			w.t.Logf("%s: %q", where, text)
		}
	}
}
