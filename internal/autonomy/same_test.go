package autonomy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSameMinute: a session that has lost its memory reaches the threshold again in the
// same second with the same figures, so the notes are equal. That is not a failure.
func TestSameMinute(t *testing.T) {
	w := newWorld(t).repo()
	w.dirty()
	w.expect(w.block(), true, "no", "")
	head := w.git("rev-parse", "HEAD")

	w.clock = w.clock.Add(-time.Minute)
	if err := os.RemoveAll(filepath.Join(w.home, "state", "gauntlet", "projects")); err != nil {
		t.Fatal(err)
	}
	v := w.block()
	w.expect(v, false, "no", "claude_md_unchanged")
	if w.git("rev-parse", "HEAD") != head {
		t.Error("a second commit was made of the same notes")
	}
	if refs := w.git("for-each-ref", "--format=%(refname)", "refs/gauntlet/checkpoints"); !strings.Contains(refs, "session-1/2") {
		t.Errorf("the work was not saved again: %s", refs)
	}
}
