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

// ErrNoPane means that there is no such pane to type into.
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

// Foreground is the command line of the program that reads what is typed into
// the pane.
func (p Pane) Foreground(ctx context.Context) ([]string, error) {
	out, err := p.output(ctx, "", "display-message", "-p", "-t", p.Name, "#{pane_pid} #{pane_current_command}")
	if err != nil {
		return nil, err
	}
	pid, command, _ := strings.Cut(strings.TrimSpace(out), " ")
	// tmux knows only the name, which of a script is that of its interpreter.
	if group, ok := p.ps(ctx, "tpgid=", pid); ok {
		if args, ok := p.ps(ctx, "args=", group); ok {
			return strings.Fields(args), nil
		}
	}
	return []string{command}, nil
}

// ps asks for one column of one process.
func (p Pane) ps(ctx context.Context, column, pid string) (string, bool) {
	if n, err := strconv.Atoi(pid); err != nil || n <= 0 {
		return "", false
	}
	out, _, res := proc.Output(ctx, proc.Cmd{Args: []string{"ps", "-o", column, "-p", pid}, Env: p.Environ, Timeout: 5 * time.Second}, 1<<16)
	text := strings.TrimSpace(string(out))
	return text, res.OK() && text != ""
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
	_, err := p.output(ctx, stdin, args...)
	return err
}

func (p Pane) output(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := proc.Cmd{Args: append([]string{"tmux"}, args...), Env: p.Environ, Timeout: 10 * time.Second}
	if stdin != "" {
		cmd.Stdin = strings.NewReader(stdin)
	}
	out, stderr, res := proc.Output(ctx, cmd, 1<<16)
	switch {
	case proc.NotFound(res):
		return "", errors.New("tmux is not installed")
	case !res.OK():
		return "", fmt.Errorf("%w: tmux %s: %s", ErrNoPane, args[0], redact.Line(string(stderr), 300))
	case args[0] == "display-message" && strings.TrimSpace(string(out)) == "":
		return "", ErrNoPane
	}
	return string(out), nil
}
