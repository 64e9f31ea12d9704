package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/safefile"
)

// maxSettings bounds how much of a client's settings is read.
const maxSettings = 1 << 20

// HookState is what a client's settings say about whether Gauntlet's hooks run, one
// line per file: how often they are named, whether hooks are switched off, and the
// variables that hooks are given. Clients write these files too, for reasons of their
// own, so nothing else of them counts. "" is a client without such files.
func HookState(name string, d wire.Dirs) string {
	adapter, ok := Lookup(name)
	if !ok || adapter.Setup().Path == nil {
		return ""
	}
	setup := adapter.Setup()
	var b strings.Builder
	for _, scope := range []wire.Scope{wire.User, wire.Project, wire.Local} {
		path := setup.Path(scope, d)
		if path == "" {
			continue
		}
		text, err := safefile.ReadLinked(path, maxSettings)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "%s: names gauntlet %d times", path, strings.Count(string(text), "gauntlet"))
		settings := wire.Settings(text)
		off := wire.AllHooksOff
		if setup.Pitfalls != nil {
			off = setup.Pitfalls
		}
		for _, why := range off(settings) {
			b.WriteString(", " + why)
		}
		env := settings.Object("env")
		for _, name := range slices.Sorted(maps.Keys(env)) {
			b.WriteString(", sets " + name)
			if strings.HasPrefix(name, "GAUNTLET_") {
				fmt.Fprintf(&b, "=%s", env[name])
			}
		}
		b.WriteByte('\n')
	}
	for _, file := range setup.Elsewhere {
		path := file.File(d)
		if path == "" {
			continue
		}
		if text, err := safefile.ReadLinked(path, maxSettings); err == nil {
			for _, why := range file.Pitfalls(text) {
				fmt.Fprintf(&b, "%s: %s\n", path, why)
			}
		}
	}
	return b.String()
}
