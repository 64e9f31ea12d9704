package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/agent/wire"
)

func TestRefusals(t *testing.T) {
	cases := []struct{ name, content, want string }{
		{"broken", "{\n  \"hooks\": {\n    \"Stop\": [\n  }\n}\n", `settings.json:4:3: unexpected '}', expected a value`},
		{"cut off", "{\n  \"a\": \"", `settings.json:2:8: string is never closed`},
		{"array", "[]", `settings.json:1:1: the file is an array, expected an object`},
		{"hooks list", "{\"hooks\": []}", `settings.json:1:11: "hooks" is an array, expected an object`},
		{"hooks null", "{\n\"hooks\": null}", `settings.json:2:10: "hooks" is null, expected an object`},
		{"event object", "{\"hooks\": {\"Stop\": {}}}", `settings.json:1:20: "Stop" is an object, expected an array`},
		{"entry string", "{\"hooks\": {\"Stop\": [\"x\"]}}", `settings.json:1:21: an entry of "Stop" is a string, expected an object`},
		{"inner object", "{\"hooks\": {\"Stop\": [{\"hooks\": {}}]}}", `settings.json:1:31: "hooks" in "Stop" is an object, expected an array`},
		{"twice", "{\"hooks\": {},\n \"hooks\": {}}", `settings.json:2:2: "hooks" is there twice`},
		{"binary", "\x00\x01\xff", `settings.json:1:3: not UTF-8 text`},
		{"yaml", "hooks:\n  Stop: []\n", `settings.json:1:1: "hooks" is not a value`},
	}
	for _, c := range cases {
		p, a := places(t), adapter(t, "claude")
		path := a.Setup().Path(wire.Project, p.dirs())
		put(t, path, c.content)
		_, err := p.PlanInstall(a, Request{Scope: wire.Project})
		var re *RefusedError
		if !errors.As(err, &re) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if get(t, path) != c.content {
			t.Errorf("%s: the file was touched", c.name)
		}
		if _, err := p.PlanUninstall(a, wire.Project); c.name != "hooks list" && err == nil {
			t.Errorf("%s: uninstall accepted it", c.name)
		}
	}
}

func TestReadOnlyIsRefused(t *testing.T) {
	p, a := places(t), adapter(t, "claude")
	path := a.Setup().Path(wire.Project, p.dirs())
	put(t, path, "{}")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := p.PlanInstall(a, Request{Scope: wire.Project}); err == nil || !strings.Contains(err.Error(), "is read-only") {
		t.Errorf("%v", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(filepath.Dir(path), 0o755) }()
	if _, err := p.PlanInstall(a, Request{Scope: wire.Project}); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("%v", err)
	}
	if get(t, path) != "{}" {
		t.Error("touched")
	}
}

func TestLinksStayLinks(t *testing.T) {
	p, a := places(t), adapter(t, "claude")
	path := a.Setup().Path(wire.Project, p.dirs())
	target := filepath.Join(p.Project, "dotfiles", "claude.json")
	put(t, target, "{\n  \"model\": \"opus\"\n}\n")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	before := tree(t, p.Home, p.Project)
	mustInstall(t, p, a, Request{Scope: wire.Project})
	if st, err := os.Lstat(path); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Fatalf("the link is gone: %v", err)
	}
	checkInstalled(t, "link", a, target, get(t, target))
	mustUninstall(t, p, a, wire.Project)
	same(t, "link", tree(t, p.Home, p.Project), before)

	// A link whose file does not exist yet, and one that leads nowhere.
	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	before = tree(t, p.Home, p.Project)
	mustInstall(t, p, a, Request{Scope: wire.Project})
	mustUninstall(t, p, a, wire.Project)
	same(t, "open link", tree(t, p.Home, p.Project), before)
	if err := os.RemoveAll(filepath.Dir(target)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.PlanInstall(a, Request{Scope: wire.Project}); err == nil || !strings.Contains(err.Error(), "directory that does not exist") {
		t.Errorf("%v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Base(path), path); err != nil {
		t.Fatal(err)
	}
	if _, err := p.PlanInstall(a, Request{Scope: wire.Project}); err == nil || !strings.Contains(err.Error(), "in a circle") {
		t.Errorf("%v", err)
	}
}

func TestForeignPluginIsRefused(t *testing.T) {
	p, a := places(t), adapter(t, "opencode")
	path := a.Setup().Path(wire.Project, p.dirs())
	put(t, path, "export const Other = 1\n")
	if _, err := p.PlanInstall(a, Request{Scope: wire.Project}); err == nil || !strings.Contains(err.Error(), "gauntlet.js:1:1: was not written by gauntlet") {
		t.Errorf("%v", err)
	}
	if c := mustUninstall(t, p, a, wire.Project); c[0].Action != Unchanged {
		t.Errorf("uninstall %s it", c[0].Action)
	}
	put(t, path, a.Setup().Mark+" An older one.\n")
	mustInstall(t, p, a, Request{Scope: wire.Project})
	if get(t, path) != a.Setup().Content() {
		t.Error("an older plugin was not replaced")
	}
}

func TestModeAndChangesMeanwhile(t *testing.T) {
	p, a := places(t), adapter(t, "claude")
	path := a.Setup().Path(wire.User, p.dirs())
	put(t, path, "{}")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	changes, err := p.PlanInstall(a, Request{Scope: wire.User})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"x":1}`), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(changes); err == nil || !strings.Contains(err.Error(), "changed while") {
		t.Errorf("%v", err)
	}
	mustInstall(t, p, a, Request{Scope: wire.User})
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", st.Mode())
	}
}
