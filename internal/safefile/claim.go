package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Claim acquires a lock whose file names its owner and is removed on release. The file
// appears with its content in one step, so kill -9 leaves either nothing or a file that
// names a dead owner; that one is replaced immediately. A file of another tool counts as
// held until it is older than believed returns for its content; 0 means that the kernel's
// lock alone decides.
func Claim(path string, owner []byte, believed func([]byte) time.Duration) (*Lock, error) {
	if !removesOpenFiles {
		return claimInPlace(path, owner, believed)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".lock-*")
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	claimed := false
	defer func() {
		_ = os.Remove(tmp.Name()) // linked or renamed by now, or useless
		if !claimed {
			_ = tmp.Close()
		}
	}()
	if _, err := tmp.Write(owner); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	err = lock(tmp)
	loose := errors.Is(err, errNoLocks)
	if err != nil && !loose {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	for range 100 {
		err := os.Link(tmp.Name(), path)
		if err == nil {
			claimed = true
			return &Lock{f: tmp, path: path, loose: loose}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
				return claimInPlace(path, owner, believed) // a file system without hard links
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		left, done, err := takeOver(path, tmp.Name(), believed)
		if err != nil {
			return nil, err
		}
		if done {
			claimed = true
			return &Lock{f: tmp, path: path, left: left, loose: loose}, nil
		}
	}
	return nil, ErrHeld
}

// claimInPlace locks the file itself and then writes the owner into it: kill -9 in between
// leaves a file without an owner, which a lock in place ignores.
func claimInPlace(path string, owner []byte, believed func([]byte) time.Duration) (*Lock, error) {
	l, err := TryAcquire(path)
	if err != nil {
		return nil, err
	}
	left, err := abandoned(l.f, believed)
	if err == nil {
		err = l.Describe(owner)
	}
	if err != nil {
		return nil, errors.Join(err, l.Release())
	}
	l.left = left
	return l, nil
}

// abandoned returns the content of a file that no process has locked, or ErrHeld if another
// process has.
func abandoned(f *os.File, believed func([]byte) time.Duration) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	// A time in the future is useless as the age of the file: it would hold the lock for
	// years.
	if empty := len(content) == 0 && !removesOpenFiles; !empty && time.Since(info.ModTime()).Abs() < believed(content) {
		return nil, ErrHeld
	}
	return content, nil
}

// takeOver replaces a lock file whose owner is gone. It holds the old file's lock
// meanwhile, so only one process can.
func takeOver(path, tmp string, believed func([]byte) time.Duration) (left []byte, done bool, err error) {
	before, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil // released a moment ago
	}
	if err == nil && !before.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", path, err)
	}
	old, err := os.OpenFile(path, os.O_RDWR|nonBlock|noFollow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", path, err)
	}
	defer old.Close() //nolint:errcheck // gives its lock up
	if err := lock(old); err != nil && !errors.Is(err, errNoLocks) {
		return nil, false, err
	}
	if !same(old, path) {
		return nil, false, nil
	}
	content, err := abandoned(old, believed)
	if err != nil {
		return nil, false, err
	}
	if err := os.Rename(tmp, path); err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", path, err)
	}
	return content, true, nil
}
