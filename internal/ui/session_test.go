package ui

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/proof"
	"gauntlet/internal/run"
	"gauntlet/internal/site"
	"gauntlet/internal/trust"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// broken is a session that is sent back and then passes, in a work tree of /src/shop.
func broken(session string, at time.Time) []history.Record {
	stop := func(id string, after time.Duration, status, decision string) history.Record {
		return history.Record{
			Type: history.Verdict, ID: session + id, Time: at.Add(after), Project: "/src/shop-wt", Repository: "/src/shop", Session: session, Agent: "claude", Turn: "1", Source: history.FromStop,
			Status: status, Decision: decision, Message: "message " + id, Prompt: "Fix the <fee>", Changed: []string{"fee.go"}, Lines: &history.Lines{Added: 7, Removed: 2},
		}
	}
	one := 1
	gate := func(id string, after time.Duration, status string) history.Record {
		return history.Record{Type: history.Gate, ID: session + id, Time: at.Add(after), Project: "/src/shop-wt", Gate: "check:.:test", Kind: "check", Status: status, Key: id, DurationMS: 900, Command: "go test ./...", ExitCode: &one}
	}
	failed := gate("1", 0, "fail")
	failed.Tail = "--- FAIL: TestFee\n</pre><script>x</script>"
	first := stop("1", 0, "failed", "block")
	first.Reason = "1 of 1 gates failed."
	return []history.Record{first, failed, stop("2", time.Minute, "passed", "approve"), gate("2", time.Minute, "pass")}
}

