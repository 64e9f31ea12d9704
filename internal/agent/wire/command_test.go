package wire

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommandPerShell(t *testing.T) {
	posix := `PATH="$PATH:$HOME/.local/bin:/opt/homebrew/bin:/usr/local/bin:$HOME/go/bin:$HOME/.npm-global/bin"; command -v gauntlet >/dev/null 2>&1 || exit 0; gauntlet stop-hook || exit 0`
	ps := "if (Get-Command gauntlet -ErrorAction SilentlyContinue) { gauntlet stop-hook }; exit 0"
	for _, c := range []struct {
		setup Setup
		want  string
	}{
		{Setup{}, posix},
		{Setup{PowerShell: true, WindowsKey: "w"}, posix},
		{Setup{PowerShell: true}, "echo --% >/dev/null;: ' | out-null; " + ps + " #'; " + posix},
		{Setup{PowerShell: true, Quiet: true}, "echo --% >/dev/null;: ' | out-null; " + strings.Replace(ps, "hook", "hook 2>$null", 1) + " #'; " + strings.Replace(posix, "stop-hook", "stop-hook 2>/dev/null", 1)},
	} {
		got := c.setup.Command("stop-hook")
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		for _, line := range []string{got, c.setup.WindowsCommand("stop-hook")} {
			if args, ok := Own(line); !ok || args[:9] != "stop-hook" {
				t.Errorf("%q is not recognised: %q", line, args)
			}
		}
	}
	for _, old := range []string{
		"command -v gauntlet >/dev/null 2>&1 || exit 0; gauntlet stop-hook || exit 0",
		"if (-not (Get-Command gauntlet -ErrorAction SilentlyContinue)) { exit 0 }; gauntlet stop-hook 2>$null; exit 0",
		"where gauntlet >nul 2>nul || exit /b 0 & gauntlet stop-hook & exit /b 0",
	} {
		if _, ok := Own(old); !ok {
			t.Errorf("the line of an earlier version is not recognised: %q", old)
		}
	}
	if _, ok := Own("gauntlet stop-hook"); ok {
		t.Error("a line written by hand is taken for one of Gauntlet's")
	}
}

// TestCommandFindsTheBinary: with the PATH of a program that was started from the Dock, the
// command finds a binary in each of the usual places below HOME. Without one it is silent.
func TestCommandFindsTheBinary(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("NOT TESTED: the installed line needs a POSIX shell, and there is none")
	}
	run := func(s Setup, home string) (string, error) {
		cmd := exec.Command(sh, "-c", s.Command("stop-hook"))
		cmd.Env = []string{"HOME=" + home, "PATH=" + LaunchPath}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, s := range []Setup{{}, {PowerShell: true}, {PowerShell: true, Quiet: true}} {
		for _, dir := range []string{".local/bin", "go/bin", ".npm-global/bin"} {
			home := t.TempDir()
			if out, err := run(s, home); err != nil || out != "" {
				t.Errorf("nothing installed: %q %v", out, err)
			}
			bin := filepath.Join(home, filepath.FromSlash(dir))
			if err := os.MkdirAll(bin, 0o700); err != nil {
				t.Fatal(err)
			}
			script := "#!/bin/sh\necho \"$@\"; case :$PATH: in *:\"$HOME\"/.local/bin:*) echo gates see it;; esac; exit 2\n"
			if err := os.WriteFile(filepath.Join(bin, "gauntlet"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			if out, err := run(s, home); err != nil || out != "stop-hook\ngates see it\n" {
				t.Errorf("%s: %q %v", dir, out, err)
			}
		}
	}
}
