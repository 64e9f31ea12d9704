package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// ending is the file name extension in an outbox.
const ending = ".json"

// Outbox contains the passes to be published by the child, one file each.
type Outbox struct {
	dir  string
	root string // of the project it belongs to
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

// Add puts an item into the outbox. It must be a pass that ran here, on content that did
// not change meanwhile, that is not flaky, that tested something and that no agent started: the caller has checked
// the content, the rest is checked here.
func (b Outbox) Add(it Item) error {
	r := it.Record
	if !publishable(r) {
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
	if err := safefile.MakeDir(b.dir, 0o700); err != nil {
		return err
	}
	if err := safefile.Put(b.dir, filepath.Join(b.dir, r.Key+ending), sealed, 0o600); err != nil {
		return err
	}
	if files := b.files(); len(files) > maxOutbox {
		for _, f := range files[:len(files)-maxOutbox] {
			_ = b.drop(f.name) // the next one tries again
		}
	}
	return nil
}

// publishable reports whether a record may be signed: what an agent started, and what does
// not say who started it, may not.
func publishable(r proof.Record) bool {
	return r.Outcome == proof.Pass && r.Source == proof.Run && r.StartedBy != "" && r.StartedBy != proof.ByAgent && !r.Flaky && r.Warning == ""
}

// drop removes a file that may be gone already.
func (b Outbox) drop(name string) error {
	if err := os.Remove(filepath.Join(b.dir, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// waiting is one file of the outbox.
type waiting struct {
	name string
	at   time.Time
}

// files lists the outbox, the oldest first.
func (b Outbox) files() (out []waiting) {
	entries, _ := safefile.ReadDir(filepath.Dir(b.dir), b.dir, 10*maxOutbox)
	for _, e := range entries {
		// A file with another extension is being written by another process.
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ending) {
			out = append(out, waiting{e.Name(), info.ModTime()})
		}
	}
	slices.SortStableFunc(out, func(a, b waiting) int { return a.at.Compare(b.at) })
	return out
}

// Publish signs and sends the items of this project, the oldest first, and returns how many
// were sent. What cannot be sent stays for the next time, at most a week.
func (b Outbox) Publish(ctx context.Context, o Options) (sent int, err error) {
	set := o.Config.Settings.Remote
	if set.URL == "" || !set.Write {
		return 0, errors.New("this project does not publish proofs (remote.write)")
	}
	if len(b.files()) == 0 {
		return 0, nil
	}
	// Another process may be sending: wait for it, then send what it left or did not see.
	lock, err := safefile.Acquire(ctx, filepath.Join(filepath.Dir(b.dir), "outbox.lock"))
	if err != nil {
		return 0, fmt.Errorf("another process is publishing: %w", err)
	}
	defer lock.Release() //nolint:errcheck // the process ends soon
	items, err := b.own(o.Now())
	if err != nil || len(items) == 0 {
		return 0, err
	}
	sign, err := NewSigner(ctx, o)
	if err != nil {
		return 0, err
	}
	server, err := connect(o)
	if err != nil {
		return 0, err
	}
	defer server.Close()
	var rejected error
	for _, it := range items {
		switch err := publish(ctx, server, sign, it); {
		case errors.Is(err, remote.ErrRejected): // the others may still be accepted
			rejected = fmt.Errorf("%s: %w", it.Name, err)
			continue
		case err != nil:
			return sent, err
		}
		sent++
		if err := b.drop(it.Record.Key + ending); err != nil {
			return sent, err
		}
	}
	return sent, rejected
}

// own returns the items of this project, the oldest first. Forged and outdated items are
// removed; an unreadable one may be readable next time.
func (b Outbox) own(now time.Time) (out []Item, err error) {
	for _, f := range b.files() {
		text, err := safefile.Read(b.dir, filepath.Join(b.dir, f.name), maxItem)
		e, authentic := b.open(strings.TrimSuffix(f.name, ending), text)
		switch {
		case err == nil && !authentic || now.Sub(f.at) > keepOutbox:
			if err := b.drop(f.name); err != nil {
				return nil, err
			}
		case err == nil && e.Root == b.root:
			out = append(out, e.Item)
		}
	}
	return out, nil
}

// open reads an entry under the key that its file is named after.
func (b Outbox) open(key string, text []byte) (e entry, authentic bool) {
	data, authentic := b.seal.Open("outbox "+key, text)
	authentic = authentic && json.Unmarshal(data, &e) == nil && e.Item.Record.Key == key && publishable(e.Item.Record)
	return e, authentic
}

// publish sends one item, without its log if the server refuses that.
func publish(ctx context.Context, server *remote.Server, sign Signer, it Item) error {
	log := readLog(it.LogPath, it.Record.At)
	err := publishWith(ctx, server, sign, it, log)
	if errors.Is(err, remote.ErrRejected) && len(log) > 0 {
		err = publishWith(ctx, server, sign, it, nil)
	}
	return err
}

func publishWith(ctx context.Context, server *remote.Server, sign Signer, it Item, log []byte) error {
	r := it.Record
	p := attest.Proof{
		Key: r.Key, Tree: r.Tree, Gate: it.Name, Command: redact.Line(r.Command, 1000), Platform: proof.Platform(), Tools: it.Tools,
		Where: r.Where, FinishedAt: r.At, Took: time.Duration(r.DurationMS) * time.Millisecond,
	}
	if len(log) > 0 {
		b := remote.Sum(log)
		p.LogDigest, p.LogSize = b.SHA256, b.Size
	}
	envelope, err := attest.Sign(p, sign)
	if err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	return server.Publish(ctx, r.Key, envelope, log)
}

// readLog reads a log that still exists, redacted once more. One that was written after the
// pass is the log of a later run under the same name.
func readLog(path string, passed time.Time) []byte {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err != nil || info.ModTime().After(passed) {
		return nil
	}
	text, err := safefile.Read("", path, maxLog)
	if err != nil {
		return nil
	}
	return []byte(redact.String(string(text)))
}
