//go:build unix

// Package page drives the page in a real Chromium, as a person would: look,
// filter, open, act, with a keyboard, in a narrow window, in the dark. Set
// PAGE_SHOTS to a directory to get a screenshot of every view.
package page

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gauntlet/internal/config"
	"gauntlet/internal/history"
	"gauntlet/internal/replay"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/trust"
	"gauntlet/internal/ui"
)

// chromium finds the browser, or reports loudly that nothing was tested.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	if os.Getenv("GAUNTLET_REQUIRE_SERVERS") != "" {
		t.Fatal("chromium is not installed")
	}
	t.Skip("SKIPPED: chromium is not installed, so the page was not tested in a browser (Debian: chromium)")
	return ""
}

// desk is a user's machine with a page open in a browser.
type desk struct {
	t       *testing.T
	home    string
	project string
	url     string // with the token
	stop    func()
	ctx     context.Context

	mu       sync.Mutex
	problems []string // console errors, requests to other hosts
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	bin := chromium(t)
	d := &desk{t: t, home: t.TempDir()}
	d.project = filepath.Join(d.home, "src", "shop")
	d.must(os.MkdirAll(filepath.Join(d.project, ".gauntlet"), 0o755))
	d.must(os.MkdirAll(filepath.Join(d.project, ".gauntlet", "checks"), 0o755))
	d.must(os.WriteFile(filepath.Join(d.project, ".gauntlet", "config.yml"), []byte("checkpoint: {preset: go}\nentry_points: [{path: ., checks: [test]}]\n"), 0o644))
	d.must(os.WriteFile(filepath.Join(d.project, ".gauntlet", "checks", "test.yml"), []byte("command: go test ./... # all of it\n"), 0o644))
	out, err := exec.Command("git", "init", "-q", d.project).CombinedOutput()
	if err != nil {
		t.Fatalf("git init: %v %s", err, out)
	}
	at := site.Here(d.project, d.getenv)
	d.must(at.Allowed().Allow(t.Context(), config.ReadPolicy(at.Root), trust.Act{At: time.Now(), By: trust.Terminal}))
	d.serve(0)
	// Not t.TempDir: the browser still writes to it for a moment after its end.
	profile, err := os.MkdirTemp("", "gauntlet-page")
	d.must(err)
	t.Cleanup(func() { _ = os.RemoveAll(profile) })
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(bin), chromedp.NoSandbox, chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(profile))
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(cancelAlloc)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	ctx, cancelTime := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancelTime)
	d.ctx = ctx
	d.watch(ctx)
	d.run(network.Enable(), log.Enable(), runtime.Enable())
	return d
}

func (d *desk) getenv(name string) string {
	if name == "HOME" {
		return d.home
	}
	return ""
}

// serve starts the page; port 0 uses any.
func (d *desk) serve(port int) {
	d.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	options, err := ui.Local(d.getenv, time.Now)
	d.must(err)
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- ui.Serve(ctx, options, port, func(u, _ string) { ready <- u }) }()
	select {
	case d.url = <-ready:
	case err := <-ended:
		d.t.Fatal(err)
	}
	d.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			d.t.Error(err)
		}
	})
	d.t.Cleanup(d.stop)
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// watch records every error in a browser and every request to another host.
func (d *desk) watch(ctx context.Context) {
	note := func(format string, args ...any) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.problems = append(d.problems, fmt.Sprintf(format, args...))
	}
	chromedp.ListenTarget(ctx, func(ev any) {
		switch e := ev.(type) {
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError {
				note("console: %s %s", e.Entry.Text, e.Entry.URL)
			}
		case *runtime.EventExceptionThrown:
			note("exception: %s", e.ExceptionDetails.Error())
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "http://127.0.0.1:") {
				note("request to %s", e.Request.URL)
			}
		}
	})
}

func (d *desk) quiet() {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.problems {
		d.t.Error(p)
	}
}

