package ui

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
	"time"

	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/text"
)

// svg collects a drawing. Everything that is not a number goes through text.
type svg struct {
	strings.Builder
}

func newSVG(width, height int, label string) *svg {
	s := &svg{}
	fmt.Fprintf(s, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s" preserveAspectRatio="xMidYMid meet">`, width, height, html.EscapeString(label))
	return s
}

// box is where a rectangle is and how large.
type box struct{ x, y, w, h float64 }

func (s *svg) rect(b box, class, title string) {
	fmt.Fprintf(s, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="%s"><title>%s</title></rect>`, b.x, b.y, math.Max(b.w, 0), math.Max(b.h, 0), class, html.EscapeString(title))
}

func (s *svg) text(x, y float64, class, text string) {
	fmt.Fprintf(s, `<text x="%.1f" y="%.1f" class="%s">%s</text>`, x, y, class, html.EscapeString(text))
}

func (s *svg) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(s, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>`, x1, y1, x2, y2, class)
}

func (s *svg) done() template.HTML {
	s.WriteString("</svg>")
	return template.HTML(s.String()) //nolint:gosec // numbers and escaped text only
}

// A plot is drawn for wide windows and for narrow ones, so that its text is readable in
// both; the style sheet shows the one that fits.
const (
	wideWidth   = 640
	narrowWidth = 320
	plotHeight  = 180
	leftSpace   = 44
	baseSpace   = 24
	topSpace    = 12
	rightSpace  = 20 // half a label extends beyond the plot
)

// both draws a plot for either width.
func both(draw func(width int) template.HTML) template.HTML {
	return `<div class="for-wide">` + draw(wideWidth) + `</div><div class="for-narrow">` + draw(narrowWidth) + `</div>`
}

// axis draws the lines behind a plot at round values and returns the scale.
func (s *svg) axis(width int, top, step float64, unit func(float64) string) (y func(float64) float64) {
	top = math.Ceil(top/step) * step
	height := float64(plotHeight - baseSpace - topSpace)
	y = func(v float64) float64 { return topSpace + height*(1-v/top) }
	for v := 0.0; v <= top+step/2; v += step {
		s.line(leftSpace, y(v), float64(width-rightSpace), y(v), "grid")
		s.text(leftSpace-6, y(v)+4, "tick end", unit(v))
	}
	return y
}

// span is a row of equal periods along a plot.
type span struct {
	starts []time.Time
	width  int
	first  time.Time // of the history; before it nothing was measured
}

func (p span) slot() float64         { return float64(p.width-leftSpace-rightSpace) / float64(len(p.starts)) }
func (p span) at(i int) float64      { return leftSpace + float64(i)*p.slot() }
func (p span) unmeasured(i int) bool { return i+1 < len(p.starts) && !p.starts[i+1].After(p.first) }

// dates writes as many dates below a plot as fit, the newest always, and marks where
// there is no history yet.
func (p span) dates(s *svg) {
	none := 0
	for none < len(p.starts) && p.unmeasured(none) {
		none++
	}
	if none > 0 {
		s.rect(box{leftSpace, topSpace, p.at(none) - leftSpace, plotHeight - baseSpace - topSpace}, "unmeasured", "no history of this time")
		if p.at(none)-leftSpace > 64 {
			s.text((leftSpace+p.at(none))/2, topSpace+18, "tick mid", "no history")
		}
	}
	every := int(math.Ceil(48 / p.slot()))
	for i, start := range p.starts {
		if (len(p.starts)-1-i)%every == 0 {
			s.text(p.at(i)+p.slot()/2, plotHeight-7, "tick mid", start.Format("2 Jan"))
		}
	}
}

// niceStep rounds up to 1, 2 or 5 times a power of ten.
func niceStep(v float64) float64 {
	if v <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= v {
			return m * power
		}
	}
	return 10 * power
}

func plain(v float64) string { return fmt.Sprintf("%g", v) }

