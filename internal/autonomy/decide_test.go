package autonomy

import (
	"strings"
	"testing"

	"gauntlet/internal/config"
	"gauntlet/internal/event"

	"pgregory.net/rapid"
)

func TestMode(t *testing.T) {
	section := &config.Autonomy{}
	on, off := &config.Autonomy{Enabled: new(true)}, &config.Autonomy{Enabled: new(false)}
	for name, tc := range map[string]struct {
		s    Switches
		want Mode
	}{
		"nothing":                    {Switches{}, Off},
		"section":                    {Switches{Config: section}, Normal},
		"section and flag":           {Switches{Config: section, Flag: true}, Autonomous},
		"flag alone":                 {Switches{Flag: true}, Autonomous},
		"enabled":                    {Switches{Config: on}, Autonomous},
		"loop alone":                 {Switches{LoopVar: "1"}, Loop},
		"loop beats flag":            {Switches{LoopVar: "1", Flag: true, Config: on}, Loop},
		"loop as a word":             {Switches{LoopVar: "true"}, Loop},
		"loop is nothing else":       {Switches{LoopVar: "yes"}, Off},
		"loop is exactly 1, section": {Switches{LoopVar: " 1", Config: section}, Normal},
		"enabled false beats all":    {Switches{Config: off, Flag: true, LoopVar: "1"}, Off},
		"disabled in the project":    {Switches{Config: on, Flag: true, LoopVar: "1", Disabled: true}, Off},
	} {
		if got, why := tc.s.Mode(); got != tc.want || (got == Off) != (why != "") {
			t.Errorf("%s: got %s (%q), want %s", name, got, why, tc.want)
		}
	}
}

func TestThreshold(t *testing.T) {
	for _, tc := range []struct {
		env      string
		conf     *int
		want     int
		warnings int
	}{
		{"", nil, 40, 0},
		{"", new(55), 55, 0},
		{"70", new(55), 70, 0},
		{" 70 ", nil, 70, 0},
		{"1", nil, 1, 0},
		{"100", nil, 100, 0},
		{"0", nil, 40, 1},
		{"101", new(55), 55, 1},
		{"-5", new(55), 55, 1},
		{"40%", new(0), 40, 2},
		{"forty", new(101), 40, 2},
		{"4e1", nil, 40, 1},
		{"99999999999999999999999", nil, 40, 1},
		{"40.0", nil, 40, 1},
	} {
		got, source, warnings := Threshold(tc.env, &config.Autonomy{ThresholdPercent: tc.conf})
		if got != tc.want || len(warnings) != tc.warnings || source == "" {
			t.Errorf("%q %v: got %d from %s with %q, want %d and %d warnings", tc.env, tc.conf, got, source, warnings, tc.want, tc.warnings)
		}
	}
}

func TestOncePerRise(t *testing.T) {
	for name, tc := range map[string]struct {
		percents []int
		want     string // one letter per percent: C checkpoint, . none
	}{
		"below":                                     {[]int{0, 10, 39}, "..."},
		"at the threshold":                          {[]int{40}, "C"},
		"five more":                                 {[]int{40, 41, 44, 45, 49, 50}, "C..C.C"},
		"a drop and a new rise":                     {[]int{45, 12, 30, 41}, "C..C"},
		"a drop that stays above the threshold":     {[]int{80, 50, 52, 55}, "C..C"},
		"a drop alone is not a rise":                {[]int{80, 50, 50, 49, 53}, "C...."},
		"a drop just below the threshold":           {[]int{41, 39, 40}, "C.C"},
		"the lowest point counts, not the last one": {[]int{80, 60, 50, 54, 55}, "C...C"},
	} {
		var m Memory
		var got strings.Builder
		for _, p := range tc.percents {
			if due, _ := m.due(p, 40); due {
				m.record(p)
				got.WriteByte('C')
			} else {
				m.observe(p)
				got.WriteByte('.')
			}
		}
		if got.String() != tc.want {
			t.Errorf("%s: %v gave %s, want %s", name, tc.percents, got.String(), tc.want)
		}
	}
}

