package autonomy

import (
	"strings"
	"testing"
	"time"
)

// TestSameMinute: two sessions reach the threshold in the same minute with the
// same figures, so the notes read the same. That is no failure.
func TestSameMinute(t *testing.T) {
	w := newWorld(t).repo()
	w.dirty()
	w.expect(w.block(), true, "no", "")
	head := w.git("rev-parse", "HEAD")

	w.clock = w.clock.Add(-time.Minute)
	w.id = "session-2"
	v := w.block()
	w.expect(v, false, "no", "claude_md_unchanged")
	if w.git("rev-parse", "HEAD") != head {
		t.Error("a second commit was made of the same notes")
	}
	if refs := w.git("for-each-ref", "--format=%(refname)", "refs/gauntlet/checkpoints"); !strings.Contains(refs, "session-2") {
		t.Errorf("the work of the second session was not saved: %s", refs)
	}
}
