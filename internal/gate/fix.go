package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gauntlet/internal/proc"
	"gauntlet/internal/text"
)

// Patch is what the fix command of a failed check would change.
type Patch struct {
	Command string   `json:"command"`
	Files   []string `json:"files"`
	// Text is a unified diff, bounded; Whole: it is all of it.
	Text  string `json:"text"`
	Whole bool   `json:"whole"`
}

// Summary says what the fix changes, and how to apply it, in one line.
func (p Patch) Summary() string {
	added, removed := 0, 0
	for line := range strings.Lines(p.Text) {
		switch {
		case strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++ "):
			added++
		case strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "--- "):
			removed++
		}
	}
	size := fmt.Sprintf("+%d −%d", added, removed)
	if !p.Whole {
		size = "more than " + size
	}
	return fmt.Sprintf("%s changes %s (%s); to apply it: gauntlet run --fix", p.Command, text.Count(len(p.Files), "file"), size)
}

var errNoFix = errors.New("it could not run")

// RunFix runs the fix command of a check in env.Room. That it found something which it cannot
// fix is no error.
func RunFix(ctx context.Context, j Job, env Env) error {
	command := j.withChanged(withBase(j.Check.Fix, env.BaseBranch), env.at(env.Root), env.at(j.Dir))
	args, remove, err := shellArgs(command)
	if err != nil {
		return err
	}
	defer remove()
	r := env.Room.Run(ctx, proc.Cmd{
		Args: args, Dir: j.Dir, Env: append(checkEnviron(env.Environ, j.Check.Env, j.Dir), "BASE_BRANCH="+env.BaseBranch),
		Timeout: j.Check.Limit(), Contain: true,
	})
	switch {
	case r.Err != nil:
		return r.Err
	case r.TimedOut, r.Cancelled, r.Signaled:
		return errors.New("it did not end in time")
	case r.ExitCode == 126 || r.ExitCode == 127:
		return fmt.Errorf("%w (exit %d)", errNoFix, r.ExitCode)
	}
	return nil
}
