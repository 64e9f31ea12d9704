package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
)

type section struct{ N int }

func store(t *testing.T) Store {
	t.Helper()
	return Store{Dir: filepath.Join(t.TempDir(), "gauntlet"), Sealer: seal.New(t.TempDir())}
}

func TestSectionsSurvive(t *testing.T) {
	st := store(t)
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
	st := Store{Dir: filepath.Join(base, "gauntlet"), Sealer: seal.New(t.TempDir())}
	for _, id := range []string{"../../../etc/passwd", "/abs", "a/b", "\x00", strings.Repeat("x", 10000), "", "..", "-rf", "a\nb"} {
		if err := st.Update(t.Context(), id, func(s *State) bool { return s.Set("x", section{1}) == nil }); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	entries, err := os.ReadDir(base)
	if err != nil || len(entries) != 1 {
		t.Errorf("left the directory: %v %v", entries, err)
	}
}

func TestBrokenMemoryIsSetAside(t *testing.T) {
	st := store(t)
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
	st := store(t)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			count := func(s *State) bool {
				var c section
				s.Get("count", &c)
				c.N++
				return s.Set("count", c) == nil
			}
			err := st.Update(t.Context(), "s", count)
			for errors.Is(err, safefile.ErrHeld) { // on a busy machine; it was not counted, and the caller knows
				err = st.Update(t.Context(), "s", count)
			}
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
	st := store(t)
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
	left, fresh := filepath.Join(st.Dir, ".x.json.tmp-1"), filepath.Join(st.Dir, "sessions", ".y.json.tmp-2")
	for _, name := range []string{left, fresh} { // of processes that were killed
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Chtimes(left, past, past)
	st.sweep(time.Now())
	if _, err := os.Stat(left); err == nil {
		t.Error("a temporary file is still there")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("a temporary file in use was swept")
	}
	if _, err := os.Stat(st.path("old")); err == nil {
		t.Error("old session still there")
	}
	if _, err := os.Stat(st.path("new")); err != nil {
		t.Error("new session swept")
	}
}

func TestOff(t *testing.T) {
	st := store(t)
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
	st := Open("", "/x", seal.New(""))
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
	st := store(t)
	for _, a := range []string{"claude", "codex", "claude", "../../evil"} {
		if err := st.Beat(Heartbeat{Agent: a, Event: "stop", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	if got := st.Heartbeats(); len(got) != 3 {
		t.Errorf("%v", got)
	}
}

// TestForgedMemoryCountsAsMissing: a process that can write to the git directory can put
// files there, but cannot forge Gauntlet's.
func TestForgedMemoryCountsAsMissing(t *testing.T) {
	st, other := store(t), store(t)
	set := func(s *State) bool { return s.Set("x", section{1}) == nil }
	for _, s := range []Store{st, other} {
		if err := s.Update(t.Context(), "s", set); err != nil {
			t.Fatal(err)
		}
	}
	foreign, err := os.ReadFile(other.path("s"))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(st.path("s"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"plain":       []byte(`{"x":{"N":9}}`),
		"edited":      bytes.Replace(ours, []byte("1}"), []byte("2}"), 1),
		"another key": foreign,
		"empty":       nil,
	} {
		if err := os.WriteFile(st.path("s"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := st.Load("s"); !errors.Is(err, ErrForged) || !s.Empty() {
			t.Errorf("%s: %v %v", name, s, err)
		}
	}
	if err := os.WriteFile(st.path("s2"), ours, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Load("s2"); !errors.Is(err, ErrForged) {
		t.Errorf("another session's memory: %v", err)
	}
}

func TestForgedSwitchDoesNotCount(t *testing.T) {
	st, other := store(t), store(t)
	other.Sealer = st.Sealer
	now := time.Now()
	if err := other.SwitchOff("", Off{Since: now}); err != nil {
		t.Fatal(err)
	}
	thrownElsewhere, err := os.ReadFile(other.offPath(""))
	if err != nil {
		t.Fatal(err)
	}
	if err := st.prepare("off"); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"touched": nil, "plain": []byte(`{}`), "of another project": thrownElsewhere} {
		if err := os.WriteFile(st.offPath(""), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, off, err := st.Switch("s", now); off || !errors.Is(err, ErrForged) {
			t.Errorf("%s: off %t, %v", name, off, err)
		}
	}
}

// TestLinksAreNotWrittenThrough: a committed or planted link must not redirect Gauntlet's
// writes to a file of the user.
func TestLinksAreNotWrittenThrough(t *testing.T) {
	st := store(t)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	beat := filepath.Join(st.Dir, "heartbeats", "claude.stop.json")
	if err := os.MkdirAll(filepath.Dir(beat), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{beat, filepath.Join(st.Dir, "swept")} {
		if err := os.Symlink(victim, name); err != nil {
			t.Skipf("SKIP: this platform cannot make links: %v", err)
		}
	}
	if err := os.Symlink(filepath.Dir(victim), filepath.Join(st.Dir, "sessions")); err != nil {
		t.Fatal(err)
	}
	if err := st.Beat(Heartbeat{Agent: "claude", Event: "stop"}); err != nil {
		t.Error(err)
	}
	if err := st.Update(t.Context(), "s", func(s *State) bool { return s.Set("x", section{1}) == nil }); err == nil {
		t.Error("wrote through a directory that is a link")
	}
	if b, err := os.ReadFile(victim); err != nil || string(b) != "theirs" {
		t.Errorf("victim: %q %v", b, err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(victim)); len(entries) != 1 {
		t.Errorf("made beside the victim: %v", entries)
	}
}

// FuzzState: a file in place of a session's memory is read only if Gauntlet wrote it.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"turn":{"blocks":[]}}`), true)
	f.Add([]byte("v1:00 {}"), false)
	dir, home := f.TempDir(), f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		st := Store{Dir: dir, Sealer: seal.New(home)}
		if err := st.prepare("sessions"); err != nil {
			t.Fatal(err)
		}
		if sealed {
			var err error
			if data, err = st.Sealer.Seal(sessionPurpose(st.path("s")), data); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(st.path("s"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := st.Load("s")
		if !sealed && err == nil && !s.Empty() {
			t.Fatalf("believed %q", data)
		}
		var v section
		s.Get("turn", &v)
	})
}
