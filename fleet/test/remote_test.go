//go:build unix

// Package fleet drives gauntlet on several simulated machines that share proofs
// through real servers.
package fleet

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/test/fleettest"
	"gauntlet/test/remotetest"
)

var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "gauntlet-fleet-test")
	if err != nil {
		return "", err
	}
	for name, module := range map[string]string{"gauntlet": "../..", "gauntlet-fleet": ".."} { // each from its own module
		build := exec.Command("go", "build", "-o", filepath.Join(dir, name), "./cmd/"+name)
		build.Dir = module
		if out, err := build.CombinedOutput(); err != nil {
			return string(out), err
		}
	}
	return filepath.Join(dir, "gauntlet"), nil
})

// machine is one user's machine with a clone of the same project.
type machine struct {
	t    *testing.T
	bin  string
	home string
	repo string
	env  []string // more of its environment
}

func newMachine(t *testing.T, name, config string) *machine {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatalf("build: %v %s", err, bin)
	}
	m := &machine{t: t, bin: bin, home: filepath.Join(t.TempDir(), name), repo: filepath.Join(t.TempDir(), name, "src")}
	m.write(m.repo, "a.txt", "GOOD\n")
	m.write(m.repo, ".gauntlet/config.yml", "entry_points: [{path: ., checks: [test]}]\n"+config)
	m.write(m.repo, ".gauntlet/checks/test.yml", "command: grep -q GOOD a.txt && echo ran >> \"$RAN\"\nenv: {RAN: /dev/null}\n")
	m.must("git", "init", "-q", "-b", "main")
	m.must("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "empty")
	return m
}

func (m *machine) write(dir, name, text string) {
	m.t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) run(args ...string) (stdout, stderr string, err error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = m.repo
	cmd.Env = []string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "GAUNTLET_TRUST=all", "GAUNTLET_SLOTS=0", "GAUNTLET_AHEAD=0", "GAUNTLET_WATCH=off", "USER=dev"}
	cmd.Env = append(cmd.Env, m.env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func (m *machine) must(args ...string) string {
	m.t.Helper()
	out, errs, err := m.run(args...)
	if err != nil {
		m.t.Fatalf("%v: %v\n%s%s", args, err, out, errs)
	}
	return out
}

type result struct {
	Status   string   `json:"status"`
	Warnings []string `json:"warnings"`
	Gates    []struct {
		Cached  bool   `json:"cached"`
		Status  string `json:"status"`
		Message string `json:"message"`
		Where   string `json:"where"`
		Proof   *struct {
			Source string `json:"source"`
			By     string `json:"by"`
			Where  string `json:"where"`
		} `json:"proof"`
	} `json:"gates"`
}

func (m *machine) judge(args ...string) result {
	m.t.Helper()
	out, errs, err := m.run(append([]string{m.bin, "run", "--json"}, args...)...)
	var r result
	if json.Unmarshal([]byte(out), &r) != nil || len(r.Gates) == 0 {
		m.t.Fatalf("run: %v\n%s%s", err, out, errs)
	}
	return r
}

func (m *machine) key() string { return strings.TrimSpace(m.must(m.bin, "proofs", "key")) }

// forget removes what this machine has proved.
func (m *machine) forget() {
	m.t.Helper()
	if err := os.RemoveAll(filepath.Join(m.repo, ".git", "gauntlet", "proofs")); err != nil {
		m.t.Fatal(err)
	}
}

// published waits for the child that publishes after a run, however long this machine takes.
func (m *machine) published() {
	for {
		files, _ := filepath.Glob(filepath.Join(m.home, ".local/state/gauntlet/outbox/*.json"))
		if len(files) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestTwoMachinesShareAProof(t *testing.T) {
	t.Run("nginx", func(t *testing.T) {
		address, _ := fleettest.StartNginx(t)
		twoMachines(t, address)
	})
	if address := os.Getenv("BAZEL_REMOTE"); address != "" {
		t.Run("given", func(t *testing.T) { twoMachines(t, address) })
	}
}

func twoMachines(t *testing.T, address string) {
	write := "remote: {url: " + address + ", write: true}\n"
	a, b := newMachine(t, "a", write), newMachine(t, "b", "remote: {url: "+address+"}\n")
	key := a.key()
	if got := a.judge(); got.Status != "passed" || got.Gates[0].Cached {
		t.Fatalf("a: %+v", got)
	}
	a.published()
	// No machine trusts a yet.
	if got := b.judge(); got.Gates[0].Cached {
		t.Errorf("an unknown signer was believed: %+v", got)
	}
	b.forget()
	b.write(b.repo, ".gauntlet/allowed_signers", key+"\n")
	got := b.judge()
	if !got.Gates[0].Cached || got.Gates[0].Proof == nil || got.Gates[0].Proof.Source != "remote" || !strings.Contains(got.Gates[0].Message, "SHA256:") {
		t.Fatalf("b: %+v", got)
	}
	// Other content is another key.
	b.write(b.repo, "a.txt", "GOOD, and more\n")
	if got := b.judge(); got.Gates[0].Cached {
		t.Errorf("changed content: %+v", got)
	}
	// Only passes are published.
	a.write(a.repo, "a.txt", "BAD\n")
	if got := a.judge(); got.Status != "failed" {
		t.Errorf("a: %+v", got)
	}
	a.published()
	b.write(b.repo, "a.txt", "BAD\n")
	if got := b.judge(); got.Status != "failed" || got.Gates[0].Cached {
		t.Errorf("a failure came from elsewhere: %+v", got)
	}
}

// A run that an agent started is never signed: it chose the environment. The person's own
// run of the same content is.
func TestAgentsRunIsNotPublished(t *testing.T) {
	fake := &remotetest.Server{}
	ts := httptest.NewServer(fake)
	defer ts.Close()
	a := newMachine(t, "a", "remote: {url: "+ts.URL+", write: true}\n")
	a.key()
	a.env = []string{"CLAUDECODE=1"}
	if got := a.judge(); got.Status != "passed" {
		t.Fatalf("%+v", got)
	}
	a.must(a.bin, "proofs", "publish")
	if _, puts := fake.Counts(); puts != 0 {
		t.Fatalf("an agent's run was published: %d", puts)
	}
	a.env = nil
	if got := a.judge(); got.Status != "passed" || got.Gates[0].Cached {
		t.Fatalf("%+v", got)
	}
	a.published()
	if _, puts := fake.Counts(); puts == 0 {
		t.Error("the person's run was not published")
	}
}

func TestFaultsAreMisses(t *testing.T) {
	fake := &remotetest.Server{}
	ts := httptest.NewServer(fake)
	defer ts.Close()
	a := newMachine(t, "a", "remote: {url: "+ts.URL+", write: true}\n")
	key := a.key()
	a.judge()
	a.published()
	_, puts := fake.Counts()
	if puts == 0 {
		t.Fatal("nothing arrived")
	}
	signer := func(m *machine) *machine { m.write(m.repo, ".gauntlet/allowed_signers", key+"\n"); return m }

	// The server is dead: the gate runs locally, and after two tries the server is not
	// queried for a while.
	dead := signer(newMachine(t, "dead", "remote: {url: http://127.0.0.1:1, timeout_ms: 200}\n"))
	for i := range 3 {
		got := dead.judge()
		if got.Status != "passed" || got.Gates[0].Cached {
			t.Fatalf("dead server: %+v", got)
		}
		told := strings.Contains(strings.Join(got.Warnings, "\n"), "left alone for 10 minutes")
		if told != (i == 1) {
			t.Errorf("try %d: warnings %q", i, got.Warnings)
		}
		dead.forget()
	}

	// A server that never answers is left after the timeout: it sees the client hang up.
	left := make(chan struct{}, 10)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		left <- struct{}{}
	}))
	defer slow.Close()
	late := signer(newMachine(t, "late", "remote: {url: "+slow.URL+", timeout_ms: 100}\n"))
	if got := late.judge(); got.Status != "passed" || got.Gates[0].Cached {
		t.Errorf("slow server: %+v", got)
	}
	<-left

	// A lying server: garbage under every key.
	liar := signer(newMachine(t, "liar", "remote: {url: "+ts.URL+"}\n"))
	hit := liar.judge()
	if !hit.Gates[0].Cached {
		t.Fatalf("an honest server: %+v", hit)
	}
	liar.forget()
	for _, body := range [][]byte{[]byte("<html>"), nil, []byte("\x12\x04\x0a\x02hi")} {
		for _, k := range fake.Keys("ac") {
			fake.Set("ac", k, body)
		}
		if got := liar.judge(); got.Status != "passed" || got.Gates[0].Cached {
			t.Errorf("garbage %q: %+v", body, got)
		}
		liar.forget()
	}

	// The server is full: the pass stays in the outbox for the next time.
	full := httptest.NewServer(&remotetest.Server{Full: true})
	defer full.Close()
	f := newMachine(t, "full", "remote: {url: "+full.URL+", write: true}\n")
	f.env = []string{"CI=true"} // no child publishes: it would still be at work when the test ends
	f.key()
	f.judge("--all")
	if _, errs, err := f.run(f.bin, "proofs", "publish"); err == nil || !strings.Contains(errs, "disk full") {
		t.Errorf("full server: %v %s", err, errs)
	}
	if files, _ := filepath.Glob(filepath.Join(f.home, ".local/state/gauntlet/outbox/*.json")); len(files) != 1 {
		t.Errorf("%d files wait", len(files))
	}
}

