//go:build !windows

package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func sh(script string) Cmd { return Cmd{Args: []string{"sh", "-c", script}} }

func TestResults(t *testing.T) {
	tests := []struct {
		name   string
		script string
		check  func(Result) bool
	}{
		{"success", "exit 0", Result.OK},
		{"status", "exit 7", func(r Result) bool { return r.ExitCode == 7 && !r.OK() && r.Err == nil }},
		{"signal", "kill -9 $$", func(r Result) bool { return r.Signaled && r.Signal == "killed" && r.ExitCode == -1 }},
		{"stdin is empty", "test -z \"$(cat)\"", Result.OK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := Run(t.Context(), sh(tt.script)); !tt.check(r) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestCannotStart(t *testing.T) {
	r := Run(t.Context(), Cmd{Args: []string{"gauntlet-no-such-program"}})
	if !NotFound(r) || r.ExitCode != -1 {
		t.Errorf("%+v", r)
	}
	if r := Run(t.Context(), Cmd{Args: []string{"true"}, Dir: "/no/such/dir"}); r.Err == nil {
		t.Errorf("bad directory: %+v", r)
	}
	if r := Run(t.Context(), Cmd{}); r.Err == nil {
		t.Errorf("nothing to run: %+v", r)
	}
}

func TestTimeoutEndsAGroupThatIgnoresTerm(t *testing.T) {
	pidfile := filepath.Join(t.TempDir(), "pid")
	c := sh(`trap "" TERM; (trap "" TERM; echo $$ > ` + pidfile + `; sleep 60) & sleep 60`)
	c.Timeout, c.Grace = 100*time.Millisecond, 100*time.Millisecond
	r := Run(t.Context(), c)
	if !r.TimedOut || r.Duration > 5*time.Second {
		t.Fatalf("%+v", r)
	}
	assertGone(t, pidfile)
}

func TestTermIsHonoured(t *testing.T) {
	c := sh(`trap "echo bye; exit 0" TERM; while :; do sleep 0.05; done`)
	c.Timeout, c.Grace = 100*time.Millisecond, 5*time.Second
	out, _, r := Output(t.Context(), c, 100)
	if !r.TimedOut || strings.TrimSpace(string(out)) != "bye" || r.Duration > 3*time.Second {
		t.Errorf("%q %+v", out, r)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if r := Run(ctx, sh("sleep 60")); !r.Cancelled || r.Duration > 3*time.Second {
		t.Errorf("%+v", r)
	}
	if r := Run(ctx, sh("exit 0")); !r.Cancelled {
		t.Errorf("context already done: %+v", r)
	}
}

// A background child that keeps the pipe open must neither make Run wait nor survive.
func TestBackgroundChildIsEnded(t *testing.T) {
	pidfile := filepath.Join(t.TempDir(), "pid")
	out, _, r := Output(t.Context(), sh("sleep 60 & echo $! > "+pidfile+"; echo done"), 100)
	if !r.OK() || string(out) != "done\n" || r.Duration > 3*time.Second {
		t.Fatalf("%q %+v", out, r)
	}
	assertGone(t, pidfile)
}

// A process that leaves the group and the session is still found, also without its
// environment.
func TestEscapeIsEnded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("LOUD: only Linux can adopt a process that left its session; elsewhere it survives, as documented")
	}
	for _, env := range []string{"", "env -i "} {
		pidfile := filepath.Join(t.TempDir(), "pid")
		c := sh(env + `setsid sh -c 'echo $$ > ` + pidfile + `; sleep 60' >/dev/null 2>&1 & while ! test -s ` + pidfile + `; do sleep 0.01; done`)
		c.Contain = true
		if r := Run(t.Context(), c); !r.OK() {
			t.Fatalf("%+v", r)
		}
		assertGone(t, pidfile)
	}
}

// One family's end does not touch another's.
func TestFamiliesAreIndependent(t *testing.T) {
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			c := sh("setsid sleep 60 >/dev/null 2>&1 & sleep 0.3; echo alive")
			c.Contain = true
			out, _, r := Output(t.Context(), c, 100)
			if !r.OK() || string(out) != "alive\n" {
				t.Errorf("%q %+v", out, r)
			}
		})
		time.Sleep(5 * time.Millisecond)
	}
	wg.Wait()
}

func TestOutputIsBounded(t *testing.T) {
	out, errs, r := Output(t.Context(), sh("head -c 10000000 /dev/zero; head -c 10000000 /dev/zero >&2"), 1000)
	if !r.OK() || len(out) != 1000 || len(errs) != 1000 {
		t.Errorf("%d %d %+v", len(out), len(errs), r)
	}
}

func TestStdinIsGiven(t *testing.T) {
	var buf bytes.Buffer
	r := Run(t.Context(), Cmd{Args: []string{"cat"}, Stdin: strings.NewReader("hello"), Stdout: &buf})
	if !r.OK() || buf.String() != "hello" {
		t.Errorf("%q %+v", buf.String(), r)
	}
}

func assertGone(t *testing.T, pidfile string) {
	t.Helper()
	b, err := os.ReadFile(pidfile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(2 * time.Second)
	for time.Now().Before(deadline) {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %d survived", pid)
}

// A child that ends immediately must not be reaped by another family's sweep: its exit
// status would be lost and a verdict with it.
func TestQuickFamiliesKeepTheirStatus(t *testing.T) {
	var wg sync.WaitGroup
	limit := make(chan struct{}, 16)
	for i := range 400 {
		wg.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			c := sh("exit " + strconv.Itoa(i%100))
			c.Contain = true
			if r := Run(t.Context(), c); r.Err != nil || r.ExitCode != i%100 {
				t.Errorf("%d: %+v", i, r)
			}
		})
	}
	wg.Wait()
}

