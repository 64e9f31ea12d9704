//go:build unix

package reapi_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"gauntlet/fleet/reapi"
	"gauntlet/fleet/reapi/reapitest"
)

func project(t *testing.T) (root string, files []string) {
	t.Helper()
	root = t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	write("a.txt", "GOOD\n", 0o644)
	write("sub/deep/run.sh", "#!/bin/sh\necho ran in $(basename $PWD); cat ../../a.txt\n", 0o755)
	write("big.bin", strings.Repeat("x", 4<<20), 0o644)
	if err := os.Symlink("a.txt", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	return root, append(files, "link", "deleted.txt")
}

func dial(t *testing.T, farm *reapitest.Farm) *reapi.Farm {
	t.Helper()
	f, err := reapi.Dial(reapi.Options{Address: farm.Start(t), Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestFarmRunsTheCommand(t *testing.T) {
	server := &reapitest.Farm{}
	farm := dial(t, server)
	root, files := project(t)
	job := reapi.Job{
		Command: `./run.sh; test "$(wc -c < ../../big.bin)" -eq 4194304 && cat ../../link && echo "$MODE $PLATFORM_os"; exit 3`, Root: root, Dir: "sub/deep", Files: files,
		Env: map[string]string{"MODE": "fast"}, Platform: map[string]string{"os": "linux"}, TimeoutSec: 20,
	}
	var log bytes.Buffer
	res, err := farm.Run(t.Context(), job, &log)
	if err != nil {
		t.Fatal(err)
	}
	if res.ExitCode != 3 || res.Worker != "worker-1" || res.TimedOut {
		t.Errorf("%+v", res)
	}
	if got := log.String(); got != "ran in deep\nGOOD\nGOOD\nfast linux\n" {
		t.Errorf("log %q", got)
	}
	// What the farm has is not sent again.
	before := server.Uploads()
	if _, err := farm.Run(t.Context(), job, &bytes.Buffer{}); err != nil || server.Uploads() != before {
		t.Errorf("%d blobs sent again, %v", server.Uploads()-before, err)
	}
}

func TestLongOutputComesThroughTheStore(t *testing.T) {
	farm := dial(t, &reapitest.Farm{InlineMax: 10})
	var log bytes.Buffer
	res, err := farm.Run(t.Context(), reapi.Job{Command: "seq 1 20000", Root: t.TempDir(), TimeoutSec: 20}, &log)
	if err != nil || res.ExitCode != 0 || !strings.HasSuffix(log.String(), "\n20000\n") || strings.Count(log.String(), "\n") != 20000 {
		t.Errorf("%+v, %v, %d bytes", res, err, log.Len())
	}
}

func TestLostStreamIsResumed(t *testing.T) {
	farm := dial(t, &reapitest.Farm{LoseStream: 1})
	var log bytes.Buffer
	res, err := farm.Run(t.Context(), reapi.Job{Command: "echo ok", Root: t.TempDir(), TimeoutSec: 20}, &log)
	if err != nil || res.ExitCode != 0 || log.String() != "ok\n" {
		t.Errorf("%+v, %v, %q", res, err, log.String())
	}
}

func TestWorkerTimeoutIsReported(t *testing.T) {
	farm := dial(t, &reapitest.Farm{})
	res, err := farm.Run(t.Context(), reapi.Job{Command: "sleep 30", Root: t.TempDir(), TimeoutSec: 0.2}, &bytes.Buffer{})
	if err != nil || !res.TimedOut {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestCancellingReachesTheFarm(t *testing.T) {
	server := &reapitest.Farm{}
	farm := dial(t, server)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := farm.Run(ctx, reapi.Job{Command: "sleep 30", Root: t.TempDir(), TimeoutSec: 60}, &bytes.Buffer{})
		ended <- err
	}()
	for deadline := time.Now().Add(20 * time.Second); server.Started() == 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	if err := <-ended; err == nil || reapi.Unreachable(err) {
		t.Errorf("got %v", err)
	}
	for deadline := time.Now().Add(5 * time.Second); len(server.Cancelled()) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the farm was not informed")
		}
	}
}

// If a job is cancelled before the farm has named it, the farm is informed as soon as it
// has.
func TestCancellingAJobThatHasNoNameYet(t *testing.T) {
	server := &reapitest.Farm{Name: make(chan struct{}), Asked: make(chan struct{})}
	farm := dial(t, server)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := farm.Run(ctx, reapi.Job{Command: "sleep 30", Root: t.TempDir(), TimeoutSec: 60}, &bytes.Buffer{})
		ended <- err
	}()
	<-server.Asked
	cancel()
	server.Name <- struct{}{}
	if err := <-ended; err == nil || reapi.Unreachable(err) {
		t.Errorf("got %v", err)
	}
	if len(server.Cancelled()) != 1 {
		t.Error("the farm was not informed")
	}
}

// A farm that does not answer, or has no worker, did not run the command: that is not a
// command that took too long.
func TestFarmThatTakesTooLong(t *testing.T) {
	short := reapi.Patience{Answer: time.Second, Upload: 2 * time.Second, Queue: time.Second, Overrun: time.Second}
	large := t.TempDir()
	if err := os.WriteFile(filepath.Join(large, "large"), make([]byte, 5<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, server := range map[string]*reapitest.Farm{
		"silent": {Silent: true}, "takes nothing": {TakesNothing: true}, "takes nothing large": {TakesNothing: true}, "no worker": {Queue: true},
	} {
		farm, err := reapi.Dial(reapi.Options{Address: server.Start(t), Plain: true, Wait: short})
		if err != nil {
			t.Fatal(err)
		}
		defer farm.Close() //nolint:errcheck // the test ends
		job := reapi.Job{Command: "true", Root: t.TempDir(), TimeoutSec: 300}
		if strings.HasSuffix(name, "large") {
			job.Root, job.Files = large, []string{"large"}
		}
		res, err := farm.Run(t.Context(), job, &bytes.Buffer{})
		if res.TimedOut || err == nil || !reapi.Unreachable(err) || !reapi.Down(err) {
			t.Errorf("%s: %+v %v", name, res, err)
		}
	}
	endless := &reapitest.Farm{IgnoreTimeout: true}
	farm, err := reapi.Dial(reapi.Options{Address: endless.Start(t), Plain: true, Wait: short})
	if err != nil {
		t.Fatal(err)
	}
	defer farm.Close() //nolint:errcheck // the test ends
	res, err := farm.Run(t.Context(), reapi.Job{Command: "while sleep 1; do :; done", Root: t.TempDir(), TimeoutSec: 1}, &bytes.Buffer{})
	if err != nil || !res.TimedOut || len(endless.Cancelled()) != 1 {
		t.Errorf("endless: %+v %v, cancelled %q", res, err, endless.Cancelled())
	}
}

// goOn creates a file when it sees a word.
type goOn struct {
	bytes.Buffer
	word, file string
}

func (g *goOn) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(g.word)) {
		_ = os.WriteFile(g.file, nil, 0o600) // without it the command never ends
	}
	return g.Buffer.Write(p)
}

// The output arrives while the command runs, and none of it twice.
func TestOutputIsStreamed(t *testing.T) {
	for _, inline := range []int{1 << 10, 1} {
		farm := dial(t, &reapitest.Farm{Stream: true, InlineMax: inline})
		log := &goOn{word: "first", file: filepath.Join(t.TempDir(), "seen")}
		job := reapi.Job{Command: "echo first; until test -e '" + log.file + "'; do sleep 0.05; done; echo last", Root: t.TempDir(), TimeoutSec: 60}
		if res, err := farm.Run(t.Context(), job, log); err != nil || res.TimedOut || log.String() != "first\nlast\n" {
			t.Errorf("%+v %v %q", res, err, log.String())
		}
	}
}

// A directory without files is part of the tree if the command runs there.
func TestEmptyWorkingDirectory(t *testing.T) {
	root, files := project(t)
	res, err := dial(t, &reapitest.Farm{}).Run(t.Context(), reapi.Job{Command: "test -e ../../a.txt", Root: root, Dir: "new/empty", Files: files, TimeoutSec: 20}, &bytes.Buffer{})
	if err != nil || res.ExitCode != 0 {
		t.Errorf("%+v %v", res, err)
	}
}

func TestUnavailableFarm(t *testing.T) {
	for name, server := range map[string]*reapitest.Farm{
		"no Execute":   {Refuse: status.Error(codes.Unimplemented, "cache only")},
		"overloaded":   {Refuse: status.Error(codes.ResourceExhausted, "later")},
		"always lost":  {LoseStream: 100},
		"not answered": {Lie: true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dial(t, server).Run(t.Context(), reapi.Job{Command: "true", Root: t.TempDir(), TimeoutSec: 5}, &bytes.Buffer{})
			if name == "always lost" {
				if err != nil {
					t.Errorf("the result was there to be asked for: %v", err)
				}
				return
			}
			if err == nil || !reapi.Unreachable(err) {
				t.Errorf("got %v", err)
			}
		})
	}
	farm, err := reapi.Dial(reapi.Options{Address: "127.0.0.1:1", Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	defer farm.Close() //nolint:errcheck // nothing was opened
	if _, err := farm.Run(t.Context(), reapi.Job{Command: "true", Root: t.TempDir(), TimeoutSec: 5}, &bytes.Buffer{}); !reapi.Unreachable(err) {
		t.Errorf("no server: %v", err)
	}
}

func TestNothingOutsideTheProjectIsSent(t *testing.T) {
	farm := dial(t, &reapitest.Farm{})
	if _, err := farm.Run(t.Context(), reapi.Job{Command: "true", Root: t.TempDir(), Files: []string{"../../etc/passwd"}, TimeoutSec: 5}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "not below the project") {
		t.Errorf("got %v", err)
	}
}

func TestATokenNeedsTLS(t *testing.T) {
	if _, err := reapi.Dial(reapi.Options{Address: "x:1", Plain: true, Token: "t"}); err == nil {
		t.Error("a token would go out in clear")
	}
}
