package config

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func mustLoad(t testing.TB, root string, getenv func(string) string) *Loaded {
	t.Helper()
	l, err := Load(root, getenv)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// home writes the user's configuration and returns an environment that finds it.
func home(t testing.TB, content string, pairs ...string) func(string) string {
	t.Helper()
	dir := t.TempDir()
	p := filepath.Join(dir, ".config", "agent-gauntlet", "config.yml")
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return env(t, append(pairs, "HOME", dir)...)
}

func TestDefaults(t *testing.T) {
	root := project(t, map[string]string{"config.yml": minimal, "checks/lint.yml": "command: x\n"})
	l := mustLoad(t, root, env(t))
	want := Settings{
		LogDir: filepath.Join(root, "gauntlet_logs"), AllowParallel: true, MaxParallel: 16, MaxRetries: 3, Threshold: "high",
		StopHookEnabled: true, RunInterval: 10 * time.Minute, Reentry: "once", Scope: "working_tree", MaxBlocks: 3, Deadline: 280 * time.Second, Notify: "blocked", Mode: ModeEnforce,
		DebugLogMaxBytes: 10 << 20, Slots: -1, Quiet: 3 * time.Second, Undo: Watch{Mode: WatchOff}, OldTests: Watch{Mode: WatchOff},
		Remote: RemoteSettings{Read: true, Signers: "allowed_signers", Timeout: 300 * time.Millisecond},
	}
	if diff := cmp.Diff(want, l.Settings); diff != "" {
		t.Error(diff)
	}
	if len(l.Warnings) > 0 {
		t.Errorf("warnings: %q", l.Warnings)
	}
	for _, v := range l.Values {
		if v.Origin != OriginDefault || v.Source != "" {
			t.Errorf("%s comes from %s %s", v.Field, v.Origin, v.Source)
		}
	}
	c := l.Checks["lint"]
	if c.Limit() != 300*time.Second || !c.Runs(true) || !c.Runs(false) || c.Parallel {
		t.Errorf("check defaults: %+v", c)
	}
}

func TestPrecedence(t *testing.T) {
	root := project(t, map[string]string{
		"config.yml":      minimal + "stop_hook:\n  run_interval_minutes: 5\n  max_blocks: 7\n",
		"checks/lint.yml": "command: x\n",
	})
	global := "stop_hook:\n  enabled: false\n  run_interval_minutes: 15\ndebug_log: {enabled: true, max_size_mb: 0.5}\n"
	l := mustLoad(t, root, home(t, global))
	if l.Settings.StopHookEnabled || l.Settings.RunInterval != 5*time.Minute || l.Settings.MaxBlocks != 7 || !l.Settings.DebugLog || l.Settings.DebugLogMaxBytes != 1<<19 {
		t.Errorf("settings: %+v", l.Settings)
	}
	if v := l.value("stop_hook.enabled"); v.Origin != OriginGlobal || !strings.HasSuffix(v.Source, "config.yml:2") {
		t.Errorf("enabled: %+v", v)
	}
	if v := l.value("stop_hook.run_interval_minutes"); v.Origin != OriginProject || v.Source != ".gauntlet/config.yml:5" {
		t.Errorf("interval: %+v", v)
	}
	l = mustLoad(t, root, home(t, global, EnvStopHookEnabled, "TRUE", EnvStopHookInterval, "0"))
	if !l.Settings.StopHookEnabled || l.Settings.RunInterval != 0 {
		t.Errorf("environment lost: %+v", l.Settings)
	}
	if v := l.value("stop_hook.enabled"); v.Origin != OriginEnvironment || v.Source != EnvStopHookEnabled || v.Value != true {
		t.Errorf("enabled: %+v", v)
	}
}

func TestInvalidEnvironmentFallsThrough(t *testing.T) {
	root := project(t, map[string]string{"config.yml": minimal + "stop_hook: {enabled: false, run_interval_minutes: 2}\n", "checks/lint.yml": "command: x\n"})
	for _, bad := range []string{"maybe", "-1", "NaN", "Inf", "10m", "1e999"} {
		l := mustLoad(t, root, env(t, EnvStopHookEnabled, "perhaps", EnvStopHookInterval, bad))
		if l.Settings.StopHookEnabled || l.Settings.RunInterval != 2*time.Minute {
			t.Errorf("%s: %+v", bad, l.Settings)
		}
		if len(l.Warnings) != 2 || !strings.HasPrefix(l.Warnings[0], EnvStopHookEnabled+": ") || !strings.HasPrefix(l.Warnings[1], EnvStopHookInterval+": ") {
			t.Errorf("%s: warnings %q", bad, l.Warnings)
		}
	}
	if l := mustLoad(t, root, env(t, EnvStopHookEnabled, " ", EnvStopHookInterval, "")); len(l.Warnings) > 0 {
		t.Errorf("blank is not set, but: %q", l.Warnings)
	}
}

func TestInvalidGlobal(t *testing.T) {
	root := project(t, map[string]string{"config.yml": minimal, "checks/lint.yml": "command: x\n"})
	for name, content := range map[string]string{
		"syntax": "stop_hook: [\n", "type": "stop_hook:\n  enabled: false\n  max_blocks: many\n", "unknown key": "stop_hook: {enabled: false}\ncolour: 1\n", "list": "- a\n",
	} {
		l := mustLoad(t, root, home(t, content))
		if !l.Settings.StopHookEnabled || l.Settings.MaxBlocks != 3 {
			t.Errorf("%s: defaults lost: %+v", name, l.Settings)
		}
		if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "agent-gauntlet") {
			t.Errorf("%s: warnings %q", name, l.Warnings)
		}
	}
	if l := mustLoad(t, root, home(t, "")); len(l.Warnings) > 0 {
		t.Errorf("empty file: %q", l.Warnings)
	}
}

