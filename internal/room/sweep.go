package room

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// What rooms may take, all together, and how long one is kept without use.
const (
	MaxBytes = 5 << 30
	keptFor  = 14 * 24 * time.Hour
	sweeping = 24 * time.Hour // between two looks
)

// Sweep removes rooms that were not used for long, and the ones used longest ago while all
// together take more than most. A room that is in use stays. It returns what it freed.
func Sweep(dir string, now time.Time, most int64) (freed int64) {
	entries, err := safefile.ReadDir(dir, dir, -1)
	if err != nil {
		return 0
	}
	type room struct {
		path  string
		used  time.Time
		bytes int64
	}
	var rooms []room
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || !strings.Contains(e.Name(), "-") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		rooms = append(rooms, room{path, info.ModTime(), size(path)})
	}
	slices.SortFunc(rooms, func(a, b room) int { return b.used.Compare(a.used) })
	var total int64
	for _, r := range rooms {
		total += r.bytes
		if total <= most && now.Sub(r.used) < keptFor {
			continue
		}
		if discard(r.path) {
			total -= r.bytes
			freed += r.bytes
		}
	}
	return freed
}

// sweepDaily sweeps once a day: it reads all rooms.
func (h House) sweepDaily(now time.Time) {
	stamp := filepath.Join(h.Dir, "swept")
	if info, err := os.Lstat(stamp); err == nil && now.Sub(info.ModTime()).Abs() < sweeping {
		return
	}
	if safefile.Put(h.Dir, stamp, nil, 0o600) == nil {
		Sweep(h.Dir, now, MaxBytes)
	}
}

// discard removes a room that no process has.
func discard(path string) bool {
	lock, err := safefile.TryAcquire(filepath.Join(path, "lock"))
	if err != nil {
		return false
	}
	defer lock.Release() //nolint:errcheck // it is removed with the room
	// A check may have left directories that not even their owner may write.
	_ = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(name, 0o700) //nolint:gosec // a directory
		}
		return nil
	})
	return os.RemoveAll(path) == nil
}

// size is how much a room takes.
func size(path string) (sum int64) {
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
