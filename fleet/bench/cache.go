//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/proof"
	"gauntlet/internal/proof/share"
	"gauntlet/test/fleettest"
)

// perStop is how many gates a stop looks up.
const perStop = 4

// cache is one nginx, and what was published there.
type cache struct {
	b         *bench
	url, root string
	homes     int
	signers   []string
	keys      []string
}

func (b *bench) newCache() *cache {
	url, root := fleettest.StartNginx(b)
	return &cache{b: b, url: url, root: root}
}

// machine is the configuration of one simulated machine, with a key of its own.
func (c *cache) machine() share.Options {
	home := c.b.temp()
	pub, _, err := share.MakeKey(c.b.ctx, share.KeyFile(home))
	c.b.check(err)
	c.homes++
	c.signers = append(c.signers, fmt.Sprintf("machine-%d %s", c.homes, pub.Line()))
	cfg := &config.Loaded{Root: "/project"}
	cfg.Settings.Remote = config.RemoteSettings{URL: c.url, Read: true, Write: true, Signers: "allowed_signers", Timeout: 300 * time.Millisecond}
	return share.Options{Config: cfg, StateHome: home, Getenv: func(string) string { return "" }, Now: time.Now}
}

// key is one that no other part of the measurement uses.
func key(parts ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(parts...)))
	return hex.EncodeToString(sum[:])
}

// publishing is the cost of publishing.
type publishing struct {
	machines, proofs int
	perSecond        float64
	bytesPerProof    float64 // of the result and its log together, as files
	bytesPerLog      float64
	blocksPerProof   float64 // the blocks that the disk allocates for them
	lost             int
}

// publish makes machines publish proofs at once, each with a log of 4 KB.
func (c *cache) publish(machines, each int) publishing {
	out := publishing{machines: machines, proofs: machines * each}
	log := strings.Repeat("ok      example.com/shop/cart    0.412s  coverage: 81.3% of statements\n", 59)
	var all []share.Options
	for m := range machines {
		o := c.machine()
		all = append(all, o)
		box := share.NewOutbox("/project", o.StateHome)
		for i := range each {
			k := key("published", m, i)
			file := filepath.Join(o.StateHome, fmt.Sprintf("%d.log", i))
			c.b.check(os.WriteFile(file, []byte(fmt.Sprintf("run %s\n%s", k, log)), 0o600))
			c.b.check(box.Add(item(k, file)))
			c.keys = append(c.keys, k)
		}
	}
	start := time.Now()
	var wg sync.WaitGroup
	for _, o := range all {
		wg.Go(func() {
			n, err := share.NewOutbox("/project", o.StateHome).Publish(c.b.ctx, o)
			if err != nil || n != each {
				c.b.Fatalf("published %d of %d: %v", n, each, err)
			}
		})
	}
	wg.Wait()
	out.perSecond = float64(out.proofs) / time.Since(start).Seconds()
	bytes, blocks := sizes(filepath.Join(c.root, "ac"))
	logs, logBlocks := sizes(filepath.Join(c.root, "cas"))
	n := float64(out.proofs)
	out.bytesPerLog, out.bytesPerProof, out.blocksPerProof = logs/n, (bytes+logs)/n, (blocks+logBlocks)/n
	_, out.lost = c.ask(c.reader(), c.keys, time.Minute)
	return out
}

func item(k, log string) share.Item {
	zero := 0
	return share.Item{Name: "test", Tools: []string{"go1.26.8"}, LogPath: log, Record: proof.Record{
		Key: k, Gate: "check:.:test", Outcome: proof.Pass, Source: proof.Run, Where: "ci", At: time.Now(), DurationMS: 4200,
		Command: "go test ./...", ExitCode: &zero, Tree: strings.Repeat("0a", 20),
	}}
}

// sizes are the bytes below a directory, as files and as blocks of the disk.
func sizes(dir string) (bytes, blocks float64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error { // a removed file has no size
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err == nil {
			bytes += float64(info.Size())
			blocks += onDisk(info)
		}
		return nil
	})
	return bytes, blocks
}

// conflict makes machines publish the same keys at the same time, and counts the keys that
// are still valid afterwards.
func (c *cache) conflict(machines, keys int) (hold int) {
	var wg sync.WaitGroup
	var shared []string
	for i := range keys {
		shared = append(shared, key("shared", i))
	}
	for range machines {
		o := c.machine()
		box := share.NewOutbox("/project", o.StateHome)
		for _, k := range shared {
			c.b.check(box.Add(item(k, "")))
		}
		wg.Go(func() {
			if _, err := box.Publish(c.b.ctx, o); err != nil {
				c.b.Fatal(err)
			}
		})
	}
	wg.Wait()
	_, lost := c.ask(c.reader(), shared, time.Minute)
	return keys - lost
}

// reader is a machine that trusts all that have published.
func (c *cache) reader() share.Options {
	o := c.machine()
	o.Config.Signers = []byte(strings.Join(c.signers, "\n") + "\n")
	return o
}

// ask looks up keys as one stop does, and counts the missing ones.
func (c *cache) ask(o share.Options, keys []string, timeout time.Duration) (took time.Duration, lost int) {
	o.Config.Settings.Remote.Timeout = timeout
	start := time.Now()
	remote, _, err := share.Open(o)
	c.b.check(err)
	q := remote.Begin()
	for _, k := range keys {
		q.Ask(c.b.ctx, share.Ask{Key: k, Gate: "test"})
	}
	a := q.Wait(c.b.ctx)
	took = time.Since(start)
	for _, k := range keys {
		if _, hit := a.Hits[k]; !hit {
			lost++
		}
	}
	return took, lost
}

// lookups makes machines stop again and again: a connection of its own for each stop, four
// gates at once, half of them proved. stops is how many in all.
func (c *cache) lookups(machines, stops int) load {
	out := load{machines: machines, kind: "look-ups", done: stops * perStop}
	each := max(1, stops/machines)
	out.done = each * machines * perStop
	var mu sync.Mutex
	var times []time.Duration
	before := serverTime(filepath.Join(filepath.Dir(c.root), "nginx.pid"))
	start := time.Now()
	var wg sync.WaitGroup
	for m := range machines {
		o := c.reader()
		wg.Go(func() {
			for i := range each {
				var keys []string
				for g := range perStop / 2 {
					keys = append(keys, c.keys[(m*each+i+g)%len(c.keys)], key("missing", m, i, g))
				}
				// The product's own timeout is not used, so that late answers are counted.
				took, lost := c.ask(o, keys, time.Minute)
				mu.Lock()
				times = append(times, took)
				out.lost += lost - perStop/2
				if took > 300*time.Millisecond {
					out.late++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	out.perSecond = float64(out.done) / time.Since(start).Seconds()
	out.serverUS = float64((serverTime(filepath.Join(filepath.Dir(c.root), "nginx.pid")) - before).Microseconds()) / float64(out.done)
	out.p50, out.p99 = percentiles(times)
	return out
}
