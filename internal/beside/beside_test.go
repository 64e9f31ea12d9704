package beside_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"gauntlet/internal/beside"
)

func TestWaitSeesEverything(t *testing.T) {
	var n atomic.Int32
	w := beside.Start(func() { n.Add(1) })
	for range 50 {
		w.Go(func() { n.Add(1) })
	}
	w.Wait()
	if n.Load() != 51 {
		t.Errorf("%d of 51 were done", n.Load())
	}
	new(beside.Work).Wait()
}

// A panic reaches the caller that waits, with its own stack, and not before all others have
// ended; through two levels it is still the same panic.
func TestPanicsReachTheCaller(t *testing.T) {
	var n atomic.Int32
	w := beside.Start(explode)
	for range 10 {
		w.Go(func() { n.Add(1) })
	}
	outer := beside.Start(w.Wait)
	defer func() {
		p := recover()
		if fmt.Sprint(p) != "the index is too short" {
			t.Errorf("recovered %v", p)
		}
		if !strings.Contains(beside.Stack(p), "explode") {
			t.Errorf("the stack does not name the function that panicked:\n%s", beside.Stack(p))
		}
		if n.Load() != 10 {
			t.Errorf("Wait did not wait for the others: %d of 10", n.Load())
		}
	}()
	outer.Wait()
	t.Error("Wait returned")
}

func explode() { panic(errors.New("the index is too short")) }

func TestStackOfTheCaller(t *testing.T) {
	defer func() {
		if s := beside.Stack(recover()); !strings.Contains(s, "explode") {
			t.Errorf("the stack does not name the function that panicked:\n%s", s)
		}
	}()
	explode()
}
