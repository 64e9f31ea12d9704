package cli

import (
	"slices"
	"testing"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/site"
)

// The session of the nearest client comes first; of one client, the one in this project that
// was prompted last. A process that only has the same number is another one.
func TestSessionsAbove(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }
	known := []site.Client{
		{Session: "outer", PID: 10, Started: at(1 * 10), Root: "/here", At: at(9)},
		{Session: "old", PID: 20, Started: at(2 * 10), Root: "/here", At: at(1)},
		{Session: "elsewhere", PID: 20, Started: at(2 * 10), Root: "/there", At: at(8)},
		{Session: "new", PID: 20, Started: at(2 * 10), Root: "/here", At: at(5)},
		{Session: "gone", PID: 30, Started: at(0 * 10), Root: "/here", At: at(9)},
		{Session: "unknown process", Root: "/here", At: at(9)},
	}
	above := []proc.Process{{PID: 40, Started: at(4 * 10)}, {PID: 30, Started: at(3 * 10)}, {PID: 20, Started: at(2 * 10)}, {PID: 10, Started: at(1 * 10)}}
	if got, want := sessionsAbove(known, above, "/here"), []string{"new", "old", "elsewhere", "outer"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := sessionsAbove(known, nil, "/here"); len(got) > 0 {
		t.Errorf("without ancestors: %q", got)
	}
}
