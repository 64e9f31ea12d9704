//go:build unix

package page

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var views = []string{"/", "/stops/250101-000000-000000", "/gates", "/gates/test", "/trends?by=agent", "/replay", "/nowhere"}

// What a screen reader needs: one heading, headers of tables, names of plots, and a place
// where news are announced. The text of plots is as readable as the rest.
func TestAScreenReaderFindsItsWay(t *testing.T) {
	d := newDesk(t)
	many(d, 60)
	look(d)
	for _, scheme := range []string{"light", "dark"} {
		d.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		for _, path := range views {
			d.open(path)
			for what, js := range map[string]string{
				"one h1":               `document.querySelectorAll("h1").length === 1`,
				"a language":           `document.documentElement.lang === "en"`,
				"headers of tables":    `[...document.querySelectorAll("table")].every((t) => t.querySelectorAll("thead th").length > 0 && [...t.querySelectorAll("thead th")].every((h) => h.scope === "col" && h.textContent.trim()))`,
				"as many cells":        `[...document.querySelectorAll("tbody tr")].every((r) => [...r.cells].reduce((n, c) => n + c.colSpan, 0) === r.closest("table").querySelectorAll("thead th").length)`,
				"names of plots":       `[...document.querySelectorAll("main svg")].every((s) => s.getAttribute("role") === "img" && s.getAttribute("aria-label"))`,
				"a place for news":     `document.querySelector("#news[role=status]") && document.querySelector("#live[role=status]") ? true : false`,
				"headings in order":    `[...document.querySelectorAll("h1, h2, h3")].every((h, i, all) => i === 0 || +h.tagName[1] - +all[i - 1].tagName[1] <= 1)`,
				"the current page":     `location.pathname === "/nowhere" || document.querySelectorAll("nav [aria-current]").length === 1`,
				"readable plots":       `(` + plotContrast + `) === ""`,
				"no heading in a void": `[...document.querySelectorAll("h1, h2")].every((h) => h.textContent.trim())`,
			} {
				if d.eval(js) != true {
					t.Errorf("%s, %s: not %s", path, scheme, what)
				}
			}
		}
	}
	d.mu.Lock()
	d.problems = nil // the page that does not exist
	d.mu.Unlock()
}

// plotContrast finds text of plots that is hard to read on its card.
const plotContrast = `(() => {
  const lum = (c) => { const [r, g, b] = c.match(/[\d.]+/g).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const bad = new Set();
  for (const el of document.querySelectorAll("main svg text")) {
    const a = lum(getComputedStyle(el).fill), b = lum(getComputedStyle(document.body).backgroundColor);
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) bad.add(el.textContent);
  }
  return [...bad].join(", ");
})()`

// With the keyboard alone: everything that can be used can be reached, in the order of
// the page, and one sees where one is.
func TestTheKeyboardReachesEverything(t *testing.T) {
	d := newDesk(t)
	many(d, 8)
	look(d)
	for _, path := range []string{"/", "/gates", "/stops/250101-000000-000000"} {
		d.open(path)
		want := d.eval(`[...document.querySelectorAll("a[href], button, select, input:not([type=hidden]), summary")].filter((e) => e.checkVisibility()).length`)
		d.eval(`window.seen = []; document.addEventListener("focusin", (e) => { const s = getComputedStyle(e.target); seen.push({ y: e.target.getBoundingClientRect().top + scrollY, ring: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2 }); })`)
		for range int(want.(float64)) {
			d.run(chromedp.KeyEvent(kb.Tab))
		}
		if got := d.eval(`seen.length`); got != want {
			t.Errorf("%s: Tab reaches %v of %v", path, got, want)
		}
		if d.eval(`seen.every((s) => s.ring)`) != true {
			t.Errorf("%s: the focus is not seen everywhere", path)
		}
	}
	d.quiet()
}

// At 200 % nothing is cut off, and nothing moves for those who do not want it.
func TestZoomAndReducedMotion(t *testing.T) {
	d := newDesk(t)
	many(d, 60)
	look(d)
	d.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}),
		emulation.SetDeviceMetricsOverride(640, 500, 2, false)) // 1280 × 1000 at 200 %
	for _, path := range views {
		d.open(path)
		if over := d.eval(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over != float64(0) {
			t.Errorf("%s scrolls sideways by %v px", path, over)
		}
		if d.eval(`(() => { const m = document.getElementById("main"); m.classList.add("fresh"); return getComputedStyle(m).animationName; })()`) != "none" {
			t.Errorf("%s moves", path)
		}
	}
}
