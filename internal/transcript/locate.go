package transcript

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxDays bounds how many day directories are searched for a session.
const maxDays = 400

// LocateRollout finds the rollout of a thread below an agent's home
// (sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl); "" when there is none.
// The id is untrusted text.
func LocateRollout(home, thread string, now time.Time) string {
	if home == "" || !isPlainID(thread) {
		return ""
	}
	sessions := filepath.Join(home, "sessions")
	tried := map[string]bool{}
	try := func(day string) string {
		if tried[day] {
			return ""
		}
		tried[day] = true
		return rollout(day, thread)
	}
	// Directories are named by local time; a session may have begun yesterday.
	for _, d := range []int{0, -1, 1} {
		if found := try(filepath.Join(sessions, filepath.FromSlash(now.AddDate(0, 0, d).Format("2006/01/02")))); found != "" {
			return found
		}
	}
	days := []string{sessions}
	for _, digits := range []int{4, 2, 2} { // year, month, day; the newest first
		var below []string
		for _, dir := range days {
			for _, name := range slices.Backward(names(dir)) {
				if len(name) == digits && strings.Trim(name, "0123456789") == "" && len(below) < maxDays {
					below = append(below, filepath.Join(dir, name))
				}
			}
		}
		days = below
	}
	for _, day := range days {
		if found := try(day); found != "" {
			return found
		}
	}
	return ""
}