func (d *desk) run(actions ...chromedp.Action) {
	d.t.Helper()
	if err := chromedp.Run(d.ctx, actions...); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) base() string { return d.url[:strings.Index(d.url, "/?")] }

// open goes to a page, with the token the first time.
func (d *desk) open(path string) {
	d.t.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	token := d.url[strings.Index(d.url, "token="):]
	d.run(chromedp.Navigate(d.base()+path+sep+token), chromedp.WaitVisible("main h1", chromedp.ByQuery))
}

func (d *desk) text(sel string) string {
	d.t.Helper()
	var s string
	d.run(chromedp.Text(sel, &s, chromedp.ByQuery))
	return s
}

func (d *desk) eval(js string) (out any) {
	d.t.Helper()
	d.run(chromedp.Evaluate(js, &out))
	return out
}

// await waits until a piece of script is true.
func (d *desk) await(what, js string) {
	d.t.Helper()
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if d.eval(js) == true {
			return
		}
	}
	d.t.Fatalf("%s did not happen; the page says:\n%s", what, d.text("body"))
}

func (d *desk) spool(recs ...history.Record) {
	d.t.Helper()
	d.must(history.Append(filepath.Join(d.home, ".local/state/gauntlet/history"), recs...))
}

// stop is one verdict with its gates, n minutes ago.
func (d *desk) record(id string, minutes int, status, message string) []history.Record {
	at := time.Now().Add(-time.Duration(minutes) * time.Minute)
	v := history.Record{
		Type: history.Verdict, ID: id, Time: at, Project: d.project, Session: "session-1", Agent: "claude", Source: history.FromStop, Status: status, Decision: "approve",
		Message: message, DurationMS: 812, Steps: []history.Step{{Name: "input", MS: 0.4}, {Name: "look", MS: 11}, {Name: "gates", MS: 780}, {Name: "checkpoint", MS: 6}},
	}
	exit := 0
	g := history.Record{Type: history.Gate, ID: id, Time: at, Project: d.project, Gate: "check:.:test", Kind: "check", Status: "pass", DurationMS: 640, ExitCode: &exit, Command: "go test ./...", Mode: "enforce"}
	l := history.Record{Type: history.Gate, ID: id, Time: at, Project: d.project, Gate: "check:.:lint", Kind: "check", Status: "pass", Cached: true, SavedMS: 300, Source: history.FromAgent, Mode: "enforce"}
	if status == "failed" {
		one := 1
		v.Decision, v.Reason = "block", "GATES FAILED. Fix this now.\n"+message
		v.SystemMessage = "Gauntlet blocked the stop."
		g.Status, g.ExitCode, g.Message = "fail", &one, "exit code 1"
		g.LogPath = filepath.Join(d.project, "gauntlet_logs", "check_._test.1.log")
	}
	return []history.Record{v, g, l}
}

