package proc

import (
	"os/exec"
	"testing"
)

// TestShellBesideGit: Git for Windows puts git on PATH and leaves its shell out.
func TestShellBesideGit(t *testing.T) {
	for name, c := range map[string]struct{ sh, git, there, want string }{
		"on PATH":         {sh: `C:\msys\sh.exe`, git: `D:\Git\cmd\git.exe`, there: `D:\Git\bin\sh.exe`, want: `C:\msys\sh.exe`},
		"beside cmd":      {git: `D:\Git\cmd\git.exe`, there: `D:\Git\bin\sh.exe`, want: `D:\Git\bin\sh.exe`},
		"beside mingw64":  {git: `D:\Git\mingw64\bin\git.exe`, there: `D:\Git\bin\sh.exe`, want: `D:\Git\bin\sh.exe`},
		"MinGit":          {git: `D:\Git\cmd\git.exe`, there: `D:\Git\usr\bin\sh.exe`, want: `D:\Git\usr\bin\sh.exe`},
		"usual place":     {there: `C:\Program Files\Git\bin\sh.exe`, want: `C:\Program Files\Git\bin\sh.exe`},
		"nowhere":         {git: `D:\Git\cmd\git.exe`},
		"nothing at all":  {},
		"relative to git": {git: `D:\a\b\git.exe`, there: `D:\sh.exe`},
	} {
		t.Run(name, func(t *testing.T) {
			look := func(p string) (string, error) {
				found := map[string]string{"sh": c.sh, "git": c.git}[p]
				if found == "" {
					return "", exec.ErrNotFound
				}
				return found, nil
			}
			got, err := shellOf(look, func(p string) bool { return p == c.there })
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("%q %v, want %q", got, err, c.want)
			}
		})
	}
}
