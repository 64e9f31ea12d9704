package ui

import (
	"strings"
	"testing"
	"time"

	"gauntlet/internal/history/ask"
)

// A plot shows what the filter asks for, however long that is, and marks what there is
// no history of instead of drawing it as nothing.
func TestPlotsShowTheWholeTime(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	first := now.AddDate(0, 0, -20)
	day := func(ago int) ask.DayCost {
		return ask.DayCost{Start: now.Truncate(24*time.Hour).AddDate(0, 0, -ago), SpentMS: 60_000, SavedMS: 1000}
	}
	for _, tt := range []struct {
		days       int
		bars       string // of the oldest day
		unmeasured bool
	}{
		{7, "9 Nov: 1 min spent, 1 s saved", false},
		{90, "26 Oct: 1 min spent, 1 s saved", true},
		{365, "26 Oct: 3 min spent, 3 s saved", true}, // a bar per week
	} {
		since := ask.Since(now, tt.days)
		got := string(spentPlot([]ask.DayCost{day(20), day(19), day(18), day(6)}, since, first, now, tt.days))
		if !strings.Contains(got, tt.bars) {
			t.Errorf("%d days: %q is missing", tt.days, tt.bars)
		}
		if strings.Contains(got, "unmeasured") != tt.unmeasured {
			t.Errorf("%d days: what there is no history of is marked: %v", tt.days, !tt.unmeasured)
		}
		if strings.Contains(got, "Aug:") {
			t.Errorf("%d days: a bar before the history began", tt.days)
		}
	}
	week := ask.Bucket{Start: ask.Monday(now), Stops: 3, Blocked: 1}
	got := string(weeksPlot([]ask.Bucket{week}, ask.Since(now, 30), first, now, 40))
	if !strings.Contains(got, "week of 9 Nov: 3 stops, 1 sent back") || !strings.Contains(got, ">40<") || !strings.Contains(got, "week of 26 Oct: 0 stops") || strings.Contains(got, "week of 12 Oct:") {
		t.Errorf("weeks: %s", got)
	}
}