func TestPersonBrowsesAndActs(t *testing.T) {
	d := newDesk(t)
	d.open("/")
	if got := d.text("main"); !strings.Contains(got, "Nothing here yet") || !strings.Contains(got, "gauntlet init") {
		t.Errorf("an empty page says %q", got)
	}
	if d.eval(`document.querySelectorAll("main svg").length`) != float64(0) {
		t.Error("an empty history is drawn as if nothing had happened")
	}
	d.await("the event stream", `document.getElementById("live").dataset.state === "on"`)

	// A stop happens: the page shows it by itself.
	d.spool(d.record("260101-100000-aaaaaa", 90, "passed", "2 gates passed")...)
	d.await("the first stop", `document.querySelector("main").innerText.includes("2 gates passed")`)
	d.spool(d.record("260101-110000-bbbbbb", 30, "failed", "1 of 2 gates failed: test")...)
	d.await("the block", `document.querySelector("main").innerText.includes("1 of 2 gates failed: test")`)

	// The token does not stay in the address.
	if got := d.eval(`location.href`); strings.Contains(fmt.Sprint(got), "token") {
		t.Errorf("address %v", got)
	}

	// Filter to blocked stops.
	d.run(chromedp.Click(`nav a[href="/stops"]`, chromedp.ByQuery), chromedp.WaitVisible(`input[name="blocked"]`, chromedp.ByQuery))
	d.run(chromedp.Click(`input[name="blocked"]`, chromedp.ByQuery))
	d.await("the filter", `location.search.includes("blocked=1") && document.querySelectorAll("tbody tr").length === 1`)

	// Open the verdict: waterfall, reason, log.
	d.must(os.MkdirAll(filepath.Join(d.project, "gauntlet_logs"), 0o755))
	d.must(os.WriteFile(filepath.Join(d.project, "gauntlet_logs", "check_._test.1.log"), []byte("--- FAIL: TestTotal\n<script>alert(1)</script>\n"), 0o600))
	then := time.Now().Add(-31 * time.Minute) // before the verdict: a later log would be another run's
	d.must(os.Chtimes(filepath.Join(d.project, "gauntlet_logs", "check_._test.1.log"), then, then))
	d.run(chromedp.Click(`tbody .what a`, chromedp.ByQuery), chromedp.WaitVisible(`svg[aria-label="Where the time of this stop went"]`, chromedp.ByQuery))
	if got := d.text("main"); !strings.Contains(got, "GATES FAILED. Fix this now.") || !strings.Contains(got, "proved by the agent's own run") {
		t.Errorf("the stop says %q", got)
	}
	// Label the block as wrong.
	d.run(chromedp.Click(`button[aria-label="This block was wrong"]`, chromedp.ByQuery))
	d.await("the label", `document.querySelector(".facts .tag")?.textContent === "wrong"`)
	d.run(chromedp.Click(`a[href^="/logs/"]`, chromedp.ByQuery), chromedp.WaitVisible("pre", chromedp.ByQuery))
	if got := d.text("pre"); !strings.Contains(got, "<script>alert(1)</script>") {
		t.Errorf("the log is shown as %q", got)
	}

	// Switch the project off and on again.
	d.open("/")
	d.run(chromedp.Click(`button[aria-label="Switch off shop"]`, chromedp.ByQuery))
	d.await("off", `!!document.querySelector('button[aria-label="Switch on shop"]')`)
	d.run(chromedp.Click(`button[aria-label="Switch on shop"]`, chromedp.ByQuery))
	d.await("on", `!!document.querySelector('button[aria-label="Switch off shop"]')`)

	// Set the gate to observe, and enforce it again: its file changes, and the policy stays
	// allowed.
	d.run(chromedp.Click(`nav a[href="/gates"]`, chromedp.ByQuery), chromedp.WaitVisible(`button[aria-label="Observe test"]`, chromedp.ByQuery))
	d.run(chromedp.Click(`button[aria-label="Observe test"]`, chromedp.ByQuery))
	d.await("observe", `!!document.querySelector('button[aria-label="Enforce test"]')`)
	if b, err := os.ReadFile(filepath.Join(d.project, ".gauntlet", "checks", "test.yml")); err != nil || string(b) != "command: go test ./... # all of it\nmode: observe\n" {
		t.Errorf("the check says %q, %v", b, err)
	}
	if at := site.Here(d.project, d.getenv).Trust(); !at.Trusted() || at.Change != "" {
		t.Errorf("the policy is not allowed any more: %+v", at)
	}
	d.run(chromedp.Click(`button[aria-label="Enforce test"]`, chromedp.ByQuery))
	d.await("enforce", `!!document.querySelector('button[aria-label="Observe test"]')`)

	// The project disappears.
	d.must(os.RemoveAll(d.project))
	d.open("/")
	if got := d.text("main"); !strings.Contains(got, "directory is gone") {
		t.Errorf("a project that is gone: %q", got)
	}
	d.quiet()
}

