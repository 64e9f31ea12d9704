// Package session is what one agent session must remember between two hook calls: blocks
// per turn, what was already sent, the prompt-time snapshot, heartbeats. It is in the work
// tree's own git directory, outside git under the user's state directory. Memory that
// cannot be read or written never fails a stop: callers get an error and continue without
// it. Ring 1: imports ring 0 only.
package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
)

// keep is how long an inactive session is remembered.
const keep = 14 * 24 * time.Hour

// maxState bounds what is read back: a larger file was not written by Gauntlet.
const maxState = 64 << 20

// lockPatience is how long another hook of the same session may take to write: one that
// hangs must not make this one hang.
const lockPatience = 2 * time.Second

// Store is the memory of one work tree.
type Store struct {
	// Dir contains everything; it is made on the first write.
	Dir string
	// Sealer authenticates it: a process that can write to the git directory must not be
	// able to forge Gauntlet's memory.
	Sealer seal.Sealer
}

// ErrForged means that a file in the memory was not written by Gauntlet. It counts as
// missing.
var ErrForged = errors.New("not written by gauntlet, so it is ignored")

// Open finds the memory of a work tree: gitDir is its own git directory, "" outside git,
// where the project's path in the sealer's state home is used instead.
func Open(gitDir, root string, sealer seal.Sealer) Store {
	if gitDir != "" {
		dir := filepath.Join(gitDir, "gauntlet")
		if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return Open("", gitDir, sealer) // a link may lead anywhere: nothing is written through it
		}
		return Store{Dir: dir, Sealer: sealer}
	}
	if sealer.Home == "" {
		return Store{}
	}
	return Store{Dir: filepath.Join(sealer.Home, "gauntlet", "projects", Key(root)), Sealer: sealer}
}

// ErrNoPlace means that there is neither a git directory nor a home directory for the
// memory.
var ErrNoPlace = errors.New("no place to keep session memory")

// Key turns untrusted text into a file name.
func Key(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

// State is what one session remembers: named sections, each owned by one package.
type State struct {
	sections map[string]json.RawMessage
}

// Get reads a section into v and reports whether it was there and valid.
func (s *State) Get(section string, v any) bool {
	raw, ok := s.sections[section]
	return ok && json.Unmarshal(raw, v) == nil
}

// Set replaces a section.
func (s *State) Set(section string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("session memory: %w", err)
	}
	if s.sections == nil {
		s.sections = map[string]json.RawMessage{}
	}
	s.sections[section] = raw
	return nil
}

// Empty reports whether nothing is remembered.
func (s *State) Empty() bool { return len(s.sections) == 0 }

func (st Store) path(id string) string {
	return filepath.Join(st.Dir, "sessions", Key(id)+".json")
}

// Load reads what session id remembers. A missing or broken memory is empty; the error
// distinguishes the two, for the log.
func (st Store) Load(id string) (*State, error) {
	if st.Dir == "" {
		return &State{}, ErrNoPlace
	}
	return st.load(st.path(id))
}

func (st Store) load(path string) (*State, error) {
	b, err := safefile.Read(st.Dir, path, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return &State{}, nil
	}
	if err != nil {
		return &State{}, fmt.Errorf("session memory: %w", err)
	}
	b, ok := st.Sealer.Open(sessionPurpose(path), b)
	if !ok {
		return &State{}, fmt.Errorf("session memory: %s: %w", path, ErrForged)
	}
	s := &State{}
	if err := json.Unmarshal(b, &s.sections); err != nil {
		return &State{}, fmt.Errorf("session memory: %s: %w", path, err)
	}
	return s, nil
}

// sessionPurpose binds a memory to its session: the memory of another session does not
// open.
func sessionPurpose(path string) string { return "session " + filepath.Base(path) }

// makeDir makes a directory of the memory. The memory's own may be missing, too.
func (st Store) makeDir(name string) error {
	return safefile.MkdirAll(filepath.Dir(st.Dir), filepath.Join(st.Dir, name), 0o700)
}

// prepare is makeDir for a memory whose parents may be missing as well: those in the state
// home, which belongs to the user.
func (st Store) prepare(name string) error {
	err := st.makeDir(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := safefile.MakeDir(filepath.Dir(st.Dir), 0o700); err != nil {
		return err
	}
	return st.makeDir(name)
}

// Update changes what session id remembers, under a lock. change returns false to leave
// everything unchanged.
func (st Store) Update(ctx context.Context, id string, change func(*State) bool) error {
	if st.Dir == "" {
		return ErrNoPlace
	}
	if err := st.prepare("sessions"); err != nil {
		return fmt.Errorf("session memory: %w", err)
	}
	path := st.path(id)
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	lock, err := safefile.Acquire(ctx, strings.TrimSuffix(path, ".json")+".lock")
	if err != nil {
		return fmt.Errorf("session memory: %w", err)
	}
	defer lock.Release() //nolint:errcheck // closing releases it
	s, err := st.load(path)
	if err != nil {
		// Broken memory is moved aside, so that the session has a working one again.
		_ = safefile.Rename(st.Dir, path, path+".broken")
	}
	if !change(s) {
		return nil
	}
	b, err := json.Marshal(s.sections)
	if err != nil {
		return fmt.Errorf("session memory: %w", err)
	}
	if b, err = st.Sealer.Seal(sessionPurpose(path), b); err != nil {
		return fmt.Errorf("session memory: %w", err)
	}
	if err := safefile.WriteIn(st.Dir, path, b, 0o600); err != nil {
		return fmt.Errorf("session memory: %w", err)
	}
	st.sweep(time.Now())
	return nil
}

// sweep removes old sessions, at most once a day. Sessions only: a switch that a person
// turned off stays off until it is switched on or its time is over.
func (st Store) sweep(now time.Time) {
	marker := filepath.Join(st.Dir, "swept")
	if info, err := os.Lstat(marker); err == nil && now.Sub(info.ModTime()) < 24*time.Hour && !info.ModTime().After(now) {
		return
	}
	if err := safefile.Put(st.Dir, marker, nil, 0o600); err != nil {
		return
	}
	for _, dir := range []string{"", "sessions", "off", "heartbeats"} {
		st.sweepTemporary(filepath.Join(st.Dir, dir), now)
	}
	dir := filepath.Join(st.Dir, "sessions")
	entries, err := safefile.ReadDir(st.Dir, dir, -1)
	if err != nil {
		return
	}
	for _, e := range entries {
		// A lock file is as old as its session's first write: it is removed with the
		// session and never before.
		base, isLock := strings.CutSuffix(e.Name(), ".lock")
		if isLock {
			if _, err := os.Lstat(filepath.Join(dir, base+".json")); err == nil {
				continue
			}
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > keep {
			_ = safefile.Remove(st.Dir, filepath.Join(dir, e.Name()))
		}
	}
}

// sweepTemporary removes the temporary files of a process that was killed in the middle of
// a write.
func (st Store) sweepTemporary(dir string, now time.Time) {
	entries, err := safefile.ReadDir(st.Dir, dir, -1)
	if err != nil {
		return
	}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") || !strings.Contains(name, ".tmp-") {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > 24*time.Hour {
			_ = safefile.Remove(st.Dir, filepath.Join(dir, e.Name()))
		}
	}
}
