package session

import (
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/safefile"
)

// maxLooked bounds how many sessions are read.
const maxLooked = 100

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
