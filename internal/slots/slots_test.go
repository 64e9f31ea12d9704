package slots

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/safefile"
)

// clock is a time that moves only when somebody waits.
type clock struct {
	now   time.Time
	waits int
	each  func(n int) // called at every wait
}

func (c *clock) machine(t *testing.T, count int, busy bool) Machine {
	t.Helper()
	c.now = time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	return Machine{
		Dir: filepath.Join(t.TempDir(), "slots"), Count: count,
		Busy: func() bool { return busy }, Now: func() time.Time { return c.now },
		Pause: func(ctx context.Context, d time.Duration) bool {
			c.waits++
			c.now = c.now.Add(d)
			if c.each != nil {
				c.each(c.waits)
			}
			return ctx.Err() == nil
		},
	}
}

func TestAnIdleMachineNeverWaits(t *testing.T) {
	var c clock
	m := c.machine(t, 1, false)
	first := m.Take(t.Context(), Who{Repo: "a"}, time.Minute, nil)
	defer first.Release()
	second := m.Take(t.Context(), Who{Repo: "b"}, time.Minute, nil)
	if c.waits != 0 || len(first.held) != 1 || len(second.held) != 0 {
		t.Errorf("waited %d times; held %d and %d", c.waits, len(first.held), len(second.held))
	}
}

func TestABusyMachineWaitsForASlot(t *testing.T) {
	var c clock
	m := c.machine(t, 1, true)
	first := m.Take(t.Context(), Who{Repo: "a", What: "test in a"}, time.Minute, nil)
	c.each = func(n int) {
		if n == 3 {
			first.Release()
		}
	}
	var told []Who
	second := m.Take(t.Context(), Who{Repo: "b"}, time.Minute, func(w []Who) { told = w })
	if len(second.held) != 1 || c.waits != 3 {
		t.Errorf("held %d after %d waits", len(second.held), c.waits)
	}
	if len(told) != 1 || told[0].What != "test in a" {
		t.Errorf("told %+v", told)
	}
	second.Release()
	if left, _ := filepath.Glob(filepath.Join(m.Dir, ticketPrefix+"*")); len(left) > 0 {
		t.Errorf("tickets left: %v", left)
	}
}

func TestWaitingEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		limit time.Duration
		each  func(c *clock, cancel func())
	}{
		"when the limit is over":  {limit: 10 * poll, each: func(*clock, func()) {}},
		"when the run is stopped": {limit: time.Hour, each: func(_ *clock, cancel func()) { cancel() }},
	} {
		t.Run(name, func(t *testing.T) {
			var c clock
			m := c.machine(t, 1, true)
			defer m.Take(t.Context(), Who{}, time.Minute, nil).Release()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.each = func(int) { tt.each(&c, cancel) }
			s := m.Take(ctx, Who{}, tt.limit, nil)
			if len(s.held) != 0 || c.waits == 0 {
				t.Errorf("held %d after %d waits", len(s.held), c.waits)
			}
		})
	}
}

func TestNoLocksNoWaiting(t *testing.T) {
	var c clock
	m := c.machine(t, 1, true)
	if err := os.WriteFile(m.Dir, nil, 0o600); err != nil { // where the directory should be
		t.Fatal(err)
	}
	if s := m.Take(t.Context(), Who{}, time.Minute, nil); c.waits != 0 || len(s.held) != 0 {
		t.Errorf("waited %d times", c.waits)
	}
}

