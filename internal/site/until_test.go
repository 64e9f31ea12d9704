package site

import (
	"testing"
	"time"

	"gauntlet/internal/session"
)

// A time of another day is named with its date.
func TestHowLongASwitchIsOff(t *testing.T) {
	now := time.Date(2026, 11, 15, 14, 0, 0, 0, time.Local)
	for _, tt := range []struct {
		since, until time.Time
		want         string
	}{
		{now, time.Time{}, "until `gauntlet on`, since 14:00 by sh"},
		{now, now.Add(time.Hour), "until 15:00, since 14:00 by sh"},
		{now.AddDate(0, 0, -2), now.AddDate(0, 0, 3), "until 18 Nov 14:00, since 13 Nov 14:00 by sh"},
	} {
		sw := Switch{Off: session.Off{Since: tt.since, Until: tt.until, By: "sh"}, On: "gauntlet on"}
		if got := sw.Until(now) + sw.since(now); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
