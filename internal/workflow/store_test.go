package workflow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCorruptAndNewerFilesAreSetAside(t *testing.T) {
	for content, want := range map[string]struct{ line, suffix string }{
		`{"version":1,`:                 {"Checkpoint file exists but is corrupt: ", ".corrupt-20260102T030"},
		``:                              {"Checkpoint file exists but is corrupt: ", ".corrupt-20260102T030"},
		`[]`:                            {"Checkpoint file exists but is corrupt: ", ".corrupt-20260102T030"},
		`{"version":1,"phases":[1,2]}`:  {"Checkpoint file exists but is corrupt: ", ".corrupt-20260102T030"},
		`{"version":1,"state":"x"}`:     {"Checkpoint file exists but is corrupt: ", ".corrupt-20260102T030"},
		`{"version":2,"new":{"a":[1]}}`: {"Unsupported checkpoint schema version: 2 (expected 1)", ".unsupported-20260102T030"},
		`{"version":0}`:                 {"Unsupported checkpoint schema version: 0 (expected 1)", ".unsupported-20260102T030"},
	} {
		f := outside(t)
		f.put("ship-x.json", content)
		if !f.UpdatePhase(t.Context(), "ship", "gate", Update{Status: InProgress}, "x") {
			t.Fatalf("%s: %s", content, f.said())
		}
		if got := f.said(); !strings.HasPrefix(got, want.line) || !strings.Contains(got, "\nset aside as ") {
			t.Errorf("%s: said %q", content, got)
		}
		kept, err := filepath.Glob(f.path("ship-x.json" + want.suffix + "*"))
		if err != nil || len(kept) != 1 {
			t.Fatalf("%s: kept %v, %v", content, kept, err)
		}
		if b, _ := os.ReadFile(kept[0]); string(b) != content {
			t.Errorf("%s became %s", content, b)
		}
		if got := show(f.GetResumePoint(t.Context(), "ship", "x")); got != `"gate" null` {
			t.Errorf("%s: resume %s", content, got)
		}
	}
}

func TestSetAsideNeverOverwrites(t *testing.T) {
	f := outside(t)
	still := f.clock
	f.now = func() time.Time { return still }
	for _, content := range []string{"{one", "{two", "{three"} {
		f.put("ship-checkpoint.json", content)
		if !f.SaveProgress(t.Context(), "ship", doc(t, `{}`), "") {
			t.Fatal(f.said())
		}
	}
	kept, _ := filepath.Glob(f.path("ship-checkpoint.json.corrupt-*"))
	if len(kept) != 3 {
		t.Errorf("kept %v", kept)
	}
}

// A refused update does not even move a corrupt file.
func TestFailedUpdateMovesNothingAside(t *testing.T) {
	f := outside(t)
	f.put("ship-checkpoint.json", "{torn")
	if f.UpdatePhase(t.Context(), "ship", "gate", Update{Data: doc(t, `3`)}, "") {
		t.Error("updated")
	}
	if f.content("ship-checkpoint.json") != "{torn" {
		t.Error("touched")
	}
}

