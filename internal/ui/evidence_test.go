package ui

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/history"
)

// The page shows what a gate printed at that stop; a log that a later run wrote under the
// same name is never shown for it.
func TestEvidenceOfAStop(t *testing.T) {
	m := &machine{home: t.TempDir()}
	project := filepath.Join(m.home, "p")
	log := filepath.Join(project, "gauntlet_logs", "check_._t.1.log")
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, []byte("LATER RUN"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour)
	rec := func(id, tail string) []history.Record {
		return []history.Record{
			{Type: history.Verdict, ID: id, Time: at, Project: project, Status: "failed", Decision: "block", Source: history.FromStop},
			{Type: history.Gate, ID: id, Time: at, Project: project, Status: "fail", Gate: "check:.:t", Kind: "check", LogPath: log, Tail: tail},
		}
	}
	if err := history.Append(m.history(), append(rec("v", "FIRST <b>BREAK</b>"), rec("old", "")...)...); err != nil {
		t.Fatal(err)
	}
	serve(t, m, nil)
	for path, want := range map[string]string{
		"/stops/v":       "FIRST &lt;b&gt;BREAK&lt;/b&gt;</pre>",
		"/api/stops/v":   `"tail":"FIRST`,
		"/stops/old":     "The output of this run was not kept.",
		"/api/stops/old": `"gate":"check:.:t"`,
	} {
		code, body := m.do(m.request(http.MethodGet, path, ""))
		if code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, no %q", path, code, want)
		}
		if strings.Contains(body, "/logs/") || strings.Contains(body, "logPath") {
			t.Errorf("%s offers the log of another run", path)
		}
	}
	for _, path := range []string{"/logs/v/0", "/logs/old/0"} {
		if code, body := m.do(m.request(http.MethodGet, path, "")); code != http.StatusNotFound || strings.Contains(body, "LATER") {
			t.Errorf("%s: %d %q", path, code, body)
		}
	}
}
