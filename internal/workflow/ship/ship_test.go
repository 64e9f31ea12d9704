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
	"gauntlet/internal/workflow"
	"gauntlet/internal/workflow/jsondoc"
)

// project is a repository with one commit and an origin on GitHub.
type project struct {
	t    *testing.T
	dir  string
	env  map[string]string
	said []string
}

func newProject(t *testing.T) *project {
	p := &project{t: t, dir: t.TempDir(), env: map[string]string{}}
	p.git("init", "-q", "-b", "feature/abc-12-login")
	p.git("commit", "-q", "--allow-empty", "-m", "one")
	p.git("remote", "add", "origin", "git@github.com:acme/shop.git")
	return p
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *project) state(command, feature, record string) {
	p.t.Helper()
	doc, err := jsondoc.Parse([]byte(strings.ReplaceAll(record, "HEAD", p.git("rev-parse", "HEAD"))))
	if err != nil {
		p.t.Fatal(err)
	}
	s := workflow.Open(p.dir, time.Now, func(line string) { p.t.Error(line) })
	if !s.SaveCheckpoint(p.t.Context(), command, doc, feature) {
		p.t.Fatal("not saved")
	}
}

func (p *project) integrations(text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(File))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) check(feature string) Result {
	p.t.Helper()
	c := Checker{
		Dir: p.dir, Getenv: func(k string) string { return p.env[k] }, Environ: os.Environ(), Now: time.Now,
		Progress: func(line string) { p.said = append(p.said, line) },
	}
	return c.Check(p.t.Context(), feature)
}

func (r Result) all() string {
	return strings.Join(append(append(append([]string{}, r.Blockers...), r.Warnings...), r.Unknown...), "|")
}

func TestGate(t *testing.T) {
	for name, c := range map[string]struct {
		ship, review string
		code         int
		want         string
	}{
		"nothing":             {"", "", 1, "no ship or review state allows this commit"},
		"ship allows":         {`{"gate":{"ship_allowed":true,"blockers":[],"head_commit":"HEAD"}}`, "", 0, ""},
		"review allows":       {"", `{"gate":{"ship_allowed":true,"blockers":[],"head_commit":"HEAD"}}`, 0, ""},
		"ship empty":          {`{"gate":{}}`, `{"gate":{"ship_allowed":true,"head_commit":"HEAD"}}`, 0, ""},
		"empty":               {`{"gate":{}}`, "", 1, "no ship or review state allows this commit"},
		"not a boolean":       {`{"gate":{"ship_allowed":"true","head_commit":"HEAD"}}`, "", 1, "no ship or review state"},
		"no gate":             {`{}`, "", 1, "no ship or review state"},
		"stale":               {`{"gate":{"ship_allowed":true,"head_commit":"1234567890123456789012345678901234567890"}}`, "", 1, "the gate of ship judged 1234567, HEAD is "},
		"forbids":             {`{"gate":{"ship_allowed":false,"blockers":["tests fail","no docs"],"head_commit":"HEAD"}}`, "", 1, "ship: tests fail|ship: no docs"},
		"forbids, no reason":  {`{"gate":{"ship_allowed":false,"head_commit":"HEAD"}}`, "", 1, "ship does not allow it"},
		"one of two forbids":  {`{"gate":{"ship_allowed":true,"head_commit":"HEAD"}}`, `{"gate":{"ship_allowed":false,"blockers":["L4"],"head_commit":"HEAD"}}`, 1, "review: L4"},
		"allows and blocks":   {`{"gate":{"ship_allowed":true,"blockers":["x"],"head_commit":"HEAD"}}`, "", 1, "ship: x"},
		"stale one forbids":   {`{"gate":{"ship_allowed":true,"head_commit":"HEAD"}}`, `{"gate":{"ship_allowed":false,"blockers":["old"],"head_commit":"1234567890123456789012345678901234567890"}}`, 0, ""},
		"blockers of no kind": {`{"gate":{"ship_allowed":true,"blockers":{"a":1},"head_commit":"HEAD"}}`, "", 0, ""},
	} {
		p := newProject(t)
		if c.ship != "" {
			p.state("ship", "", c.ship)
		}
		if c.review != "" {
			p.state("review", "", c.review)
		}
		r := p.check("")
		if r.ExitCode() != c.code || !strings.Contains(r.all(), c.want) || r.Allowed != (c.code == 0) {
			t.Errorf("%s: code %d, %s", name, r.ExitCode(), r.all())
		}
	}
}

func TestGateOfAFeature(t *testing.T) {
	const yes = `{"gate":{"ship_allowed":true,"blockers":[],"head_commit":"HEAD"}}`
	p := newProject(t)
	p.state("ship", "a/b", yes)
	for feature, code := range map[string]int{"a/b": 0, "": 0, "c": 1} {
		if r := p.check(feature); r.ExitCode() != code {
			t.Errorf("%q: %d %s", feature, r.ExitCode(), r.all())
		}
	}
	p.state("review", "c", `{"gate":{"ship_allowed":false,"blockers":["no"]}}`)
	if r := p.check(""); r.ExitCode() != 1 || !strings.Contains(r.all(), `review of feature "c": no`) {
		t.Errorf("another feature forbids this commit: %d %s", r.ExitCode(), r.all())
	}
	p.git("commit", "-q", "--allow-empty", "-m", "two")
	if r := p.check("a/b"); r.ExitCode() != 1 {
		t.Errorf("HEAD moved: %s", r.all())
	}
}

