package script

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestPageOfAnAgent: the page that a person starts has buttons, the one that an
// agent starts has none and takes none of their requests, whoever sends them.
func TestPageOfAnAgent(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("SKIPPED LOUDLY: needs a Unix shell")
	}
	w := newTrickWorld(t)
	if v := w.stop(w.repo); v.Decision != "block" { // something to label, a project to switch off
		t.Fatalf("%+v", v)
	}
	for _, variable := range []string{"", "CLAUDECODE=1", "CODEX_SANDBOX=seatbelt", "GEMINI_CLI=1", "CURSOR_AGENT=1", "GAUNTLET_STOP_HOOK_ACTIVE=1"} {
		t.Run("with "+variable, func(t *testing.T) {
			page := w.page(t, variable)
			person := variable == ""
			for _, path := range []string{"/", "/gates"} {
				if html := page.get(t, path); strings.Contains(html, `method="post"`) != person {
					t.Errorf("%s has buttons: %t", path, !person)
				}
			}
			for path, form := range map[string]url.Values{
				"/off":   {"project": {w.repo}},
				"/on":    {"project": {w.repo}},
				"/label": {"label": {"wrong"}, "id": {"261115-042400-3f9a1c"}},
				"/mode":  {"project": {w.repo}, "gate": {"check:.:t"}, "mode": {"observe"}},
			} {
				form.Set("token", page.token)
				if code := page.post(t, path, form); !person && code != http.StatusNotFound && code != http.StatusMethodNotAllowed {
					t.Errorf("POST %s: status %d", path, code)
				}
			}
		})
	}
	// The person's page did what was asked for, so that the refusals above mean something.
	policy, err := os.ReadFile(w.repo + "/.gauntlet/checks/t.yml")
	if err != nil || !strings.Contains(string(policy), "observe") {
		t.Errorf("the person's button changed nothing: %v\n%s", err, policy)
	}
}

// TestPageOpensWithoutItsToken: what the browser is started with shows no secret, and the
// private file that it opens lets one browser in, once.
func TestPageOpensWithoutItsToken(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("flock"); err != nil || runtime.GOOS == "darwin" {
		t.Skip("SKIPPED LOUDLY: needs a Unix shell and xdg-open")
	}
	w := newTrickWorld(t)
	dir := t.TempDir()
	fake := "#!/bin/sh\necho \"$@\" > " + dir + "/argv.tmp\nmv " + dir + "/argv.tmp " + dir + "/argv\n"
	if err := os.WriteFile(dir+"/xdg-open", []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	env := append(w.env[:len(w.env):len(w.env)], "PATH="+dir+":"+os.Getenv("PATH"))
	cmd := exec.CommandContext(t.Context(), "gauntlet", "ui")
	cmd.Dir, cmd.Env = w.repo, env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, _ := bufio.NewReader(out).ReadString('\n')
	printed, err := url.Parse(regexp.MustCompile(`http://\S+`).FindString(line))
	if err != nil || printed.Query().Get("token") == "" {
		t.Fatalf("%q %v", line, err)
	}
	var argv []byte
	for argv == nil {
		if argv, err = os.ReadFile(dir + "/argv"); err != nil {
			time.Sleep(20 * time.Millisecond)
		}
	}
	file := strings.TrimSpace(string(argv))
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 || strings.Contains(file, printed.Query().Get("token")) {
		t.Fatalf("the browser was started with %q: %v", argv, err)
	}
	redirect, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(redirect), printed.Query().Get("token")) {
		t.Fatalf("%v %s", err, redirect)
	}
	entry := regexp.MustCompile(`url=(http://[^"]+)`).FindStringSubmatch(string(redirect))
	if entry == nil {
		t.Fatalf("%s", redirect)
	}
	ask := func(site string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, entry[1], http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Sec-Fetch-Site", site) // a file is another site
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode, res.Header.Get("Set-Cookie")
	}
	if code, cookie := ask("cross-site"); code != http.StatusOK || !strings.Contains(cookie, "HttpOnly; SameSite=Strict") {
		t.Errorf("%d %s", code, cookie)
	}
	if code, cookie := ask("none"); code != http.StatusForbidden || cookie != "" {
		t.Errorf("the code works twice: %d %s", code, cookie)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if _, err := os.Stat(file); err == nil {
		t.Error("the file stays")
	}
}

// webPage is a page that `gauntlet ui` serves.
type webPage struct {
	client      *http.Client
	base, token string
}

// page starts `gauntlet ui` with one more variable in its environment.
func (w *trickWorld) page(t *testing.T, variable string) *webPage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "gauntlet", "ui", "--no-open", "--port", "0")
	cmd.Dir, cmd.Env = w.repo, append(w.env[:len(w.env):len(w.env)], variable)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	address := regexp.MustCompile(`http://\S+`).FindString(line)
	if address == "" {
		t.Fatalf("no address: %q %v", line, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &webPage{client: &http.Client{Jar: jar}, base: u.Scheme + "://" + u.Host, token: u.Query().Get("token")}
	p.get(t, u.RequestURI())
	return p
}

func (p *webPage) get(t *testing.T, path string) string {
	t.Helper()
	res, err := p.client.Get(p.base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", path, res.Status, err)
	}
	return string(body)
}

func (p *webPage) post(t *testing.T, path string, form url.Values) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", p.base)
	res, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}
