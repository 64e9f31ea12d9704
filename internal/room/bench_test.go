package room

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkMove lays out 20,000 files, then moves on to a content in which one differs.
func BenchmarkMove(b *testing.B) {
	for b.Loop() {
		w := newWorld(b, true)
		for i := range 20_000 {
			w.write(w.house.Repo.Root, fmt.Sprintf("d%d/f%d.txt", i%100, i), fmt.Sprintf("file %d\n", i))
		}
		a := w.take()
		start := time.Now()
		r := w.room(a)
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "first-ms")
		if err := r.Move(b.Context(), a); err != nil { // files of this second are read again
			b.Fatal(err)
		}
		w.write(w.house.Repo.Root, "d1/f1.txt", "other\n")
		a = w.take()
		start = time.Now()
		if err := r.Move(b.Context(), a); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "next-ms")
	}
}