func TestHostileTextIsText(t *testing.T) {
	d := newDesk(t)
	evil := `</title><script>window.pwned=1</script><img src=x onerror="window.pwned=1">"'` + "\x1b[31m\u202e"
	recs := d.record("260101-100000-cccccc", 5, "failed", evil)
	recs[0].Session, recs[0].Agent, recs[0].Reason, recs[1].Gate, recs[1].Message = evil, evil, evil, evil, evil
	recs[0].Steps = append(recs[0].Steps, history.Step{Name: evil, MS: 5})
	d.spool(recs...)
	for _, path := range []string{"/", "/stops", "/stops/260101-100000-cccccc", "/gates", "/time", "/who"} {
		d.open(path)
		d.await("the page", `document.readyState === "complete"`)
		if d.eval(`window.pwned === undefined && document.querySelectorAll("main script, main img").length === 0`) != true {
			t.Errorf("%s runs what a stop said", path)
		}
	}
	d.quiet()
}

func TestTwoTabsAndARestart(t *testing.T) {
	d := newDesk(t)
	d.spool(d.record("260101-100000-aaaaaa", 9, "passed", "first")...)
	d.open("/stops")
	second, cancel := chromedp.NewContext(d.ctx)
	defer cancel()
	var both string
	if err := chromedp.Run(second, chromedp.Navigate(d.url), chromedp.WaitVisible("main h1", chromedp.ByQuery), chromedp.Text("main", &both, chromedp.ByQuery)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(both, "first") {
		t.Errorf("the second tab says %q", both)
	}
	d.await("the event stream", `document.getElementById("live").dataset.state === "on"`)
	d.stop()
	d.await("the loss", `document.getElementById("live").textContent === "server is away"`)
	d.mu.Lock()
	d.problems = nil // a browser logs that the server is down
	d.mu.Unlock()
}

func TestEveryViewInEverySizeAndScheme(t *testing.T) {
	d := newDesk(t)
	many(d, 400)
	long := d.record("260101-100000-aaaaaa", 90, "failed", "1 of 2 gates failed")
	long[1].Gate = "check:.:" + strings.Repeat("a-check-with-a-rather-long-name-", 8)
	d.spool(long...)
	look(d)
	shots := os.Getenv("PAGE_SHOTS")
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 768, 1024, 1280, 2560} {
			d.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
				emulation.SetDeviceMetricsOverride(width, 1000, 1, width < 500))
			for name, path := range map[string]string{"overview": "/", "stops": "/stops", "stop": "/stops/250101-000000-000001", "gates": "/gates", "time": "/time", "who": "/who", "replay": "/replay"} {
				d.open(path)
				if over := d.eval(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over != float64(0) {
					t.Errorf("%s at %d px scrolls sideways by %v px", path, width, over)
				}
				if cut := d.eval(`[...document.querySelectorAll(".card, .tiles > div")].filter((c) => c.scrollWidth > c.clientWidth).map((c) => c.innerText.slice(0, 30)).join(", ")`); cut != "" {
					t.Errorf("%s at %d px: one has to scroll sideways to see all of %v", path, width, cut)
				}
				if bad := d.eval(contrast); bad != "" {
					t.Errorf("%s, %s: too little contrast: %v", path, scheme, bad)
				}
				if shots != "" {
					var png []byte
					d.run(chromedp.FullScreenshot(&png, 100))
					d.must(os.WriteFile(filepath.Join(shots, fmt.Sprintf("%s-%s-%d.png", name, scheme, width)), png, 0o644))
				}
			}
		}
	}
	d.quiet()
}