func TestWhatADeadProcessLeftDoesNotCount(t *testing.T) {
	var c clock
	m := c.machine(t, 1, true)
	if err := os.MkdirAll(m.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ticket := filepath.Join(m.Dir, ticketPrefix+"1-1.lock")
	for _, name := range []string{ticket, m.path(0)} {
		if err := os.WriteFile(name, []byte(`{"class":0,"repo":"dead","pid":1}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := m.Take(t.Context(), Who{Class: Ahead}, time.Minute, nil)
	defer s.Release()
	if len(s.held) != 1 || c.waits != 0 {
		t.Errorf("held %d after %d waits", len(s.held), c.waits)
	}
	if safefile.Exists(ticket) {
		t.Error("the ticket of a dead process is still there")
	}
}

func TestAheadIsWantedByOthers(t *testing.T) {
	var c clock
	m := c.machine(t, 1, true)
	ahead := m.Take(t.Context(), Who{Class: Ahead, Repo: "a"}, time.Minute, nil)
	if ahead.Wanted() {
		t.Fatal("wanted by nobody")
	}
	c.each = func(n int) {
		if !ahead.Wanted() {
			t.Error("a stop waits")
		}
		ahead.Release()
	}
	if s := m.Take(t.Context(), Who{Class: Stop, Repo: "b"}, time.Minute, nil); len(s.held) != 1 {
		t.Error("the stop did not get the slot")
	}
}

func TestTakeAllWaitsForEveryone(t *testing.T) {
	var c clock
	m := c.machine(t, 2, true)
	other := m.Take(t.Context(), Who{Repo: "a"}, time.Minute, nil)
	c.each = func(n int) {
		if n == 2 {
			other.Release()
		}
	}
	s := m.TakeAll(t.Context(), Who{Repo: "b"}, time.Minute)
	if len(s.held) != 3 || c.waits != 2 {
		t.Errorf("held %d after %d waits", len(s.held), c.waits)
	}
	s.Release()
	if h := m.Holders(); len(h) != 0 {
		t.Errorf("still held: %+v", h)
	}
}

func TestOrder(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	for name, tt := range map[string]struct {
		waiting, holders []Who
		want             string
	}{
		"first come, first served": {waiting: []Who{{Repo: "b", Since: at(2)}, {Repo: "a", Since: at(1)}}, want: "a b"},
		"a stop before a person":   {waiting: []Who{{Class: Hand, Repo: "a", Since: at(1)}, {Class: Stop, Repo: "b", Since: at(2)}}, want: "b a"},
		"ahead is last":            {waiting: []Who{{Class: Ahead, Repo: "a", Since: at(1)}, {Class: Hand, Repo: "b", Since: at(2)}}, want: "b a"},
		"a repository that has all but one lets another go first": {
			waiting: []Who{{Repo: "a", Since: at(1)}, {Class: Hand, Repo: "b", Since: at(2)}}, holders: []Who{{Repo: "a"}}, want: "b a",
		},
		"but not a run ahead": {
			waiting: []Who{{Repo: "a", Since: at(1)}, {Class: Ahead, Repo: "b", Since: at(2)}}, holders: []Who{{Repo: "a"}}, want: "a b",
		},
	} {
		t.Run(name, func(t *testing.T) {
			order(tt.waiting, tt.holders, 2)
			var got []string
			for _, w := range tt.waiting {
				got = append(got, w.Repo)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

// TestTheKernelFreesSlots kills a process that holds the only slot.
func TestTheKernelFreesSlots(t *testing.T) {
	if dir := os.Getenv("SLOTS_TEST_HOLD"); dir != "" {
		Machine{Dir: dir, Count: 1}.Take(t.Context(), Who{Repo: "child"}, time.Minute, nil)
		_, _ = os.Stdout.WriteString("held\n")
		select {} // until it is killed
	}
	var c clock
	m := c.machine(t, 1, true)
	child := exec.Command(os.Args[0], "-test.run=^TestTheKernelFreesSlots$")
	child.Env = append(os.Environ(), "SLOTS_TEST_HOLD="+m.Dir)
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 5)
	if _, err := out.Read(buf); err != nil || string(buf) != "held\n" {
		t.Fatalf("%q %v", buf, err)
	}
	if h := m.Holders(); len(h) != 1 || h[0].Repo != "child" {
		t.Errorf("holders %+v", h)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	if s := m.Take(t.Context(), Who{}, 0, nil); len(s.held) != 1 {
		t.Error("the slot of a killed process was not freed")
	}
}

func TestValueOfPressure(t *testing.T) {
	line := "some avg10=92.66 avg60=79.82 avg300=48.59 total=314688250"
	if value(line, "avg10=") != "92.66" || value(line, "total=") != "314688250" || value(line, "none=") != "" {
		t.Error(value(line, "avg10="), value(line, "total="), value(line, "none="))
	}
}

func BenchmarkUncontended(b *testing.B) {
	m := Machine{Dir: filepath.Join(b.TempDir(), "slots"), Count: 1}
	for b.Loop() {
		m.Take(b.Context(), Who{Repo: "a", What: "test"}, time.Minute, nil).Release()
	}
}
