package workflow

import (
	"os"
	"testing"
	"time"
)

// The work itself, without the start of a process; `make bench` measures that too.
func benchStore(b *testing.B) *Store {
	b.Helper()
	s := Open(b.TempDir(), time.Now, func(line string) { b.Error(line) })
	if !s.UpdatePhase(b.Context(), "implement", "phase-1", Update{Status: InProgress}, "") {
		b.Fatal("no record")
	}
	return s
}

func BenchmarkLoad(b *testing.B) {
	s := benchStore(b)
	for b.Loop() {
		if s.LoadProgress(b.Context(), "implement", "") == nil {
			b.Fatal("no record")
		}
	}
}

func BenchmarkUpdatePhase(b *testing.B) {
	s := benchStore(b)
	for b.Loop() {
		s.UpdatePhase(b.Context(), "implement", "phase-1", Update{Status: InProgress}, "")
	}
}

// The cost of the disk alone for the same guarantee.
func BenchmarkTwoSyncs(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		f, err := os.CreateTemp(dir, "x")
		if err != nil {
			b.Fatal(err)
		}
		_, _ = f.WriteString("x")
		_ = f.Sync()
		_ = f.Close()
		_ = os.Rename(f.Name(), dir+"/y")
		d, err := os.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		_ = d.Sync()
		_ = d.Close()
	}
}
