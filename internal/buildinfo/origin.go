package buildinfo

import (
	"path"
	"slices"
	"strings"
)

// Origin is how a copy of the program came to where it is.
type Origin struct {
	// How names the channel, for people.
	How string
	// Upgrade is the command that brings a newer one; "" when there is none.
	Upgrade string
}

// OriginOf decides by the path of the program, links resolved, and by what is
// beside it. exists reports whether a file is there.
func OriginOf(program string, exists func(string) bool) Origin {
	p := strings.ReplaceAll(program, `\`, "/")
	dir := path.Dir(p)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(p, part) })
	}
	switch {
	case has("/node_modules/"):
		if has("/lib/node_modules/", "/npm/node_modules/") && !has("/_npx/") {
			return Origin{"npm, globally", "npm install -g " + NPM + "/gauntlet@latest"}
		}
		return Origin{"npm, in a project", "npm install --save-dev " + NPM + "/gauntlet@latest"}
	case has("/Cellar/", "/homebrew/", "/linuxbrew/"):
		return Origin{"Homebrew", "brew upgrade gauntlet"}
	case has("/scoop/apps/"):
		return Origin{"Scoop", "scoop update gauntlet"}
	case dir == "/usr/bin" && exists("/var/lib/dpkg/info/gauntlet.list"):
		return Origin{"a deb package", "download the newest .deb from " + Home + "/releases and `sudo apt install ./gauntlet_*.deb`"}
	case dir == "/usr/bin" && exists("/lib/apk/db/installed"):
		return Origin{"an apk package", "download the newest .apk from " + Home + "/releases and `sudo apk add --allow-untrusted ./gauntlet_*.apk`"}
	case dir == "/usr/bin" && (exists("/var/lib/rpm") || exists("/usr/lib/sysimage/rpm")):
		return Origin{"an rpm package", "download the newest .rpm from " + Home + "/releases and `sudo dnf install ./gauntlet-*.rpm`"}
	case strings.HasSuffix(dir, "/go/bin"):
		return Origin{"go install", "go install " + Module + "/cmd/gauntlet@latest"}
	case exists(dir + "/completions/gauntlet.bash"):
		return Origin{"a release archive, unpacked in " + dir, "download the newest archive from " + Home + "/releases and check it against checksums.txt"}
	case strings.HasSuffix(dir, "/bin"):
		return Origin{"copied into " + dir + " (make install does that)", "git pull && make install"}
	}
	return Origin{"unknown", "see " + Home + "/releases"}
}
