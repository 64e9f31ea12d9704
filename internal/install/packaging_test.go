package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The packages contain the same hooks as `gauntlet install` writes, the same skill and the
// same version.
func TestPackages(t *testing.T) {
	root := filepath.Join("..", "..", "packaging")
	skill := get(t, filepath.Join(root, "claude", "skills", "gauntlet", "SKILL.md"))
	if !strings.HasPrefix(skill, "---\nname: gauntlet\ndescription: ") {
		t.Errorf("front matter: %.60q", skill)
	}
	versions := map[string]bool{}
	for name, manifest := range map[string]string{
		"claude": ".claude-plugin/plugin.json", "codex": ".codex-plugin/plugin.json", "gemini": "gemini-extension.json",
	} {
		dir := filepath.Join(root, name)
		if got := get(t, filepath.Join(dir, "skills", "gauntlet", "SKILL.md")); got != skill {
			t.Errorf("%s: another skill", name)
		}
		var m struct{ Name, Version, Description string }
		if err := json.Unmarshal([]byte(get(t, filepath.Join(dir, manifest))), &m); err != nil || m.Name != "gauntlet" || m.Description == "" {
			t.Errorf("%s: %+v %v", name, m, err)
		}
		versions[m.Version] = true
		s := adapter(t, name).Setup()
		want := fresh(s, s.Root)
		path := filepath.Join(dir, "hooks", "hooks.json")
		if os.Getenv("UPDATE_PACKAGING") != "" {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := get(t, path); got != want {
			t.Errorf("%s: hooks differ from what is installed; UPDATE_PACKAGING=1 rewrites them", name)
		}
	}
	if len(versions) != 1 {
		t.Errorf("versions differ: %v", versions)
	}
}
