//go:build unix

package proc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDetachedProcessHasNoTerminal(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	if err := Detach(Cmd{Args: []string{"sh", "-c", `(read x; echo "read=$?"; [ -t 0 ] && echo tty; ps -o sid= -p $$ | tr -d ' '; echo "$$ $A $GAUNTLET_STOP_HOOK_ACTIVE") > "$OUT.tmp"; mv "$OUT.tmp" "$OUT"`}, Extra: []string{"OUT=" + out, "A=b"}}); err != nil {
		t.Fatal(err)
	}
	var b []byte
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if b, _ = os.ReadFile(out); len(b) > 0 {
			break
		}
	}
	lines := strings.Fields(string(b))
	if len(lines) != 5 || lines[0] != "read=1" || lines[1] != lines[2] || lines[3] != "b" || lines[4] != "1" {
		t.Errorf("got %q", b)
	}
	if err := Detach(Cmd{Args: []string{"no-such-command-anywhere"}}); err == nil || !strings.Contains(err.Error(), "no-such-command-anywhere") {
		t.Errorf("a missing command: %v", err)
	}
}
