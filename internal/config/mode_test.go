package config

import (
	"strings"
	"testing"
)

func TestWeaker(t *testing.T) {
	for _, c := range []struct{ a, b, want Mode }{
		{"", "", ModeEnforce},
		{ModeEnforce, ModeWarn, ModeWarn},
		{ModeObserve, ModeWarn, ModeObserve},
		{ModeWarn, ModeOff, ModeOff},
		{"", ModeObserve, ModeObserve},
	} {
		if got := Weaker(c.a, c.b); got != c.want {
			t.Errorf("Weaker(%q, %q) = %q, want %q", c.a, c.b, got, c.want)
		}
		if got := Weaker(c.b, c.a); got != c.want {
			t.Errorf("Weaker(%q, %q) = %q, want %q", c.b, c.a, got, c.want)
		}
	}
}

func TestModesAreReadEverywhere(t *testing.T) {
	root := project(t, map[string]string{
		"config.yml":      "stop_hook: {mode: warn}\ncheckpoint: {mode: off}\n" + minimal,
		"checks/lint.yml": "command: x\nmode: observe\n",
		"reviews/r.md":    "---\nmode: off\n---\nLook.\n",
	})
	l := mustLoad(t, root, env(t))
	if l.Settings.Mode != ModeWarn || l.Project.Checkpoint.Mode != ModeOff || l.Checks["lint"].Mode != ModeObserve || l.Reviews["r"].Mode != ModeOff {
		t.Errorf("modes: %q %q %q %q", l.Settings.Mode, l.Project.Checkpoint.Mode, l.Checks["lint"].Mode, l.Reviews["r"].Mode)
	}
	set := l.Settings
	if got := set.ModeAtStop(ModeObserve); got != ModeObserve {
		t.Errorf("at a stop the weaker counts, got %q", got)
	}
	if got := set.ModeAtStop(ModeEnforce); got != ModeWarn {
		t.Errorf("at a stop the weaker counts, got %q", got)
	}
	if got := set.ModeOf(ModeEnforce); got != ModeEnforce {
		t.Errorf("by hand the stop hook's mode does not count, got %q", got)
	}
	set = mustLoad(t, root, env(t, EnvMode, "Enforce")).Settings
	if set.ModeAtStop(ModeOff) != ModeEnforce || set.ModeOf(ModeObserve) != ModeEnforce {
		t.Errorf("%s does not replace the modes: %+v", EnvMode, set)
	}
	l = mustLoad(t, root, env(t, EnvMode, "loud"))
	if l.Settings.Mode != ModeWarn || len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], EnvMode) {
		t.Errorf("an unknown %s: %q, %q", EnvMode, l.Settings.Mode, l.Warnings)
	}
}