func TestCannotTell(t *testing.T) {
	p := &project{t: t, dir: t.TempDir(), env: map[string]string{}}
	if r := p.check(""); r.ExitCode() != 2 || !strings.Contains(r.all(), "no git work tree") {
		t.Errorf("no repository: %d %s", r.ExitCode(), r.all())
	}
	p.git("init", "-q")
	if r := p.check(""); r.ExitCode() != 2 || !strings.Contains(r.all(), "there is no commit yet") {
		t.Errorf("unborn: %d %s", r.ExitCode(), r.all())
	}
}

const allowed = `{"gate":{"ship_allowed":true,"blockers":[]}}`

func TestIntegrationsFile(t *testing.T) {
	for text, c := range map[string]struct {
		code int
		want string
	}{
		`{}`:                                   {0, ""},
		`{"`:                                   {2, "line 1, column 3"},
		`[]`:                                   {2, "not a JSON object"},
		`{"linear":true}`:                      {2, "linear must be an object"},
		`{"linear":{"enabled":"yes"}}`:         {2, "linear.enabled must be true or false"},
		`{"vercel":{"preview_timeout_ms":-1}}`: {2, "vercel.preview_timeout_ms must be a number"},
		`{"linear_client":{}}`:                 {2, "linear_client is not supported: remove it; issues are moved by Linear's own GitHub automation"},
		`{"linear":{"linear_client":"x"}}`:     {2, "linear.linear_client is not supported"},
		`{"linear":{"api_key":"x"}}`:           {2, "linear.api_key looks like a token"},
		`{"github":{"GITHUB_TOKEN":"x"}}`:      {2, "github.GITHUB_TOKEN looks like a token"},
		`{"x":["ghp_abcdefghijklmnopqrstuvwxyz0123456789"]}`:                       {2, "x[0] looks like a token"},
		`{"linear":{"enabled":false},"vercel":{"enabled":false},"custom":{"a":1}}`: {0, ""},
		`{"linear":{"enabled":true}}`:                                              {0, ""},
	} {
		p := newProject(t)
		p.state("ship", "", allowed)
		p.integrations(text)
		r := p.check("")
		if r.ExitCode() != c.code || !strings.Contains(r.all(), c.want) {
			t.Errorf("%s: code %d, %s", text, r.ExitCode(), r.all())
		}
		if strings.Contains(r.all(), "ghp_") {
			t.Errorf("a token is shown: %s", r.all())
		}
	}
	// A known reason against outweighs what is not known.
	p := newProject(t)
	p.integrations("{")
	if r := p.check(""); r.ExitCode() != 1 {
		t.Errorf("gate closed and no integrations: %d %s", r.ExitCode(), r.all())
	}
	in, err := ParseIntegrations([]byte(`{"linear":{"enabled":true},"vercel":{"wait_for_preview":true}}`))
	if err != nil || in != Defaults() {
		t.Errorf("defaults: %+v %v", in, err)
	}
	if in, err := ParseIntegrations([]byte(`{"linear":{},"vercel":{}}`)); err != nil || in.Linear.Enabled || in.Vercel.WaitForPreview {
		t.Errorf("switched on by nobody: %+v %v", in, err)
	}
}

func TestBranchRule(t *testing.T) {
	for branch, want := range map[string]string{
		"feature/ABC-12-login":   "",
		"feature/abc-1":          "",
		"feature/login_x9y-77":   "",
		"feature/team/ab2-3":     "",
		"feature/login":          "carries no issue id",
		"feature/12-34":          "carries no issue id",
		"feature/abc-":           "carries no issue id",
		"feature/abc-12x":        "carries no issue id",
		"fix/ABC-12":             "must be called feature/…",
		"main":                   "must be called feature/…",
		"features/ABC-12":        "must be called feature/…",
		"":                       "HEAD is detached",
		"Feature/ABC-12":         "must be called feature/…",
		"feature/ABC-12/feature": "",
	} {
		got := branchProblem(branch, "feature")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", branch, got, want)
		}
	}
	if got := branchProblem("abc-12", ""); got != "" {
		t.Errorf("no prefix: %s", got)
	}
	if got := branchProblem("feature/abc-12", "feature/"); got != "" {
		t.Errorf("prefix with a slash: %s", got)
	}
	p := newProject(t)
	p.state("ship", "", allowed)
	p.integrations(`{"linear":{"enabled":true,"branch_prefix":"feature"}}`)
	if r := p.check(""); r.ExitCode() != 0 || *r.Branch != "feature/abc-12-login" {
		t.Errorf("good branch: %s", r.all())
	}
	p.git("checkout", "-q", "--detach")
	if r := p.check(""); r.ExitCode() != 1 || r.Branch != nil {
		t.Errorf("detached: %s", r.all())
	}
	p.git("checkout", "-q", "-b", "wild")
	if r := p.check(""); r.ExitCode() != 1 || !strings.Contains(r.all(), `branch "wild" must be called feature/…`) {
		t.Errorf("bad branch: %s", r.all())
	}
}

// server is GitHub as far as we use it; each look at the statuses gets the next answer.
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

func TestServerInTrouble(t *testing.T) {
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
		s.fail = func(_ int64, w http.ResponseWriter) bool { w.WriteHeader(status); return true }
		start := time.Now()
		if r := p.check(""); r.ExitCode() != 2 || !strings.Contains(r.all(), want) || time.Since(start) > 5*time.Second {
			t.Errorf("%d: code %d, %s", status, r.ExitCode(), r.all())
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

// Without a token the gh command is asked.
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
