package stop

import (
	"context"
	"os"
	"runtime"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/beside"
)

// stdinPatience is how long a client may take to send the event.
const stdinPatience = 5 * time.Second

// usualDelay is how long the event usually takes, if it comes at all.
const usualDelay = 50 * time.Millisecond

// readEvent reads the event. While it, or the rest of it, does not arrive, the client may
// lose patience: only then is listening for signals worth its cost.
func (s *stopping) readEvent(ctx context.Context) (payload []byte, interrupted bool) {
	f, ok := s.Stdin.(*os.File)
	if !ok || runtime.GOOS == "windows" { // there a read cannot be given up and begun again
		return agent.ReadEvent(s.Stdin, stdinPatience), false
	}
	start := time.Now()
	part := agent.ReadEvent(f, usualDelay)
	if time.Since(start) < usualDelay {
		return part, false
	}
	ctx, release := s.Interruptible(ctx)
	defer release()
	got := make(chan []byte, 1)
	beside.Start(func() {
		defer close(got)
		got <- agent.ReadRest(part, f, stdinPatience)
	})
	select {
	case payload = <-got:
		return payload, false
	case <-ctx.Done():
		return nil, true
	}
}
