//go:build unix

package ui

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gauntlet/internal/history"
)

// The log path in a record is untrusted: only a regular file with one of Gauntlet's names
// is shown.
func TestInvalidLogs(t *testing.T) {
	m := &machine{home: t.TempDir()}
	project := filepath.Join(m.home, "p")
	logs := filepath.Join(project, "gauntlet_logs")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(logs, 0o755))
	secret := filepath.Join(m.home, "secret")
	must(os.WriteFile(secret, []byte("the secret"), 0o600))
	must(os.Symlink(secret, filepath.Join(logs, "check_link.1.log")))
	must(os.Symlink(m.home, filepath.Join(project, "out")))
	must(os.WriteFile(filepath.Join(m.home, "check_out.1.log"), []byte("the secret"), 0o600))
	must(syscall.Mkfifo(filepath.Join(logs, "check_fifo.1.log"), 0o600))
	must(os.Mkdir(filepath.Join(logs, "check_dir.1.log"), 0o755))
	must(os.WriteFile(filepath.Join(logs, "check_good.1.log"), []byte("<b>good</b>"), 0o600))
	paths := []string{
		filepath.Join(logs, "check_good.1.log"), filepath.Join(logs, "check_link.1.log"), filepath.Join(logs, "check_fifo.1.log"), filepath.Join(logs, "check_dir.1.log"),
		filepath.Join(project, "out", "check_out.1.log"), filepath.Join(logs, "..", "..", "secret"), "/etc/passwd", "check_x.1.log", "/proc/self/environ/check_.log",
		filepath.Join(logs, "check_good.1.log") + "\x00.log",
	}
	recs := []history.Record{{Type: history.Verdict, ID: "v", Time: time.Now(), Project: project, Status: "failed", Source: history.FromStop}}
	for i, p := range paths {
		recs = append(recs, history.Record{Type: history.Gate, ID: "v", Time: time.Now(), Project: project, Status: "fail", Gate: fmt.Sprintf("check:.:%02d", i), LogPath: p})
	}
	must(history.Append(m.history(), recs...))
	serve(t, m, nil)
	for i, p := range paths {
		code, body := m.do(m.request(http.MethodGet, fmt.Sprintf("/logs/v/%d", i), ""))
		if i == 0 && (code != 200 || body != "<b>good</b>") || i > 0 && code != 404 || strings.Contains(body, "the secret") {
			t.Errorf("%s: %d %q", p, code, body)
		}
	}
	for _, path := range []string{"/logs/v/-1", "/logs/v/99", "/logs/v/x", "/logs/w/0", "/logs/v/0/../../../etc/passwd", "/logs/%2e%2e/0"} {
		if code, body := m.do(m.request(http.MethodGet, path, "")); code == 200 {
			t.Errorf("%s: %d %q", path, code, body)
		}
	}
}
