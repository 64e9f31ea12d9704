package ahead

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	now := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	ago := func(s int) time.Time { return now.Add(-time.Duration(s) * time.Second) }
	for name, tt := range map[string]struct {
		edited, called time.Time
		spent          time.Duration
		wait           time.Duration
		never          bool
	}{
		"a command just ended":                       {edited: ago(20), called: ago(1), wait: 2 * time.Second},
		"a command after the last edit":              {edited: ago(20), called: ago(3)},
		"only edits so far":                          {edited: ago(10), called: ago(30), wait: 2 * time.Second},
		"only edits, long ago":                       {edited: ago(60), called: ago(90)},
		"as much as the gates cost is spent":         {edited: ago(20), called: ago(9), spent: 10 * time.Second},
		"one and a half times as much":               {edited: ago(20), called: ago(9), spent: 15 * time.Second, never: true},
		"a clock that was set back an hour":          {edited: ago(20), called: ago(-3600), wait: 12 * time.Second},
		"a machine that slept for a day":             {edited: ago(90000), called: ago(86400)},
		"nothing edited yet, and a prompt that came": {called: ago(1), wait: 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			m := Moment{Now: now, Edited: tt.edited, Called: tt.called, Quiet: 3 * time.Second, Spent: tt.spent, Cost: 10 * time.Second}
			if wait, never := m.Wait(); wait != tt.wait || never != tt.never {
				t.Errorf("waits %s, never %v; want %s, %v", wait, never, tt.wait, tt.never)
			}
		})
	}
	if _, never := (Moment{Spent: time.Hour}).Wait(); never {
		t.Error("what gates cost is unknown, and nothing is proved ahead")
	}
}
