package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
)

// Bounds of what is kept.
const (
	maxAllowed = 20 // policies per repository; the oldest are forgotten
	maxRecord  = 1 << 20
	maxCopy    = 64 << 20
	patience   = 2 * time.Second
)

// ErrNoHome means that there is no state home for allowed policies.
var ErrNoHome = errors.New("nowhere to keep what is allowed: set HOME or XDG_STATE_HOME")

// Store keeps the allowed policies of one project: of all work trees of its
// repository.
type Store struct {
	dir    string // "" without a state home
	tree   string // the current work tree
	sealer seal.Sealer
}

// Open finds what is allowed for the project at root. commonDir is what all work
// trees of its repository share, top the root of this work tree; both "" outside
// git.
func Open(sealer seal.Sealer, commonDir, top, root string) Store {
	if sealer.Home == "" {
		return Store{}
	}
	tree := real(root)
	project := tree
	if commonDir != "" {
		above := tree
		if top != root {
			above = real(top)
		}
		rel, err := filepath.Rel(above, tree)
		if err != nil {
			rel = "."
		}
		project = real(commonDir) + "\x00" + filepath.ToSlash(rel)
	}
	return Store{
		dir: filepath.Join(sealer.Home, "gauntlet", "trust", session.Key(project)), tree: session.Key(tree), sealer: sealer,
	}
}

func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}

// record is what was allowed, newest last: the last one counts.
type record struct {
	Allowed []allowed `json:"allowed"`
	// Used is the digest that last judged in each work tree, in stores of earlier versions.
	// The next policy that is allowed replaces it for all of them.
	Used map[string]string `json:"used,omitempty"`
	// Acts are the newest consents, Seen is what the last verdict in each work tree saw.
	Acts []Act              `json:"acts,omitempty"`
	Seen map[string]Consent `json:"seen,omitempty"`
}

type allowed struct {
	Digest string    `json:"digest"`
	At     time.Time `json:"at"`
}

func (r record) has(digest string) bool {
	return slices.ContainsFunc(r.Allowed, func(a allowed) bool { return a.Digest == digest })
}

func (s Store) path() string { return filepath.Join(s.dir, "allowed") }

// purpose binds the record to its project: the record of another project does not open.
func (s Store) purpose() string { return "trust " + filepath.Base(s.dir) }

// read returns what is allowed; a record that cannot be read or was not written by Gauntlet
// allows nothing.
func (s Store) read() record {
	var r record
	if s.dir == "" {
		return r
	}
	b, err := safefile.Read(s.dir, s.path(), maxRecord)
	if err != nil {
		return r
	}
	data, ok := s.sealer.Open(s.purpose(), b)
	if !ok || json.Unmarshal(data, &r) != nil {
		return record{}
	}
	return r
}

// change rewrites the record under a lock.
func (s Store) change(ctx context.Context, edit func(*record) error) error {
	if s.dir == "" {
		return ErrNoHome
	}
	if err := safefile.MakeDir(s.dir, 0o700); err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	lock, err := safefile.Acquire(ctx, filepath.Join(s.dir, "lock"))
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	defer lock.Release() //nolint:errcheck // closing releases it
	r := s.read()
	if err := edit(&r); err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	if data, err = s.sealer.Seal(s.purpose(), data); err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	return safefile.WriteIn(s.dir, s.path(), data, 0o600)
}

// Allow stores a copy of the policy, which is the one that counts from now on.
func (s Store) Allow(ctx context.Context, p config.Policy, by Act) error {
	return s.change(ctx, func(r *record) error {
		digest := p.Digest()
		if r.act(by); by.By == Gauntlet {
			r.follow(r.current(s.tree), digest)
		}
		if err := s.keep(digest, p); err != nil {
			return err
		}
		r.Allowed = slices.DeleteFunc(r.Allowed, func(a allowed) bool { return a.Digest == digest })
		r.Allowed = append(r.Allowed, allowed{Digest: digest, At: by.At.UTC()})
		for len(r.Allowed) > maxAllowed {
			_ = safefile.Remove(s.dir, s.copyPath(r.Allowed[0].Digest))
			r.Allowed = r.Allowed[1:]
		}
		r.Used = nil
		return nil
	})
}

// Deny removes everything that was allowed; was reports whether anything was.
func (s Store) Deny(ctx context.Context) (was bool, err error) {
	err = s.change(ctx, func(r *record) error {
		was = len(r.Allowed) > 0
		for _, a := range r.Allowed {
			_ = safefile.Remove(s.dir, s.copyPath(a.Digest))
		}
		*r = record{Acts: r.Acts, Seen: r.Seen}
		return nil
	})
	return was, err
}

// Remove deletes the store of this project.
func (s Store) Remove() error {
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// Known reports whether any policy was ever allowed here.
func (s Store) Known() bool { return len(s.read().Allowed) > 0 }

func (s Store) copyPath(digest string) string {
	return filepath.Join(s.dir, session.Key(digest)+".policy")
}

// keep writes the copy. It needs no seal: its digest is in the record.
func (s Store) keep(digest string, p config.Policy) error {
	files := make(map[string][]byte, len(p))
	for name, f := range p {
		if f.Err != nil {
			return fmt.Errorf("%s/%s: %w", config.Dir, name, f.Err)
		}
		files[name] = f.Data
	}
	data, err := json.Marshal(files)
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	return safefile.WriteIn(s.dir, s.copyPath(digest), data, 0o600)
}

// recall reads a copy; one that was changed since is an error.
func (s Store) recall(digest string) (config.Policy, error) {
	data, err := safefile.Read(s.dir, s.copyPath(digest), maxCopy)
	if err != nil {
		return nil, fmt.Errorf("copy of the allowed policy: %w", err)
	}
	var files map[string][]byte
	if err := json.Unmarshal(data, &files); err != nil {
		return nil, fmt.Errorf("copy of the allowed policy: %w", err)
	}
	p := config.Policy{}
	for name, data := range files {
		p[name] = config.PolicyFile{Data: data}
	}
	if p.Digest() != digest {
		return nil, fmt.Errorf("copy of the allowed policy: %w", fs.ErrInvalid)
	}
	return p, nil
}
