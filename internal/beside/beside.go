// Package beside runs work in goroutines without losing its panics. A panic in a goroutine
// ends the process with exit status 2, which agents read as "blocked"; here it becomes a
// panic of the caller that waits, and the pipeline answers that with a verdict.
//
// Ring 0: it imports nothing of Gauntlet.
package beside

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Work is a number of goroutines to wait for. The zero value has none.
type Work struct {
	all   sync.WaitGroup
	first atomic.Pointer[Panic]
}

// Start runs f in a goroutine.
func Start(f func()) *Work {
	w := &Work{}
	w.Go(f)
	return w
}

// Go runs f in a further goroutine.
func (w *Work) Go(f func()) {
	w.all.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				w.first.CompareAndSwap(nil, &Panic{p, Stack(p)})
			}
		}()
		f()
	})
}

// Wait returns when all of them have ended. If one of them panicked, so does Wait.
func (w *Work) Wait() {
	w.all.Wait()
	if p := w.first.Load(); p != nil {
		panic(p)
	}
}

// Panic is a panic of a goroutine, passed on.
type Panic struct {
	value any
	stack string
}

// String is what the goroutine panicked with.
func (p *Panic) String() string { return fmt.Sprint(p.value) }

// Stack returns where a panic happened that was just recovered: in the goroutine, if it
// was passed on.
func Stack(recovered any) string {
	if p, ok := recovered.(*Panic); ok {
		return p.stack
	}
	return string(debug.Stack())
}
