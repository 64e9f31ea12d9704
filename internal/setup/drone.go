package setup

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// drone offers what the pipelines of Drone and of Woodpecker run: both list steps
// with commands, Woodpecker also as a mapping by name.
func (f *finder) drone() {
	f.ciDocuments(func(file string, doc map[string]any) {
		name := text(doc["name"])
		if kind := text(doc["kind"]); kind != "" && kind != "pipeline" || ciUnfit(name) || ciUnfit(strings.TrimPrefix(path.Base(file), ".")) || elsewhere(text(table(doc["platform"])["os"])) || releases(doc) {
			return
		}
		list := listOf(doc["steps"])
		for _, key := range []string{"steps", "pipeline"} {
			for _, name := range slices.Sorted(maps.Keys(table(doc[key]))) {
				step := map[string]any{"name": name}
				maps.Copy(step, table(table(doc[key])[name]))
				list = append(list, step)
			}
		}
		var steps []ciStep
		for _, item := range list {
			step := table(item)
			if releases(step) || table(step["environment"])["GOOS"] != nil {
				continue
			}
			s := ciStep{why: file, name: text(step["name"]), script: lines(step["commands"]), dir: text(step["directory"])}
			s.sets(step["environment"])
			steps = append(steps, s)
		}
		f.offerJob(steps, doc["services"] != nil)
	}, ".drone.yml", ".drone.yaml", ".woodpecker.yml", ".woodpecker.yaml", ".woodpecker/*.yml", ".woodpecker/*.yaml")
}

// releases reports whether it runs only for tags, for promotions or on a schedule.
func releases(step map[string]any) bool {
	for _, key := range []string{"when", "trigger"} {
		events := at(table(step[key]), "event")
		for _, item := range listOf(step[key]) { // Woodpecker lists alternatives
			events = table(item)["event"]
		}
		if m := table(events); m != nil {
			events = m["include"]
		}
		if events := text(events); events != "" && !strings.Contains(events, "push") && !strings.Contains(events, "pull_request") {
			return true
		}
	}
	return false
}