// The log of a pass is at the server, although a run whose gates all passed moves its logs.
func TestLogIsPublished(t *testing.T) {
	fake := &remotetest.Server{}
	ts := httptest.NewServer(fake)
	defer ts.Close()
	m := newMachine(t, "m", "remote: {url: "+ts.URL+", write: true}\n")
	m.write(m.repo, ".gauntlet/checks/test.yml", "command: echo from the log, password=hunter2hunter2\n")
	m.key()
	m.judge()
	m.published()
	keys := fake.Keys("cas")
	if len(keys) != 1 {
		t.Fatalf("logs at the server: %q", keys)
	}
	log, _ := fake.Get("cas", keys[0])
	if text := string(log); !strings.Contains(text, "from the log") || strings.Contains(text, "hunter2") {
		t.Errorf("%q", text)
	}
}

func TestCredentialsGoOnlyWhereTheUserWroteThem(t *testing.T) {
	fake := &remotetest.Server{}
	ts := httptest.NewServer(fake)
	defer ts.Close()
	m := newMachine(t, "m", "remote: {url: "+ts.URL+"}\n")
	m.write(m.home, ".config/agent-gauntlet/config.yml", "remote: {url: \"https://cache.example\", auth: {basic: \"me:secret\"}}\n")
	got := m.judge()
	if fake.Saw("Authorization") {
		t.Error("the password went to a host that the project named")
	}
	if !strings.Contains(strings.Join(got.Warnings, "\n"), "remote.auth is not sent") {
		t.Errorf("warnings %q", got.Warnings)
	}
	m.forget()
	m.write(m.home, ".config/agent-gauntlet/config.yml", "remote: {url: \""+ts.URL+"\", auth: {basic: \"me:secret\"}}\n")
	m.judge()
	if !fake.Saw("Authorization") {
		t.Error("the password was not sent to the user's own server")
	}
}
