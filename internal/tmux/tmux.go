// Package tmux types a block of text into a tmux pane. Ring 1: imports proc and
// redact only.
package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
)

// ErrNoPane says that there is no such pane to type into.
var ErrNoPane = errors.New("no such tmux pane")

// enterDelay lets the program in the pane take in a pasted block: an Enter right
// after it would be taken for one of its lines.
const enterDelay = 300 * time.Millisecond

// Pane is one pane: %3, or session:window.pane.
type Pane struct {
	Name    string
	Environ []string
}

// Check returns an error when the pane does not exist.
func (p Pane) Check(ctx context.Context) error {
	return p.run(ctx, "", "display-message", "-p", "-t", p.Name, "#{pane_id}")
}

// Type pastes text as one block and presses Enter.
func (p Pane) Type(ctx context.Context, text string) error {
	// No control character may end the pasted block early.
	text = strings.TrimSpace(redact.Strip(text))
	buffer := "gauntlet-" + strconv.Itoa(os.Getpid())
	if err := p.run(ctx, text, "load-buffer", "-b", buffer, "-"); err != nil {
		return err
	}
	if err := p.run(ctx, "", "paste-buffer", "-p", "-d", "-b", buffer, "-t", p.Name); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(enterDelay):
	}
	return p.run(ctx, "", "send-keys", "-t", p.Name, "Enter")
}

func (p Pane) run(ctx context.Context, stdin string, args ...string) error {
	cmd := proc.Cmd{Args: append([]string{"tmux"}, args...), Env: p.Environ, Timeout: 10 * time.Second}
	if stdin != "" {
		cmd.Stdin = strings.NewReader(stdin)
	}
	out, stderr, res := proc.Output(ctx, cmd, 1<<16)
	switch {
	case proc.NotFound(res):
		return errors.New("tmux is not installed")
	case !res.OK():
		return fmt.Errorf("%w: tmux %s: %s", ErrNoPane, args[0], redact.Line(string(stderr), 300))
	case args[0] == "display-message" && strings.TrimSpace(string(out)) == "":
		return fmt.Errorf("%w", ErrNoPane)
	}
	return nil
}
