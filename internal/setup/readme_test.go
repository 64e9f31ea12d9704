package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The policy that the README shows is the one that init writes.
func TestSampleInTheReadme(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module x\n", "x.go": "package x\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := Make(Options{Root: dir, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Files) != 3 {
		t.Errorf("%d files", len(plan.Files))
	}
	for _, f := range plan.Files {
		if want := "```yaml\n# " + f.Path + "\n" + f.Text + "```\n"; !strings.Contains(string(readme), want) {
			t.Errorf("the README does not show\n%s", want)
		}
	}
}
