package proof

import (
	"cmp"
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

	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
)

// Ledger is the proofs of a repository. The zero ledger is empty and stores nothing.
type Ledger struct {
	dir  string
	seal seal.Sealer
}

// Limits of a ledger.
const (
	maxAge    = 30 * 24 * time.Hour
	maxBytes  = 64 << 20
	maxRecord = 1 << 20
	// sweepEvery is how often the limits are checked.
	sweepEvery = 24 * time.Hour
)

// ErrNoPlace means that there is neither a repository nor a home directory to keep proofs
// in, or that their directory in the repository is a link.
var ErrNoPlace = errors.New("no place to keep proofs (set HOME or XDG_STATE_HOME; gauntlet/proofs in the git directory must not be a link)")

// Dir is where the proofs of a project are: the configured directory, else the git
// directory that all work trees share, else the state home.
func Dir(configured, commonDir, root, stateHome string) string {
	switch {
	case configured != "":
		if !filepath.IsAbs(configured) {
			configured = filepath.Join(root, configured)
		}
		return configured
	case commonDir != "":
		own := filepath.Join(commonDir, "gauntlet")
		dir := filepath.Join(own, "proofs")
		if isLink(own) || isLink(dir) {
			return "" // it may lead anywhere; proofs.dir is how to keep proofs elsewhere
		}
		return dir
	case stateHome != "":
		return filepath.Join(stateHome, "gauntlet", "proofs", digest(root)[:32])
	}
	return ""
}

func isLink(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.Mode()&os.ModeSymlink != 0
}

// Open opens the ledger in dir, with the seal of a state home.
func Open(dir, stateHome string) Ledger { return Ledger{dir: dir, seal: seal.New(stateHome)} }

// Entry is what is known for one key: the newest pass and the newest failure. A
// key with both is a flake. Claim is the newest run that an agent started, which replaces
// neither of them.
type Entry struct {
	Pass  *Record `json:"pass,omitempty"`
	Fail  *Record `json:"fail,omitempty"`
	Claim *Record `json:"claim,omitempty"`
}

// Claimed is an agent's claim that the gate passes, nil if there is none, or a failure is
// newer.
func (e Entry) Claimed() *Record {
	if e.Claim == nil || e.Claim.Outcome != Pass || e.Failed() && !e.Claim.At.After(e.Fail.At) {
		return nil
	}
	return e.Claim
}

// records are all of them.
func (e Entry) records() (out []*Record) {
	for _, r := range []*Record{e.Pass, e.Fail, e.Claim} {
		if r != nil {
			out = append(out, r)
		}
	}
	return out
}

// Newest is the newer of pass and failure, nil when there is none.
func (e Entry) Newest() *Record {
	switch {
	case e.Pass == nil:
		return e.Fail
	case e.Fail == nil || e.Pass.At.After(e.Fail.At):
		return e.Pass
	}
	return e.Fail
}

// Failed reports whether the newest record of the key is a failure.
func (e Entry) Failed() bool {
	r := e.Newest()
	return r != nil && r.Outcome == Fail
}

// Get reads what is known for a key, without a lock. A torn or forged file counts as
// missing.
func (l Ledger) Get(key string) Entry {
	if !isKey(key) {
		return Entry{}
	}
	return l.read(key)
}

func (l Ledger) read(key string) (e Entry) {
	data, ok := l.open(key)
	if !ok || json.Unmarshal(data, &e) != nil {
		return Entry{}
	}
	for _, r := range e.records() {
		if r.Key != key {
			return Entry{} // a record of another key under this name
		}
	}
	return e
}

// open reads a sealed file of the ledger.
func (l Ledger) open(name string) ([]byte, bool) {
	if l.dir == "" {
		return nil, false
	}
	b, err := safefile.Read(l.dir, filepath.Join(l.dir, name), maxRecord)
	if err != nil {
		return nil, false
	}
	return l.seal.Open("proof "+name, b)
}

