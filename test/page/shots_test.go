//go:build unix

package page

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The pages that are looked at, by name.
func pictured() map[string]string {
	return map[string]string{
		"home": "/", "search": "/?text=TestFee", "session": "/sessions/c8bdcc40-a584-44c2-8e5a-407d182b6f74", "letgo": "/sessions/c8bdcc45-a584-44c2-8e5a-407d182b6f74", "stop": "/stops/260101-100000-aaaaaa",
		"gates": "/gates", "gate": "/gates/test", "trends": "/trends?by=agent", "replay": "/replay",
	}
}

// Every page, at every width and in both schemes: nothing is cut off, text can be read, axe
// finds nothing. PAGE_SHOTS=dir keeps a picture of each.
func TestEveryPageInEverySizeAndScheme(t *testing.T) {
	shots, axe := os.Getenv("PAGE_SHOTS"), axeCore(t)
	d := newDesk(t)
	story(d)
	long := d.record("260101-100000-zzzzzz", 9000, "failed", "1 of 2 gates failed")
	long[1].Gate = "check:.:" + strings.Repeat("a-check-with-a-rather-long-name-", 8)
	d.spool(long...)
	look(d)
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1440, 1024, 760, 390} {
			d.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
				emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500))
			for name, path := range pictured() {
				d.open(path)
				d.await("the event stream", `document.getElementById("live").dataset.state === "on"`)
				if over := d.eval(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over != float64(0) {
					t.Errorf("%s at %d px scrolls sideways by %v px", path, width, over)
				}
				if bad := d.eval(contrast); bad != "" {
					t.Errorf("%s, %s: too little contrast: %v", path, scheme, bad)
				}
				if name == "gates" && width >= 760 {
					if got := d.eval(`getComputedStyle(document.querySelector(".sortable tbody tr")).display + document.querySelectorAll(".sortable thead th").length`); got != "table-row14" {
						t.Errorf("at %d px the gates are no table: %v", width, got)
					}
				}
				if axe != "" && (width == 1440 || width == 390) {
					d.axe(axe, path+" "+scheme)
				}
				if shots == "" {
					continue
				}
				var png []byte
				d.run(chromedp.FullScreenshot(&png, 100))
				d.must(os.WriteFile(filepath.Join(shots, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), png, 0o644))
			}
		}
	}
	d.quiet()
}

// PAGE_PICTURES=dir draws the pictures of the docs: make page-pictures.
func TestPicturesOfTheDocs(t *testing.T) {
	dir := os.Getenv("PAGE_PICTURES")
	if dir == "" {
		t.Skip("PAGE_PICTURES is not set")
	}
	d := newDesk(t)
	story(d)
	look(d)
	d.must(os.RemoveAll(filepath.Join(d.project, "gauntlet_logs"))) // nothing is running
	for name, path := range map[string]string{"page-overview.png": "/", "page-stop.png": pictured()["session"]} {
		d.run(emulation.SetDeviceMetricsOverride(1120, 860, 1, false))
		d.open(path)
		d.await("the event stream", `document.getElementById("live").dataset.state === "on"`)
		var png []byte
		d.run(chromedp.CaptureScreenshot(&png))
		d.must(os.WriteFile(filepath.Join(dir, name), png, 0o644))
	}
	d.quiet()
}
