//go:build unix

// Package page drives the page in a real Chromium, as a person would: look,
// filter, open, act, with a keyboard, in a narrow window, in the dark. Set
// PAGE_SHOTS to a directory to get a screenshot of every view.
package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gauntlet/internal/config"
	"gauntlet/internal/history"
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
		Type: history.Verdict, ID: id, Time: at, Project: d.project, Session: "session-" + id, Prompt: message, Agent: "claude", Source: history.FromStop, Status: status, Decision: "approve",
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
	block := d.record("260101-110000-bbbbbb", 30, "failed", "1 of 2 gates failed: test")
	block[0].Session = "session-260101-100000-aaaaaa"
	d.spool(block...)
	d.await("the block", `document.querySelector("main").innerText.includes("1 of 2 gates failed: test")`)

	// The token does not stay in the address.
	if got := d.eval(`location.href`); strings.Contains(fmt.Sprint(got), "token") {
		t.Errorf("address %v", got)
	}

	// Filter to what was sent back: the address carries the filter.
	d.eval(`(() => { const s = document.querySelector('select[name="outcome"]'); s.value = "sent back"; s.dispatchEvent(new Event("change", {bubbles: true})); })()`)
	d.await("the filter", `location.search.includes("outcome=sent+back") && document.querySelectorAll(".sessions > li").length === 1`)

	// Open the session, then the stop: what failed, the reason, the log.
	d.must(os.MkdirAll(filepath.Join(d.project, "gauntlet_logs"), 0o755))
	d.must(os.WriteFile(filepath.Join(d.project, "gauntlet_logs", "check_._test.1.log"), []byte("--- FAIL: TestTotal\n<script>alert(1)</script>\n"), 0o600))
	then := time.Now().Add(-31 * time.Minute) // before the verdict: a later log would be another run's
	d.must(os.Chtimes(filepath.Join(d.project, "gauntlet_logs", "check_._test.1.log"), then, then))
	d.run(chromedp.Click(`.sessions .prompt a`, chromedp.ByQuery), chromedp.WaitVisible(`.timeline`, chromedp.ByQuery))
	if got := d.eval(`document.querySelectorAll(".timeline > li").length`); got != float64(2) {
		t.Errorf("the session has %v stops", got)
	}
	d.run(chromedp.Click(`.timeline > li:last-child .line a[data-row]`, chromedp.ByQuery), chromedp.WaitVisible(`.failure`, chromedp.ByQuery))
	if got := d.text("main"); !strings.Contains(got, "GATES FAILED. Fix this now.") || !strings.Contains(got, "proved by the agent's own run") {
		t.Errorf("the stop says %q", got)
	}
	// Label the block as wrong: the button asks first.
	d.run(chromedp.Click(`.asks .ask:last-child summary`, chromedp.ByQuery), chromedp.WaitVisible(`.asks .ask:last-child button`, chromedp.ByQuery))
	d.run(chromedp.Click(`.asks .ask:last-child button`, chromedp.ByQuery))
	d.await("the label", `document.querySelector(".notice")?.innerText.includes("is labelled wrong")`)
	d.run(chromedp.Click(`.notice button`, chromedp.ByQuery))
	d.await("the undo", `document.querySelector(".notice")?.innerText.includes("Undone") && !document.querySelector(".notice button")`)
	d.run(chromedp.Click(`a[href^="/logs/"]`, chromedp.ByQuery), chromedp.WaitVisible("pre", chromedp.ByQuery))
	if got := d.text("pre"); !strings.Contains(got, "<script>alert(1)</script>") {
		t.Errorf("the log is shown as %q", got)
	}

	// Switch the project off, and undo it.
	d.run(chromedp.EmulateViewport(1280, 900))
	press := func(path, summary string) {
		t.Helper()
		d.open(path)
		d.eval(`document.querySelectorAll("details:not(.ask)").forEach((e) => { e.open = true })`)
		d.eval(`[...document.querySelectorAll(".ask summary")].find((e) => e.textContent === "` + summary + `…" && e.checkVisibility()).parentElement.open = true`)
		d.run(chromedp.Click(`.ask[open] button`, chromedp.ByQuery))
	}
	press("/", "Switch off shop")
	d.await("off", `document.querySelector(".notice")?.innerText.includes("The stop hook is off in shop") && document.querySelector(".hooks table").innerText.includes("switched off")`)
	d.run(chromedp.Click(`.notice button`, chromedp.ByQuery))
	d.await("on", `document.querySelector(".notice")?.innerText.includes("Undone") && !document.querySelector("main").innerText.includes("switched off")`)

	// Set the gate to observe, and enforce it again: its file changes, and the policy stays
	// allowed.
	press("/gates", "Observe")
	d.await("observe", `document.querySelector(".notice")?.innerText.includes(".gauntlet/checks/test.yml was edited")`)
	if b, err := os.ReadFile(filepath.Join(d.project, ".gauntlet", "checks", "test.yml")); err != nil || string(b) != "command: go test ./... # all of it\nmode: observe\n" {
		t.Errorf("the check says %q, %v", b, err)
	}
	if at := site.Here(d.project, d.getenv).Trust(); !at.Trusted() || at.Change != "" {
		t.Errorf("the policy is not allowed any more: %+v", at)
	}
	press("/gates", "Enforce")
	d.await("enforce", `document.querySelector(".notice")?.innerText.includes("has mode: enforce now")`)

	// The project disappears.
	d.must(os.RemoveAll(d.project))
	d.open("/")
	if got := d.text("main"); !strings.Contains(got, "No hook is alive") {
		t.Errorf("a project that is gone: %q", got)
	}
	d.quiet()
}

func TestHostileTextIsText(t *testing.T) {
	d := newDesk(t)
	evil := `</title><script>window.pwned=1</script><img src=x onerror="window.pwned=1">"'` + "\x1b[31m\u202e"
	recs := d.record("260101-100000-cccccc", 5, "failed", evil)
	recs[0].Session, recs[0].Agent, recs[0].Reason, recs[0].Prompt, recs[0].Project, recs[1].Project = evil, evil, evil, evil, evil, evil
	recs[1].Gate, recs[1].Message, recs[1].Tail, recs[1].Command, recs[0].Changed = evil, evil, evil, evil, []string{evil}
	recs[0].Steps = append(recs[0].Steps, history.Step{Name: evil, MS: 5})
	d.spool(recs...)
	d.open("/")
	session := fmt.Sprint(d.eval(`document.querySelector(".prompt a").getAttribute("href")`))
	d.open("/gates")
	gate := fmt.Sprint(d.eval(`[...document.querySelectorAll("tbody th a")].find((a) => a.textContent.includes("script")).getAttribute("href")`))
	for _, path := range []string{"/", session, "/stops/260101-100000-cccccc", "/gates", gate, "/trends?by=agent", "/?text=" + url.QueryEscape(evil), "/?project=" + url.QueryEscape(evil)} {
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
	d.open("/")
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
	for _, path := range []string{"/", "/stops/250101-000000-000001", "/gates", "/trends"} {
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
	d.open("/")
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
