package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/config"
)

// Every file in docs/recipes.md is valid.
func TestRecipesAreValid(t *testing.T) {
	page, err := os.ReadFile("../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n# .gauntlet/")[1:]
	if len(blocks) < 15 {
		t.Fatalf("only %d recipes found", len(blocks))
	}
	for _, block := range blocks {
		name, text, _ := strings.Cut(block, "\n")
		text, _, _ = strings.Cut(text, "```")
		dir := t.TempDir()
		files := map[string]string{"config.yml": "entry_points: [{path: ., checks: [" + strings.TrimSuffix(filepath.Base(name), ".yml") + "]}]\n"}
		if name == "config.yml" {
			for _, check := range []string{"lint-web", "test-web", "test-api", "test-service"} {
				files["checks/"+check+".yml"] = "command: \"true\"\n"
			}
		}
		files[name] = text
		for file, content := range files {
			path := filepath.Join(dir, ".gauntlet", filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := config.Load(dir, func(string) string { return "" }); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
