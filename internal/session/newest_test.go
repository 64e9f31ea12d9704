package session

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// newest is the number in the newest memory that match accepts, 0 for none.
func newest(st Store, match func(n int) bool) int {
	number := func(s *State) int {
		var got section
		s.Get("room", &got)
		return got.N
	}
	s := st.Newest(func(s *State) bool { return match(number(s)) })
	if s == nil {
		return 0
	}
	return number(s)
}

func TestNewest(t *testing.T) {
	any := func(int) bool { return true }
	if n := newest(Store{}, any); n != 0 {
		t.Errorf("no store at all: %d", n)
	}
	st := store(t)
	if n := newest(st, any); n != 0 {
		t.Errorf("no sessions yet: %d", n)
	}
	start := time.Now().Add(-time.Hour)
	// Written in this order; session 2 is the one written last.
	for i, at := range []int{3, 5, 1} {
		id := fmt.Sprint("s", i+1)
		if err := st.Update(t.Context(), id, func(s *State) bool { return s.Set("room", section{i + 1}) == nil }); err != nil {
			t.Fatal(err)
		}
		when := start.Add(time.Duration(at) * time.Minute)
		if err := os.Chtimes(filepath.Join(st.Dir, "sessions", Key(id)+".json"), when, when); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name  string
		match func(int) bool
		want  int
	}{
		{"the last one written", any, 2},
		{"the last one that fits", func(n int) bool { return n != 2 }, 1},
		{"none fits", func(int) bool { return false }, 0},
	} {
		if got := newest(st, tt.match); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	// Files of another kind, and one that Gauntlet did not write, are skipped.
	later := start.Add(time.Minute * 30)
	for _, name := range []string{"x.lock", "forged.json"} {
		path := filepath.Join(st.Dir, "sessions", name)
		if err := os.WriteFile(path, []byte(`{"room":{"N":9}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
	}
	if got := newest(st, any); got != 2 {
		t.Errorf("a foreign file counts: %d", got)
	}
}

// A hook reads a bounded number of sessions, however many there are.
func TestNewestLooksAtABoundedNumber(t *testing.T) {
	st := store(t)
	start := time.Now().Add(-time.Hour)
	for i := range maxLooked + 5 {
		id := fmt.Sprint("s", i)
		if err := st.Update(t.Context(), id, func(s *State) bool { return s.Set("room", section{i + 1}) == nil }); err != nil {
			t.Fatal(err)
		}
		when := start.Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(filepath.Join(st.Dir, "sessions", Key(id)+".json"), when, when); err != nil {
			t.Fatal(err)
		}
	}
	looked := 0
	st.Newest(func(*State) bool { looked++; return false })
	if looked != maxLooked {
		t.Errorf("looked at %d sessions", looked)
	}
}
