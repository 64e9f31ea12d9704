package setup

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/gate"
	"gauntlet/internal/safefile"
)

// offline reports whether it failed because something could not be fetched.
func offline(output string) bool {
	return slices.ContainsFunc([]string{
		"Could not resolve host", "could not resolve host", "Temporary failure in name resolution", "getaddrinfo ENOTFOUND", "getaddrinfo EAI_AGAIN",
		"Network is unreachable", "network is unreachable", "no route to host", "No matching distribution found", "Could not find a version that satisfies",
		"failed to download", "error: failed to get `", "Unable to update registry", "dial tcp: lookup", ": reading https://", "module lookup disabled by GOPROXY=off", "ERR_PNPM_FETCH_", "registry signature could not be verified", "Could not transfer artifact", "Could not resolve all",
		"Unable to access jarfile", "Failed to fetch", "UnknownHostException", "java.net.ConnectException", "Could not GET", "ConnectionRefusedError: [Errno 111] Connection refused", "Connection refused by proxy", "npm error 404 Not Found - GET", "JSR package manifest for", "error sending request for url",
	}, func(sign string) bool { return strings.Contains(output, sign) })
}

// unprepared is the line in which a tool reports that it lacks a program, a newer release
// of itself or a step before it; "" when it ran. Only the last lines count: tests may print
// such words too.
func unprepared(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for _, line := range slices.Backward(lines[max(0, len(lines)-6):]) { // a traceback ends in the reason
		for _, sign := range []string{
			"executable file not found in", "fork/exec ", " ENOENT", "go: updates to go.mod needed", "no required module provides package",
			"ERROR: tox config file", "ERROR: unknown environment", "tox.exception.ConfigError", "configure tox to use an isolated_build",
		} {
			if strings.Contains(line, sign) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// lacks is the module of others that a program could not load, "" for none: before anything
// was changed its absence says nothing about the project.
func (t *Tryout) lacks(p Proposal, output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for _, line := range lines[max(0, len(lines)-12):] {
		if _, name, found := strings.Cut(line, "cannot load such file -- "); found && !path.IsAbs(name) && !strings.HasPrefix(name, ".") && !t.owns(p.Dir, name+".rb") {
			return name
		}
		if _, name, found := strings.Cut(line, "No module named '"); found {
			name, _, _ = strings.Cut(name, "'")
			if top, _, _ := strings.Cut(name, "."); top != "" && !t.owns(p.Dir, top) && !t.owns(p.Dir, top+".py") {
				return name
			}
		}
	}
	return ""
}

// owns reports whether a file or directory of that name is the project's.
func (t *Tryout) owns(dir, name string) bool {
	return slices.ContainsFunc([]string{"", "src", "lib", "test", "tests", "spec"}, func(place string) bool {
		return t.has(dir, filepath.Join(place, name)) || t.has(".", filepath.Join(place, name))
	})
}

// installs reports whether its output shows that a package manager fetched something, which
// reading the command could not show.
func installs(log string) bool {
	data, err := safefile.Read("", log, 64<<20)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "added ") && strings.Contains(line, " package") && strings.Contains(line, " in ") || strings.HasPrefix(line, "Successfully installed ") {
			return true
		}
	}
	return false
}

// uninstalled reports whether the project's own dependencies are missing, so that nothing
// that needs them can run.
func (t *Tryout) uninstalled(p Proposal) bool { return t.install(p) != "" }

// install is how to install the dependencies of a project, "" when they are installed.
func (t *Tryout) install(p Proposal) string {
	if slices.Contains(p.Kinds, Node) {
		if manager := t.withoutModules(p.Dir); manager != "" {
			return manager + " install"
		}
	}
	if slices.Contains(p.Kinds, PHP) && t.has(p.Dir, "composer.json") && !t.has(p.Dir, "vendor") {
		return "composer install"
	}
	if slices.Contains(p.Kinds, Elixir) && t.has(p.Dir, "mix.lock") && !t.has(p.Dir, "deps") {
		return "mix deps.get"
	}
	return ""
}

// withoutModules names the package manager of a Node project that has
// dependencies and no node_modules here or above.
func (t *Tryout) withoutModules(dir string) string {
	d := &directory{finder: &finder{fsys: safefile.FS(t.Root)}, dir: dir}
	doc := d.json(d.where("package.json"))
	if len(table(doc["dependencies"]))+len(table(doc["devDependencies"])) == 0 {
		return ""
	}
	for at := filepath.FromSlash(dir); ; at = filepath.Dir(at) {
		if t.has(at, "node_modules") || t.has(at, ".pnp.cjs") {
			return ""
		}
		if at == "." {
			return d.packageManager()
		}
	}
}

func (t *Tryout) has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(t.Root, filepath.FromSlash(dir), name))
	return err == nil
}

// missing describes what to install.
func (t *Tryout) missing(p Proposal, res gate.Result, last string) string {
	if how := t.install(p); how != "" {
		return "its dependencies are not installed (" + how + ")"
	}
	if offline(res.Tail) {
		return "it needs the network"
	}
	if last != "" && !strings.Contains(res.Message, last) && !strings.Contains(res.Message, "is not installed") {
		return res.Message + " (" + last + ")"
	}
	return res.Message
}

// lastLine is the last line of an output with content.
func lastLine(output string) string {
	lines := strings.Split(output, "\n")
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