// niceTimeStep rounds milliseconds up to a step that reads well in seconds, minutes or
// hours.
func niceTimeStep(ms float64) float64 {
	const second, minute, hour = 1000, 60_000, 3_600_000
	for _, step := range []float64{second, 2 * second, 5 * second, 10 * second, 20 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 20 * minute, 30 * minute} {
		if step >= ms {
			return step
		}
	}
	return niceStep(ms/hour) * hour
}

// weeksPlot shows stops per week since a moment and which of them were blocked. top is the
// highest bar of all plots shown beside each other.
func weeksPlot(weeks []ask.Bucket, since, first, now time.Time, top int) template.HTML {
	p := span{first: first}
	for at := ask.Monday(since); !at.After(now); at = at.AddDate(0, 0, 7) {
		p.starts = append(p.starts, at)
	}
	sums := map[int64]ask.Bucket{}
	for _, w := range weeks {
		b := sums[w.Start.Unix()]
		b.Stops += w.Stops
		b.Blocked += w.Blocked
		sums[w.Start.Unix()] = b
		top = max(top, b.Stops)
	}
	highest := math.Max(float64(top), 3)
	return both(func(width int) template.HTML {
		p.width = width
		s := newSVG(width, plotHeight, "Stops per week; those that were sent back are marked")
		y := s.axis(width, highest, math.Max(niceStep(highest/3), 1), plain)
		for i, start := range p.starts {
			if p.unmeasured(i) {
				continue
			}
			w := sums[start.Unix()]
			title := fmt.Sprintf("week of %s: %s, %d sent back", start.Format("2 Jan"), text.Count(w.Stops, "stop"), w.Blocked)
			s.rect(box{p.at(i) + p.slot()*0.15, y(float64(w.Stops)), p.slot() * 0.7, y(0) - y(float64(w.Stops))}, "bar", title)
			s.rect(box{p.at(i) + p.slot()*0.15, y(float64(w.Blocked)), p.slot() * 0.7, y(0) - y(float64(w.Blocked))}, "bar bad", title)
		}
		p.dates(s)
		return s.done()
	})
}

// busiest is the highest bar of several plots of weeks.
func busiest(groups []ask.Group) (top int) {
	for _, g := range groups {
		for _, w := range g.Weeks {
			top = max(top, w.Stops)
		}
	}
	return top
}

// manyDays is from how many days on a plot has a bar per week.
const manyDays = 92

// perDay reports whether a plot of so many days has a bar per day.
func perDay(days int) bool { return days <= manyDays }

// spentPlot shows the time that gates took and, beside it, the time that proofs saved:
// per day, or per week when there are many days.
func spentPlot(days []ask.DayCost, since, first, now time.Time, count int) template.HTML {
	step, start := 1, since.UTC().Truncate(24*time.Hour)
	if !perDay(count) {
		step, start = 7, ask.Monday(since)
	}
	p := span{first: first}
	for at := start; !at.After(now); at = at.AddDate(0, 0, step) {
		p.starts = append(p.starts, at)
	}
	sums := make([]ask.DayCost, len(p.starts))
	top := 1000.0
	for _, d := range days {
		if i := int(d.Start.Sub(start).Hours()/24) / step; i >= 0 && i < len(sums) {
			sums[i].SpentMS += d.SpentMS
			sums[i].SavedMS += d.SavedMS
			top = math.Max(top, math.Max(sums[i].SpentMS, sums[i].SavedMS))
		}
	}
	return both(func(width int) template.HTML {
		p.width = width
		s := newSVG(width, plotHeight, "Time that gates took and time that proofs saved")
		y := s.axis(width, top, niceTimeStep(top/3), duration)
		for i, d := range sums {
			if p.unmeasured(i) {
				continue
			}
			title := fmt.Sprintf("%s: %s spent, %s saved", p.starts[i].Format("2 Jan"), duration(d.SpentMS), duration(d.SavedMS))
			s.rect(box{p.at(i) + p.slot()*0.12, y(d.SpentMS), p.slot() * 0.36, y(0) - y(d.SpentMS)}, "bar", title)
			s.rect(box{p.at(i) + p.slot()*0.52, y(d.SavedMS), p.slot() * 0.36, y(0) - y(d.SavedMS)}, "bar good", title)
		}
		p.dates(s)
		return s.done()
	})
}

