package autonomy

import (
	"path/filepath"
	"strings"

	"gauntlet/internal/markdown"
)

// Build is the state of the project's build. Its texts are untrusted, each one line and
// short.
type Build struct {
	Feature, Phase, Iteration string
	// Next is the first open item of the build guide.
	Next string
}

// Known reports whether there is a build at all.
func (b Build) Known() bool { return b.Feature != "" || b.Phase != "" || b.Iteration != "" }

// Active reports whether there is one that is not complete.
func (b Build) Active() bool { return b.Known() && b.Phase != "complete" }

// readBuild reads the two files of a build.
func readBuild(root string) Build {
	var b Build
	fields := map[string]*string{"feature": &b.Feature, "phase": &b.Phase, "iteration": &b.Iteration}
	for line := range strings.Lines(string(readSmall(root, filepath.Join(root, filepath.FromSlash(buildFile)), 64<<10))) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		field := fields[key]
		if !ok || field == nil || *field != "" {
			continue
		}
		value = strings.TrimSpace(value)
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		*field = cut(value, 120)
	}
	if next, ok := markdown.OpenTask(readSmall(root, filepath.Join(root, guideFile), 4<<20)); ok {
		b.Next = cut(next, 200)
	}
	return b
}

// describe is the build in one line.
func (b Build) describe(quote func(string) string) string {
	var parts []string
	for _, p := range []struct{ name, value string }{
		{"feature", b.Feature}, {"phase", b.Phase}, {"iteration", b.Iteration},
	} {
		if p.value != "" {
			parts = append(parts, p.name+" "+quote(p.value))
		}
	}
	state := " (complete)"
	if b.Active() {
		state = " (active)"
	}
	return strings.Join(parts, ", ") + state
}
