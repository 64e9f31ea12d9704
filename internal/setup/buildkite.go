package setup

import (
	"cmp"
	"strings"
)

// buildkite offers what the steps of .buildkite/pipeline.yml run.
func (f *finder) buildkite() {
	f.ciDocuments(func(file string, doc map[string]any) {
		f.buildkiteSteps(file, doc, literals(nil, table(doc["env"])), 0)
	}, ".buildkite/pipeline.yml", ".buildkite/pipeline.yaml")
}

func (f *finder) buildkiteSteps(file string, doc map[string]any, env map[string]string, depth int) {
	for _, item := range listOf(doc["steps"]) {
		step := table(item)
		if step["steps"] != nil && depth == 0 {
			f.buildkiteSteps(file, step, env, depth+1) // a group
			continue
		}
		name := text(step["label"]) + text(step["name"])
		if step["soft_fail"] == true || strings.Contains(text(step["if"]), "build.tag") || elsewhere(text(table(step["agents"])["os"])) {
			continue
		}
		s := ciStep{why: file, name: name, env: env}
		s.sets(step["env"])
		// Buildkite replaces single ones itself.
		s.script = strings.ReplaceAll(cmp.Or(lines(step["command"]), lines(step["commands"])), "$$", "$")
		f.offerJob([]ciStep{s}, strings.Contains(yamlScalar(step["plugins"]), "docker-compose"))
	}
}
