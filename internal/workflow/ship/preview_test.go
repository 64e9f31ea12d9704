package ship

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gauntlet/internal/git"
)

// server is a fake of GitHub; each query of the statuses gets the next answer.
type server struct {
	*httptest.Server
	deployments string
	statuses    []string
	looks       atomic.Int64
	auth        atomic.Value
	fail        func(n int64, w http.ResponseWriter) bool
	calls       atomic.Int64
}

func newServer(t *testing.T, p *project, deployments string, statuses ...string) *server {
	s := &server{deployments: deployments, statuses: statuses}
	head := p.git("rev-parse", "HEAD")
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.auth.Store(r.Header.Get("Authorization"))
		if n := s.calls.Add(1); s.fail != nil && s.fail(n, w) {
			return
		}
		switch {
		case r.URL.Path == "/repos/acme/shop/deployments" && r.URL.RawQuery == "sha="+head:
			fmt.Fprint(w, s.deployments)
		case r.URL.Path == "/repos/acme/shop/deployments/7/statuses":
			n := s.looks.Add(1)
			fmt.Fprint(w, s.statuses[min(int(n), len(s.statuses))-1])
		default:
			t.Errorf("asked for %s", r.URL)
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	p.env["GITHUB_API_URL"] = s.URL
	p.env["GITHUB_TOKEN"] = "secret-token"
	p.state("ship", "", allowed)
	return s
}

const (
	one     = `[{"id":7,"environment":"Preview"}]`
	success = `[{"id":3,"state":"success","environment_url":"https://shop-abc.vercel.app"},{"id":2,"state":"in_progress"},{"id":1,"state":"queued"}]`
	waiting = `[{"id":2,"state":"in_progress"},{"id":1,"state":"queued"}]`
	failure = `[{"id":9,"state":"failure","log_url":"https://logs.example"},{"id":1,"state":"success"}]`
)

func vercel(timeout int, require bool) string {
	return fmt.Sprintf(`{"vercel":{"enabled":true,"wait_for_preview":true,"preview_timeout_ms":%d,"require_preview_success":%v}}`, timeout, require)
}

func TestPreview(t *testing.T) {
	for name, c := range map[string]struct {
		deployments string
		statuses    []string
		timeout     int
		soft, hard  int // exit codes without and with require_preview_success
		want, state string
	}{
		"ready":            {one, []string{success}, 5000, 0, 0, "", Ready},
		"ready in a while": {one, []string{waiting, `[]`, success}, 20000, 0, 0, "", Ready},
		"failed":           {one, []string{failure}, 5000, 0, 1, "the preview failed: https://logs.example", Failed},
		"error":            {one, []string{`[{"id":1,"state":"error"}]`}, 5000, 0, 1, "the preview failed", Failed},
		"late":             {one, []string{waiting}, 700, 0, 1, "no preview was ready within 700ms", Late},
		"none comes":       {`[]`, nil, 600, 0, 1, "no preview was ready within 600ms", Late},
		"no waiting":       {one, []string{waiting}, 0, 0, 1, "no preview was ready within 0s", Late},
		"production too":   {`[{"id":8,"environment":"Production"},{"id":7,"environment":"Preview – shop"}]`, []string{success}, 5000, 0, 0, "", Ready},
		"the newest":       {`[{"id":5,"environment":"Preview"},{"id":7,"environment":"Preview"}]`, []string{success}, 5000, 0, 0, "", Ready},
		"taken down":       {one, []string{`[{"id":4,"state":"inactive"},{"id":3,"state":"success"}]`}, 5000, 0, 0, "", Ready},
		"other order":      {one, []string{`[{"id":1,"state":"queued"},{"id":3,"state":"success"}]`}, 5000, 0, 0, "", Ready},
		"garbage":          {`{"a":1}`, nil, 5000, 0, 2, "the answer of GitHub is not what it should be", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, require := range []bool{false, true} {
				p := newProject(t)
				s := newServer(t, p, c.deployments, c.statuses...)
				p.integrations(vercel(c.timeout, require))
				r := p.check("")
				code := c.soft
				if require {
					code = c.hard
				}
				if r.ExitCode() != code || !strings.Contains(r.all(), c.want) {
					t.Errorf("require %v: code %d, %s", require, r.ExitCode(), r.all())
				}
				if c.state != "" && (r.Preview == nil || r.Preview.State != c.state) {
					t.Errorf("require %v: %+v", require, r.Preview)
				}
				if got := s.auth.Load(); got != "Bearer secret-token" {
					t.Errorf("authorization %v", got)
				}
				if len(c.statuses) > 1 && len(p.said) == 0 {
					t.Error("no progress")
				}
				if strings.Contains(r.all()+strings.Join(p.said, ""), "secret-token") {
					t.Error("the token is shown")
				}
			}
		})
	}
}

