package session

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// maxLooked bounds how many sessions are read.
const maxLooked = 100

// First is when the first session of this memory began; zero when there is none. A
// session's lock is as old as its first write.
func (st Store) First() (first time.Time) {
	entries, _ := safefile.ReadDir(st.Dir, filepath.Join(st.Dir, "sessions"), -1)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".lock") && (first.IsZero() || info.ModTime().Before(first)) {
			first = info.ModTime()
		}
	}
	return first
}

// Newest returns the memory of the session that was last written and that
// match accepts; nil when there is none.
func (st Store) Newest(match func(*State) bool) *State {
	if st.Dir == "" {
		return nil
	}
	entries, err := safefile.ReadDir(st.Dir, filepath.Join(st.Dir, "sessions"), -1)
	if err != nil {
		return nil
	}
	type file struct {
		path string
		at   int64
	}
	var files []file
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".json") {
			files = append(files, file{filepath.Join(st.Dir, "sessions", e.Name()), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return int(min(1, max(-1, b.at-a.at))) })
	for i, f := range files {
		if i >= maxLooked {
			break
		}
		if s, err := st.load(f.path); err == nil && match(s) {
			return s
		}
	}
	return nil
}
