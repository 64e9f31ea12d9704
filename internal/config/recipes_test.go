package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gauntlet/internal/config"
)

// Every file of a policy that the documentation shows is valid.
func TestPoliciesInTheDocumentation(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, "../../fleet/README.md")
	named := regexp.MustCompile(`(checks|reviews): \[([^]]*)\]`)
	seen := 0
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(data), "```yaml\n")[1:] {
			block, _, _ = strings.Cut(block, "```")
			name := shownFile(block)
			if name == "" {
				continue
			}
			seen++
			files := map[string]string{"config.yml": "entry_points: [{path: ., checks: [" + strings.TrimSuffix(filepath.Base(name), ".yml") + "]}]\n"}
			for _, m := range named.FindAllStringSubmatch(block, -1) {
				for _, gate := range strings.Split(m[2], ",") {
					file, content := "checks/"+strings.TrimSpace(gate)+".yml", "command: \"true\"\n"
					if m[1] == "reviews" {
						file, content = "reviews/"+strings.TrimSpace(gate)+".md", "---\ncli_preference: [claude]\n---\nLook for mistakes.\n"
					}
					files[file] = content
				}
			}
			if name == "config.yml" && !strings.Contains(block, "entry_points:") && !strings.Contains(block, "checkpoint:") && !strings.Contains(block, "autonomy:") {
				block += "checkpoint: {commit_step: false}\n" // a part of the file
			}
			if strings.Contains(block, "runner: remote") {
				files["config.yml"] += "remote: {farm: {address: \"farm.example.com:8980\"}}\n"
			}
			files[name] = block
			dir := t.TempDir()
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
				t.Errorf("%s: %s: %v\n%s", filepath.Base(page), name, err, block)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d files found: the pages are read wrongly", seen)
	}
}

// shownFile is the file of .gauntlet/ that a block shows, by the comment it begins
// with or by its first key; "" when it is none.
func shownFile(block string) string {
	first, _, _ := strings.Cut(block, "\n")
	if name, ok := strings.CutPrefix(first, "# .gauntlet/"); ok {
		name, _, _ = strings.Cut(name, ",")
		return name
	}
	switch key, _, _ := strings.Cut(first, ":"); key {
	case "entry_points", "autonomy", "checkpoint", "stop_hook":
		return "config.yml"
	case "command":
		return "checks/example.yml"
	}
	return ""
}
