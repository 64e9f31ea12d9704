package ui

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
)

// machine is a user's machine with the page being served.
type machine struct {
	t     *testing.T
	home  string
	url   string
	token string
	close func() error
}

func (m *machine) getenv(name string) string {
	if name == "HOME" {
		return m.home
	}
	return ""
}

func (m *machine) history() string { return filepath.Join(m.home, ".local/state/gauntlet/history") }

// serve starts the page; change may alter its options.
func serve(t *testing.T, m *machine, change func(*Options)) *machine {
	t.Helper()
	m.t = t
	if m.home == "" {
		m.home = t.TempDir()
	}
	o, err := Local(m.getenv, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- Serve(ctx, o, 0, func(u, _ string) { ready <- u }) }()
	select {
	case u := <-ready:
		m.url, m.token, _ = strings.Cut(u, "/?token=")
	case err := <-ended:
		t.Fatal(err)
	}
	m.close = func() error { cancel(); return <-ended }
	t.Cleanup(cancel)
	return m
}

func (m *machine) request(method, path, body string) *http.Request {
	m.t.Helper()
	req, err := http.NewRequestWithContext(m.t.Context(), method, m.url+path, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+m.token)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return req
}

func (m *machine) do(req *http.Request) (int, string) {
	m.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		m.t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // read only
	b, err := io.ReadAll(res.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// The first bytes do not wait for the history; the rest does, and so does the API.
func TestPageStartsBeforeTheHistoryIsRead(t *testing.T) {
	goOn := make(chan struct{})
	m := serve(t, &machine{}, func(o *Options) {
		open := o.Open
		o.Open = func(ctx context.Context) (ask.DB, error) {
			<-goOn
			return open(ctx)
		}
	})
	res, err := http.DefaultClient.Do(m.request(http.MethodGet, "/", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // read only
	r := bufio.NewReader(res.Body)
	var top strings.Builder
	for !strings.Contains(top.String(), "Reading the history") {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		top.WriteString(line)
	}
	if strings.Contains(top.String(), "<main") {
		t.Error("the page was ready before its history")
	}
	close(goOn)
	rest, err := io.ReadAll(r)
	if err != nil || !bytes.Contains(rest, []byte("Nothing here yet")) || !bytes.Contains(rest, []byte("</html>")) {
		t.Errorf("the rest is %q, %v", rest, err)
	}
	if code, body := m.do(m.request(http.MethodGet, "/", "")); code != 200 || strings.Count(body, "<main") != 1 || strings.Count(body, "</html>") != 1 {
		t.Errorf("afterwards: %d %q", code, body)
	}
}

func TestUnreadableHistoryIsReported(t *testing.T) {
	m := serve(t, &machine{}, func(o *Options) {
		o.Open = func(context.Context) (ask.DB, error) { return nil, fmt.Errorf("the disk is <gone>") }
	})
	if _, body := m.do(m.request(http.MethodGet, "/", "")); !strings.Contains(body, "the disk is &lt;gone&gt;") {
		t.Errorf("%q", body)
	}
	if code, body := m.do(m.request(http.MethodGet, "/api/totals", "")); code != 500 || !strings.Contains(body, `"error"`) {
		t.Errorf("%d %q", code, body)
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
}

// What happens to the store's file while the page is open is repaired from the spool.
func TestStoreDamagedWhileOpen(t *testing.T) {
	m := &machine{home: t.TempDir()}
	stop := func(id string) {
		t.Helper()
		if err := history.Append(m.history(), history.Record{
			Type: history.Verdict, ID: id, Time: time.Now(), Project: "/p", Status: "passed", Decision: "approve", Source: history.FromStop,
		}); err != nil {
			t.Fatal(err)
		}
	}
	stop("261115-100000-aaaaaa")
	serve(t, m, nil)
	file := filepath.Join(m.history(), "store.db")
	for i, damage := range []func() error{
		func() error { return os.WriteFile(file, bytes.Repeat([]byte("garbage "), 1000), 0o600) },
		func() error { return os.Truncate(file, 0) },
		func() error { return os.Remove(file) },
	} {
		if code, body := m.do(m.request(http.MethodGet, "/api/totals", "")); code != 200 || !strings.Contains(body, fmt.Sprintf(`"stops":%d,`, i+1)) {
			t.Fatalf("%d: %d %s", i, code, body)
		}
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		stop(fmt.Sprintf("261115-10000%d-bbbbbb", i))
	}
	code, body := m.do(m.request(http.MethodGet, "/api/stops", ""))
	if code != 200 || strings.Count(body, `"id":`) != 4 {
		t.Errorf("%d %s", code, body)
	}
}

// A number that an answer does not contain is not there as zero.
func TestDaysAndWeeksSayOnlyWhatTheyCount(t *testing.T) {
	m := &machine{home: t.TempDir()}
	now := time.Now()
	if err := history.Append(m.history(),
		history.Record{Type: history.Verdict, ID: "261115-100000-aaaaaa", Time: now, Project: "/p", Status: "passed", Decision: "approve", Source: history.FromStop},
		history.Record{Type: history.Gate, ID: "261115-100000-aaaaaa", Time: now, Project: "/p", Gate: "check:.:test", Kind: "check", Status: "pass", DurationMS: 50},
	); err != nil {
		t.Fatal(err)
	}
	serve(t, m, nil)
	for path, want := range map[string][2]string{"/api/days": {`"spentMs":50`, `"stops"`}, "/api/weeks": {`"stops":1`, `"spentMs"`}} {
		if code, body := m.do(m.request(http.MethodGet, path, "")); code != 200 || !strings.Contains(body, want[0]) || strings.Contains(body, want[1]) {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

// A long history is shown whole, page by page.
func TestAHundredThousandVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: reading 100,000 verdicts takes seconds")
	}
	m := &machine{home: t.TempDir()}
	if err := os.MkdirAll(m.history(), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(m.history(), "spool-00000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	const n = 100_000
	now := time.Now().UTC()
	for i := range n {
		at := now.Add(-time.Duration(n-i) * 20 * time.Second).Format(time.RFC3339)
		status, decision, gate := "passed", "approve", "pass"
		if i%10 == 0 {
			status, decision, gate = "failed", "block", "fail"
		}
		fmt.Fprintf(w, `{"schema":2,"type":"verdict","id":"v%06d","time":"%s","project":"/p%d","status":"%s","decision":"%s","source":"stop","agent":"claude","session":"s%d","message":"stop %d","durationMs":5}`+"\n", i, at, i%7, status, decision, i/10, i)
		fmt.Fprintf(w, `{"schema":2,"type":"gate","id":"v%06d","time":"%s","project":"/p%d","status":"%s","gate":"check:.:test","kind":"check","durationMs":5,"key":"k%d"}`+"\n", i, at, i%7, gate, i)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	serve(t, m, nil)
	var total ask.Total
	if _, body := m.do(m.request(http.MethodGet, "/api/totals?days=365", "")); json.Unmarshal([]byte(body), &total) != nil || total.Stops != n || total.Blocked != n/10 {
		t.Errorf("totals: %s", body)
	}
	if _, body := m.do(m.request(http.MethodGet, "/?days=365", "")); strings.Count(body, `class="prompt"><a data-row href="/sessions/s`) != 30 || !strings.Contains(body, "Older sessions") || strings.Contains(body, "Newer sessions") {
		t.Errorf("a page has %d sessions", strings.Count(body, `class="prompt"`))
	}
	if _, body := m.do(m.request(http.MethodGet, "/?days=365&page=334", "")); strings.Count(body, `class="prompt"`) != 10 || !strings.Contains(body, `href="/sessions/s0"`) || strings.Contains(body, "Older sessions") {
		t.Errorf("the last page has %d sessions", strings.Count(body, `class="prompt"`))
	}
	if _, body := m.do(m.request(http.MethodGet, "/?days=365&text=stop+5000", "")); strings.Count(body, `href="/sessions/s500`) != 2 || strings.Count(body, `href="/stops/v`) != 1+3 {
		t.Errorf("a search finds %d stops", strings.Count(body, `href="/stops/v`))
	}
	// A stop that happens meanwhile is there at the next request.
	if err := history.Append(m.history(), history.Record{Type: history.Verdict, ID: "newest", Time: time.Now(), Project: "/p0", Status: "passed", Source: history.FromStop}); err != nil {
		t.Fatal(err)
	}
	if _, body := m.do(m.request(http.MethodGet, "/api/stops", "")); !strings.Contains(body, `"newest"`) {
		t.Error("the newest stop is missing")
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
}

func TestOpenPagesAreBounded(t *testing.T) {
	m := serve(t, &machine{}, nil)
	for i := range maxWatchers + 1 {
		res, err := http.DefaultClient.Do(m.request(http.MethodGet, "/events", ""))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close() //nolint:errcheck // read only
		want := http.StatusOK
		if i == maxWatchers {
			want = http.StatusServiceUnavailable
		}
		if res.StatusCode != want {
			t.Fatalf("page %d: %d", i, res.StatusCode)
		}
	}
	if code, _ := m.do(m.request(http.MethodGet, "/replay", "")); code != 200 { // everything else still works
		t.Errorf("beside open pages: %d", code)
	}
	if err := m.close(); err != nil { // open streams do not delay it
		t.Error(err)
	}
}

// A client that opens connections and sends nothing, or a byte of a header at a time, does
// not lock out the owner of the page.
func TestSlowStrangersGiveWay(t *testing.T) {
	m := serve(t, &machine{}, nil)
	addr := strings.TrimPrefix(m.url, "http://")
	for i := range 2 * maxConnections {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() //nolint:errcheck // not written to
		if i%2 == 0 {
			_, _ = c.Write([]byte("GET / HTTP/1.1\r\nHo")) // it may have been closed already
		}
	}
	for range 5 {
		if code, _ := m.do(m.request(http.MethodGet, "/replay", "")); code != 200 {
			t.Errorf("got %d", code)
		}
	}
}

// Connections that showed the token are not closed for unknown ones.
func TestTheOwnersConnectionsStay(t *testing.T) {
	m := serve(t, &machine{}, nil)
	res, err := http.DefaultClient.Do(m.request(http.MethodGet, "/events", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // read only
	stream := bufio.NewReader(res.Body)
	if line, err := stream.ReadString('\n'); err != nil || line != "retry: 2000\n" {
		t.Fatalf("%q, %v", line, err)
	}
	addr := strings.TrimPrefix(m.url, "http://")
	for range 2 * maxConnections {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() //nolint:errcheck // not written to
	}
	if err := history.Append(m.history(), history.Record{Type: history.Verdict, ID: "a", Time: time.Now(), Status: "passed", Source: history.FromStop}); err != nil {
		t.Fatal(err)
	}
	for {
		line, err := stream.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "changed") {
			return
		}
	}
}

// A page that does not read its events does not delay the others, and nothing piles up for
// it.
func TestSlowReadersDoNotDelayOthers(t *testing.T) {
	b := broadcaster{clients: map[chan string]bool{}}
	watch := func(ctx context.Context) { <-ctx.Done() }
	slow, leaveSlow, _ := b.join(t.Context(), watch)
	fast, leaveFast, _ := b.join(t.Context(), watch)
	for range 10_000 {
		b.send("changed")
		<-fast
	}
	if len(slow) != 1 {
		t.Errorf("%d events wait for who does not read", len(slow))
	}
	leaveSlow()
	leaveFast()
	if len(b.clients) != 0 {
		t.Errorf("%d clients are left", len(b.clients))
	}
}

func TestAFormIsBoundedAndNeedsItsToken(t *testing.T) {
	m := serve(t, &machine{}, nil)
	post := func(body string, change func(*http.Request)) int {
		req := m.request(http.MethodPost, "/off", body)
		if change != nil {
			change(req)
		}
		code, _ := m.do(req)
		return code
	}
	cookieOnly := func(r *http.Request) {
		r.Header.Del("Authorization")
		r.AddCookie(&http.Cookie{Name: "gauntlet-" + m.url[strings.LastIndexByte(m.url, ':')+1:], Value: m.token})
	}
	if code := post("project=/nowhere", nil); code != http.StatusConflict {
		t.Errorf("an unknown project: %d", code)
	}
	if code := post("project=/nowhere", cookieOnly); code != http.StatusForbidden {
		t.Errorf("a cookie without the form's token: %d", code)
	}
	if code := post("project=/nowhere&token="+m.token, cookieOnly); code != http.StatusConflict {
		t.Errorf("cookie and token: %d", code)
	}
	if code := post("token="+m.token+"&project="+strings.Repeat("x", maxForm), cookieOnly); code != http.StatusForbidden {
		t.Errorf("a form that is too large: %d", code)
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPatch} {
		if code, _ := m.do(m.request(method, "/off", "")); code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, code)
		}
	}
	if code, _ := m.do(m.request(http.MethodPost, "/label", "id=nope&label=right")); code != http.StatusConflict {
		t.Errorf("a label for nothing: %d", code)
	}
}

func TestEveryAnswerIsForThisPageOnly(t *testing.T) {
	m := serve(t, &machine{}, nil)
	for _, path := range []string{"/", "/api/stops", "/assets/app.js", "/stops/none", "/favicon.ico"} {
		res, err := http.DefaultClient.Do(m.request(http.MethodGet, path, ""))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			"Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "same-origin",
		} {
			if got := res.Header.Get(name); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
}

// Every stop is one of four outcomes, with badges that are filters; what an agent asks comes
// first, and its words are text.
func TestOutcomesOnThePage(t *testing.T) {
	m := &machine{home: t.TempDir()}
	now := time.Now()
	stop := func(id string, ago time.Duration, session string, status event.Status, o event.Outcome, badges ...event.Badge) history.Record {
		return history.Record{
			Type: history.Verdict, ID: id, Time: now.Add(-ago), Project: "/p", Agent: "claude", Session: session, Status: string(status), Source: history.FromStop,
			Message: "message of " + id, Outcome: o, Badges: badges,
		}
	}
	asked := stop("asking", time.Minute, "a", event.Asked, event.OutcomeLetGo)
	asked.Message = "The agent asks: <script>why</script> (test still fails)"
	if err := history.Append(m.history(),
		stop("good", 5*time.Minute, "s", event.Passed, event.OutcomePassed, event.BadgeWeakened),
		stop("saved", 4*time.Minute, "s", event.ContextCheckpoint, event.OutcomeSentBack),
		stop("idle", 3*time.Minute, "s", event.NoChanges, event.OutcomeNotChecked),
		asked,
	); err != nil {
		t.Fatal(err)
	}
	serve(t, m, nil)
	_, home := m.do(m.request(http.MethodGet, "/", ""))
	if !strings.Contains(home, "1 agent asks you") || strings.Index(home, "The agent asks: &lt;script&gt;") > strings.Index(home, "<form") {
		t.Errorf("the ask does not come first:\n%s", home)
	}
	for path, want := range map[string][]string{
		"/?days=7":                  {"</span> passed", "weakened", "saved", "</span> let go unfixed", "since your last visit", "not: message of idle"},
		"/sessions/s":               {"message of idle", "</span> not checked", "saved", `href="/stops/good"`},
		"/?badge=weakened":          {"message of good", "not: message of saved", "not: since your last visit"},
		"/?outcome=sent+back":       {"message of saved", "not: message of good"},
		"/api/stops?outcome=passed": {`"outcome":"passed"`, `"badges":["weakened"]`, `"status":"passed"`, "not: message of saved"},
		"/stops/good":               {"</span> passed", "weakened", "<code>passed</code>", `rel="next"`},
		"/api/stops/asking":         {`"outcome":"let go unfixed"`, `"status":"asked"`},
		"/?badge=nope":              {"Nothing matches"},
		"/?outcome=%22%3Cscript":    {"Nothing matches", "not: \"<script"},
	} {
		code, body := m.do(m.request(http.MethodGet, path, ""))
		if code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
		for _, w := range want {
			if no, hidden := strings.CutPrefix(w, "not: "); hidden == strings.Contains(body, no) {
				t.Errorf("%s: %q\n%s", path, w, body)
			}
		}
	}
}