func TestLinksAndDirectoriesAtThePathAreRefused(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim.json")
	const secret = `{"version":1,"secret":true}`
	if err := os.WriteFile(victim, []byte(secret), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, prepare := range map[string]func(f *fixture) error{
		"link to a file": func(f *fixture) error { return os.Symlink(victim, f.path("ship-checkpoint.json")) },
		"dangling link":  func(f *fixture) error { return os.Symlink(victim+".new", f.path("ship-checkpoint.json")) },
		"directory":      func(f *fixture) error { return os.Mkdir(f.path("ship-checkpoint.json"), 0o755) },
		"linked directory": func(f *fixture) error {
			if err := os.Remove(f.Dir()); err != nil {
				return err
			}
			return os.Symlink(filepath.Dir(victim), f.Dir())
		},
		"linked .claude": func(f *fixture) error {
			if err := os.RemoveAll(filepath.Dir(f.Dir())); err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Join(filepath.Dir(victim), "state"), 0o755); err != nil {
				return err
			}
			return os.Symlink(filepath.Dir(victim), filepath.Dir(f.Dir()))
		},
		"linked lock": func(f *fixture) error { return os.Symlink(victim+".lock", f.path(".lock")) },
		"file instead of the directory": func(f *fixture) error {
			if err := os.Remove(f.Dir()); err != nil {
				return err
			}
			return os.WriteFile(f.Dir(), nil, 0o644)
		},
	} {
		f := outside(t)
		if err := os.MkdirAll(f.Dir(), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := prepare(f); err != nil {
			t.Fatal(err)
		}
		if name != "linked lock" {
			if d := f.LoadProgress(t.Context(), "ship", ""); d != nil || !strings.Contains(f.said(), "refused") {
				t.Errorf("%s: loaded %v", name, d)
			}
		}
		if f.SaveProgress(t.Context(), "ship", doc(t, `{}`), "") || !strings.Contains(f.said(), "refused") {
			t.Errorf("%s: saved", name)
		}
		if f.UpdatePhase(t.Context(), "ship", "gate", Update{}, "") {
			t.Errorf("%s: updated", name)
		}
		_ = f.List(t.Context())
		if b, _ := os.ReadFile(victim); string(b) != secret {
			t.Fatalf("%s: the victim was written", name)
		}
		if entries, _ := os.ReadDir(filepath.Dir(victim)); len(entries) > 2 {
			t.Fatalf("%s: something new beside the victim: %v", name, entries)
		}
	}
}

func TestLegacyNamesAreFound(t *testing.T) {
	for feature, file := range map[string]string{
		"user auth":              "implement-user auth.json",
		"größe":                  "implement-größe.json",
		"feat/login":             "implement-feat/login.json",
		"a:b":                    "implement-a:b.json",
		strings.Repeat("x", 230): "implement-" + strings.Repeat("x", 230) + ".json",
	} {
		f := outside(t)
		f.put(file, `{"version":1,"state":{"current_phase":"phase-3"}}`)
		if got := show(f.GetResumePoint(t.Context(), "implement", feature)); got != `"phase-3" null` {
			t.Errorf("%s: resume %s %s", feature, got, f.said())
		}
		if !f.UpdatePhase(t.Context(), "implement", "phase-3", Update{Status: Complete}, feature) {
			t.Fatal(f.said())
		}
		if len(file) > maxName {
			if _, err := os.Stat(f.path(file)); err == nil {
				t.Error("two files for one feature")
			}
			file = f.names.file("implement", feature)
		}
		if !strings.Contains(f.content(file), `"phase-3"`) || !strings.Contains(f.content(file), "\n  \"command\"") {
			t.Errorf("%s: the update went elsewhere", feature)
		}
		if list := f.List(t.Context()); len(list) != 1 || list[0].Feature == nil || *list[0].Feature != feature {
			t.Errorf("%s: list %+v", feature, list)
		}
	}
	// The name that the module would use comes first.
	f := outside(t)
	f.put("implement-a b.json", `{"version":1,"state":{"current_phase":"old"}}`)
	f.put("implement-a%20b.json", `{"version":1,"state":{"current_phase":"new"}}`)
	if got := show(f.GetResumePoint(t.Context(), "implement", "a b")); got != `"old" null` {
		t.Errorf("got %s", got)
	}
	// The raw name of one feature may be the escaped name of another.
	f = outside(t)
	f.put("implement-a%2Fb.json", `{"version":1,"state":{"current_phase":"p"}}`)
	if got := show(f.GetResumePoint(t.Context(), "implement", "a%2Fb")); got != "null null" {
		t.Errorf("two features share a file: %s", got)
	}
	if got := show(f.GetResumePoint(t.Context(), "implement", "a/b")); got != `"p" null` {
		t.Errorf("got %s", got)
	}
	if got := show(f.GetResumePoint(t.Context(), "implement", "checkpoint")); got != "null null" {
		t.Errorf("feature checkpoint: %s", got)
	}
}

// If Foo and foo are one file name, they are still two features.
func TestFeaturesOnCaseInsensitiveFilesystems(t *testing.T) {
	f := outside(t)
	f.Store.names = names{foldCase: true}
	for _, feature := range []string{"foo", "Foo", "FOO"} {
		if !f.UpdatePhase(t.Context(), "ship", "phase of "+feature, Update{Status: InProgress}, feature) {
			t.Fatal(f.said())
		}
	}
	for _, feature := range []string{"foo", "Foo", "FOO"} {
		if got := show(f.GetResumePoint(t.Context(), "ship", feature)); got != `"phase of `+feature+`" null` {
			t.Errorf("%s: %s", feature, got)
		}
	}
	f.put("ship-Legacy.json", `{"version":1,"state":{"current_phase":"old"}}`)
	if got := show(f.GetResumePoint(t.Context(), "ship", "Legacy")); got != `"old" null` {
		t.Errorf("legacy name: %s", got)
	}
	if spelledSo(f.Dir(), "ship-LEGACY.json") || !spelledSo(f.Dir(), "ship-Legacy.json") {
		t.Error("the spelling of a name does not count")
	}
}

func TestFeaturesCannotLeaveTheDirectory(t *testing.T) {
	f := outside(t)
	f.put("x.json", "{}")
	outsideFile := filepath.Join(f.dir, ".claude", "x.json")
	if err := os.WriteFile(outsideFile, []byte(`{"version":1,"state":{"current_phase":"stolen"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(f.dir, f.path("implement-link")); err != nil {
		t.Fatal(err)
	}
	for _, feature := range []string{
		"../x", "a/../../x", "/../../x", "..", ".", "/etc/passwd", "link/.claude/x", "\x00", "a\nb", "-rf", strings.Repeat("../", 99),
		`..\..\x`, "CON", "a\u202eb", strings.Repeat("é", 500),
	} {
		if got := show(f.GetResumePoint(t.Context(), "implement", feature)); got != "null null" {
			t.Errorf("%q reads %s", feature, got)
		}
		if !f.UpdatePhase(t.Context(), "implement", "phase-1", Update{Status: InProgress}, feature) {
			t.Errorf("%q: %s", feature, f.said())
		}
		if got := show(f.GetResumePoint(t.Context(), "implement", feature)); got != `"phase-1" null` {
			t.Errorf("%q comes back as %s", feature, got)
		}
	}
	var beside []string
	for _, dir := range []string{f.dir, filepath.Join(f.dir, ".claude")} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			beside = append(beside, e.Name())
		}
	}
	if got := strings.Join(beside, " "); got != ".claude state x.json" {
		t.Errorf("files outside the directory: %s", got)
	}
}
