package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shipProject is a repository whose gate is open and that waits for previews of a test
// server.
func shipProject(t *testing.T, statuses func() string) (run func(args ...string) (code int, out, errs string)) {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.com")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "one")
	git("remote", "add", "origin", "https://github.com/acme/shop.git")
	head := git("rev-parse", "HEAD")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer t0ken":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/repos/acme/shop/deployments" && r.URL.Query().Get("sha") == head:
			fmt.Fprint(w, `[{"id":7,"environment":"Preview"}]`)
		case r.URL.Path == "/repos/acme/shop/deployments/7/statuses":
			fmt.Fprint(w, statuses())
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	config := filepath.Join(dir, ".claude", "config", "integrations.json")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(`{"vercel":{"enabled":true,"wait_for_preview":true,"preview_timeout_ms":1200,"require_preview_success":true}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"GITHUB_API_URL": server.URL, "GITHUB_TOKEN": "t0ken"}
	run = func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		app := &App{
			In: strings.NewReader(`{"gate":{"ship_allowed":true,"blockers":[]}}`), Out: &out, Err: &errs,
			Getenv: func(k string) string { return env[k] }, Environ: os.Environ,
			Getwd: func() (string, error) { return dir, nil }, Now: time.Now,
		}
		return Main(args, app), out.String(), errs.String()
	}
	if code, _, errs := run("state", "save", "ship"); code != 0 {
		t.Fatal(errs)
	}
	return run
}

func TestShipCheckWaitsForThePreview(t *testing.T) {
	answers := []string{`[]`, `[{"id":1,"state":"in_progress"}]`, `[{"id":2,"state":"success","environment_url":"https://shop.example"}]`}
	run := shipProject(t, func() string {
		next := answers[0]
		answers = append(answers[1:], answers[len(answers)-1])
		return next
	})
	code, out, errs := run("ship", "check")
	if code != 0 || !strings.Contains(out, "Ship: allowed") || !strings.Contains(out, "preview  https://shop.example") {
		t.Errorf("%d\n%s\n%s", code, out, errs)
	}
	if !strings.Contains(errs, "waiting for the preview of ") || strings.Contains(out+errs, "t0ken") {
		t.Errorf("progress: %s", errs)
	}
}

func TestShipCheckExitCodes(t *testing.T) {
	for statuses, want := range map[string]int{
		`[{"id":1,"state":"failure"}]`: 1,
		`[{"id":1,"state":"queued"}]`:  1,
		`<html>`:                       2,
	} {
		run := shipProject(t, func() string { return statuses })
		if code, out, errs := run("ship", "check", "--json"); code != want {
			t.Errorf("%s: %d\n%s\n%s", statuses, code, out, errs)
		}
	}
}
