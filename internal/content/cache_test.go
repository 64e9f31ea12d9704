package content

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// settle makes everything remembered, as if nothing had changed for some seconds.
func (w *world) settle() *Account {
	w.t.Helper()
	for i := range keepFrom {
		w.write(filepath.Join("many", string(rune('a'+i))), "x")
	}
	q := w.question(nil)
	q.settled = true
	a, err := Take(w.t.Context(), q)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// The names of a directory are remembered while its time of change is the same. Whatever is
// done to a tree, the account with the cache is the one without it.
func TestTheCacheOfNamesNeverLies(t *testing.T) {
	for name, script := range map[string]string{
		"a new file":               `echo n > d/new`,
		"a new ignored file":       `echo n > d/x.log; mkdir -p out; echo n > out/f`,
		"a file that is gone":      `rm d/x`,
		"a renamed file":           `mv d/x d/z`,
		"a file for a directory":   `rm -r d; echo d > d`,
		"a directory for a file":   `rm a.txt; mkdir a.txt; echo x > a.txt/in`,
		"a link for a file":        `rm d/x; ln -s ../a.txt d/x`,
		"swapped files":            `mv d/x t; mv d/y d/x; mv t d/y`,
		"swapped directories":      `mkdir e; echo other > e/x; mv d t; mv e d; mv t e`,
		"rules that hide no more":  `: > .gitignore`,
		"rules that hide":          `echo d >> .gitignore`,
		"a rule below":             `echo x > d/.gitignore`,
		"a repository":             `git init -q d`,
		"the same bytes and times": `touch -r d/x r; echo 2 > d/x; touch -r r d/x; rm r`,
		"the time of a directory":  `touch -r d r; echo n > d/new; touch -r r d; rm r`,
		"executable":               `chmod +x d/x`,
		"through another name":     `ln d/x hard; echo hard > hard; rm hard`,
	} {
		t.Run(name, func(t *testing.T) {
			w := base(t)
			w.sh(`echo 1 > d/x; echo 2 > d/y; echo '*.log' > .gitignore; echo out >> .gitignore; echo l > d/y.log`)
			w.settle()
			w.sh(script)
			with := w.take(nil)
			if err := os.RemoveAll(filepath.Join(w.home, "gauntlet", "content")); err != nil {
				t.Fatal(err)
			}
			without := w.take(nil)
			if got := Diff(with, without); len(got) > 0 || !slices.Equal(with.NotSeen, without.NotSeen) {
				t.Errorf("the cache makes a difference in %q", got)
			}
		})
	}
}

// Whatever is touched after an account was made is found, also if nothing of it is left.
func TestMovedAfterTheCache(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   []string
	}{
		"nothing":                  {`:`, nil},
		"ignored files":            {`echo n > d/x.log`, nil},
		"a file written again":     {`cp d/x t; cat t > d/x; rm t`, []string{"d/x"}},
		"a file and back":          {`cp -p d/x t; echo BAD > d/x; cp -p t d/x; rm t`, []string{"d/x"}},
		"a new file":               {`echo n > d/new`, []string{"d/new"}},
		"a file that is gone":      {`rm d/x`, []string{"d/x"}},
		"a directory out and back": {`mv d t; mv t d`, nil}, // nothing in it was touched
		"through another name":     {`ln d/x ../hard; echo x > ../hard`, []string{"d/x"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := base(t)
			w.sh(`echo 1 > d/x; echo 2 > d/y; echo '*.log' > .gitignore`)
			w.settle()
			for _, take := range []func() *Account{func() *Account { return w.take(nil) }, w.settle} {
				a := take()
				w.sh(c.script)
				got, _, err := a.Moved(t.Context())
				if err != nil || !slices.Equal(got, c.want) {
					t.Errorf("%q, %v", got, err)
				}
				w.sh(`rm -f ../hard d/new d/x.log; echo 1 > d/x`)
			}
		})
	}
}