func TestServerErrors(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	s := newServer(t, p, one, success)
	s.fail = func(n int64, w http.ResponseWriter) bool {
		switch n {
		case 1:
			w.WriteHeader(http.StatusBadGateway)
		case 2:
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.WriteHeader(http.StatusForbidden)
		case 3:
			hijack(w)
		default:
			return false
		}
		return true
	}
	p.integrations(vercel(30000, true))
	if r := p.check(""); r.ExitCode() != 0 || r.Preview.URL != "https://shop-abc.vercel.app" {
		t.Errorf("%d %s", r.ExitCode(), r.all())
	}
	for status, want := range map[int]string{401: "GITHUB_TOKEN is not accepted", 404: "needs read access", 403: "needs read access", 302: "302"} {
		var asked atomic.Int64
		s.fail = func(_ int64, w http.ResponseWriter) bool { asked.Add(1); w.WriteHeader(status); return true }
		if r := p.check(""); r.ExitCode() != 2 || !strings.Contains(r.all(), want) || asked.Load() > 1 {
			t.Errorf("%d: code %d after %d requests, %s", status, r.ExitCode(), asked.Load(), r.all())
		}
	}
	s.Close()
	p.integrations(vercel(700, true))
	if r := p.check(""); r.ExitCode() != 2 {
		t.Errorf("server gone: %d %s", r.ExitCode(), r.all())
	}
	p.integrations(vercel(700, false))
	if r := p.check(""); r.ExitCode() != 0 || len(r.Warnings) != 1 {
		t.Errorf("server gone, not required: %d %s", r.ExitCode(), r.all())
	}
}

// A call that was cut off does not hide why no answer came.
func TestDeadlineKeepsTheCause(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	s := newServer(t, p, one, success)
	s.fail = func(n int64, w http.ResponseWriter) bool {
		if n > 1 {
			time.Sleep(lastLook + 500*time.Millisecond)
		}
		w.WriteHeader(http.StatusInternalServerError)
		return true
	}
	p.integrations(vercel(100, true))
	if r := p.check(""); r.ExitCode() != 2 || !strings.Contains(r.all(), "GitHub answered 500") {
		t.Errorf("%d %s", r.ExitCode(), r.all())
	}
	if said := strings.Join(p.said, "\n"); strings.Contains(said, "deadline") {
		t.Error(said)
	}
}

// The preview may be on a later page of the deployments.
func TestPages(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	var page strings.Builder
	for i := range pageSize {
		fmt.Fprintf(&page, `,{"id":%d,"environment":"Production %d"}`, 100+i, i)
	}
	newServer(t, p, "", success)
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("page"))
		switch {
		case strings.HasSuffix(r.URL.Path, "/deployments/7/statuses"):
			fmt.Fprint(w, success)
		case r.URL.Query().Get("page") == "2":
			fmt.Fprint(w, one)
		default:
			fmt.Fprint(w, "["+page.String()[1:]+"]")
		}
	}))
	t.Cleanup(server.Close)
	p.env["GITHUB_API_URL"] = server.URL
	p.integrations(vercel(5000, true))
	if r := p.check(""); r.ExitCode() != 0 || strings.Join(asked, ",") != ",2," {
		t.Errorf("%d %s, pages %q", r.ExitCode(), r.all(), asked)
	}
}

func hijack(w http.ResponseWriter) {
	if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
		_ = conn.Close()
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	newServer(t, p, one, waiting)
	p.integrations(vercel(60000, false))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	c := Checker{Dir: p.dir, Getenv: func(k string) string { return p.env[k] }, Now: time.Now, Progress: func(string) {}}
	if r := c.Check(ctx, ""); r.ExitCode() != 2 {
		t.Errorf("%d %s", r.ExitCode(), r.all())
	}
}

func TestTokenIsNotSentInTheClear(t *testing.T) {
	p := newProject(t)
	p.state("ship", "", allowed)
	p.env["GITHUB_API_URL"], p.env["GITHUB_TOKEN"] = "http://api.example.com", "secret-token"
	p.integrations(vercel(500, true))
	if r := p.check(""); r.ExitCode() != 2 || !strings.Contains(r.all(), "not encrypted") {
		t.Errorf("%d %s", r.ExitCode(), r.all())
	}
}

