package ui

import (
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

func (s *svg) rect(x, y, w, h float64, class, title string) {
	fmt.Fprintf(s, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="%s"><title>%s</title></rect>`, x, y, math.Max(w, 0), math.Max(h, 0), class, html.EscapeString(title))
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

const (
	plotWidth  = 640
	plotHeight = 180
	leftSpace  = 44
	baseSpace  = 24
	topSpace   = 12
	rightSpace = 20 // half a label stands out
)

// axis draws the lines behind a plot at round values and returns the scale.
func (s *svg) axis(width int, top float64, unit func(float64) string) (y func(float64) float64) {
	step := niceStep(top / 3)
	if top <= 0 {
		step, top = 1, 1
	}
	top = math.Ceil(top/step) * step
	height := float64(plotHeight - baseSpace - topSpace)
	y = func(v float64) float64 { return topSpace + height*(1-v/top) }
	for v := 0.0; v <= top+step/2; v += step {
		s.line(leftSpace, y(v), float64(width-rightSpace), y(v), "grid")
		s.text(leftSpace-6, y(v)+4, "tick end", unit(v))
	}
	return y
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

// weeksPlot shows stops per week and which of them were blocked. A narrow one stands
// beside others.
func weeksPlot(weeks []ask.Bucket, now time.Time, narrow bool) template.HTML {
	const shown = 12
	width, every := plotWidth, 2
	if narrow {
		width, every = 360, 4
	}
	all := make([]ask.Bucket, shown)
	this := monday(now)
	for i := range all {
		all[i].Start = this.AddDate(0, 0, -7*(shown-1-i))
		for _, w := range weeks {
			if w.Start.Equal(all[i].Start) {
				all[i].Stops += w.Stops
				all[i].Blocked += w.Blocked
			}
		}
	}
	top := 0
	for _, w := range all {
		top = max(top, w.Stops)
	}
	s := newSVG(width, plotHeight, "Stops per week, blocked ones marked")
	y := s.axis(width, math.Max(float64(top), 3), plain)
	slot := float64(width-leftSpace-rightSpace) / shown
	for i, w := range all {
		x := leftSpace + float64(i)*slot
		title := fmt.Sprintf("week of %s: %d stops, %d blocked", w.Start.Format("2 Jan"), w.Stops, w.Blocked)
		s.rect(x+slot*0.15, y(float64(w.Stops)), slot*0.7, y(0)-y(float64(w.Stops)), "bar", title)
		s.rect(x+slot*0.15, y(float64(w.Blocked)), slot*0.7, y(0)-y(float64(w.Blocked)), "bar bad", title)
		if (shown-1-i)%every == 0 {
			s.text(x+slot/2, plotHeight-7, "tick mid", w.Start.Format("2 Jan"))
		}
	}
	return s.done()
}

func monday(t time.Time) time.Time {
	t = t.UTC()
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
}

// daysPlot shows time spent (up) against time saved (beside it) per day.
func daysPlot(days []ask.Bucket, now time.Time, count int) template.HTML {
	count = min(max(count, 7), 60)
	today := time.Date(now.UTC().Year(), now.UTC().Month(), now.UTC().Day(), 0, 0, 0, 0, time.UTC)
	all := make([]ask.Bucket, count)
	top := 0.0
	for i := range all {
		all[i].Start = today.AddDate(0, 0, i-count+1)
		for _, d := range days {
			if d.Start.Equal(all[i].Start) {
				all[i] = d
			}
		}
		top = math.Max(top, math.Max(all[i].SpentMS, all[i].SavedMS))
	}
	s := newSVG(plotWidth, plotHeight, "Time that gates took and time that proofs saved, per day")
	y := s.axis(plotWidth, math.Max(top, 1000), duration)
	slot := float64(plotWidth-leftSpace-rightSpace) / float64(count)
	every := count/8 + 1
	for i, d := range all {
		x := leftSpace + float64(i)*slot
		title := fmt.Sprintf("%s: %s spent, %s saved", d.Start.Format("2 Jan"), duration(d.SpentMS), duration(d.SavedMS))
		s.rect(x+slot*0.12, y(d.SpentMS), slot*0.36, y(0)-y(d.SpentMS), "bar", title)
		s.rect(x+slot*0.52, y(d.SavedMS), slot*0.36, y(0)-y(d.SavedMS), "bar good", title)
		if (count-1-i)%every == 0 {
			s.text(x+slot/2, plotHeight-7, "tick mid", d.Start.Format("2 Jan"))
		}
	}
	return s.done()
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
	width := math.Max(math.Max(total, at), 0.001)
	for _, b := range bars {
		width = math.Max(width, b.from+b.took)
	}
	const names, row, room = 200, 22, 90
	height := len(bars)*row + 8
	s := newSVG(plotWidth, height, "Where the time of this stop went")
	for i, b := range bars {
		top := float64(i*row + 4)
		scale := float64(plotWidth-names-room) / width
		s.text(names-8, top+14, "tick end", short(b.name, 20))
		s.rect(names+b.from*scale, top+3, math.Max(b.took*scale, 1.5), row-8, b.class, b.title)
		s.text(names+(b.from+b.took)*scale+6, top+14, "tick", b.note)
	}
	return s.done()
}

// sourcesPlot shows how the results of gates came about.
func sourcesPlot(gates []ask.Gate) template.HTML {
	var ran, reused, agent, worktree, remote int
	for _, g := range gates {
		ran, reused, agent, worktree, remote = ran+g.Runs, reused+g.Reused, agent+g.Agent, worktree+g.Worktree, remote+g.Remote
	}
	const names, row, room = 200, 30, 130
	s := newSVG(plotWidth, 5*row+8, "Where results of gates come from")
	top := max(ran, reused, agent, worktree, remote, 1)
	for i, b := range []struct {
		name, class string
		n           int
	}{{"run here", "bar", ran}, {"reused, proved here", "bar good", reused}, {"run by the agent", "bar good", agent}, {"another work tree", "bar good", worktree}, {"another machine", "bar good", remote}} {
		y := float64(i*row + 4)
		w := float64(plotWidth-names-room) * float64(b.n) / float64(top)
		s.text(names-8, y+17, "tick end", b.name)
		s.rect(names, y+4, math.Max(w, 1.5), row-12, b.class, fmt.Sprintf("%s: %d results", b.name, b.n))
		s.text(names+w+6, y+17, "tick", text.Count(b.n, "result"))
	}
	return s.done()
}

// sparkPlot shows the newest run times of one gate, with the median as a line.
func sparkPlot(recent []float64, median *float64, label string) template.HTML {
	const width, height, shown = 160, 36, 40
	if len(recent) > shown {
		recent = recent[len(recent)-shown:]
	}
	s := newSVG(width, height, label)
	top := 0.0
	for _, v := range recent {
		top = math.Max(top, v)
	}
	if top > 0 {
		slot := float64(width) / shown
		for i, v := range recent {
			h := math.Max(v/top*(height-4), 1)
			s.rect(float64(i+shown-len(recent))*slot+0.5, height-h, slot-1, h, "bar", duration(v))
		}
		if median != nil {
			y := height - *median/top*(height-4)
			s.line(0, y, width, y, "median")
		}
	}
	return s.done()
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