// A gate may run gauntlet again. Processes that a killed inner run leaves behind belong to
// the outer family too, also while others run.
func TestNestedFamilies(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("LOUD: only Linux can adopt a process that left its session; elsewhere it survives, as documented")
	}
	dir := t.TempDir()
	pidfile, stop := filepath.Join(dir, "pid"), filepath.Join(dir, "stop")
	var wg sync.WaitGroup
	wg.Go(func() {
		c := sh("while ! test -e " + stop + "; do sleep 0.02; done")
		c.Contain = true
		if r := Run(t.Context(), c); !r.OK() {
			t.Errorf("the other family: %+v", r)
		}
	})
	// What the inner run does to the environment of its children, then its death.
	c := sh(`GAUNTLET_FAMILY="$GAUNTLET_FAMILY 999999.1" setsid sh -c 'echo $$ > ` + pidfile + `; sleep 60' >/dev/null 2>&1 & while ! test -s ` + pidfile + `; do sleep 0.01; done`)
	c.Contain = true
	if r := Run(t.Context(), c); !r.OK() {
		t.Errorf("%+v", r)
	}
	assertGone(t, pidfile)
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
}

func TestOrphansOfTheDead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("LOUD: only Linux shows whose child an orphan was; elsewhere it survives, as documented")
	}
	const dead = 2147480001
	pidfile, done := filepath.Join(t.TempDir(), "pid"), make(chan Result)
	c := sh("echo $$ > " + pidfile + "; sleep 60")
	c.Env = append(os.Environ(), "GAUNTLET_FAMILY=7.1 "+strconv.Itoa(dead)+".4")
	go func() { done <- Run(t.Context(), c) }()
	for {
		if b, err := os.ReadFile(pidfile); err == nil && len(b) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	EndOrphansOf(os.Getpid()) // alive: not an orphan of any process
	EndOrphansOf(dead / 10)
	select {
	case r := <-done:
		t.Fatalf("ended by mistake: %+v", r)
	case <-time.After(50 * time.Millisecond):
	}
	EndOrphansOf(dead)
	if r := <-done; !r.Signaled {
		t.Errorf("%+v", r)
	}
}

// Orphans that end while the gate still runs are reaped immediately.
func TestOrphansAreReapedMeanwhile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("LOUD: elsewhere orphans are init's")
	}
	pidfile := filepath.Join(t.TempDir(), "pid")
	c := sh(`sh -c 'sleep 0.1 & echo $! > ` + pidfile + `'; i=0; while kill -0 $(cat ` + pidfile + `) 2>/dev/null; do sleep 0.02; i=$((i+1)); test $i -lt 250 || exit 9; done`)
	c.Contain = true
	if r := Run(t.Context(), c); !r.OK() {
		t.Errorf("%+v", r)
	}
}

func TestEveryChildGetsTheGuard(t *testing.T) {
	t.Setenv("GAUNTLET_STOP_HOOK_ACTIVE", "")
	t.Setenv("INHERITED", "yes")
	const show = `echo "[$GAUNTLET_STOP_HOOK_ACTIVE$INHERITED$EXTRA]"`
	drop := func(name string) bool { return name == "INHERITED" || name == "EXTRA" }
	for name, tt := range map[string]struct {
		cmd  Cmd
		want string
	}{
		"inherited environment": {Cmd{}, "[1yes]"},
		"its own environment":   {Cmd{Env: []string{"GAUNTLET_STOP_HOOK_ACTIVE=0"}}, "[1]"},
		"dropped and added":     {Cmd{Drop: drop, Extra: []string{"EXTRA=more"}}, "[1more]"},
		"contained":             {Cmd{Contain: true}, "[1yes]"},
		"in place of an agent":  {Cmd{Unguarded: true, Env: []string{"GAUNTLET_STOP_HOOK_ACTIVE=1"}}, "[]"},
	} {
		tt.cmd.Args = []string{"/bin/sh", "-c", show}
		out, _, res := Output(t.Context(), tt.cmd, 100)
		if got := strings.TrimSpace(string(out)); !res.OK() || got != tt.want {
			t.Errorf("%s: %q, want %q (%+v)", name, got, tt.want, res)
		}
	}
}

// Commands that run beside each other end like any other: with their own code, by a signal,
// by their timeout, and however many there are.
func TestRunBeside(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if r := Run(t.Context(), Cmd{Args: []string{"sh", "-c", fmt.Sprintf("sleep 0.05; exit %d", i)}, Beside: true, Contain: true}); r.ExitCode != i || r.Err != nil {
				t.Errorf("exit %d: %+v", i, r)
			}
		})
	}
	wg.Go(func() {
		if r := Run(t.Context(), Cmd{Args: []string{"sh", "-c", "kill -9 $$"}, Beside: true}); !r.Signaled || r.Signal != "killed" {
			t.Errorf("by a signal: %+v", r)
		}
	})
	wg.Go(func() {
		if r := Run(t.Context(), Cmd{Args: []string{"sleep", "100"}, Beside: true, Timeout: 50 * time.Millisecond}); !r.TimedOut {
			t.Errorf("by its timeout: %+v", r)
		}
	})
	wg.Go(func() {
		if r := Run(t.Context(), Cmd{Args: []string{"no-such-command-anywhere"}, Beside: true}); !NotFound(r) {
			t.Errorf("not found: %+v", r)
		}
	})
	wg.Wait()
}
