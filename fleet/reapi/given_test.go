//go:build unix

package reapi_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/fleet/reapi"
	"gauntlet/fleet/reapi/reapitest"
)

// Rules for every farm, tested with the small one of the tests and with the one that
// REAPI_FARM names (host:port, without TLS; its workers run on this kind of machine and
// have sh). Links are not tested: not every farm supports them.
func TestConformance(t *testing.T) {
	t.Run("small", func(t *testing.T) { conformance(t, (&reapitest.Farm{}).Start(t)) })
	if address := os.Getenv("REAPI_FARM"); address != "" {
		t.Run("given", func(t *testing.T) { conformance(t, address) })
	}
}

func conformance(t *testing.T, address string) {
	farm, err := reapi.Dial(reapi.Options{Address: address, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = farm.Close() })
	root, files := project(t)
	run := func(t *testing.T, command string, env map[string]string) (reapi.Result, string) {
		t.Helper()
		var log bytes.Buffer
		res, err := farm.Run(t.Context(), reapi.Job{
			Command: command, Root: root, Dir: "sub/deep", Files: files, Env: env, TimeoutSec: 60,
		}, &log)
		if err != nil {
			t.Fatal(err)
		}
		return res, log.String()
	}
	t.Run("inputs, output, exit code", func(t *testing.T) {
		res, out := run(t, `./run.sh; wc -c < ../../big.bin | tr -d ' '; echo "$MODE"; exit 3`, map[string]string{"MODE": "it's fast", "PATH": os.Getenv("PATH")})
		if res.ExitCode != 3 || out != "ran in deep\nGOOD\n4194304\nit's fast\n" {
			t.Errorf("%+v %q", res, out)
		}
	})
	t.Run("run again, not from a cache", func(t *testing.T) {
		env := map[string]string{"PATH": os.Getenv("PATH")}
		_, first := run(t, "date +%s%N", env)
		_, second := run(t, "date +%s%N", env)
		if first == second {
			t.Errorf("both %q", first)
		}
	})
	t.Run("long output", func(t *testing.T) {
		res, out := run(t, "seq 1 300000; echo end >&2", map[string]string{"PATH": os.Getenv("PATH")})
		if res.ExitCode != 0 || strings.Count(out, "\n") != 300001 || !strings.HasSuffix(out, "end\n") {
			t.Errorf("%+v, %d lines", res, strings.Count(out, "\n"))
		}
	})
	t.Run("ten at once", func(t *testing.T) {
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				var log bytes.Buffer
				res, err := farm.Run(t.Context(), reapi.Job{Command: "cat a.txt", Root: root, Files: files, Env: map[string]string{"PATH": os.Getenv("PATH")}, TimeoutSec: 60}, &log)
				if err != nil || res.ExitCode != 0 || log.String() != "GOOD\n" {
					t.Errorf("%+v %v %q", res, err, log.String())
				}
			})
		}
		wg.Wait()
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := farm.Run(ctx, reapi.Job{Command: "sleep 20", Root: root, Env: map[string]string{"PATH": os.Getenv("PATH")}, TimeoutSec: 60}, &bytes.Buffer{})
		if err == nil || reapi.Unreachable(err) {
			t.Errorf("%v", err)
		}
	})
}
