package session

import (
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// noticePause is how long after a notice of one kind the next may come.
const noticePause = time.Minute

// ClaimNotice reports whether a notice of a kind may be shown now, and notes that it
// was. about names what the notice is about: the same is shown
// once. Without a place to note it nothing is shown: a notice that could come at
// every stop is worse than none.
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