// waterfallPlot shows one stop: its steps one after another, its gates below.
func waterfallPlot(steps []history.Step, gates []history.Record, total float64) template.HTML {
	type bar struct {
		name, class, title, note string
		from, took               float64
	}
	var bars []bar
	at, gatesFrom := 0.0, 0.0
	for _, st := range steps {
		if st.Name == "gates" {
			gatesFrom = at
		}
		bars = append(bars, bar{name: st.Name, class: "bar", from: at, took: st.MS, title: st.Name + " " + duration(st.MS), note: duration(st.MS)})
		at += st.MS
	}
	for _, g := range gates {
		class := "bar " + kind(g.Status)
		title := gate.Label(g.Gate) + ": " + g.Status + ", " + duration(g.DurationMS)
		took, note := g.DurationMS, duration(g.DurationMS)
		if g.Cached {
			class, took, note, title = "bar quiet", 0, "not run", gate.Label(g.Gate)+": not run, "+g.Status+" before"
		}
		bars = append(bars, bar{name: gate.Label(g.Gate), class: class, from: gatesFrom, took: took, title: title, note: note})
	}
	span := math.Max(math.Max(total, at), 0.001)
	for _, b := range bars {
		span = math.Max(span, b.from+b.took)
	}
	return both(func(width int) template.HTML {
		const row, foot = 22, 20
		names, room := width*5/16, 64
		scale := float64(width-names-room) / span
		s := newSVG(width, len(bars)*row+foot, "Where the time of this stop went")
		for _, share := range []float64{0, 0.5, 1} {
			x := float64(names) + span*share*scale
			s.line(x, 0, x, float64(len(bars)*row), "grid")
			s.text(x, float64(len(bars)*row+14), "tick mid", duration(span*share))
		}
		for i, b := range bars {
			top := float64(i * row)
			s.text(float64(names-8), top+14, "tick end", short(b.name, names/8))
			s.rect(box{float64(names) + b.from*scale, top + 3, math.Max(b.took*scale, 1.5), row - 8}, b.class, b.title)
			s.text(float64(names)+(b.from+b.took)*scale+6, top+14, "tick", b.note)
		}
		return s.done()
	})
}

// trendPlot shows what a gate did, a bar per step: passes, and on top of them failures and
// runs that could not be made.
func trendPlot(spans []ask.Span, since, first, now time.Time, days int) template.HTML {
	p := span{first: first}
	step := time.Duration(days) * 24 * time.Hour
	start := since.UTC().Truncate(24 * time.Hour)
	if days == 7 {
		start = ask.Monday(since)
	}
	sums, top := map[int64]ask.Span{}, 3
	for _, s := range spans {
		sums[s.Start.Unix()] = s
		top = max(top, s.Pass+s.Fail+s.Errs)
	}
	for at := start; !at.After(now); at = at.Add(step) {
		p.starts = append(p.starts, at)
	}
	return both(func(width int) template.HTML {
		p.width = width
		s := newSVG(width, plotHeight, "Results over time: passed, failed, could not run")
		y := s.axis(width, float64(top), math.Max(niceStep(float64(top)/3), 1), plain)
		for i, at := range p.starts {
			n, any := sums[at.Unix()]
			if !any {
				continue
			}
			title, from := fmt.Sprintf("%s: %d passed, %d failed, %d could not run, median %s", at.Format("2 Jan"), n.Pass, n.Fail, n.Errs, cmp.Or(known(n.MedianMS), "not measured")), 0.0
			for _, part := range []struct {
				n     int
				class string
			}{{n.Pass, "bar"}, {n.Fail, "bar bad"}, {n.Errs, "bar warn"}} {
				to := from + float64(part.n)
				if part.n > 0 {
					s.rect(box{p.at(i) + p.slot()*0.15, y(to), p.slot() * 0.7, y(from) - y(to)}, part.class, title)
				}
				from = to
			}
		}
		p.dates(s)
		return s.done()
	})
}

// short cuts a name in the middle: gates differ at both ends.
func short(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	half := (n - 1) / 2
	return string(r[:n-1-half]) + "…" + string(r[len(r)-half:])
}
