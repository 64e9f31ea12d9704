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

// Claim takes a lock whose file names its owner and vanishes when it is given
// up. The file appears with its content in one step, so kill -9 leaves either
// nothing or a file that names a dead owner; that one is taken over at once.
// A file that another tool left counts as held until it is older than believed
// says of its content; 0 means that the kernel's word is enough.
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
	if err := lock(tmp); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	for range 100 {
		err := os.Link(tmp.Name(), path)
		if err == nil {
			claimed = true
			return &Lock{f: tmp, path: path}, nil
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
			return &Lock{f: tmp, path: path, left: left}, nil
		}
	}
	return nil, ErrHeld
}

// claimInPlace locks the file itself and writes the owner into it then: kill -9
// in between leaves a file that names no owner, which a lock in place ignores.
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

// abandoned returns what a file says that no process holds, or ErrHeld where it is
// another process's.
func abandoned(f *os.File, believed func([]byte) time.Duration) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	// A time in the future says nothing about the age of the file: believed, it
	// would hold the lock for years.
	if empty := len(content) == 0 && !removesOpenFiles; !empty && time.Since(info.ModTime()).Abs() < believed(content) {
		return nil, ErrHeld
	}
	return content, nil
}

// takeOver puts a new lock file in place of one whose owner is gone. It holds the old
// file's lock while it does, so only one can.
func takeOver(path, ours string, believed func([]byte) time.Duration) (left []byte, done bool, err error) {
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
	if err := lock(old); err != nil {
		return nil, false, err
	}
	if !same(old, path) {
		return nil, false, nil
	}
	content, err := abandoned(old, believed)
	if err != nil {
		return nil, false, err
	}
	if err := os.Rename(ours, path); err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", path, err)
	}
	return content, true, nil
}
