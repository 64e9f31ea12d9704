package git

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// reflogOf writes a reflog: each step is "OLD NEW SECONDS action", with one letter
// for a commit.
func reflogOf(steps ...string) string {
	var b strings.Builder
	for _, s := range steps {
		f := strings.SplitN(s, " ", 4)
		b.WriteString(strings.Repeat(f[0], 40) + " " + strings.Repeat(f[1], 40) + " A B <a@b> " + f[2] + " +0200\t" + f[3] + "\n")
	}
	return b.String()
}

func TestAbandoned(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		want []string
	}{
		"nothing":                   {"", nil},
		"commits, still there":      {reflogOf("a b 100 commit: x", "b c 101 commit: y"), nil},
		"before the prompt":         {reflogOf("a b 50 commit: x", "b a 100 reset: moving to HEAD~1"), nil},
		"reset":                     {reflogOf("a b 100 commit: x", "b a 101 reset: moving to HEAD~1"), []string{"b"}},
		"another branch":            {reflogOf("a a 99 checkout: moving from m to f", "a b 100 commit: x", "b c 100 commit: y", "c a 101 checkout: moving from f to m"), []string{"c", "b"}},
		"amended":                   {reflogOf("a b 100 commit: x", "b c 100 commit (amend): x", "c a 101 reset: moving to a"), []string{"c"}},
		"a branch is only begun":    {reflogOf("a a 100 checkout: moving from m to f", "a b 100 commit: x"), nil},
		"lines that are none of it": {"\x00\n a b\tcommit: x\n" + strings.Repeat("b", 40) + "\t\t\n", nil},
	} {
		var want []string
		for _, w := range c.want {
			want = append(want, strings.Repeat(w, 40))
		}
		if d := cmp.Diff(want, abandoned(c.log, time.Unix(100, 0))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func FuzzReflog(f *testing.F) {
	f.Add(reflogOf("a b 100 commit: x", "b a 101 reset: moving to HEAD~1"))
	f.Fuzz(func(t *testing.T, log string) {
		for _, oid := range abandoned(log, time.Unix(100, 0)) {
			if !isOID(oid) {
				t.Fatalf("%q is not a commit", oid)
			}
		}
	})
}
