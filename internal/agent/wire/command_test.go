package wire

import "testing"

func TestCommandPerShell(t *testing.T) {
	for _, c := range []struct {
		setup Setup
		goos  string
		want  string
	}{
		{Setup{}, "linux", "command -v gauntlet >/dev/null 2>&1 || exit 0; gauntlet stop-hook || exit 0"},
		{Setup{OnWindows: PowerShell}, "darwin", "command -v gauntlet >/dev/null 2>&1 || exit 0; gauntlet stop-hook || exit 0"},
		{Setup{Quiet: true, OnWindows: PowerShell}, "windows", "if (-not (Get-Command gauntlet -ErrorAction SilentlyContinue)) { exit 0 }; gauntlet stop-hook 2>$null; exit 0"},
		{Setup{OnWindows: Cmd}, "windows", "where gauntlet >nul 2>nul || exit /b 0 & gauntlet stop-hook & exit /b 0"},
		{Setup{}, "windows", "command -v gauntlet >/dev/null 2>&1 || exit 0; gauntlet stop-hook || exit 0"},
	} {
		got := c.setup.CommandOn(c.goos, "stop-hook")
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.goos, got, c.want)
		}
		if args, ok := Own(got); !ok || args[:9] != "stop-hook" {
			t.Errorf("%q is not recognised: %q", got, args)
		}
	}
	if _, ok := Own("gauntlet stop-hook"); ok {
		t.Error("a line written by hand is taken for one of Gauntlet's")
	}
}