// For any use: never below the threshold, never more than twenty, and never twice without a
// rise in between.
func TestDecisionProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		threshold := rapid.IntRange(1, 100).Draw(rt, "threshold")
		var m Memory
		made, low := 0, -1
		for _, p := range rapid.SliceOfN(rapid.IntRange(0, 120), 0, 200).Draw(rt, "percents") {
			due, why := m.due(p, threshold)
			if due != (why == "") {
				rt.Fatalf("due %v without fitting reason %q", due, why)
			}
			if !due {
				m.observe(p)
				if low >= 0 {
					low = min(low, p)
				}
				continue
			}
			if p < threshold || (low >= 0 && p <= low) {
				rt.Fatalf("checkpoint at %d: threshold %d, lowest since the last %d", p, threshold, low)
			}
			m.record(p)
			low = p
			if made++; made > maxPerSession {
				rt.Fatalf("%d checkpoints", made)
			}
		}
	})
}

func TestAsksToStop(t *testing.T) {
	for _, yes := range []string{
		"stop", "Stop.", "STOP!", "please stop", "Please, stop now", "pause", "hold", "hold on a second", "wait", "quit",
		"Looks good. Please stop here.", "Thanks! Wait for my review", "ok\nstop", "  \"stop\"  ", "**Stop**", "Stop: I changed my mind",
		"nice; stop", "wait, what?", "Good... stop",
	} {
		if !AsksToStop(yes) {
			t.Errorf("%q asks to stop", yes)
		}
	}
	for _, no := range []string{
		"", "do not stop", "Do not stop.", "don't stop", "never stop", "please do not stop", "go on, don't wait", "fix the stop button",
		"stopwatch", "The stop-hook is slow", "stop-hook is slow", "stop.sh fails", "waiting", "Make it wait", "holding", "pauses", "stop_hook_active is true",
		"```\nstop\n```", "I want it to stop", "Wait_group misuse", "quitting", "stop's meaning",
	} {
		if AsksToStop(no) {
			t.Errorf("%q does not ask to stop", no)
		}
	}
}

func TestWindow(t *testing.T) {
	for model, want := range map[string]int{
		"": 200_000, "something-new": 200_000, "claude-sonnet-4-5": 200_000, "claude-sonnet-4-5[1m]": 1_000_000,
		"claude-opus-5-5": 1_000_000, "anthropic/claude-opus-4-1": 200_000, "gemini-2.5-pro": 1_048_576, "GPT-5.5": 272_000,
	} {
		if got := Window(model); got != want {
			t.Errorf("%s: %d, want %d", model, got, want)
		}
	}
}

func TestProtected(t *testing.T) {
	for _, tc := range []struct {
		list   []string
		branch string
		tracks string
		want   bool
	}{
		{nil, "main", "origin", true},
		{nil, "master", "origin", true},
		{nil, "main", "", false},
		{nil, "main", ".", false},
		{nil, "work", "origin", false},
		{[]string{}, "main", "origin", false},
		{[]string{"prod"}, "prod", "", true},
		{[]string{"prod"}, "main", "origin", false},
		{[]string{"release/*"}, "release/1.2", "", true},
		{[]string{"release/*"}, "released", "", false},
		{[]string{"*-prod-*"}, "eu-prod-1", "", true},
		{[]string{"*-prod-*"}, "eu-prod", "", false},
	} {
		if got := protected(&config.Autonomy{Protected: tc.list}, tc.branch, tc.tracks); got != tc.want {
			t.Errorf("%q %s tracking %q: %v", tc.list, tc.branch, tc.tracks, got)
		}
	}
}

func TestSafeName(t *testing.T) {
	plain := "8e75dff2-5fbe-4dcb-bbc7-c33ff4c64707"
	if safeName(plain) != plain {
		t.Errorf("a plain id changed: %s", safeName(plain))
	}
	seen := map[string]string{}
	for _, id := range []string{"", ".", "..", "a/b", "a\\b", "../../etc/passwd", "a b", "a\nb", "x.lock", "x.LOCK", "-rf", "é", strings.Repeat("a", 65), "a..b", "a.", "a@{1}", "a:b", "a~1", "\x00", "refs/heads/main"} {
		n := safeName(id)
		if n == "" || len(n) > 80 || strings.ContainsAny(n, "/\\ \n\x00.@{:~^?*[") || strings.HasPrefix(n, "-") {
			t.Errorf("%q became %q", id, n)
		}
		if other, ok := seen[n]; ok {
			t.Errorf("%q and %q share %q", id, other, n)
		}
		seen[n] = id
	}
}

func TestPercentRoundsDown(t *testing.T) {
	if p := (event.ContextUse{Tokens: 79_999, Window: 200_000}).Percent(); p != 39 {
		t.Errorf("got %d", p)
	}
}
