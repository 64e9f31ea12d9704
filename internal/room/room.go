package room

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"gauntlet/internal/content"
	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// Purpose is what a room is for: each work tree has one room for each.
type Purpose string

// The purposes.
const (
	Ground Purpose = "ground" // what was there before a session
	Base   Purpose = "base"   // commits: new_only: base, replay
	Ahead  Purpose = "ahead"  // the work tree, before a stop needs the result
	Canary Purpose = "canary" // one broken file
	Undo   Purpose = "undo"   // a turn's change taken back, or its tests
	Fix    Purpose = "fix"    // what a check's fix command changes
)

// House is where the rooms of a project are.
type House struct {
	Dir   string        // where all rooms are, below the cache home
	Repo  git.Repo      // the work tree
	Store content.Store // the content of its accounts
	// Ask is how accounts of the work tree are made: the same rules apply in a room.
	Ask content.Question
	// Here is the content of the work tree: what is in it and not in the room's account is not
	// ignored. nil: it has no other content.
	Here *content.Account
	// Link are paths, relative to the work tree, that every room shows although git ignores
	// them and they look like outputs.
	Link []string
	// Plain leaves name spaces alone.
	Plain bool
}

// Home is the directory of all rooms; "" without a home directory.
func Home(getenv func(string) string) string {
	cache := getenv("XDG_CACHE_HOME")
	if cache == "" || !filepath.IsAbs(cache) {
		home := text.Home(getenv)
		if home == "" {
			return ""
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "gauntlet", "rooms")
}

// ErrNoRoom means that there is nowhere to put one.
var ErrNoRoom = errors.New("no home directory for a room")

// Room is a room that this process has to itself until it is closed.
type Room struct {
	house House
	dir   string // the room's own directory
	tree  string // the content in it
	lock  *safefile.Lock
	own   bool      // the check sees the room at the project's own path
	seen  []ignored // what git ignores in the work tree and the room shows
}

// patience is how long to wait for another process that has the room.
const patience = 2 * time.Second

// Open returns the room for a purpose, which may hold other content yet. Only one process
// has it at a time: safefile.ErrHeld.
func (h House) Open(ctx context.Context, p Purpose) (*Room, error) {
	if h.Dir == "" {
		return nil, ErrNoRoom
	}
	r := &Room{house: h, dir: filepath.Join(h.Dir, name(h.Repo.Root)+"-"+string(p))}
	r.tree = filepath.Join(r.dir, "tree")
	for _, dir := range []string{"", "tree", "git", "common", "over"} {
		if err := ownDir(filepath.Join(r.dir, dir)); err != nil {
			return nil, fmt.Errorf("room: %w", err)
		}
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	lock, err := safefile.Acquire(waiting, filepath.Join(r.dir, "lock")) // a run that is given up ends soon
	if err != nil {
		return nil, fmt.Errorf("room: %w", err)
	}
	r.lock, r.own = lock, !h.Plain && mayMount(ctx)
	now := time.Now()
	_ = os.Chtimes(r.dir, now, now) // rooms are swept by their last use
	h.sweepDaily(now)
	return r, nil
}

// ownDir makes a directory of a room. A link in its place leads elsewhere, so it is removed.
func ownDir(dir string) error {
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		if err := os.Remove(dir); err != nil {
			return err
		}
	}
	return os.MkdirAll(dir, 0o700)
}

// name is a file name for a path.
func name(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// Close lets another process have the room. Its content stays.
func (r *Room) Close() { _ = r.lock.Release() }

// Path is where a path of the project is in the room, seen from outside.
func (r *Room) Path(path string) string {
	rel, err := filepath.Rel(r.house.Repo.Root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path // it is not content
	}
	return filepath.Join(r.tree, rel)
}

// Move makes the room hold exactly an account's content. Paths that are the same already
// keep their inodes and times, so that incremental tools stay incremental.
func (r *Room) Move(ctx context.Context, a *content.Account) error {
	have, err := r.Has(ctx, a)
	if err != nil {
		return fmt.Errorf("room: %w", err)
	}
	if err := r.lay(ctx, have, a); err != nil {
		return fmt.Errorf("room: %w", err)
	}
	if err := r.repository(); err != nil {
		return fmt.Errorf("room: %w", err)
	}
	if r.seen, err = r.ignored(a); err != nil {
		return fmt.Errorf("room: %w", err)
	}
	return r.show(ctx)
}

// Has is what the room holds, read from its files: what a check or a crash left there counts
// as it is.
func (r *Room) Has(ctx context.Context, a *content.Account) (*content.Account, error) {
	q := r.house.Ask
	q.Repo = git.Repo{Root: r.tree, GitDir: filepath.Join(r.dir, "git"), CommonDir: r.house.Repo.CommonDir}
	q.Before = a
	q.Patience = 0
	q.Leave = r.leave
	return content.Take(ctx, q)
}

// leave reports whether a path of the room is not content.
func (r *Room) leave(path string) bool { return path == ".git" }

// lay writes what differs and removes what does not belong there.
func (r *Room) lay(ctx context.Context, have, want *content.Account) error {
	var missing []git.File
	root, err := os.OpenRoot(r.tree)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing is buffered
	for _, path := range content.Diff(have, want) {
		f, ok := want.Find(path)
		if !ok {
			if err := remove(root, path); err != nil {
				return err
			}
			continue
		}
		if f.Mode == content.Repository {
			continue
		}
		done, err := r.fromWorkTree(root, f)
		if err != nil {
			return err
		}
		if !done {
			missing = append(missing, f)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return r.house.Store.Each(ctx, missing, func(f git.File, data []byte) error { return place(root, f, data) })
}

// fromWorkTree copies a file whose content the work tree still has.
func (r *Room) fromWorkTree(root *os.Root, f git.File) (done bool, err error) {
	data, err := r.house.Store.FromTree(f)
	if err != nil {
		return false, nil //nolint:nilerr // it is gone, or another one: the store may have it
	}
	return true, place(root, f, data)
}

// place writes one file. It is not synced: what a crash leaves is read again before use.
func place(root *os.Root, f git.File, data []byte) error {
	path := filepath.FromSlash(f.Path)
	if !filepath.IsLocal(path) {
		return fmt.Errorf("%s: %w", f.Path, safefile.ErrOutside)
	}
	// Some caches know a version of a file by its second and its size. The clock of a file
	// system may be behind by a few milliseconds.
	if old, err := root.Lstat(path); err == nil && old.Size() == int64(len(data)) {
		over := time.Until(old.ModTime().Truncate(time.Second).Add(time.Second + 20*time.Millisecond))
		if over > 0 {
			<-time.After(min(over, 2*time.Second))
		}
	}
	err := write(root, f, path, data)
	if err == nil || !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	if err := remove(root, f.Path); err != nil {
		return err
	}
	if err := mkdirs(root, filepath.Dir(path)); err != nil {
		return err
	}
	return write(root, f, path, data)
}

// write makes a new file or link.
func write(root *os.Root, f git.File, path string, data []byte) error {
	if f.Mode == content.Link {
		return root.Symlink(string(data), path)
	}
	perm := fs.FileMode(0o644)
	if f.Mode == content.Executable {
		perm = 0o755
	}
	out, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return errors.Join(err, out.Close())
}

// mkdirs makes directories; a file in the place of one is removed.
func mkdirs(root *os.Root, dir string) error {
	if dir == "." {
		return nil
	}
	err := root.MkdirAll(dir, 0o755)
	if err == nil {
		return nil
	}
	for at := range slices.Values(parents(dir)) {
		if info, lerr := root.Lstat(at); lerr == nil && !info.IsDir() {
			if err := root.Remove(at); err != nil {
				return err
			}
		}
	}
	return root.MkdirAll(dir, 0o755)
}

// parents are a directory and those above it, the highest first.
func parents(dir string) []string {
	var out []string
	for d := dir; d != "." && d != string(filepath.Separator); d = filepath.Dir(d) {
		out = append(out, d)
	}
	slices.Reverse(out)
	return out
}

// remove removes a file, link or directory, and the directories above it that are empty
// then. One that is missing is removed already.
func remove(root *os.Root, path string) error {
	path = filepath.FromSlash(path)
	if err := root.RemoveAll(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	for d := filepath.Dir(path); d != "."; d = filepath.Dir(d) {
		if !removeEmpty(root, d) {
			break
		}
	}
	return nil
}

// removeEmpty removes a directory that is empty.
func removeEmpty(root *os.Root, dir string) bool {
	info, err := root.Lstat(dir)
	return err == nil && info.IsDir() && root.Remove(dir) == nil
}
