package agent

import (
	"encoding/json"
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
		var settings struct {
			DisableAllHooks bool           `json:"disableAllHooks"`
			Env             map[string]any `json:"env"`
		}
		if json.Unmarshal(text, &settings) == nil {
			if settings.DisableAllHooks {
				b.WriteString(", disableAllHooks")
			}
			for _, name := range slices.Sorted(maps.Keys(settings.Env)) {
				b.WriteString(", sets " + name)
				if strings.HasPrefix(name, "GAUNTLET_") {
					fmt.Fprintf(&b, "=%v", settings.Env[name])
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
