package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
)

// View shows gates while they run. Close ends it; nothing is drawn afterwards.
type View interface {
	gate.Observer
	Close()
}

// NewView is the view that fits the terminal.
func NewView(w io.Writer, t Terminal, now func() time.Time) View {
	if !t.Live {
		return &plain{w: w}
	}
	v := &live{w: w, t: t, now: now, stop: make(chan struct{}), stopped: make(chan struct{})}
	go v.loop()
	return v
}

// plain writes a line when a gate starts and one when it is done.
type plain struct {
	mu sync.Mutex
	w  io.Writer
}

func (p *plain) Start(id string, _ gate.Kind) { p.print("START " + redact.Line(gate.Label(id), 200)) }
func (p *plain) Waiting(text string)          { p.print(redact.Line(text, 300)) }
func (p *plain) Line(string, string)          {}
func (p *plain) Done(r gate.Result)           { p.print(run.GateLine(r)) }
func (p *plain) Close()                       {}

// print writes one complete line; a reader that closed the stream must not stop the gates.
func (p *plain) print(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.w, redact.Strip(line)+"\n")
}

// redrawEvery is how often the live view is drawn.
const redrawEvery = 100 * time.Millisecond

// live keeps one line per running gate at the bottom of the terminal: its name,
// its time, its last line. Finished gates move up and stay.
type live struct {
	w   io.Writer
	t   Terminal
	now func() time.Time

	mu      sync.Mutex
	running []*row
	done    []gate.Result // not drawn yet
	drawn   int           // lines on the screen that the next frame replaces
	closed  bool

	stop, stopped chan struct{}
}

type row struct {
	id    string
	start time.Time
	last  string // as the gate wrote it; made clean only when drawn
}

func (v *live) Start(id string, _ gate.Kind) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.running = append(v.running, &row{id: id, start: v.now()})
}

// Line is called for every line of output: it only stores it.
func (v *live) Line(id, text string) {
	text = strings.TrimRight(text, "\r\n")
	text = text[strings.LastIndexByte(text, '\r')+1:] // a progress bar overwrites itself
	if strings.TrimSpace(text) == "" {
		return
	}
	text = strings.Clone(text[:min(len(text), 1024)])
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.running {
		if r.id == id {
			r.last = text
		}
	}
}

func (v *live) Done(res gate.Result) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.running = slices.DeleteFunc(v.running, func(r *row) bool { return r.id == res.ID })
	v.done = append(v.done, res)
}

func (v *live) loop() {
	defer close(v.stopped)
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			v.draw()
		case <-v.stop:
			return
		}
	}
}

// Close draws what is left and leaves the cursor on a new line.
func (v *live) Close() {
	v.mu.Lock()
	first := !v.closed
	v.closed = true
	v.mu.Unlock()
	if !first {
		return
	}
	close(v.stop)
	<-v.stopped
	v.draw()
}

// draw replaces the running lines by a new frame, in one write.
func (v *live) draw() {
	v.mu.Lock()
	defer v.mu.Unlock()
	width, height := v.t.Size()
	var b bytes.Buffer
	if v.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", v.drawn) // up to the first running line
	}
	b.WriteString("\r\x1b[J")
	for _, r := range v.done {
		b.WriteString(v.finished(r, width) + "\n")
	}
	v.done = nil
	v.drawn = 0
	room := max(1, height-2)
	for i, r := range v.running {
		if i == room-1 && len(v.running) > room {
			fmt.Fprintf(&b, "%s\n", fit(fmt.Sprintf("      … and %d more", len(v.running)-i), width-1))
			v.drawn++
			break
		}
		b.WriteString(v.atWork(r, width) + "\n")
		v.drawn++
	}
	_, _ = v.w.Write(b.Bytes())
}

// atWork is one running gate; lines never wrap, or the cursor position would be wrong.
func (v *live) atWork(r *row, width int) string {
	head := fmt.Sprintf("RUN   %s %s", fit(gate.Label(r.id), max(10, width/2)), short(v.now().Sub(r.start)))
	head = fit(head, width-1)
	text := fit(redact.String(r.last), width-1-wide(head)-2)
	if text == "" {
		return v.t.paint(bold, head)
	}
	return v.t.paint(bold, head) + "  " + v.t.paint(dim, text)
}

func (v *live) finished(r gate.Result, width int) string {
	line := fit(run.GateLine(r), width-1)
	word, rest, ok := strings.Cut(line, " ")
	if !ok {
		return line
	}
	colour := statusColour(r.Status)
	if r.WouldBlock {
		colour = yellow
	}
	return v.t.paint(colour, word) + " " + rest
}

func statusColour(s gate.Status) string {
	switch s {
	case gate.Pass:
		return green
	case gate.Fail:
		return red
	case gate.Error:
		return yellow
	case gate.Skipped:
		return dim
	}
	return bold
}

// short formats a duration briefly: 0.3s, 12.0s, 3m05s.
func short(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}
