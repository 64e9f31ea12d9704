//go:build unix

package page

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// port is where the page listens.
func (d *desk) port() int {
	d.t.Helper()
	u, err := url.Parse(d.url)
	d.must(err)
	n, err := strconv.Atoi(u.Port())
	d.must(err)
	return n
}

// tab opens another tab with a page.
func (d *desk) tab(address string) *desk {
	d.t.Helper()
	ctx, cancel := chromedp.NewContext(d.ctx)
	d.t.Cleanup(cancel)
	other := &desk{t: d.t, home: d.home, project: d.project, url: d.url, ctx: ctx}
	other.run(chromedp.Navigate(address), chromedp.WaitReady("body", chromedp.ByQuery))
	return other
}

// A browser opens six connections to a server: ten open tabs must neither hang nor miss
// anything, also when the one that listens is closed.
func TestTenTabsShareOneStream(t *testing.T) {
	d := newDesk(t)
	d.spool(d.record("260101-100000-aaaaaa", 9, "passed", "first")...)
	d.open("/")
	var tabs []*desk
	for range 9 {
		tabs = append(tabs, d.tab(d.base()+"/"))
	}
	for _, tab := range append(tabs, d) {
		tab.await("the event stream", `document.getElementById("live").dataset.state === "on"`)
	}
	d.spool(d.record("260101-100000-bbbbbb", 5, "passed", "second")...)
	for _, tab := range append(tabs, d) {
		tab.run(page.BringToFront()) // one that nobody sees waits
		tab.await("the second stop", `document.querySelector("main").innerText.includes("second")`)
	}
	d.run(chromedp.Navigate("about:blank")) // it was the one that listened
	d.spool(d.record("260101-100000-cccccc", 3, "passed", "third")...)
	for _, tab := range tabs {
		tab.run(page.BringToFront())
		tab.await("the third stop", `document.querySelector("main").innerText.includes("third")`)
	}
}

// After a restart the old page says what to do, and a page of the new server works.
func TestARestartedServerIsNoticed(t *testing.T) {
	d := newDesk(t)
	d.spool(d.record("260101-100000-aaaaaa", 9, "passed", "first")...)
	d.open("/")
	d.await("the event stream", `document.getElementById("live").dataset.state === "on"`)
	port := d.port()
	d.stop()
	d.await("the loss", `document.getElementById("live").dataset.state === "off"`)
	d.serve(port)
	d.await("the other server", `document.getElementById("live").textContent.includes("open the address")`)
	d.open("/")
	d.await("the event stream", `document.getElementById("live").dataset.state === "on"`)
}

// Another program of this machine serves a page that tries what it can.
func TestAnotherPageOfThisMachineGetsNothing(t *testing.T) {
	d := newDesk(t)
	d.spool(d.record("260101-100000-aaaaaa", 9, "failed", "secret message")...)
	d.open("/") // the browser has the cookie now
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><iframe id="frame" src="` + d.base() + `/"></iframe>
			<form id="off" method="post" action="` + d.base() + `/off"><input name="project" value="` + d.project + `"></form>
			<script>
			window.got = [];
			fetch("` + d.base() + `/api/stops", {credentials: "include"}).then((r) => r.text()).then((t) => got.push("fetch " + t), () => got.push("refused"));
			fetch("` + d.base() + `/api/stops", {mode: "no-cors", credentials: "include"}).then((r) => got.push(r.type + r.status), () => got.push("refused"));
			const s = new EventSource("` + d.base() + `/events", {withCredentials: true}); s.onopen = () => got.push("events"); s.onerror = () => got.push("refused");
			</script>`))
	}))
	defer evil.Close()
	other := d.tab(evil.URL)
	other.await("all attempts", `got.length >= 3`)
	if got := other.eval(`got.join(",")`); got != "refused,refused,refused" && got != "opaque0,refused,refused" && strings.ReplaceAll(got.(string), "opaque0", "refused") != "refused,refused,refused" {
		t.Errorf("another page got %v", got)
	}
	if got := other.eval(`(() => { try { return document.getElementById("frame").contentDocument?.body?.innerText ?? "" } catch { return "" } })()`); got != "" {
		t.Errorf("framed: %v", got)
	}
	// Its form is refused, and the project stays on.
	other.run(chromedp.Evaluate(`document.getElementById("off").submit()`, nil))
	other.await("the answer", `location.href.includes("/off") && document.body.innerText.length > 0`)
	d.open("/")
	d.await("the switch", `document.querySelector(".hooks").textContent.includes("Switch off shop")`)
	// Following a link from the page tells the other side nothing of it.
	var referer string
	seen := make(chan string, 1)
	listener := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case seen <- r.Referer():
		default:
		}
	}))
	defer listener.Close()
	d.run(chromedp.Evaluate(`location.href = "`+listener.URL+`"`, nil))
	if referer = <-seen; referer != "" {
		t.Errorf("a link tells %q", referer)
	}
}

// Someone who sends a header byte by byte, and one who never reads, do not slow a
// person down.
func TestSlowClientsDoNotHoldUpAPerson(t *testing.T) {
	d := newDesk(t)
	d.spool(d.record("260101-100000-aaaaaa", 9, "passed", "first")...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	token := d.url[strings.Index(d.url, "token=")+len("token="):]
	for i := range 40 {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(d.base(), "http://"))
		d.must(err)
		defer c.Close()
		if i%2 == 0 {
			_, err = c.Write([]byte("GET /events HTTP/1.1\r\nHost: " + strings.TrimPrefix(d.base(), "http://") + "\r\nAuthorization: Bearer " + token + "\r\n\r\n"))
			d.must(err)
			continue // and never reads
		}
		go func() {
			for _, b := range []byte("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy") {
				select {
				case <-ctx.Done():
					return
				case <-time.After(200 * time.Millisecond):
				}
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
			}
		}()
	}
	d.open("/")
	d.await("the event stream", `document.getElementById("live").dataset.state === "on"`)
	d.spool(d.record("260101-100000-bbbbbb", 5, "passed", "second")...)
	d.await("the second stop", `document.querySelector("main").innerText.includes("second")`)
	d.quiet()
}
