//go:build unix

package page

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axeVersion is the version of axe-core that pages are checked with.
const axeVersion = "4.14.0"

// axeCore is the source of axe-core, from the cache or from npm, or "" with a loud note where
// there is neither.
func axeCore(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "gauntlet-page")
	file := filepath.Join(dir, "axe-core-"+axeVersion+".tgz")
	if _, err := os.Stat(file); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "npm", "pack", "axe-core@"+axeVersion, "--silent")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			if os.Getenv("GAUNTLET_REQUIRE_SERVERS") != "" {
				t.Fatalf("npm pack axe-core: %v %s", err, out)
			}
			t.Logf("SKIPPED LOUDLY: axe-core is not there, so pages are not checked with it: %v %s", err, out)
			return ""
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("%s has no axe.min.js: %v", file, err)
		}
		if h.Name == "package/axe.min.js" {
			source, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return string(source)
		}
	}
}

// axe reports what axe-core finds on the page that is open.
func (d *desk) axe(source, where string) {
	d.t.Helper()
	var found string
	await := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	d.run(chromedp.Evaluate(source+";0", nil), chromedp.Evaluate(`axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.help, v.nodes.map((n) => n.html).slice(0, 3)])))`, &found, await))
	var list []any
	d.must(json.Unmarshal([]byte(found), &list))
	for _, v := range list {
		d.t.Errorf("%s: axe: %v", where, v)
	}
}
