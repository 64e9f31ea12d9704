//go:build unix

package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"gauntlet/internal/cli"
	"gauntlet/internal/gate"
	"gauntlet/internal/history/ask"
)

// api asks the page for JSON.
func (d *desk) api(path string, into any) {
	d.t.Helper()
	req, err := http.NewRequest(http.MethodGet, d.base()+"/api/"+path, http.NoBody)
	d.must(err)
	req.Header.Set("Authorization", "Bearer "+d.url[strings.Index(d.url, "token=")+len("token="):])
	res, err := http.DefaultClient.Do(req)
	d.must(err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	d.must(err)
	if res.StatusCode != http.StatusOK {
		d.t.Fatalf("/api/%s: %d %s", path, res.StatusCode, body)
	}
	d.must(json.Unmarshal(body, into))
}

// gauntlet runs a command on this desk and returns what it printed.
func (d *desk) gauntlet(args ...string) string {
	d.t.Helper()
	var out, fail bytes.Buffer
	app := cli.System(func(int) {})
	app.Out, app.Err, app.Getenv = &out, &fail, d.getenv
	app.Getwd = func() (string, error) { return d.project, nil }
	if code := cli.Main(args, app); code != 0 {
		d.t.Fatalf("gauntlet %v: %d %s", args, code, &fail)
	}
	return out.String()
}

// What the page shows, its JSON and the terminal are the same numbers.
func TestThePageTheJSONAndTheTerminalAgree(t *testing.T) {
	d := newDesk(t)
	many(d, 400)
	look(d)

	var stats struct {
		ask.Stats
		Groups []ask.Group `json:"groups"`
	}
	d.must(json.Unmarshal([]byte(d.gauntlet("stats", "--everywhere", "--json")), &stats))
	var total ask.Total
	d.api("totals", &total)
	if diff := cmp.Diff(stats.Total, total); diff != "" {
		t.Errorf("totals: %s", diff)
	}
	if total.Blocked == 0 || total.Right == 0 || total.Unknown == 0 || total.Tokens == 0 {
		t.Errorf("nothing to compare: %+v", total)
	}
	var gates []ask.Gate
	d.api("gates", &gates)
	byName := map[string]ask.Gate{}
	for _, g := range gates {
		g.LastMode = "" // the page asks the project's file, the history says what it was
		byName[filepath.Base(g.Project)+"  "+gate.Label(g.Gate)] = g
	}
	for _, g := range stats.Gates {
		g.LastMode = ""
		if diff := cmp.Diff(g, byName[filepath.Base(g.Project)+"  "+gate.Label(g.Gate)]); diff != "" {
			t.Errorf("%s: %s", g.Gate, diff)
		}
	}
	if len(gates) != len(stats.Gates) {
		t.Errorf("%d gates, the terminal has %d", len(gates), len(stats.Gates))
	}
	for _, by := range []string{"agent", "model", "client", "project"} {
		stats.Groups = nil
		d.must(json.Unmarshal([]byte(d.gauntlet("stats", "--everywhere", "--json", "--by", by)), &stats))
		var groups []ask.Group
		d.api("who?by="+by, &groups)
		if diff := cmp.Diff(stats.Groups, groups); diff != "" || len(groups) == 0 {
			t.Errorf("by %s: %s", by, diff)
		}
	}

	// The terminal, line by line, against the table in the browser.
	d.open("/gates")
	var rows [][]string
	d.run(chromedp.Evaluate(`[...document.querySelectorAll("main tbody tr")].map((r) => [r.querySelector("a").textContent, r.querySelector(".quiet").textContent, ...[...r.cells].slice(2).map((c) => c.textContent.trim())])`, &rows))
	terminal := d.gauntlet("stats", "--everywhere")
	for _, row := range rows {
		name, project := row[0], row[1]
		g := byName[project+"  "+name]
		blocked, right, wrong := row[2], row[7], row[8]
		if want := []string{fmt.Sprint(g.Blocked), fmt.Sprint(g.Right), fmt.Sprint(g.Wrong)}; cmp.Diff(want, []string{blocked, right, wrong}) != "" {
			t.Errorf("%s of %s: the page shows %v, the JSON %v", name, project, row, want)
		}
		want := []string{project, name, blocked, right, wrong, fmt.Sprint(g.Unknown), fmt.Sprint(g.WouldBlock)}
		if !hasLine(terminal, want) {
			t.Errorf("%v is not in:\n%s", want, terminal)
		}
	}
	if len(rows) != len(gates) || len(rows) < 7 {
		t.Errorf("%d rows, %d gates", len(rows), len(gates))
	}
	d.open("/trends")
	for _, tile := range []string{fmt.Sprint(total.Stops), fmt.Sprint(total.Blocked), fmt.Sprintf("%d wrong, %d unknown", total.Wrong, total.Unknown)} {
		if got := d.text(".tiles"); !strings.Contains(got, tile) {
			t.Errorf("the tiles do not say %q: %s", tile, got)
		}
	}
	if want := fmt.Sprintf("%d right, %d wrong, %d unknown", total.Right, total.Wrong, total.Unknown); !strings.Contains(terminal, want) {
		t.Errorf("the terminal does not say %q", want)
	}
	d.quiet()
}

// hasLine reports whether a line begins with these words.
func hasLine(text string, words []string) bool {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) >= len(words) && cmp.Diff(fields[:len(words)], words) == "" {
			return true
		}
	}
	return false
}
