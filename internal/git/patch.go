package git

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Patch shows the change from before to after as a unified diff; nil stands for
// no file.
func Patch(name string, before, after []byte) string {
	from, to := "a/"+name, "b/"+name
	if before == nil {
		from = "/dev/null"
	}
	if after == nil {
		to = "/dev/null"
	}
	// The first line, "diff a b", is for machines.
	_, text, _ := strings.Cut(string(diff.Diff(from, before, to, after)), "\n")
	return text
}