// write seals and writes a file of the ledger.
func (l Ledger) write(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("proof: %w", err)
	}
	sealed, err := l.seal.Seal("proof "+name, data)
	if err != nil {
		return err
	}
	if err := safefile.MakeDir(l.dir, 0o700); err != nil {
		return fmt.Errorf("proof: %w", err)
	}
	return safefile.Put(l.dir, filepath.Join(l.dir, name), sealed, 0o600)
}

// Put stores a record beside what is known for its key.
func (l Ledger) Put(ctx context.Context, r Record) error {
	if l.dir == "" {
		return ErrNoPlace
	}
	if !isKey(r.Key) {
		return fmt.Errorf("proof: invalid key %q", r.Key)
	}
	if err := safefile.MakeDir(l.dir, 0o700); err != nil {
		return fmt.Errorf("proof: %w", err)
	}
	// Two runs that prove the same at the same time must not lose that one of them failed;
	// a lock that is not available loses less than the proof.
	ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if lock, err := safefile.Acquire(ctx, filepath.Join(l.dir, ".lock")); err == nil {
		defer lock.Release() //nolint:errcheck // the process ends soon
	}
	e := l.read(r.Key)
	switch {
	case r.claim():
		e.Claim = &r
	case r.Outcome == Pass:
		e.Pass = &r
	case r.Outcome == Fail:
		e.Fail = &r
	}
	if err := l.write(r.Key, e); err != nil {
		return err
	}
	l.sweep(r.At)
	return nil
}

// List reads every record, newest first.
func (l Ledger) List() []Record {
	var out []Record
	for _, name := range l.names() {
		for _, r := range l.read(name).records() {
			out = append(out, *r)
		}
	}
	slices.SortFunc(out, func(a, b Record) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Gate, b.Gate), cmp.Compare(a.Key, b.Key))
	})
	return out
}

func (l Ledger) names() []string {
	if l.dir == "" {
		return nil
	}
	entries, err := safefile.ReadDir("", l.dir, -1)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if isKey(e.Name()) && e.Type().IsRegular() {
			out = append(out, e.Name())
		}
	}
	return out
}

// Forget removes the keys of which a record matches, and returns how many there were.
// Unreadable records are removed too.
func (l Ledger) Forget(matches func(Record) bool) (n int, err error) {
	var errs []error
	for _, name := range l.names() {
		known := l.read(name).records()
		if len(known) > 0 && !slices.ContainsFunc(known, func(r *Record) bool { return matches(*r) }) {
			continue
		}
		if err := os.Remove(filepath.Join(l.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
			continue
		}
		if len(known) > 0 {
			n++
		}
	}
	return n, errors.Join(errs...)
}

// sweep removes old records, and the oldest ones above the limit, at most once a day.
func (l Ledger) sweep(now time.Time) {
	mark := filepath.Join(l.dir, ".swept")
	if st, err := os.Lstat(mark); err == nil && now.Sub(st.ModTime()).Abs() < sweepEvery {
		return
	}
	if safefile.Put(l.dir, mark, nil, 0o600) != nil {
		return
	}
	type file struct {
		name string
		size int64
		at   time.Time
	}
	var files []file
	entries, _ := safefile.ReadDir("", l.dir, -1)
	for _, e := range entries {
		info, err := e.Info()
		switch name := e.Name(); {
		case err != nil || !info.Mode().IsRegular():
		case strings.Contains(name, ".tmp-") && now.Sub(info.ModTime()) > sweepEvery: // of a process that was killed
			_ = os.Remove(filepath.Join(l.dir, name))
		case isKey(name) || strings.HasPrefix(name, toolPrefix):
			files = append(files, file{name, info.Size(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return b.at.Compare(a.at) })
	total := int64(0)
	for _, f := range files {
		if total += f.size; total > maxBytes || now.Sub(f.at) > maxAge {
			_ = os.Remove(filepath.Join(l.dir, f.name))
		}
	}
}

func isKey(s string) bool {
	if len(s) != 64 {
		return false
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
