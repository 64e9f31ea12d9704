package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/proof"
	"gauntlet/internal/proof/attest"
	"gauntlet/internal/proof/remote"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
)

// Item is one pass that may be published.
type Item struct {
	Record  proof.Record `json:"record"`
	Name    string       `json:"name"` // of the gate
	Tools   []string     `json:"tools,omitempty"`
	LogPath string       `json:"logPath,omitempty"`
}

// Bounds of the outbox: what cannot be sent for long is not worth keeping.
const (
	maxOutbox  = 200
	keepOutbox = 7 * 24 * time.Hour
	maxItem    = 1 << 20
	maxLog     = 1 << 20
)

// Outbox is where passes wait for the child that publishes them, one file each.
type Outbox struct {
	dir  string
	root string // of the project they belong to
	seal seal.Sealer
}

// NewOutbox is the outbox of the project at root.
func NewOutbox(root, stateHome string) Outbox {
	return Outbox{dir: filepath.Join(stateHome, "gauntlet", "outbox"), root: root, seal: seal.New(stateHome)}
}

// entry is one file of the outbox.
type entry struct {
	Root string `json:"root"`
	Item Item   `json:"item"`
}

// Add puts an item into the outbox. Only a pass that ran here, on content that
// did not change meanwhile, that is not flaky and that tested something may be
// there: the caller has checked the content, the rest is checked here.
func (b Outbox) Add(it Item) error {
	r := it.Record
	if r.Outcome != proof.Pass || r.Source != proof.Run || r.Flaky || r.Warning != "" {
		return nil
	}
	text, err := json.Marshal(entry{Root: b.root, Item: it})
	if err != nil {
		return err
	}
	sealed, err := b.seal.Seal("outbox "+r.Key, text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	return safefile.Put(b.dir, filepath.Join(b.dir, r.Key+".json"), sealed, 0o600)
}

// Waiting reports whether there is anything to publish.
func (b Outbox) Waiting() bool {
	files, _ := safefile.ReadDir(filepath.Dir(b.dir), b.dir, maxOutbox)
	return len(files) > 0
}

// Publish signs and sends what waits, for this project. It returns how many went
// out. What cannot be sent stays for the next time.
func (b Outbox) Publish(ctx context.Context, o Options) (sent int, err error) {
	set := o.Config.Settings.Remote
	if set.URL == "" || !set.Write {
		return 0, errors.New("this project does not publish proofs (remote.write)")
	}
	if !b.Waiting() {
		return 0, nil
	}
	// Another one may be sending: what it leaves behind, or had not seen, is ours.
	lock, err := safefile.Acquire(ctx, filepath.Join(filepath.Dir(b.dir), "outbox.lock"))
	if err != nil {
		return 0, fmt.Errorf("another process is publishing: %w", err)
	}
	defer lock.Release() //nolint:errcheck // the process ends soon
	files, err := safefile.ReadDir(filepath.Dir(b.dir), b.dir, maxOutbox)
	if err != nil {
		return 0, err
	}
	sign, err := NewSigner(ctx, set.Key, o.StateHome, o)
	if err != nil {
		return 0, err
	}
	server, err := connect(o)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		file := filepath.Join(b.dir, f.Name())
		it, mine := b.read(f.Name())
		if info, err := f.Info(); err == nil && o.Now().Sub(info.ModTime()) > keepOutbox {
			mine, it.Record.Key = true, ""
		}
		if !mine {
			continue
		}
		if it.Record.Key != "" {
			if err := publish(ctx, server, sign, it); err != nil {
				return sent, err
			}
			sent++
		}
		if err := os.Remove(file); err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// read opens a file of the outbox; mine is false for another project's. What is
// not authentic comes back without a key, to be dropped.
func (b Outbox) read(name string) (it Item, mine bool) {
	key, ok := strings.CutSuffix(name, ".json")
	text, err := safefile.Read(b.dir, filepath.Join(b.dir, name), maxItem)
	if err != nil {
		return it, false
	}
	data, authentic := b.seal.Open("outbox "+key, text)
	var e entry
	if !ok || !authentic || json.Unmarshal(data, &e) != nil {
		return Item{}, true
	}
	return e.Item, e.Root == b.root
}

func publish(ctx context.Context, server *remote.Server, sign Signer, it Item) error {
	r := it.Record
	log := readLog(it.LogPath)
	p := attest.Proof{
		Key: r.Key, Tree: r.Tree, Gate: it.Name, Command: redact.Line(r.Command, 1000), Platform: proof.Platform(), Tools: it.Tools,
		Where: r.Where, FinishedAt: r.At, Took: time.Duration(r.DurationMS) * time.Millisecond,
	}
	if len(log) > 0 {
		b := remote.Sum(log)
		p.LogDigest, p.LogSize = b.SHA256, b.Size
	}
	envelope, err := attest.Sign(p, attestSigner(sign))
	if err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	return server.Publish(ctx, r.Key, envelope, log)
}

func attestSigner(s Signer) func([]byte) ([]byte, string, error) { return s }

// readLog reads a log that is still there, redacted once more, its end only.
func readLog(path string) []byte {
	if path == "" {
		return nil
	}
	text, err := safefile.Read("", path, maxLog)
	if err != nil {
		return nil
	}
	return []byte(redact.String(string(text)))
}
