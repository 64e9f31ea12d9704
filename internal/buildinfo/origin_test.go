package buildinfo

import (
	"strings"
	"testing"
)

func TestOriginOf(t *testing.T) {
	for _, c := range []struct {
		program, file, how, upgrade string
	}{
		{"/repo/node_modules/@gauntlet-gates/gauntlet/bin/gauntlet", "", "npm, in a project", "npm install --save-dev @gauntlet-gates/gauntlet@latest"},
		{"/usr/lib/node_modules/@gauntlet-gates/gauntlet/bin/gauntlet", "", "npm, globally", "npm install -g"},
		{`C:\Users\d\AppData\Roaming\npm\node_modules\@gauntlet-gates\gauntlet\bin\gauntlet.exe`, "", "npm, globally", "npm install -g"},
		{"/opt/homebrew/Cellar/gauntlet/1.0.0/bin/gauntlet", "", "Homebrew", "brew upgrade gauntlet"},
		{`C:\Users\d\scoop\apps\gauntlet\current\gauntlet.exe`, "", "Scoop", "scoop update gauntlet"},
		{"/usr/bin/gauntlet", "/var/lib/dpkg/info/gauntlet.list", "a deb package", ".deb"},
		{"/usr/bin/gauntlet", "/var/lib/rpm", "an rpm package", ".rpm"},
		{"/usr/bin/gauntlet", "/lib/apk/db/installed", "an apk package", ".apk"},
		{"/home/dev/go/bin/gauntlet", "", "go install", "go install github.com/gauntlet-gates/gauntlet/cmd/gauntlet@latest"},
		{"/opt/gauntlet/gauntlet", "/opt/gauntlet/completions/gauntlet.bash", "a release archive", "checksums.txt"},
		{"/home/dev/.local/bin/gauntlet", "", "copied into /home/dev/.local/bin", "make install"},
		{"/tmp/x/gauntlet", "", "unknown", "/releases"},
	} {
		got := OriginOf(c.program, func(name string) bool { return name == c.file })
		if !strings.HasPrefix(got.How, c.how) || !strings.Contains(got.Upgrade, c.upgrade) {
			t.Errorf("%s: %+v", c.program, got)
		}
	}
}
