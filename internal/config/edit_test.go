package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEditMode(t *testing.T) {
	for _, c := range []struct{ name, section, text, want string }{
		{"add to a check", "", "command: x # why\n", "command: x # why\nmode: observe\n"},
		{"no newline at the end", "", "command: x", "command: x\nmode: observe\n"},
		{"replace, comments kept", "", "# top\nmode: enforce  # since May\ncommand: x\n", "# top\nmode: observe  # since May\ncommand: x\n"},
		{"replace a quoted one", "", "command: x\nmode: \"warn\"\n", "command: x\nmode: observe\n"},
		{"not the mode inside a string", "", "command: 'echo mode: enforce'\nmode: enforce\n", "command: 'echo mode: enforce'\nmode: observe\n"},
		{"flow", "", "{command: x}\n", "{mode: observe, command: x}\n"},
		{"a section", "checkpoint", "a: 1\ncheckpoint:\n  # about\n  preset: go\nb: 2\n", "a: 1\ncheckpoint:\n  # about\n  mode: observe\n  preset: go\nb: 2\n"},
		{"a section's own mode", "checkpoint", "stop_hook:\n  mode: enforce\ncheckpoint:\n    mode: warn\n", "stop_hook:\n  mode: enforce\ncheckpoint:\n    mode: observe\n"},
		{"an empty section", "checkpoint", "checkpoint:\nstop_hook: {enabled: true}\n", "checkpoint:\n  mode: observe\nstop_hook: {enabled: true}\n"},
		{"a flow section", "stop_hook", "stop_hook: {enabled: true} # x\n", "stop_hook: {mode: observe, enabled: true} # x\n"},
		{"a section that is not there", "stop_hook", "checkpoint: {preset: go}\n", "checkpoint: {preset: go}\nstop_hook:\n  mode: observe\n"},
		{"a document with an end", "", "---\ncommand: x\n...\n", "---\ncommand: x\nmode: observe\n...\n"},
		{"windows line ends, added", "", "command: x\r\n", "command: x\r\nmode: observe\r\n"},
		{"windows line ends", "", "command: x\r\nmode: enforce # a\r\n", "command: x\r\nmode: observe # a\r\n"},
	} {
		got, err := editMode([]byte(c.text), c.section, ModeObserve, false)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s", c.name, err, got)
		}
	}
	for text, want := range map[string]string{
		"Look.\n": "---\nmode: observe\n---\nLook.\n",
		"---\nmodel: x # y\n---\nLook.\nmode: z\n": "---\nmodel: x # y\nmode: observe\n---\nLook.\nmode: z\n",
		"---\nmode: off\nmodel: x\n---\n\nLook.\n": "---\nmode: observe\nmodel: x\n---\n\nLook.\n",
		"---\r\nmodel: x\r\n---\r\nLook.\r\n":      "---\r\nmodel: x\r\nmode: observe\r\n---\r\nLook.\r\n",
		"---\n---\nLook.\n":                        "---\nmode: observe\n---\nLook.\n",
	} {
		got, err := editMode([]byte(text), "", ModeObserve, true)
		if err != nil || string(got) != want {
			t.Errorf("review %q: %v\n%s", text, err, got)
		}
	}
	if got, err := editMode([]byte("command: x\n...\n# nothing more\n"), "", ModeObserve, false); err == nil {
		t.Errorf("a file that cannot be edited was written: %q", got)
	}
	if _, err := editMode([]byte("checkpoint: on\n"), "checkpoint", ModeObserve, false); err == nil {
		t.Error("a section that is a word was edited")
	}
}

func TestSetMode(t *testing.T) {
	root := project(t, map[string]string{"config.yml": minimal + "checkpoint:\n  preset: go\n", "checks/lint.yml": "command: x\n", "reviews/r.md": "Look.\n"})
	for _, part := range []string{"lint", "r", PartCheckpoint, PartStopHook} {
		if _, _, err := SetMode(mustLoad(t, root, env(t)), part, ModeWarn); err != nil {
			t.Fatalf("%s: %v", part, err)
		}
	}
	l := mustLoad(t, root, env(t))
	if l.Checks["lint"].Mode != ModeWarn || l.Reviews["r"].Mode != ModeWarn || l.Project.Checkpoint.Mode != ModeWarn || l.Settings.Mode != ModeWarn {
		t.Errorf("modes after editing: %+v", l.Settings)
	}
	if _, _, err := SetMode(l, "nothing", ModeWarn); err == nil || !strings.Contains(err.Error(), "gauntlet list") {
		t.Errorf("a gate that is not there: %v", err)
	}
	// A link out of the project is neither read nor replaced.
	outside := filepath.Join(t.TempDir(), "lint.yml")
	if err := os.WriteFile(outside, []byte("command: x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, ".gauntlet", "checks", "lint.yml")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, file); err != nil {
		t.Skip("no symbolic links here: " + err.Error())
	}
	if _, _, err := SetMode(l, "lint", ModeOff); err == nil {
		t.Error("a link out of the project was edited")
	}
}