// An attacker who can make a clone's remote point at another server does not get the token.
func TestTokenIsNotSentToAnotherHost(t *testing.T) {
	p := newProject(t)
	p.state("ship", "", allowed)
	p.env["GITHUB_TOKEN"] = "secret-token"
	p.git("remote", "set-url", "origin", "https://git.example.com/acme/shop.git")
	p.integrations(vercel(500, true))
	bin := t.TempDir() // git, no gh
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(bin, "git")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	repo, err := git.Find(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	c := Checker{Getenv: func(k string) string { return p.env[k] }}
	if a, err := c.api(t.Context(), repo); a.get != nil || err == nil || !strings.Contains(err.Error(), "GITHUB_TOKEN for git.example.com") {
		t.Errorf("somebody to ask: %v, %v", a.get != nil, err)
	}
	for host, public := range map[string]bool{"": true, "GitHub.com": true, "ssh.github.com": true, "github-work": true, "github.com.evil.example": false, "work": false} {
		if isPublic(host) != public {
			t.Errorf("%q: public %v", host, !public)
		}
	}
}

// Without a token the gh command is used.
func TestGH(t *testing.T) {
	p := newProject(t)
	p.state("ship", "", allowed)
	p.integrations(vercel(5000, true))
	bin := t.TempDir()
	script := `#!/bin/sh
echo "$@" >> "` + filepath.Join(bin, "calls") + `"
case "$2" in
*/statuses) echo '` + success + `' ;;
*) echo '` + one + `' ;;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if r := p.check(""); r.ExitCode() != 0 || r.Preview == nil || r.Preview.State != Ready {
		t.Errorf("%d %s", r.ExitCode(), r.all())
	}
	calls, _ := os.ReadFile(filepath.Join(bin, "calls"))
	want := "api repos/acme/shop/deployments?sha=" + p.git("rev-parse", "HEAD") + "\napi repos/acme/shop/deployments/7/statuses\n"
	if string(calls) != want {
		t.Errorf("gh was called with\n%s", calls)
	}
	broken := "#!/bin/sh\necho 'gh: To get started with GitHub CLI, please run: gh auth login' >&2\nexit 4\n"
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(broken), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := p.check(""); r.ExitCode() != 2 || !strings.Contains(r.all(), "gh auth login") {
		t.Errorf("logged out: %d %s", r.ExitCode(), r.all())
	}
}

func TestWhichRepository(t *testing.T) {
	p := newProject(t)
	c := Checker{Getenv: func(k string) string { return p.env[k] }}
	which := func() string {
		repo, err := git.Find(p.dir)
		if err != nil {
			t.Fatal(err)
		}
		host, owner, name, err := c.repository(t.Context(), repo)
		if err != nil {
			return err.Error()
		}
		return host + " " + owner + " " + name
	}
	p.env["GITHUB_REPOSITORY"] = "ci/name"
	p.git("remote", "add", "a-fork", "https://github.com/fork/shop")
	p.git("remote", "add", "local", "/srv/git/shop.git")
	for _, step := range []struct{ want, remove string }{{"github.com acme shop", "origin"}, {"github.com fork shop", "a-fork"}, {" ci name", "local"}} {
		if got := which(); got != step.want {
			t.Errorf("got %q, want %q", got, step.want)
		}
		p.git("remote", "remove", step.remove)
	}
	p.env["GITHUB_REPOSITORY"] = "../.."
	if got := which(); !strings.Contains(got, "GITHUB_REPOSITORY=owner/name") {
		t.Errorf("got %q", got)
	}
}

func TestParseRemote(t *testing.T) {
	for remote, want := range map[string]string{
		"https://github.com/acme/shop.git":            "github.com acme shop",
		"https://user:pw@github.com/acme/shop":        "github.com acme shop",
		"git@github.com:acme/shop.git":                "github.com acme shop",
		"ssh://git@ghe.example.com:2222/acme/my.shop": "ghe.example.com acme my.shop",
		"https://github.com/acme/shop/":               "github.com acme shop",
		"/srv/git/shop.git":                           "",
		"../shop":                                     "",
		"https://gitlab.com/a/b/c":                    "",
		"git@github.com:acme":                         "",
		"https://github.com/../x":                     "",
		"https://github.com/acme/sh op":               "",
		"file:///srv/git/acme/shop":                   "",
		"":                                            "",
	} {
		host, owner, name, ok := parseRemote(remote)
		if got := strings.TrimSpace(host + " " + owner + " " + name); got != want || ok != (want != "") {
			t.Errorf("%s: %q", remote, got)
		}
	}
}
