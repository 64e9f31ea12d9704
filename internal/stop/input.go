package stop

import (
	"context"
	"os"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/beside"
)

// stdinPatience is how long a client may take to send the event.
const stdinPatience = 5 * time.Second

// usualDelay is how long the event usually takes, if it comes at all.
const usualDelay = 50 * time.Millisecond

// readEvent reads the event. While it does not arrive, the client may lose patience: only
// then is listening for signals worth its cost.
func (s *stopping) readEvent(ctx context.Context) (payload []byte, interrupted bool) {
	f, ok := s.Stdin.(*os.File)
	if !ok || arrives(f, usualDelay) {
		return agent.ReadEvent(s.Stdin, stdinPatience), false
	}
	ctx, release := s.Interruptible(ctx)
	defer release()
	got := make(chan []byte, 1)
	beside.Start(func() {
		defer close(got)
		got <- agent.ReadEvent(f, stdinPatience)
	})
	select {
	case payload = <-got:
		return payload, false
	case <-ctx.Done():
		return nil, true
	}
}
