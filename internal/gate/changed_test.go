package gate

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gauntlet/internal/config"
)

// Whatever a file is called, a command gets it as one argument, relative to its directory.
func TestChangedFilesAreOneArgumentEach(t *testing.T) {
	root := t.TempDir()
	names := []string{"plain", "a b", "it's", `"q"`, "$(id)", "`id`", "-rf", "--", "a\\b", "tab\there", "semi;colon", "*", "~", "#x", "ünï", "{a,b}", changedFiles}
	if runtime.GOOS == "windows" {
		names = []string{"plain", "a b", "it's", "$(id)", "-rf", "#x"}
	} else {
		names = append(names, "new\nline", "\xff\xfe")
	}
	var paths []string
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(root, n), nil, 0o600); err != nil {
			t.Skipf("this file system refuses %q: %v", n, err)
		}
		paths = append(paths, n)
	}
	dir := filepath.Join(root, "in", "here")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	j := Job{Entry: ".", Dir: dir, Check: &config.Check{Command: `for f in ${CHANGED_FILES}; do printf '%s\000' "$f"; done`}}
	if !j.See(root, append(paths, "deleted", "in")) {
		t.Fatal("no file is left")
	}
	for _, at := range []struct{ dir, before string }{{root, ""}, {dir, "../../"}} {
		cmd := exec.Command("sh", "-c", j.withChanged(j.Check.Command, root, at.dir))
		cmd.Dir = at.dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if len(got) != len(names) {
			t.Fatalf("%d arguments for %d files: %q", len(got), len(names), got)
		}
		for i, n := range names {
			if want := at.before + n; got[i] != want && got[i] != "./"+want || strings.HasPrefix(got[i], "-") {
				t.Errorf("%q became %q", n, got[i])
			}
		}
	}
	if j.See(root, []string{"deleted", "in"}) {
		t.Error("a deleted file and a directory are no files")
	}
}
