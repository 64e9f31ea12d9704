package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// The packages contain the same hooks as `gauntlet install` writes, the same skill and the
// same version.
func TestPackages(t *testing.T) {
	root := filepath.Join("..", "..", "packaging")
	versions := map[string]bool{}
	for name, manifest := range map[string]string{
		"claude": ".claude-plugin/plugin.json", "codex": ".codex-plugin/plugin.json", "gemini": "gemini-extension.json",
	} {
		dir := filepath.Join(root, name)
		skill := filepath.Join(dir, "skills", "gauntlet", "SKILL.md")
		if os.Getenv("UPDATE_PACKAGING") != "" {
			if err := os.WriteFile(skill, []byte(Skill), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := get(t, skill); got != Skill {
			t.Errorf("%s: another skill; UPDATE_PACKAGING=1 rewrites it", name)
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