// contrast finds text that is hard to read: less than 4.5 to 1 against its background, as
// the guidelines for accessible pages require.
const contrast = `(() => {
  const lum = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const rgb = (s) => { const m = s.match(/[\d.]+/g).map(Number); return m.length > 3 && m[3] === 0 ? null : m.slice(0, 3); };
  const behind = (el) => { for (; el; el = el.parentElement) { const c = rgb(getComputedStyle(el).backgroundColor); if (c) return c; } return [255, 255, 255]; };
  const bad = new Set();
  for (const el of document.querySelectorAll("main *, header *, footer *")) {
    if (![...el.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || el.closest("svg") || el.closest(".hidden") || !el.offsetParent) continue;
    const a = lum(rgb(getComputedStyle(el).color)), b = lum(behind(el));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.add(el.tagName + "." + el.className + " " + ratio.toFixed(2));
  }
  return [...bad].join(", ");
})()`

func TestKeyboardAndScreenReader(t *testing.T) {
	d := newDesk(t)
	many(d, 30)
	for _, path := range []string{"/", "/stops", "/stops/250101-000000-000001", "/gates"} {
		d.open(path)
		var nodes []*accessibility.Node
		d.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
			nodes, err = accessibility.GetFullAXTree().Do(ctx)
			return err
		}))
		for _, n := range nodes {
			role := value(n.Role)
			if n.Ignored {
				continue
			}
			switch role {
			case "link", "button", "combobox", "searchbox", "checkbox", "img", "image", "navigation":
				if value(n.Name) == "" {
					t.Errorf("%s: a %s without a name", path, role)
				}
			}
		}
	}
	// Tab reaches content past the navigation, and "/" the search field.
	d.open("/stops")
	d.run(chromedp.KeyEvent(kb.Tab))
	if got := d.eval(`document.activeElement.textContent`); got != "Skip to content" {
		t.Errorf("the first stop of Tab is %v", got)
	}
	d.run(chromedp.KeyEvent("/"))
	if got := d.eval(`document.activeElement.name`); got != "text" {
		t.Errorf("/ goes to %v", got)
	}
	d.eval(`document.activeElement.value = ""`) // the driver types the key that a browser would have swallowed
	d.run(chromedp.KeyEvent("gates failed" + kb.Enter))
	d.await("the search", `location.search.includes("text=gates")`)
	d.quiet()
}

func value(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var s string
	if json.Unmarshal(v.Value, &s) != nil {
		return ""
	}
	return s
}

