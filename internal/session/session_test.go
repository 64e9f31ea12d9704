package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

type section struct{ N int }

func TestSectionsSurvive(t *testing.T) {
	st := Store{Dir: filepath.Join(t.TempDir(), "gauntlet")}
	for i := range 3 {
		err := st.Update(t.Context(), "s1", func(s *State) bool {
			return s.Set(fmt.Sprintf("room%d", i), section{i}) == nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := st.Load("s1")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		var got section
		if !s.Get(fmt.Sprintf("room%d", i), &got) || got.N != i {
			t.Errorf("room%d: %+v", i, got)
		}
	}
	if other, _ := st.Load("s2"); !other.Empty() {
		t.Error("sessions are not separate")
	}
}

func TestHostileIDsStayInside(t *testing.T) {
	base := t.TempDir()
	st := Store{Dir: filepath.Join(base, "gauntlet")}
	for _, id := range []string{"../../../etc/passwd", "/abs", "a/b", "\x00", strings.Repeat("x", 10000), "", "..", "-rf", "a\nb"} {
		if err := st.Update(t.Context(), id, func(s *State) bool { return s.Set("x", section{1}) == nil }); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	entries, err := os.ReadDir(base)
	if err != nil || len(entries) != 1 {
		t.Errorf("left the folder: %v %v", entries, err)
	}
}

func TestBrokenMemoryIsSetAside(t *testing.T) {
	st := Store{Dir: t.TempDir()}
	if err := os.MkdirAll(filepath.Dir(st.path("s")), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(st.path("s"), []byte("{torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := st.Load("s")
	if err == nil || !s.Empty() {
		t.Errorf("broken memory: %v %v", s, err)
	}
	if err := st.Update(t.Context(), "s", func(s *State) bool { return s.Set("x", section{7}) == nil }); err != nil {
		t.Fatal(err)
	}
	s, err = st.Load("s")
	var got section
	if err != nil || !s.Get("x", &got) || got.N != 7 {
		t.Errorf("not usable again: %v %v", got, err)
	}
}

func TestConcurrentUpdatesLoseNothing(t *testing.T) {
	st := Store{Dir: t.TempDir()}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			err := st.Update(t.Context(), "s", func(s *State) bool {
				var c section
				s.Get("count", &c)
				c.N++
				return s.Set("count", c) == nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, _ := st.Load("s")
	var c section
	if s.Get("count", &c); c.N != 50 {
		t.Errorf("%d of 50 updates kept", c.N)
	}
}

func TestSweepForgetsOldSessions(t *testing.T) {
	st := Store{Dir: t.TempDir()}
	for _, id := range []string{"old", "new"} {
		if err := st.Update(t.Context(), id, func(s *State) bool { return s.Set("x", section{1}) == nil }); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-15 * 24 * time.Hour)
	_ = os.Chtimes(st.path("old"), past, past)
	st.sweep(time.Now()) // swept today already: nothing happens
	if _, err := os.Stat(st.path("old")); err != nil {
		t.Error("swept twice a day")
	}
	_ = os.Chtimes(filepath.Join(st.Dir, "swept"), past, past)
	st.sweep(time.Now())
	if _, err := os.Stat(st.path("old")); err == nil {
		t.Error("old session still there")
	}
	if _, err := os.Stat(st.path("new")); err != nil {
		t.Error("new session swept")
	}
}

func TestOff(t *testing.T) {
	st := Store{Dir: t.TempDir()}
	now := time.Now()
	if _, off := st.IsOff("s", now); off {
		t.Fatal("off from the start")
	}
	if err := st.SwitchOff("s", Off{Since: now, Until: now.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if _, off := st.IsOff("s", now); !off {
		t.Error("session not off")
	}
	if _, off := st.IsOff("other", now); off {
		t.Error("other session off too")
	}
	if _, off := st.IsOff("s", now.Add(2*time.Hour)); off {
		t.Error("still off after its time")
	}
	if err := st.SwitchOff("", Off{Since: now}); err != nil {
		t.Fatal(err)
	}
	if _, off := st.IsOff("other", now); !off {
		t.Error("not everything off")
	}
	if was, err := st.SwitchOn(""); !was || err != nil {
		t.Error(was, err)
	}
	if was, err := st.SwitchOn(""); was || err != nil {
		t.Error(was, err)
	}
}

func TestNoPlace(t *testing.T) {
	st := Open("", "/x", "")
	if _, err := st.Load("s"); err == nil {
		t.Error("no error")
	}
	if err := st.Update(t.Context(), "s", func(*State) bool { return true }); err == nil {
		t.Error("no error")
	}
	if err := st.Beat(Heartbeat{}); err == nil {
		t.Error("no error")
	}
}

func TestHeartbeats(t *testing.T) {
	st := Store{Dir: t.TempDir()}
	for _, a := range []string{"claude", "codex", "claude", "../../evil"} {
		if err := st.Beat(Heartbeat{Agent: a, Event: "stop", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	if got := st.Heartbeats(); len(got) != 3 {
		t.Errorf("%v", got)
	}
}
