package proc

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// Cmd is what to run. Args[0] is looked up in PATH; no shell is involved unless the caller
// names one: sh, which is Shell.
type Cmd struct {
	Args []string
	Dir  string
	// Env is the environment, nil for the parent's. Drop removes variables by name, Extra
	// adds some; the recursion guard is added to every child.
	Env   []string
	Drop  func(name string) bool
	Extra []string
	// Unguarded leaves the recursion guard out, for the one caller that simulates an agent
	// and wants its hook to answer.
	Unguarded      bool
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Timeout        time.Duration // 0: only ctx bounds it
	Grace          time.Duration // between TERM and KILL; 0: 2 s
	// Contain: on Linux also end what left the process group or the session.
	Contain bool
	// Beside: several run at the same time, so waiting for this one must not keep the
	// others from being started. It takes a little longer to see that it ended.
	Beside bool
	// Private: on Linux, in a user and mount name space of its own, where it may mount.
	Private bool
}

// Result is how a process ended.
type Result struct {
	// ExitCode is the exit status; -1 when there is none (not started, killed).
	ExitCode  int
	Signaled  bool // ended by a signal that Gauntlet did not send
	Signal    string
	TimedOut  bool // Gauntlet ended it, its time was over
	Cancelled bool // Gauntlet ended it, the context was done
	Duration  time.Duration
	// Err is set when it could not be started or its output could not be read.
	Err error
}

// OK reports a normal end with status 0.
func (r Result) OK() bool { return r.Err == nil && r.ExitCode == 0 && !r.TimedOut && !r.Cancelled }

const (
	defaultGrace = 2 * time.Second
	cancelGrace  = 300 * time.Millisecond
)

// program is what to start for a name: on Windows sh is Shell.
func program(name string) string {
	if name == "sh" && runtime.GOOS == "windows" {
		if sh, err := Shell(); err == nil {
			return sh
		}
	}
	return name
}

// Run runs c to its end. It returns only when the child and everything that
// stayed in its process group are gone.
func Run(ctx context.Context, c Cmd) Result {
	start := time.Now()
	if len(c.Args) == 0 {
		return Result{ExitCode: -1, Err: errors.New("no command given")}
	}
	if err := ctx.Err(); err != nil {
		return Result{ExitCode: -1, Cancelled: true}
	}
	cmd := exec.Command(program(c.Args[0]), c.Args[1:]...) //nolint:noctx // the context is honoured below, with a grace
	cmd.Dir, cmd.Env = c.Dir, c.environ()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	grace := cmp.Or(c.Grace, defaultGrace)
	// A grandchild that keeps the pipe open must not make Run wait: after the child's end
	// the rest of the output has this long.
	cmd.WaitDelay = 250 * time.Millisecond
	if c.Private {
		private(cmd)
	}
	family, err := launch(cmd, c.Contain, c.Beside)
	if err != nil {
		return Result{ExitCode: -1, Duration: time.Since(start), Err: err}
	}
	var timeout <-chan time.Time
	if c.Timeout > 0 {
		t := time.NewTimer(c.Timeout)
		defer t.Stop()
		timeout = t.C
	}
	done := make(chan error, 1)
	go func() {
		family.ended()
		done <- cmd.Wait()
	}()
	var res Result
	select {
	case err = <-done:
	case <-timeout:
		res.TimedOut = true
		err = end(family, done, grace)
	case <-ctx.Done():
		// A caller that cancels may be about to kill this process: there is no time for a
		// long grace period.
		res.Cancelled = true
		err = end(family, done, min(grace, cancelGrace))
	}
	family.sweep()
	res.Duration = time.Since(start)
	res.ExitCode = -1
	if st := cmd.ProcessState; st != nil { // nil: another caller waited for it
		res.ExitCode = st.ExitCode()
		res.Signal, res.Signaled = signalOf(st)
	}
	var exit *exec.ExitError
	switch {
	case err == nil, errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay):
	default:
		res.Err = err
	}
	return res
}

// environ is the environment of the child.
func (c Cmd) environ() []string {
	base := c.Env
	if base == nil {
		base = os.Environ()
	}
	env := make([]string, 0, len(base)+len(c.Extra)+2)
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if name != event.GuardVar && (c.Drop == nil || !c.Drop(name)) {
			env = append(env, kv)
		}
	}
	env = append(env, c.Extra...)
	if !c.Unguarded {
		env = append(env, event.GuardVar+"=1")
	}
	return env
}

// end asks the group to end, waits for the grace period and then kills it.
func end(f *family, done <-chan error, grace time.Duration) error {
	f.terminate()
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-t.C:
		f.kill()
		return <-done
	}
}

// Output runs c and returns at most limit bytes of each stream.
func Output(ctx context.Context, c Cmd, limit int) (stdout, stderr []byte, res Result) {
	out, errw := Kept{Head: limit}, Kept{Head: limit}
	c.Stdout, c.Stderr = &out, &errw
	res = Run(ctx, c)
	return out.first, errw.first, res
}

// NotFound reports whether the program itself does not exist.
func NotFound(r Result) bool {
	return errors.Is(r.Err, exec.ErrNotFound) || errors.Is(r.Err, os.ErrNotExist)
}
