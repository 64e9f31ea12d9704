package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gauntlet/internal/gate"
)

// screen is as much of a terminal as the live view uses.
type screen struct {
	mu    sync.Mutex
	width int
	lines []string
	row   int
	wrap  bool
	raw   bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw.Write(p)
	text := string(p)
	for text != "" {
		switch {
		case strings.HasPrefix(text, "\x1b["):
			end := strings.IndexFunc(text[2:], func(r rune) bool { return r >= '@' }) + 2
			arg, _ := strconv.Atoi(text[2:end])
			switch text[end] {
			case 'A':
				s.row -= arg
			case 'J':
				s.lines = s.lines[:min(len(s.lines), s.row)]
			}
			text = text[end+1:]
		case text[0] == '\r':
			text = text[1:]
		case text[0] == '\n':
			s.row++
			text = text[1:]
		default:
			end := strings.IndexAny(text, "\x1b\r\n")
			if end < 0 {
				end = len(text)
			}
			for len(s.lines) <= s.row {
				s.lines = append(s.lines, "")
			}
			s.lines[s.row] += text[:end]
			if w := wide(s.lines[s.row]); w >= s.width {
				s.wrap = true
			}
			text = text[end:]
		}
	}
	return len(p), nil
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}

func liveOn(s *screen, width, height int, colour bool) View {
	return NewView(s, Terminal{Live: true, Colour: colour, Size: func() (int, int) { return width, height }}, time.Now)
}

func TestLiveView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &screen{width: 60}
		v := liveOn(s, 60, 24, false)
		v.Start("check:.:lint", gate.KindCheck)
		v.Start("check:.:unit", gate.KindCheck)
		v.Line("check:.:unit", "\x1b[31mok\x1b[0m  pkg/a \x07 "+strings.Repeat("long ", 50))
		v.Line("check:.:lint", "10%\r20%\r")
		time.Sleep(1550 * time.Millisecond)
		want := "RUN   lint 1.5s  20%\nRUN   unit 1.5s  ok  pkg/a  long long long long long long …"
		if got := s.String(); got != want {
			t.Errorf("while running:\n%s", got)
		}
		v.Done(gate.Result{ID: "check:.:lint", Status: gate.Fail, DurationMS: 1700, Message: "exit code 1"})
		time.Sleep(300 * time.Millisecond)
		want = "FAIL  lint (1.7 s) - exit code 1\nRUN   unit 1.8s  ok  pkg/a  long long long long long long …"
		if got := s.String(); got != want {
			t.Errorf("one done:\n%s", got)
		}
		v.Done(gate.Result{ID: "check:.:unit", Status: gate.Pass, DurationMS: 2000})
		v.Close()
		v.Close()
		if got := s.String(); got != "FAIL  lint (1.7 s) - exit code 1\nPASS  unit (2.0 s)" {
			t.Errorf("at the end:\n%s", got)
		}
		if s.wrap || strings.Contains(s.raw.String(), "\x1b[3") || strings.Contains(s.raw.String(), "\x07") {
			t.Errorf("wrapped %v, or colours and control characters got through: %q", s.wrap, s.raw.String())
		}
	})
}

func TestLiveViewOnSmallTerminals(t *testing.T) {
	for _, width := range []int{1, 2, 10, 20, 40} {
		synctest.Test(t, func(t *testing.T) {
			s := &screen{width: width}
			v := liveOn(s, width, 6, true)
			for i := range 12 {
				id := fmt.Sprintf("check:pakete/日本語:gate-%d", i)
				v.Start(id, gate.KindCheck)
				v.Line(id, "コンパイル中 "+strings.Repeat("界", 60))
			}
			time.Sleep(time.Second)
			if got := len(strings.Split(s.String(), "\n")); got > 5 {
				t.Errorf("width %d: %d lines on a terminal of 6", width, got)
			}
			if width >= 10 && s.wrap {
				t.Errorf("width %d: lines wrap:\n%s", width, s)
			}
			v.Close()
		})
	}
}

func TestPlainView(t *testing.T) {
	var b bytes.Buffer
	v := NewView(&b, Terminal{}, time.Now)
	v.Start("check:.:lint", gate.KindCheck)
	v.Line("check:.:lint", "noise")
	v.Done(gate.Result{ID: "check:.:lint", Status: gate.Pass, Cached: true, Message: "unchanged\x1b[2J"})
	v.Close()
	if got := b.String(); got != "START lint\nPASS  lint (reused) - unchanged\n" {
		t.Errorf("got %q", got)
	}
}

func TestColoursOnlyWhereWanted(t *testing.T) {
	var b bytes.Buffer
	if d := Detect(&b, func(string) string { return "" }); d.Live || d.Colour {
		t.Errorf("a buffer is no terminal: %+v", d)
	}
	for _, colour := range []bool{false, true} {
		s := &screen{width: 80}
		v := liveOn(s, 80, 24, colour)
		v.Done(gate.Result{ID: "x", Status: gate.Pass})
		v.Close()
		if got := regexp.MustCompile(`\x1b\[[0-9;]*m`).MatchString(s.raw.String()); got != colour {
			t.Errorf("colour %v: %q", colour, s.raw.String())
		}
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"exactly", 7, "exactly"},
		{"a bit longer", 6, "a bit…"},
		{"日本語", 6, "日本語"},
		{"日本語x", 6, "日本…"},
		{"a\tb\nc", 10, "a b c"},
		{"\x1b[1mx\x1b[0m", 3, "x"},
		{"x", 0, ""},
		{"x", -3, ""},
		{"", 5, ""},
	} {
		if got := fit(tt.in, tt.width); got != tt.want || wide(got) > max(tt.width, 0) {
			t.Errorf("fit(%q, %d) = %q", tt.in, tt.width, got)
		}
	}
}

func TestViewFromManyGoroutines(t *testing.T) {
	s := &screen{width: 80}
	v := liveOn(s, 80, 24, false)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			id := fmt.Sprint(i)
			v.Start(id, gate.KindCheck)
			for range 100 {
				v.Line(id, "line")
			}
			v.Done(gate.Result{ID: id, Status: gate.Pass})
		})
	}
	wg.Wait()
	v.Close()
	if got := strings.Count(s.String(), "PASS"); got != 20 {
		t.Errorf("%d of 20 gates are shown", got)
	}
}
