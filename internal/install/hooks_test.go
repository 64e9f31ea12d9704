package install

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/jsontree"
)

func places(t *testing.T) Places {
	t.Helper()
	dir := t.TempDir()
	p := Places{
		Home: filepath.Join(dir, "home"), Cwd: filepath.Join(dir, "project"), Project: filepath.Join(dir, "project"), State: filepath.Join(dir, "home", ".local", "state", "gauntlet"),
		Getenv:   func(string) string { return "" },
		LookPath: func(string) (string, error) { return "", exec.ErrNotFound },
	}
	for _, d := range []string{p.Home, p.Project} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func adapter(t *testing.T, name string) agent.Adapter {
	t.Helper()
	a, ok := agent.Lookup(name)
	if !ok {
		t.Fatalf("no agent %s", name)
	}
	return a
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mustInstall(t *testing.T, p Places, a agent.Adapter, r Request) []*Change {
	t.Helper()
	changes, err := p.PlanInstall(a, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(changes); err != nil {
		t.Fatal(err)
	}
	return changes
}

func mustUninstall(t *testing.T, p Places, a agent.Adapter, scope wire.Scope) []*Change {
	t.Helper()
	changes, err := p.PlanUninstall(a, scope)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(changes); err != nil {
		t.Fatal(err)
	}
	return changes
}

// tree lists everything below the given directories with its content.
func tree(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || strings.Contains(path, ".local/state") || filepath.Base(path) == ".local" {
				return err
			}
			if d.Type().IsRegular() {
				out[path] = get(t, path)
			} else {
				out[path] = d.Type().String()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func same(t *testing.T, name string, got, want map[string]string) {
	t.Helper()
	for k, w := range want {
		if g, ok := got[k]; !ok || g != w {
			t.Errorf("%s: %s is %q, was %q", name, k, g, w)
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			t.Errorf("%s: %s was left behind", name, k)
		}
	}
}

// originals are files as people and other tools write them.
func originals() map[string]string {
	return map[string]string{
		"empty file":         "",
		"white space":        " \n\t\n",
		"empty object":       "{}",
		"empty object, line": "{}\n",
		"open object":        "{\n}\n",
		"comment only":       "{\n  // nothing yet\n}\n",
		"theirs":             "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n",
		"tabs":               "{\n\t\"model\": \"opus\"\n}",
		"windows":            "{\r\n  \"model\": \"opus\"\r\n}\r\n",
		"minified":           `{"model":"opus","env":{"A":"1"}}`,
		"comments":           "// mine\n{\n  \"model\": \"opus\", // the big one\n  /* later\n     more */\n  \"env\": {}, // trailing\n}\n// end\n",
		"empty hooks":        "{\n  \"hooks\": {}\n}\n",
		"empty list":         "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
		"byte order mark":    "\ufeff{\n    \"model\": \"opus\"\n}\n",
		"no final newline":   "{\n    \"a\": [\n        1\n    ]\n}",
		"unusual order":      "{ \"hooks\" : { \"PreToolUse\" : [ ] } , \"x\" : null }",
		"unicode":            "{\n  \"näme\": \"日本\\u00e9 😀\"\n}\n",
	}
}

// Install and uninstall, for every agent and scope, on every kind of file: whatever was
// there is there again, byte for byte, and nothing else is.
func TestInstallThenUninstallRestoresEverything(t *testing.T) {
	for _, a := range agent.All() {
		for _, scope := range []wire.Scope{wire.User, wire.Project, wire.Local} {
			files := originals()
			files["no file"] = "\x00"
			for name, content := range files {
				p := places(t)
				path := a.Setup().Path(scope, p.dirs())
				if path == "" {
					continue
				}
				whole := a.Setup().Shape == wire.Whole
				if whole && name != "no file" && name != "empty file" {
					continue
				}
				if content != "\x00" {
					put(t, path, content)
				}
				before := tree(t, p.Home, p.Project)
				label := a.Name() + "/" + string(scope) + "/" + name
				r := Request{Scope: scope, StatusLine: true, Trust: true}
				first := mustInstall(t, p, a, r)
				if first[0].Action != Created && first[0].Action != Updated {
					t.Fatalf("%s: %s", label, first[0].Action)
				}
				installed := tree(t, p.Home, p.Project)
				for _, c := range mustInstall(t, p, a, r) {
					if c.Action != Unchanged {
						t.Errorf("%s: a second install %s %s", label, c.Action, c.Path)
					}
				}
				same(t, label+" twice", tree(t, p.Home, p.Project), installed)
				if !whole {
					checkInstalled(t, label, a, path, get(t, path))
				}
				mustUninstall(t, p, a, scope)
				same(t, label, tree(t, p.Home, p.Project), before)
				for _, c := range mustUninstall(t, p, a, scope) {
					if c.Action != Unchanged {
						t.Errorf("%s: a second uninstall %s %s", label, c.Action, c.Path)
					}
				}
			}
		}
	}
}

// checkInstalled checks that the client can read the result, with every hook once.
func checkInstalled(t *testing.T, label string, a agent.Adapter, path, content string) {
	t.Helper()
	s := a.Setup()
	l, err := parse(path, s, s.Root, []byte(content))
	if err != nil {
		t.Fatalf("%s: %v", label, err)
	}
	for _, h := range s.Hooks {
		n := 0
		for _, e := range l.entries() {
			if e.event == h.Event && does(e.command, h) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: %s has %d entries of Gauntlet for %s", label, h.Event, n, h.Args)
		}
	}
	plain, err := jsontree.ParseRelaxed([]byte(content))
	if err != nil || !json.Valid(plain.Compact()) {
		t.Errorf("%s: %v: %s", label, err, content)
	}
}

// The same without the records, as on a colleague's machine: everything that others wrote
// is unchanged; only empty containers may be removed.
func TestUninstallWithoutRecord(t *testing.T) {
	for _, a := range agent.All() {
		if a.Setup().Shape == wire.Whole {
			continue
		}
		for name, content := range originals() {
			p := places(t)
			p.State = ""
			path := a.Setup().Path(wire.Project, p.dirs())
			put(t, path, content)
			mustInstall(t, p, a, Request{Scope: wire.Project})
			mustUninstall(t, p, a, wire.Project)
			got, err := os.ReadFile(path)
			exact := !strings.Contains(name, "empty") && name != "open object" && name != "white space" && name != "comment only" && name != "unusual order"
			if exact && a.Setup().Version == 0 && string(got) != content {
				t.Errorf("%s/%s: %q, want %q (%v)", a.Name(), name, got, content, err)
			}
			if err == nil && strings.Contains(string(got), "gauntlet") {
				t.Errorf("%s/%s: an entry of Gauntlet is left: %s", a.Name(), name, got)
			}
		}
	}
}

func TestOtherToolsEntriesStay(t *testing.T) {
	const content = `{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          { "type": "command", "command": "gauntlet-lint stop-hook" },
          { "type": "command", "command": "command -v gauntlet-lint >/dev/null 2>&1 || exit 0; gauntlet-lint stop-hook" },
          { "type": "command", "command": "echo gauntlet stop-hook" },
          { "type": "command", "command": "command -v gauntlet >/dev/null 2>&1 || exit 0; gauntlet-other stop-hook" },
          { "type": "prompt", "prompt": "gauntlet stop-hook" }
        ]
      }
    ],
    "UserPromptSubmit": [ { "matcher": "", "hooks": [ { "type": "command", "command": "/opt/gauntlet hooked" } ] } ]
  }
}
`
	p, a := places(t), adapter(t, "claude")
	path := a.Setup().Path(wire.Project, p.dirs())
	put(t, path, content)
	mustInstall(t, p, a, Request{Scope: wire.Project})
	checkInstalled(t, "lookalikes", a, path, get(t, path))
	// The file is edited afterwards, so that the record no longer fits.
	put(t, path, strings.Replace(get(t, path), "gauntlet-lint stop-hook\"", "gauntlet-lint stop-hook --more\"", 1))
	want := strings.Replace(content, "gauntlet-lint stop-hook\"", "gauntlet-lint stop-hook --more\"", 1)
	mustUninstall(t, p, a, wire.Project)
	if got := get(t, path); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestHandWrittenCallIsNotDoubled(t *testing.T) {
	for _, cmd := range []string{
		"gauntlet stop-hook", "/usr/local/bin/gauntlet stop-hook --agent claude", "exec gauntlet stop-hook", "~/go/bin/gauntlet stop-hook",
		`\"$HOME/.local/bin/gauntlet\" stop-hook --agent claude`, `cd \"$CLAUDE_PROJECT_DIR\" && gauntlet stop-hook`,
		"command -v gauntlet >/dev/null 2>&1 || exit 0; exec gauntlet stop-hook --agent claude", "GAUNTLET_MODE=observe timeout 60 gauntlet stop-hook || true",
		"sh -c 'gauntlet stop-hook'", "if command -v gauntlet >/dev/null; then gauntlet stop-hook; fi",
	} {
		p, a := places(t), adapter(t, "claude")
		path := a.Setup().Path(wire.Project, p.dirs())
		content := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + cmd + `"}]}]}}`
		put(t, path, content)
		changes := mustInstall(t, p, a, Request{Scope: wire.Project})
		if !strings.Contains(strings.Join(changes[0].Notes, "\n"), "did not write (line 1)") {
			t.Errorf("notes: %q", changes[0].Notes)
		}
		got := get(t, path)
		if strings.Count(got, "stop-hook") != 3 { // the person's, and Gauntlet's on SubagentStop, for two shells
			t.Errorf("%.300s", got)
		}
		mustUninstall(t, p, a, wire.Project)
		if got := get(t, path); got != content {
			t.Errorf("%.300s", got)
		}
	}
}

func TestOldEntriesAreRepaired(t *testing.T) {
	p, a := places(t), adapter(t, "gemini")
	path := a.Setup().Path(wire.Project, p.dirs())
	// Seconds where milliseconds belong, no --agent, and twice.
	old := `{"type": "command", "command": "command -v gauntlet >/dev/null 2>&1 || exit 0; gauntlet stop-hook", "timeout": 300}`
	put(t, path, "{\n  \"hooks\": {\n    \"AfterAgent\": [\n      {\"hooks\": ["+old+"]},\n      {\"hooks\": ["+old+"]}\n    ]\n  },\n  \"theme\": \"dark\"\n}\n")
	mustInstall(t, p, a, Request{Scope: wire.Project})
	checkInstalled(t, "mended", a, path, get(t, path))
	if got := get(t, path); !strings.Contains(got, "300000") || strings.Contains(got, "300,") || strings.Contains(got, ": 300\n") {
		t.Errorf("%.300s", got)
	}
	mustUninstall(t, p, a, wire.Project)
	if got := get(t, path); got != "{\n  \"theme\": \"dark\"\n}\n" {
		t.Errorf("%q", got)
	}
}

func TestLongerTimeoutIsKept(t *testing.T) {
	p, a := places(t), adapter(t, "claude")
	mustInstall(t, p, a, Request{Scope: wire.Project})
	path := a.Setup().Path(wire.Project, p.dirs())
	put(t, path, strings.ReplaceAll(get(t, path), ": 300", ": 900"))
	if c := mustInstall(t, p, a, Request{Scope: wire.Project}); c[0].Action != Unchanged {
		t.Errorf("%s", c[0].Action)
	}
}

func TestEnvironmentMovesSettings(t *testing.T) {
	p := places(t)
	p.Getenv = func(k string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "COPILOT_HOME": "/p", "XDG_CONFIG_HOME": "relative"}[k]
	}
	for name, want := range map[string]string{
		"claude": "/c/settings.json", "codex": "/x/hooks.json", "copilot": "/p/hooks/gauntlet.json",
		"opencode": filepath.Join(p.Home, ".config/opencode/plugins/gauntlet.js"),
	} {
		if got := adapter(t, name).Setup().Path(wire.User, p.dirs()); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Droid reads settings.json only while hooks.json does not exist: a new hooks.json would
// disable the person's own hooks.
func TestHooksElsewhereAreNotHidden(t *testing.T) {
	p, a := places(t), adapter(t, "droid")
	settings := filepath.Join(p.Project, ".factory", "settings.json")
	const content = "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n"
	put(t, settings, content)
	mustInstall(t, p, a, Request{Scope: wire.Project})
	if _, err := os.Stat(filepath.Join(p.Project, ".factory", "hooks.json")); err == nil {
		t.Error("hooks.json was made")
	}
	if !strings.Contains(get(t, settings), "stop-hook --agent droid") {
		t.Errorf("%s", get(t, settings))
	}
	mustUninstall(t, p, a, wire.Project)
	if get(t, settings) != content {
		t.Errorf("%s", get(t, settings))
	}
}

func TestPresent(t *testing.T) {
	p := places(t)
	p.LookPath = func(name string) (string, error) {
		if name == "codex" {
			return "/bin/codex", nil
		}
		return "", exec.ErrNotFound
	}
	put(t, filepath.Join(p.Project, "GEMINI.md"), "")
	put(t, filepath.Join(p.Home, ".config", "opencode", "x"), "")
	var got []string
	for _, a := range p.Present() {
		got = append(got, a.Name())
	}
	if strings.Join(got, " ") != "codex gemini opencode" {
		t.Errorf("%v", got)
	}
}

func TestMentioningGauntletIsNotCallingIt(t *testing.T) {
	for _, cmd := range []string{
		"echo gauntlet stop-hook", "grep -q 'gauntlet stop-hook' log", "my-gauntlet stop-hook", "gauntlet-lint stop-hook", "gauntlet", "gauntlet run",
		"# gauntlet stop-hook", "", "'", "gauntlet stop-hooks", "/opt/gauntlet/other stop-hook",
	} {
		if byHand(cmd, "stop-hook --agent claude") {
			t.Errorf("%q counts as a call", cmd)
		}
	}
	if !byHand("exec gauntlet hook prompt", "hook prompt --agent claude") || byHand("gauntlet hook prompt", "hook tool --agent claude") {
		t.Error("the hooks of Gauntlet are confused")
	}
}
