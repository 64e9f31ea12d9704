package tool

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// Whatever words follow a program, every question about the call is answered, what it passes
// on comes to an end, and its words are not changed.
func TestEveryCallIsAnswered(t *testing.T) {
	words := []string{"", "-", "--", "-c", "-m", "-e", "-x", "--", "=", "-=", "+", "+x", "@", "a@", ":", "::", "a:b", "*", ".", "...", "/", "./a", "-C", "run", "test", "exec", "x", "workspace", "install", "--fix", "-n=1", "--watch=false", "é", "\x00", "compose", "task", "-S", "a b", "$(x)"}
	for i := range names {
		words = append(words, names[i].name)
	}
	r := rand.New(rand.NewSource(1))
	for i := range names {
		for range 40 {
			argv := []string{names[i].name}
			for range r.Intn(7) {
				argv = append(argv, words[r.Intn(len(words))])
			}
			before := slices.Clone(argv)
			for view, depth := argv, 0; len(view) > 0; depth++ {
				c := Of(view)
				_ = describe(c) + c.Sub() + c.Report() + c.Included(Test) + strings.Join(slices.Concat(c.Goals(), c.ForCI(), c.Offline(), c.ByProducts(), WithoutPrinting(view)), " ")
				_, _, _, _ = c.Roles(), c.Missing(), c.Variant(), c.Configures()
				if depth > 100 {
					t.Fatalf("%q passes on without end", argv)
				}
				view = c.Inner()
			}
			if !slices.Equal(argv, before) {
				t.Fatalf("%q became %q", before, argv)
			}
		}
	}
	for _, name := range []string{"", "/", ".", "a/", "\x00", ".exe", "test_.py", "x.go", "-", "a.tar.gz"} {
		_, _, _ = Language(name), IsTest(name), Spoiled(name)
		_ = describe(Of([]string{name}))
	}
	_ = describe(Of(nil))
}
