package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesAreTested: every promise of SECURITY.md names a test that exists, and every
// command of make that it names is one.
func TestPromisesAreTested(t *testing.T) {
	root := filepath.Join("..", "..")
	b, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	promises := 0
	_, promised, _ := strings.Cut(string(b), "## Promised")
	promised, rest, _ := strings.Cut(promised, "\n## ")
	for line := range strings.Lines(promised) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.HasPrefix(cells[1], " ---") || strings.HasPrefix(cells[1], " promise") {
			continue
		}
		promises++
		names := quoted.FindAllStringSubmatch(cells[2], -1)
		if len(names) == 0 {
			t.Errorf("no test is named for: %s", cells[1])
		}
		for _, n := range names {
			if !isTest(filepath.Join(root, filepath.FromSlash(n[1]))) {
				t.Errorf("%s is not a test, for: %s", n[1], cells[1])
			}
		}
	}
	if promises < 15 {
		t.Errorf("only %d promises were found", promises)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range quoted.FindAllStringSubmatch(rest, -1) {
		if target, ok := strings.CutPrefix(n[1], "make "); ok && !strings.Contains(string(makefile), "\n"+target+":") {
			t.Errorf("SECURITY.md names `make %s`, which does not exist", target)
		}
		if strings.HasSuffix(n[1], ".txtar") && !isTest(filepath.Join(root, filepath.FromSlash(n[1]))) {
			t.Errorf("SECURITY.md names %s, which does not exist", n[1])
		}
	}
}

// isTest reports whether a path is a script, a test file or a package with tests.
func isTest(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		return strings.HasSuffix(path, ".txtar") || strings.HasSuffix(path, "_test.go")
	}
	tests, _ := filepath.Glob(filepath.Join(path, "*_test.go"))
	return len(tests) > 0
}
