//go:build unix

package share

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/test/fleettest"
	"gauntlet/test/remotetest"
)

// childVar makes the test binary the child that publishes, or that fills a disk.
const childVar = "SHARE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childVar) {
	case "":
		os.Exit(m.Run())
	case "publish":
		os.Exit(publishChild(context.Background()))
	case "add":
		if err := NewOutbox("/project", os.Getenv("SHARE_TEST_HOME")).Add(pass(0)); err != nil {
			fmt.Println("not added:", err)
		}
		os.Exit(0)
	}
}

func publishChild(ctx context.Context) int {
	cfg := &config.Loaded{Root: "/project"}
	cfg.Settings.Remote = config.RemoteSettings{URL: os.Getenv("SHARE_TEST_URL"), Write: true}
	home := os.Getenv("SHARE_TEST_HOME")
	_, err := NewOutbox("/project", home).Publish(ctx, Options{Config: cfg, StateHome: home, Getenv: os.Getenv, Now: func() time.Time { return now }})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// If the child is killed at any moment, every pass is at the server, in the outbox, or in
// both, and no partial upload is accepted.
func TestKillingThePublisherLosesNothing(t *testing.T) {
	fake := &remotetest.Server{Delay: time.Millisecond}
	url := serve(t, fake)
	d := newDesk(t, url)
	const items = 40
	var keys []string
	for i := range items {
		d.add(withLog(t, pass(i), fmt.Sprintf("log %d\n", i)))
		keys = append(keys, keyOf(i))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 15 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVar+"=publish", "SHARE_TEST_URL="+url, "SHARE_TEST_HOME="+d.opts.StateHome)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
		_ = cmd.Process.Kill() // SIGKILL; it may have ended by itself
		_ = cmd.Wait()
		a := d.ask(keys...)
		if len(a.Warnings) != 0 {
			t.Fatalf("%q", a.Warnings)
		}
		for i, key := range keys {
			_, waits := os.Lstat(filepath.Join(d.outbox().dir, key+ending))
			if _, there := a.Hits[key]; !there && waits != nil {
				t.Fatalf("item %d is lost", i)
			}
		}
	}
	d.publish()
	if a := d.ask(keys...); len(a.Hits) != items || d.waits() != 0 {
		t.Errorf("%d of %d arrived, %d wait", len(a.Hits), items, d.waits())
	}
}

// An upload that is cut after any number of bytes is not accepted, and is sent again.
func TestPartialUploadIsNotAccepted(t *testing.T) {
	t.Run("bazel-remote", func(t *testing.T) { halfUploads(t, serve(t, &remotetest.Server{})) })
	t.Run("nginx", func(t *testing.T) {
		address, _ := fleettest.StartNginx(t)
		halfUploads(t, address)
	})
}

func halfUploads(t *testing.T, server string) {
	proxy := &cutter{to: strings.TrimPrefix(server, "http://")}
	d := newDesk(t, proxy.start(t))
	direct := newDesk(t, server).trusts("ci " + d.line)
	it := withLog(t, pass(0), strings.Repeat("a line of the log\n", 20))
	// The length of both uploads together, headers included.
	proxy.after.Store(1 << 30)
	d.add(it)
	d.publish()
	total := proxy.seen.Load()
	if total < 1500 {
		t.Fatalf("only %d bytes were sent", total)
	}
	cuts := []int64{0, 1, total - 2, total - 1}
	for n := int64(2); n < total; n += 61 {
		cuts = append(cuts, n)
	}
	for i, n := range cuts {
		it.Record.Key = keyOf(i + 1)
		d.add(it)
		proxy.seen.Store(0)
		proxy.after.Store(n)
		if sent, err := d.outbox().Publish(t.Context(), d.opts); err == nil || sent != 0 {
			t.Fatalf("cut after %d of %d bytes: sent %d, %v", n, total, sent, err)
		}
		if a := direct.ask(it.Record.Key); len(a.Hits) != 0 || len(a.Warnings) != 0 {
			t.Fatalf("cut after %d of %d bytes: %+v", n, total, a)
		}
		proxy.after.Store(1 << 30)
		if sent := d.publish(); sent != 1 || len(direct.ask(it.Record.Key).Hits) != 1 {
			t.Fatalf("cut after %d of %d bytes: not resumed", n, total)
		}
	}
}

// cutter forwards connections and cuts them all after some bytes from the client.
type cutter struct {
	to          string
	seen, after atomic.Int64
}

func (c *cutter) start(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go c.pass(client)
		}
	}()
	return "http://" + l.Addr().String()
}

func (c *cutter) pass(client net.Conn) {
	defer client.Close() //nolint:errcheck // a test's
	server, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer server.Close() //nolint:errcheck // a test's
	go func() { _, _ = io.Copy(client, server) }()
	buf := make([]byte, 1<<16)
	for {
		n, err := client.Read(buf)
		if n > 0 {
			room := c.after.Load() - c.seen.Add(int64(n)) + int64(n)
			if _, err := server.Write(buf[:max(0, min(int64(n), room))]); err != nil || room < int64(n) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// A full disk prevents the publication, nothing more, and leaves no partial files.
func TestFullDiskLeavesNoPartialFiles(t *testing.T) {
	d := newDesk(t, "http://127.0.0.1:1")
	d.add(pass(1)) // the seal's key exists by now
	cmd := exec.Command("bash", "-c", `trap "" XFSZ; ulimit -f 0; exec "$0"`, os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"=add", "SHARE_TEST_HOME="+d.opts.StateHome)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "not added") {
		t.Errorf("%v %s", err, out)
	}
	entries, err := os.ReadDir(d.outbox().dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left: %v %v", entries, err)
	}
}
