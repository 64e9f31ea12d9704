package config

import (
	"strings"
	"testing"
	"time"
)

func TestAhead(t *testing.T) {
	for text, want := range map[string]struct {
		on    bool
		quiet time.Duration
		err   string
	}{
		"stop_hook: {preset: classic}":                           {false, 3 * time.Second, ""},
		"stop_hook: {preset: strict}":                            {true, 3 * time.Second, ""},
		"stop_hook: {preset: strict, ahead: false}":              {false, 3 * time.Second, ""},
		"stop_hook: {preset: strict, ahead: {quiet: 10}}":        {true, 10 * time.Second, ""},
		"stop_hook: {ahead: on}":                                 {true, 3 * time.Second, ""},
		"stop_hook: {ahead: {quiet: 0.5}}":                       {true, 500 * time.Millisecond, ""},
		"stop_hook: {ahead: {enabled: false, quiet: 1}}":         {false, time.Second, ""},
		"stop_hook: {ahead: sometimes}":                          {err: "config.yml:1:20: stop_hook.ahead: must be true or false"},
		"stop_hook: {ahead: {quit: 1}}":                          {err: "unknown key"},
		"stop_hook: {ahead: {quiet: -1}}":                        {err: "stop_hook.ahead.quiet: must be"},
		"stop_hook: {preset: strict}\nroom: {link: [build/gen]}": {true, 3 * time.Second, ""},
		"stop_hook: {preset: strict}\nroom: {link: build/gen}":   {err: "room.link: must be a list"},
	} {
		t.Run(text, func(t *testing.T) {
			root := project(t, map[string]string{"config.yml": text + "\nentry_points: [{path: ., checks: [lint]}]\n", "checks/lint.yml": "command: x\nroom: false\n"})
			l, err := Load(root, env(t))
			if want.err != "" {
				if err == nil || !strings.Contains(err.Error(), want.err) {
					t.Errorf("got %v, want %q", err, want.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if l.Settings.Ahead != want.on || l.Settings.Quiet != want.quiet || l.Checks["lint"].Room != "false" {
				t.Errorf("ahead %v, quiet %s, room %q", l.Settings.Ahead, l.Settings.Quiet, l.Checks["lint"].Room)
			}
		})
	}
}
