package ship

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/workflow"
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
	doc, err := jsontree.Parse([]byte(strings.ReplaceAll(record, "HEAD", p.git("rev-parse", "HEAD"))))
	if err != nil {
		p.t.Fatal(err)
	}
	s := workflow.Open(p.dir, time.Now, func(line string) { p.t.Error(line) })
	if !s.SaveProgress(p.t.Context(), command, doc, feature) {
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

func TestUndetermined(t *testing.T) {
	p := &project{t: t, dir: t.TempDir(), env: map[string]string{}}
	if r := p.check(""); r.ExitCode() != 2 || !strings.Contains(r.all(), "not a git work tree") {
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
		`{}`:                                    {0, ""},
		`{"`:                                    {2, "line 1, column 2"},
		`[]`:                                    {2, "not a JSON object"},
		`{"linear":true}`:                       {2, "linear must be an object"},
		`{"linear":{"enabled":"yes"}}`:          {2, "linear.enabled must be true or false"},
		`{"vercel":{"preview_timeout_ms":-1}}`:  {2, "vercel.preview_timeout_ms must be a number"},
		`{"linear_client":{}}`:                  {2, "linear_client is not supported: remove it; issues are moved by Linear's own GitHub automation"},
		`{"linear":{"linear_client":"x"}}`:      {2, "linear.linear_client is not supported"},
		`{"linear":{"api_key":"x"}}`:            {2, "linear.api_key looks like a token"},
		`{"github":{"GITHUB_TOKEN":"x"}}`:       {2, "github.GITHUB_TOKEN looks like a token"},
		`{"linear":{"accessToken":"x"}}`:        {2, "linear.accessToken looks like a token"},
		`{"linear":{"linearPAT":"x"}}`:          {2, "linear.linearPAT looks like a token"},
		`{"linear":{"a":"lin_api_0123456789"}}`: {2, "linear.a looks like a token"},
		`{"compat":"x","max_tokens":"9"}`:       {0, ""},
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
	// A known blocker outweighs what is unknown.
	p := newProject(t)
	p.integrations("{")
	if r := p.check(""); r.ExitCode() != 1 {
		t.Errorf("gate closed and no integrations: %d %s", r.ExitCode(), r.all())
	}
	in, err := ParseIntegrations([]byte(`{"linear":{"enabled":true},"vercel":{"wait_for_preview":true}}`))
	want := Defaults()
	want.Linear.Enabled, want.Vercel.Enabled = true, true
	if err != nil || in != want {
		t.Errorf("defaults: %+v %v", in, err)
	}
	if in, err := ParseIntegrations([]byte(`{"linear":{},"vercel":{}}`)); err != nil || in.Linear.Enabled || in.Vercel.WaitForPreview {
		t.Errorf("switched on by nobody: %+v %v", in, err)
	}
}

// A new file has the project's own values.
func TestDetect(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		linear     bool
		team       string
		vercel     bool
	}{
		"nothing":  {"README.md", "# Project\nA linear function.\n", false, "", false},
		"vercel":   {"vercel.json", "{}", false, "", true},
		"address":  {"README.md", "Issues: [board](https://linear.app/acme/team/WEB/active).\n", true, "WEB", false},
		"no team":  {"CONTRIBUTING.md", "https://linear.app/acme\n", true, "", false},
		"server":   {".mcp.json", `{"mcpServers":{"x":{"url":"https://mcp.linear.app/sse"}}}`, true, "", false},
		"settings": {".linear.toml", "", true, "", false},
	} {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, c.file), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		in := Detect(root)
		if in.Linear.Enabled != c.linear || in.Linear.Team != c.team || in.Vercel.Enabled != c.vercel {
			t.Errorf("%s: %+v", name, in)
		}
		if in.Linear.BranchPrefix != "feature" || !in.Vercel.WaitForPreview || in.Vercel.PreviewTimeoutMS != 300_000 {
			t.Errorf("%s: the rest is %+v", name, in)
		}
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