func TestGlobalPath(t *testing.T) {
	for _, tt := range []struct{ xdg, home, want string }{
		{"", "/home/u", "/home/u/.config/agent-gauntlet/config.yml"},
		{"/x", "/home/u", "/x/agent-gauntlet/config.yml"},
		{"relative", "/home/u", "/home/u/.config/agent-gauntlet/config.yml"},
		{"", "", ""},
		{"/x", "", "/x/agent-gauntlet/config.yml"},
	} {
		got := GlobalPath(func(k string) string {
			return map[string]string{"XDG_CONFIG_HOME": tt.xdg, "HOME": tt.home}[k]
		})
		if got != filepath.FromSlash(tt.want) {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

func TestHugeNumbersSaturate(t *testing.T) {
	root := project(t, map[string]string{
		"config.yml":      minimal + "stop_hook: {run_interval_minutes: 1e300}\ndebug_log: {max_size_mb: 1.0e+300}\n",
		"checks/lint.yml": "command: x\ntimeout: 1.0e+300\n",
	})
	l := mustLoad(t, root, env(t))
	if l.Settings.RunInterval != math.MaxInt64 || l.Settings.DebugLogMaxBytes != math.MaxInt64 || l.Checks["lint"].Limit() != math.MaxInt64 {
		t.Errorf("%+v %v", l.Settings, l.Checks["lint"].Limit())
	}
}

// The shown value is the one that autonomy uses: the environment's, when it is a whole
// number from 1 to 100.
func TestThresholdFromTheEnvironment(t *testing.T) {
	root := project(t, map[string]string{"config.yml": "autonomy:\n  threshold_percent: 70\n"})
	for text, want := range map[string]int{"": 70, "55": 55, " 55 ": 55, "0": 70, "101": 70, "40.5": 70, "+50": 70, "forty": 70} {
		if v := mustLoad(t, root, env(t, EnvContextThreshold, text)).value("autonomy.threshold_percent"); v.Value != want {
			t.Errorf("%q: %+v", text, v)
		}
	}
}

func TestBadThresholdOnlyWarns(t *testing.T) {
	for _, bad := range []string{"0", "101", "40.5", "'40'", "lots", "[1]", "-3"} {
		l := mustLoad(t, project(t, map[string]string{"config.yml": "autonomy:\n  threshold_percent: " + bad + "\n"}), env(t))
		if l.Project.Autonomy == nil || l.Project.Autonomy.ThresholdPercent != nil {
			t.Errorf("%s: %+v", bad, l.Project.Autonomy)
		}
		if len(l.Warnings) != 1 || !strings.HasPrefix(l.Warnings[0], ".gauntlet/config.yml:2:22: autonomy.threshold_percent: must be ") {
			t.Errorf("%s: warnings %q", bad, l.Warnings)
		}
		if v := l.value("autonomy.threshold_percent"); v.Value != 40 || v.Origin != OriginDefault {
			t.Errorf("%s: %+v", bad, v)
		}
	}
}