// A session shows what was asked, what changed, what failed with its output, what came next
// and how it ended; its work tree is part of the repository.
func TestASession(t *testing.T) {
	m := &machine{home: t.TempDir()}
	now := time.Now()
	must(t, history.Append(m.history(), broken("aaaaaaaa-1", now.Add(-time.Hour))...))
	must(t, history.Append(m.history(), broken("bbbbbbbb-2", now.Add(-30*time.Minute))...))
	must(t, history.Append(m.history(), broken("../a/b?c#d e", now.Add(-10*time.Minute))...))
	serve(t, m, nil)
	for path, want := range map[string][]string{
		"/": {
			"Fix the &lt;fee&gt;", `href="/sessions/bbbbbbbb-2"`, `href="/sessions/..%2Fa%2Fb%3Fc%23d%20e"`, `title="/src/shop"`, "in shop-wt", "2 stops", "<ins>+7</ins>", "<del>−2</del>",
			`<form class="filters" method="get"`, "Nothing is red now",
		},
		"/sessions/bbbbbbbb-2": {
			"<h1>Fix the &lt;fee&gt;</h1>", `<pre tabindex="0"`, "--- FAIL: TestFee\n&lt;/pre&gt;&lt;script&gt;x", "go test ./...", "the agent fixed it", "It ended:", "</span> passed",
			`rel="prev" href="/sessions/..%2Fa%2Fb%3Fc%23d%20e"`, `rel="next" href="/sessions/aaaaaaaa-1"`, `href="/stops/bbbbbbbb-21"`, "passed 1 min later", `<time datetime="`, `data-copy="bbbbbbbb-2"`, "not: <script>x",
		},
		"/sessions/..%2Fa%2Fb%3Fc%23d%20e":     {"<h1>Fix the &lt;fee&gt;</h1>"},
		"/api/sessions":                        {`"session":"bbbbbbbb-2"`, `"workTree":"/src/shop-wt"`, `"project":"/src/shop"`, `"more":false`},
		"/api/sessions/bbbbbbbb-2":             {`"prompt":"Fix the \u003cfee\u003e"`, `"tail":"--- FAIL`},
		"/stops/bbbbbbbb-21":                   {`rel="next" href="/stops/bbbbbbbb-22"`, "What failed", "What the agent was told", "1 of 1 gates failed.", `href="/sessions/bbbbbbbb-2"`},
		"/?text=TESTFEE":                       {`href="/stops/bbbbbbbb-21"`, "not: bbbbbbbb-22\"", "not: since your last visit"},
		"/?text=fee.go&project=%2Fsrc%2Fshop":  {`href="/sessions/bbbbbbbb-2"`},
		"/?text=%3C%2Fpre%3E":                  {`href="/sessions/bbbbbbbb-2"`, "not: </pre><script>"},
		"/?text=nothing-like-it":               {"Nothing matches", "looks through prompts, reasons, output"},
		"/?project=%2Fnope":                    {`<option value="/nope" selected>nope</option>`, "Nothing matches"},
		"/gates":                               {`href="/gates/test?project=`, "caught 3", "not: /src/shop-wt", `aria-sort="`},
		"/gates/test":                          {"Results over time: passed, failed, could not run", "Sessions with this gate", "caught 3"},
		"/gates/test?project=%2Fsrc%2Fshop-wt": {"caught 3"},
		"/trends?by=project":                   {"Stops per week", ">shop<"},
	} {
		if path == "/gates" {
			path += "?sort=fail"
		}
		code, body := m.do(m.request(http.MethodGet, path, ""))
		if code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
		for _, w := range want {
			if no, hidden := strings.CutPrefix(w, "not: "); hidden == strings.Contains(body, no) {
				t.Errorf("%s: %s\n%s", path, w, body)
			}
		}
	}
	for _, path := range []string{"/sessions/nope", "/sessions/bbbbbbbb", "/gates/nope", "/api/sessions/nope", "/stops/nope"} {
		if code, _ := m.do(m.request(http.MethodGet, path, "")); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// Addresses of earlier versions lead to what replaced them.
func TestOldAddresses(t *testing.T) {
	m := serve(t, &machine{}, nil)
	for from, to := range map[string]string{
		"/stops": "/", "/stops?badge=weakened&days=7&before=1~x": "/?badge=weakened&days=7", "/time": "/gates?sort=spent", "/who?by=model": "/trends?by=model", "/who": "/trends?by=agent", "/sessions": "/",
	} {
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.Do(m.request(http.MethodGet, from, ""))
		must(t, err)
		_ = res.Body.Close()
		if got := res.Header.Get("Location"); res.StatusCode != http.StatusMovedPermanently || got != to {
			t.Errorf("%s leads to %s (%d), want %s", from, got, res.StatusCode, to)
		}
	}
}

// What happened since the last visit: a visit ends half an hour after the last look.
func TestSinceTheLastVisit(t *testing.T) {
	m := &machine{home: t.TempDir()}
	now := time.Now()
	for i, ago := range []time.Duration{2 * time.Hour, 48 * time.Hour, 20 * 24 * time.Hour} {
		must(t, history.Append(m.history(), history.Record{
			Type: history.Verdict, ID: fmt.Sprintf("v%d", i), Time: now.Add(-ago), Project: "/p", Session: fmt.Sprint(i), Status: "passed", Decision: "approve", Source: history.FromStop,
			Message: fmt.Sprintf("stop %d", i), Outcome: event.OutcomePassed, Badges: []event.Badge{event.BadgeWeakened},
		}))
	}
	serve(t, m, nil)
	unix := func(ago time.Duration) string { return fmt.Sprint(now.Add(-ago).Unix()) }
	for _, tt := range []struct{ name, cookie, heading, kept string }{
		{"never", "", "2 let go unfixed or weakened since your last visit", "0."},
		{"yesterday", "0." + unix(24*time.Hour), "1 let go unfixed or weakened since your last visit", unix(24*time.Hour) + "."},
		{"a month ago", "0." + unix(30*24*time.Hour), "3 let go unfixed or weakened since your last visit", unix(30*24*time.Hour) + "."},
		{"a minute ago, and an hour ago before that", unix(time.Hour) + "." + unix(time.Minute), "Nothing was let go unfixed or weakened since your last visit", unix(time.Hour) + "."},
		{"nonsense", "<script>.-7", "2 let go unfixed or weakened since your last visit", "0."},
		{"the future", "0." + unix(-time.Hour), "2 let go unfixed or weakened since your last visit", "0."},
	} {
		req := m.request(http.MethodGet, "/", "")
		if tt.cookie != "" {
			req.Header.Set("Cookie", visitCookie+"="+tt.cookie)
		}
		res, err := http.DefaultClient.Do(req)
		must(t, err)
		_ = res.Body.Close()
		_, body := m.do(req)
		set := res.Header.Get("Set-Cookie")
		if !strings.Contains(body, tt.heading) || !strings.Contains(set, visitCookie+"="+tt.kept) || !strings.Contains(set, "HttpOnly; SameSite=Strict") {
			t.Errorf("%s: %q, %s", tt.name, tt.heading, set)
		}
	}
}

// The lists can be had as files; what a spreadsheet would compute is text in them.
func TestCSV(t *testing.T) {
	m := &machine{home: t.TempDir()}
	recs := broken("s", time.Now().Add(-time.Hour))
	recs[0].Message, recs[1].Gate = `=HYPERLINK("http://x"),"a",`+"\n-b", "check:.:@cmd"
	must(t, history.Append(m.history(), recs...))
	serve(t, m, nil)
	for path, want := range map[string]string{"/stops.csv?outcome=sent+back": `'=HYPERLINK("http://x"),"a",`, "/gates.csv": "'@cmd"} {
		res, err := http.DefaultClient.Do(m.request(http.MethodGet, path, ""))
		must(t, err)
		rows, err := csv.NewReader(res.Body).ReadAll()
		_ = res.Body.Close()
		if err != nil || res.Header.Get("Content-Type") != "text/csv; charset=utf-8" || len(rows) < 2 || !strings.Contains(fmt.Sprintf("%v", rows[1:]), want) {
			t.Errorf("%s: %v %v %q", path, err, res.Header, rows)
		}
	}
}

// A button says what it edits, and what it did can be taken back, once, as long as no one
// else has edited it.
func TestButtonsCanBeUndone(t *testing.T) {
	m := &machine{home: t.TempDir()}
	project := filepath.Join(m.home, "src", "shop")
	must(t, os.MkdirAll(filepath.Join(project, ".gauntlet", "checks"), 0o755))
	must(t, os.WriteFile(filepath.Join(project, ".gauntlet", "config.yml"), []byte("entry_points: [{path: ., checks: [test]}]\n"), 0o644))
	file := filepath.Join(project, ".gauntlet", "checks", "test.yml")
	const text = "command: go test ./... # all of it\n"
	must(t, os.WriteFile(file, []byte(text), 0o644))
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", project).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	at := site.Here(project, m.getenv)
	must(t, at.Allowed().Allow(t.Context(), config.ReadPolicy(at.Root), trust.Act{At: time.Now(), By: trust.Terminal}))
	recs := broken("s", time.Now().Add(-time.Hour))
	for i := range recs {
		recs[i].Project, recs[i].Repository = project, ""
	}
	must(t, history.Append(m.history(), recs...))
	serve(t, m, nil)
	post := func(path, form string) string {
		t.Helper()
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.Do(m.request(http.MethodPost, path, form+"&back=/gates%3Fdays%3D7&token="+m.token))
		must(t, err)
		_ = res.Body.Close()
		to := res.Header.Get("Location")
		if !strings.HasPrefix(to, "/gates?days=7&done=") {
			t.Fatalf("POST %s %s: %d, goes to %q", path, form, res.StatusCode, to)
		}
		return to
	}
	undo := func(to string) string {
		t.Helper()
		u, err := url.Parse(to)
		must(t, err)
		return post("/undo", "id="+u.Query().Get("done"))
	}
	read := func() string { b, err := os.ReadFile(file); must(t, err); return string(b) }
	_, gates := m.do(m.request(http.MethodGet, "/gates", ""))
	if !strings.Contains(gates, "This edits .gauntlet/checks/test.yml in shop: mode: observe.") {
		t.Errorf("the button does not say what it edits:\n%s", gates)
	}
	to := post("/mode", "project="+project+"&gate=check:.:test&mode=observe")
	if _, page := m.do(m.request(http.MethodGet, to, "")); !strings.Contains(page, ".gauntlet/checks/test.yml was edited and allowed.") || !strings.Contains(page, ">Undo</button>") || !strings.Contains(read(), "mode: observe") {
		t.Errorf("after the button: %q\n%s", read(), page)
	}
	back := undo(to)
	if _, page := m.do(m.request(http.MethodGet, back, "")); !strings.Contains(page, "Undone: test in shop") || strings.Contains(page, ">Undo</button>") || read() != text {
		t.Errorf("after the undo: %q\n%s", read(), page)
	}
	if now := site.Here(project, m.getenv).Trust(); !now.Trusted() || now.Change != "" {
		t.Errorf("the policy is not allowed any more: %+v", now)
	}
	again := m.request(http.MethodPost, "/undo", "id="+strings.TrimPrefix(to, "/gates?days=7&done=")+"&token="+m.token)
	if code, _ := m.do(again); code != http.StatusConflict {
		t.Errorf("undone twice: %d", code)
	}
	to = post("/mode", "project="+project+"&gate=check:.:test&mode=observe")
	must(t, os.WriteFile(file, []byte("command: mine\n"), 0o644))
	if code, body := m.do(m.request(http.MethodPost, "/undo", "id="+strings.TrimPrefix(to, "/gates?days=7&done=")+"&token="+m.token)); code != http.StatusConflict || !strings.Contains(body, "has changed since") || read() != "command: mine\n" {
		t.Errorf("a file that changed: %d %s", code, body)
	}
	off := func() bool { _, off := site.Here(project, m.getenv).Off("", time.Now()); return off }
	to = post("/off", "project="+project)
	if !off() {
		t.Error("not off")
	}
	undo(to)
	if off() {
		t.Error("still off")
	}
	label := func() string { _, body := m.do(m.request(http.MethodGet, "/api/stops/s1", "")); return body }
	to = post("/label", "id=s1&label=wrong")
	if !strings.Contains(label(), `"label":"wrong"`) {
		t.Error("not labelled")
	}
	_ = undo(to)
	if strings.Contains(label(), `"label"`) || !strings.Contains(label(), "the agent fixed it") {
		t.Errorf("the label stays: %s", label())
	}
}

// What was proved ahead of a stop is shown as time that nobody waited.
func TestProvedAhead(t *testing.T) {
	m := &machine{home: t.TempDir()}
	recs := broken("s", time.Now().Add(-time.Hour))
	last := &recs[len(recs)-1]
	last.Cached, last.Source, last.SavedMS = true, history.FromAhead, 12_000
	must(t, history.Append(m.history(), recs...))
	serve(t, m, nil)
	for path, want := range map[string]string{"/trends": "12 s that nobody waited", "/gates/test": "Proved ahead, nobody waited</dt><dd>1, 12 s", "/stops/s2": "not run, proved ahead"} {
		if _, body := m.do(m.request(http.MethodGet, path, "")); !strings.Contains(body, want) {
			t.Errorf("%s: no %q\n%s", path, want, body)
		}
	}
}

// Each row of the table of gates says in one sentence what to do.
func TestAdvice(t *testing.T) {
	ms := func(v float64) *float64 { return &v }
	for _, tt := range []struct {
		row  row
		why  string
		want string
	}{
		{row{Gate: ask.Gate{Pass: 4, Error: 12, Runs: 16}}, "govulncheck is not installed (command not found, exit code 127)", "could not run 12×: install govulncheck"},
		{row{Gate: ask.Gate{Pass: 400, Error: 1, Runs: 400}}, "it took too long\nand was stopped", "could not run 1×: it took too long and was stopped"},
		{row{Gate: ask.Gate{Pass: 400, Error: 1, Runs: 400}}, "", "could not run 1×: no reason was recorded"},
		{row{Gate: ask.Gate{Pass: 10, Fail: 3, Runs: 13, Flakes: 2, Right: 9}}, "", "flaky: retries 1"},
		{row{Gate: ask.Gate{Pass: 40, Runs: 40, MedianMS: ms(23_000)}}, "", "never failed, 23 s"},
		{row{Gate: ask.Gate{Pass: 40, Runs: 0}}, "", "too few runs to say"},
		{row{Gate: ask.Gate{Pass: 40, Runs: 40, MedianMS: ms(5)}, Now: GateNow{Canary: "cannot fail"}}, "", "cannot fail"},
		{row{Gate: ask.Gate{Pass: 9, Fail: 4, Runs: 13, Wrong: 3, Right: 1}}, "", "wrong 3 of 4 times: observe it"},
		{row{Gate: ask.Gate{Pass: 9, Runs: 9, RanNoTest: 2}}, "", "ran no test 2×"},
		{row{Gate: ask.Gate{Pass: 9, Fail: 1, Runs: 10, P95MS: ms(90), LimitMS: ms(100)}}, "", "takes 90 % of its time limit"},
		{row{Gate: ask.Gate{Pass: 9, Fail: 6, Runs: 15, Right: 5}}, "", "caught 5"},
		{row{Gate: ask.Gate{Pass: 9, Fail: 1, Runs: 10, Unknown: 1}}, "", "failed 1×, outcome unknown"},
		{row{Gate: ask.Gate{Pass: 9, Fail: 3, Runs: 12, WouldRight: 3}, Now: GateNow{Mode: "observe"}}, "", "too early to enforce (3 of 20)"},
		{row{Gate: ask.Gate{Pass: 9, Fail: 40, Runs: 49, WouldRight: 40}, Now: GateNow{Mode: "observe"}}, "", "safe to enforce: right 91–100 %"},
		{row{Gate: ask.Gate{Kind: ask.Checkpoint, Blocked: 3, Right: 2}}, "", "caught 2"},
	} {
		if got := advise(tt.row, tt.why); got.Text != tt.want {
			t.Errorf("%q, want %q", got.Text, tt.want)
		}
	}
}

// A check that was found unable to fail says so in the table, until its command changes.
func TestCannotFail(t *testing.T) {
	m := &machine{home: t.TempDir()}
	project := filepath.Join(m.home, "src", "shop")
	file := filepath.Join(project, ".gauntlet", "checks", "test.yml")
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(filepath.Join(project, ".gauntlet", "config.yml"), []byte("entry_points: [{path: ., checks: [test]}]\n"), 0o644))
	must(t, os.WriteFile(file, []byte("command: make test\n"), 0o644))
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", project).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	cfg, err := site.Here(project, m.getenv).OnDisk()
	must(t, err)
	ledger, err := run.LedgerOf(run.Options{Config: cfg, Site: site.Here(project, m.getenv), Getenv: m.getenv})
	must(t, err)
	must(t, ledger.Put(t.Context(), proof.Record{
		Key: strings.Repeat("a", 64), Gate: "check:.:test canary", Outcome: proof.Fail, Source: proof.Run, Where: project, At: time.Now(), Command: "make test",
		Findings: []byte(`{"result":"cannot fail","files":["fee.go"]}`),
	}))
	recs := broken("s", time.Now().Add(-time.Hour))
	for i := range recs {
		recs[i].Project, recs[i].Repository = project, ""
	}
	must(t, history.Append(m.history(), recs...))
	serve(t, m, nil)
	for _, want := range []bool{true, false} {
		if _, body := m.do(m.request(http.MethodGet, "/gates", "")); strings.Contains(body, ">cannot fail</span>") != want || strings.Contains(body, "fee.go") != want {
			t.Errorf("cannot fail is shown: %v\n%s", !want, body)
		}
		must(t, os.WriteFile(file, []byte("command: make check\n"), 0o644))
	}
}

// What a green result is worth is on the page of its stop, also when it is found out later.
func TestWhatAGreenMeans(t *testing.T) {
	m := &machine{home: t.TempDir()}
	recs := broken("s", time.Now().Add(-time.Hour))
	must(t, history.Append(m.history(), append(recs, history.Record{
		Type: history.Meaning, ID: "s2", Time: time.Now(), Badges: []event.Badge{event.BadgeUnnoticed}, Undo: &event.Answer{Result: event.Unnoticed, Files: []string{"<b>.go"}},
		OldTests: &event.Answer{Result: event.OwnChangeOnly, Files: []string{"fee_test.go"}}, TestDiff: "-want <1>",
	})...))
	serve(t, m, nil)
	for path, want := range map[string][]string{
		"/stops/s2":         {`<span class="status warn">unnoticed</span>`, "&lt;b&gt;.go", "passes only with its own change", "-want &lt;1&gt;"},
		"/sessions/s":       {"no test notices the change in <code>&lt;b&gt;.go</code>"},
		"/?badge=unnoticed": {`href="/stops/s2"`},
		"/":                 {"1 let go unfixed or weakened since your last visit"},
	} {
		_, body := m.do(m.request(http.MethodGet, path, ""))
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("%s: no %q\n%s", path, w, body)
			}
		}
	}
}
