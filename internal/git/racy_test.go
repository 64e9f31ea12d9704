package git

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSnapshotSeesEditInTheSameClockTick: git compares files by size and time; if those are
// not conclusive, because the index was written in the same tick, it reads the file. A copy
// of the index must not change that.
func TestSnapshotSeesEditInTheSameClockTick(t *testing.T) {
	dir := t.TempDir()
	file, index := filepath.Join(dir, "f"), filepath.Join(dir, ".git", "index")
	tick := time.Now().Add(-time.Hour).Truncate(time.Second)
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, tick, tick); err != nil {
			t.Fatal(err)
		}
	}
	sh(t, dir, "git init -q")
	// Without the change time and the inode, which a test cannot set.
	sh(t, dir, "git config core.trustctime false && git config core.checkStat minimal")
	write("one\n")
	sh(t, dir, "git add f")
	if err := os.Chtimes(index, tick, tick); err != nil {
		t.Fatal(err)
	}
	write("two\n")
	repo, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := repo.SnapshotTree(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := sh(t, dir, "git show "+tree+":f"); got != "two" {
		t.Errorf("the snapshot contains %q, the file contains two", got)
	}
}
