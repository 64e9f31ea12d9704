package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestRows drives the rows of the table about proofs in one project of each stack: the script
// in rows.txt, with the words and files of a stack.
func TestRows(t *testing.T) {
	t.Parallel()
	for stack, needs := range map[string]string{"make": "make", "go": "go", "node": "node", "python": "python3"} {
		t.Run(stack, func(t *testing.T) {
			t.Parallel()
			if works, _ := condition("works:" + needs); !works {
				t.Skipf("%s does not work here: these rows are not tested for %s", needs, stack)
			}
			testscript.Run(t, testscript.Params{
				Dir: rowsOf(t, stack), RequireExplicitExec: true, RequireUniqueNames: true, Setup: setup, Condition: condition,
			})
		})
	}
}

// rowsOf writes the script of a stack and returns its directory.
func rowsOf(t *testing.T, stack string) string {
	t.Helper()
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("rows", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	words, files, _ := strings.Cut(read(stack+".txt"), "-- ")
	script := read("rows.txt")
	for line := range strings.Lines(words) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok {
			t.Fatalf("%s: %q is not NAME=VALUE", stack, line)
		}
		script = strings.ReplaceAll(script, name, value)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, stack+".txtar"), []byte(script+"-- "+files), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
