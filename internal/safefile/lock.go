package safefile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrHeld means that a living process holds the lock.
var ErrHeld = errors.New("lock is held")

// errNoLocks means that the file system has no locks: some network file systems do not.
var errNoLocks = errors.New("the file system has no locks")

// Lock is a held lock.
type Lock struct {
	f     *os.File
	path  string
	left  []byte
	loose bool
}

// Loose reports whether the file system has no locks, so that this one keeps no other process out.
func (l *Lock) Loose() bool { return l.loose }

// LeftBy is the content of the file whose owner had died; nil when there was none.
func (l *Lock) LeftBy() []byte { return l.left }

// TryAcquire acquires the lock or returns ErrHeld immediately.
func TryAcquire(path string) (*Lock, error) {
	for range 100 {
		f, err := openLock(path)
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		err = lock(f)
		loose := errors.Is(err, errNoLocks)
		if err != nil && !loose {
			_ = f.Close()
			if errors.Is(err, ErrHeld) {
				return nil, ErrHeld
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		// Between open and lock the last holder may have removed the file: then the locked
		// file no longer exists, and the lock has to be tried again.
		if same(f, path) {
			return &Lock{f: f, path: path, loose: loose}, nil
		}
		_ = f.Close()
	}
	return nil, ErrHeld
}

// Acquire waits for the lock until ctx is done.
func Acquire(ctx context.Context, path string) (*Lock, error) {
	wait := time.Millisecond
	for {
		l, err := TryAcquire(path)
		if err == nil || !errors.Is(err, ErrHeld) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: %w (%w)", path, ErrHeld, ctx.Err())
		case <-time.After(wait):
			wait = min(wait*2, 20*time.Millisecond)
		}
	}
}

// Describe replaces the file's content: information for people, not the lock.
func (l *Lock) Describe(text []byte) error {
	if err := l.f.Truncate(0); err != nil {
		return fmt.Errorf("describe lock: %w", err)
	}
	if _, err := l.f.WriteAt(text, 0); err != nil {
		return fmt.Errorf("describe lock: %w", err)
	}
	return nil
}

// Release releases the lock; the file stays.
func (l *Lock) Release() error { return l.f.Close() }

// Remove deletes the file and releases the lock, in that order, so that no process can lock
// the file in between and lose it. If an open file cannot be deleted it is the other way
// round: a file that another process has locked by then stays.
func (l *Lock) Remove() error {
	if !removesOpenFiles {
		err := l.f.Close()
		if removed := os.Remove(l.path); !inUse(removed) && !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
		return err
	}
	err := os.Remove(l.path)
	return errors.Join(err, l.f.Close())
}

func same(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}

// openLock opens the file of a lock, or makes it: no link, no pipe.
func openLock(path string) (*os.File, error) {
	r, rel, err := within("", path)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // the file has a handle of its own
	return openOwn(r, rel, os.O_RDWR, 0o600)
}

// File is the locked file. Passed to a child process it keeps the lock held for as long as
// the child lives, also when its parent is killed.
func (l *Lock) File() *os.File { return l.f }

// Inherited is a lock that the process which started this one acquired and passed on as a
// descriptor. It is not passed on further.
func Inherited(fd uintptr, path string) (*Lock, error) {
	f := os.NewFile(fd, path)
	if f == nil || !same(f, path) || lock(f) != nil {
		return nil, fmt.Errorf("lock %s: %w", path, fs.ErrInvalid)
	}
	closeOnExec(fd)
	return &Lock{f: f, path: path}, nil
}