// many fills the history with a variety: sessions that are blocked, fix it and pass,
// flakes, a gate that only observes, a review, and projects that differ.
func many(d *desk, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	clients := map[string][2]string{"claude": {"claude-opus-5-5", "2.1.325"}, "codex": {"gpt-5.5", "0.166.0"}, "gemini": {"gemini-2.5-pro", ""}}
	projects := []string{d.project, d.project, "/home/me/src/billing-service", "/home/me/work/a-project-with-a-rather-long-name"}
	agents := []string{"claude", "claude", "codex", "gemini"}
	var all []history.Record
	agent, project, tokens, session, minutes := "", "", int64(0), n, 0
	blocked := false
	for i := n - 1; i >= 0; i-- {
		minutes -= 4 // an agent that was blocked stops again soon
		if !blocked {
			session, minutes = i, i*73
			agent, project, tokens = agents[r.IntN(len(agents))], projects[r.IntN(len(projects))], 0
		}
		status, message := "passed", "3 gates passed"
		switch k := r.IntN(10); {
		case k < 2 && !blocked:
			status, message = "failed", "1 of 3 gates failed: test"
		case k == 3:
			status, message = "no_changes", "nothing changed in this turn"
		case k == 4:
			status, message = "passed_with_warnings", "lint would block (mode observe): 2 new problems"
		case k == 5:
			status, message = "checkpoint", "checkpoint: tests were not run after the last change"
		}
		blocked = status == "failed"
		recs := d.record(fmt.Sprintf("250101-000000-%06d", i), minutes, status, message)
		v := &recs[0]
		tokens += int64(2000 + r.IntN(30000))
		used := tokens
		v.Agent, v.Project, v.Model, v.Client, v.Tokens = agent, project, clients[agent][0], clients[agent][1], &used
		v.Session, v.Turn = fmt.Sprintf("%x-9b1f-4c52", 1000+session), fmt.Sprint(session)
		v.Changed, v.ChangedTotal = []string{"internal/cart/total.go", "internal/cart/total_test.go"}, 2
		if status == "no_changes" {
			recs = recs[:1]
		}
		for k := range recs[1:] {
			g := &recs[k+1]
			g.Project, g.Key, g.LimitMS = project, fmt.Sprint("k", i), 300000
		}
		if len(recs) > 2 {
			recs[1].DurationMS, recs[2].Cached, recs[2].Source = 300+4000*r.Float64()*r.Float64(), r.IntN(3) > 0, []history.Source{history.FromAgent, history.FromWorktree, history.FromRun}[r.IntN(3)]
			if !recs[2].Cached {
				recs[2].DurationMS = 200 + 300*r.Float64()
			}
			if status == "passed_with_warnings" {
				recs[2].Status, recs[2].Cached, recs[2].WouldBlock, recs[2].Mode, recs[2].DurationMS = "fail", false, true, "observe", 400
				recs[2].Findings = []history.Finding{{Path: "internal/cart/total.go", Line: 14, Rule: "errcheck", Message: "Error return value is not checked", New: true}}
				recs[2].FindingsTotal, recs[2].FindingsNew = 1, 1
			}
			if r.IntN(40) == 0 {
				recs[1].Flaky = true
			}
			if r.IntN(50) == 0 {
				recs[1].Warning = "ran no test"
			}
		}
		longest := 0.0
		for _, g := range recs[1:] {
			longest = max(longest, g.DurationMS)
		}
		recs[0].Steps[2].MS = longest + 4
		recs[0].DurationMS = longest + 4 + 17.4
		if status == "checkpoint" {
			recs[0].Decision, recs[0].Reason, recs[0].Owed = "block", "Run the tests before you stop.", []string{"tests"}
		}
		all = append(all, recs...)
	}
	d.spool(all...)
}

