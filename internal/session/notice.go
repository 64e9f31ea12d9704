package session

import (
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// noticePause is the shortest time between two notices of one kind.
const noticePause = time.Minute

// ClaimNotice reports whether a notice of a kind may be shown now, and records that it was.
// about identifies the subject of the notice, which is shown once. If this cannot be
// recorded nothing is shown: a notice at every stop is worse than none.
func (st Store) ClaimNotice(kind, about string, now time.Time) bool {
	if st.Dir == "" {
		return false
	}
	path := filepath.Join(st.Dir, "notices", fileSafe(kind))
	if b, err := safefile.Read(st.Dir, path, 1<<10); err == nil {
		at, what, _ := strings.Cut(strings.TrimSuffix(string(b), "\n"), " ")
		last, err := time.Parse(time.RFC3339, at)
		if err == nil && (what == about || now.Sub(last).Abs() < noticePause) {
			return false
		}
	}
	if st.prepare("notices") != nil {
		return false
	}
	return safefile.Put(st.Dir, path, []byte(now.UTC().Format(time.RFC3339)+" "+about+"\n"), 0o600) == nil
}