// look completes the machine: hooks are installed and have fired, gates run while another
// stop waits, and a replay has been made.
func look(d *desk) {
	d.must(os.MkdirAll(filepath.Join(d.project, ".claude"), 0o755))
	d.must(os.WriteFile(filepath.Join(d.project, ".claude", "settings.json"), []byte(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"gauntlet stop-hook","timeout":300}]}]}}`), 0o644))
	memory := session.Open(filepath.Join(d.project, ".git"), d.project, seal.New(filepath.Join(d.home, ".local", "state")))
	for i, beat := range []session.Heartbeat{{Agent: "claude", Event: "stop"}, {Agent: "claude", Event: "prompt"}, {Agent: "codex", Event: "stop"}} {
		beat.At = time.Now().Add(-time.Duration(i*i*90+3) * time.Minute)
		d.must(memory.Beat(beat))
	}
	d.must(os.MkdirAll(filepath.Join(d.project, "gauntlet_logs"), 0o755))
	for name, who := range map[string]string{"lock": "claude", "wait.1": "codex"} {
		b, err := json.Marshal(map[string]any{"pid": os.Getpid(), "host": "here", "started_at": time.Now().Add(-2 * time.Minute), "agent": who, "session": "3f2a-" + who + "-9b1f-4c52"})
		d.must(err)
		d.must(os.WriteFile(filepath.Join(d.project, "gauntlet_logs", ".gauntlet-run."+name), b, 0o600))
	}
	report := replay.Report{
		Source: "sessions", Coverage: replay.Coverage{Sessions: 212, Turns: 1480, Stops: 1391, Changed: 604, Unreadable: 3, Formats: map[string]int{"claude": 180, "codex": 32}, Gaps: []replay.Gap{{Why: "turns that the human interrupted", Count: 89}}},
		Stops: 604, Blocks: 71, Suggestions: []replay.Suggestion{{Kind: "evidence", Rule: "action:test", Count: 22, Text: `add "make verify" to the evidence of the action test: 22 stops asked for it after that had passed`}},
		Rules:   []replay.Rule{{Rule: "checkpoint", Stops: 604, WouldBlock: 71, Right: 30, Wrong: 22, Unknown: 19, Interval: replay.Wilson(30, 52)}, {Rule: "check:.:test", Stops: 410, WouldBlock: 4, Right: 4}},
		Samples: []replay.Sample{{ID: "r-3f9a1c2b4d", Rules: []string{"checkpoint", "action:test"}, Outcome: replay.Wrong, Because: "tests had passed already: make verify"}, {ID: "r-81d0aa9c11", Rules: []string{"checkpoint"}, Outcome: replay.Unknown}},
	}
	other := report
	other.Blocks, other.Rules = 49, []replay.Rule{{Rule: "checkpoint", Stops: 604, WouldBlock: 49, Right: 30, Wrong: 1, Unknown: 18, Interval: replay.Wilson(30, 31)}}
	report.Against, report.Changed = &other, []replay.Change{{ID: "r-3f9a1c2b4d", From: "block", To: "approve"}}
	d.must(replay.Save(filepath.Join(d.home, ".local", "state", "gauntlet", "replay"), report))
}

func TestUnauthorisedRequestsAreRefused(t *testing.T) {
	d := newDesk(t)
	get := func(path string, change func(*http.Request)) int {
		req, err := http.NewRequest(http.MethodGet, d.base()+path, http.NoBody)
		d.must(err)
		change(req)
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.Do(req)
		d.must(err)
		d.must(res.Body.Close())
		return res.StatusCode
	}
	token := strings.TrimPrefix(d.url[strings.Index(d.url, "token="):], "token=")
	with := func(more func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token); more(r) }
	}
	for _, tt := range []struct {
		name   string
		path   string
		change func(*http.Request)
		want   int
	}{
		{"the token", "/", with(func(*http.Request) {}), 200},
		{"no token", "/", func(*http.Request) {}, 403},
		{"a wrong token", "/?token=" + strings.Repeat("A", len(token)), func(*http.Request) {}, 403},
		{"another host (DNS rebinding)", "/", with(func(r *http.Request) { r.Host = "evil.example" }), 403},
		{"another site", "/", with(func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }), 403},
		{"another port of this machine", "/", with(func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }), 403},
		{"the API without a token", "/api/stops", func(*http.Request) {}, 403},
		{"the API", "/api/stops", with(func(*http.Request) {}), 200},
		{"the style without a token", "/assets/style.css", func(*http.Request) {}, 403},
		{"a log of nothing", "/logs/x/0", with(func(*http.Request) {}), 404},
		{"a way out of the logs", "/logs/..%2f..%2fetc%2fpasswd/0", with(func(*http.Request) {}), 404},
		{"a way out of the assets", "/assets/../server.go", with(func(*http.Request) {}), 307},
		{"a list of the assets", "/assets/", with(func(*http.Request) {}), 404},
		{"a page that does not exist", "/nowhere", with(func(*http.Request) {}), 404},
		{"this machine without the port", "/", with(func(r *http.Request) { r.Host = "127.0.0.1" }), 403},
		{"a page without an origin", "/api/stops", with(func(r *http.Request) { r.Header.Set("Origin", "null") }), 403},
		{"an action by GET", "/off", with(func(*http.Request) {}), 405},
	} {
		if got := get(tt.path, tt.change); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	res, err := http.Post(d.base()+"/off", "application/x-www-form-urlencoded", strings.NewReader("project="+d.project))
	d.must(err)
	d.must(res.Body.Close())
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("an action without a token: %d", res.StatusCode)
	}
}
