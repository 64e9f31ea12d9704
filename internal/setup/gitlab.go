package setup

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

func yamlScalar(v any) string { return fmt.Sprint(v) }

// gitlab offers what the jobs of .gitlab-ci.yml run.
func (f *finder) gitlab() {
	const file = ".gitlab-ci.yml"
	content := f.text(file)
	if content == "" {
		return
	}
	var doc yaml.MapSlice
	if err := yaml.Unmarshal([]byte(content), &doc); err != nil {
		f.note("%s cannot be read and was left out", file)
		return
	}
	env := map[string]string{}
	for _, item := range doc {
		if vars, ok := item.Value.(map[string]any); ok && text(item.Key) == "variables" {
			env = literals(env, vars)
		}
	}
	for _, item := range doc {
		job, ok := item.Value.(map[string]any)
		name := text(item.Key)
		if !ok || strings.HasPrefix(name, ".") || gitlabKeyword(name) || ciUnfit(name) || ciUnfit(text(job["stage"])) {
			continue
		}
		if job["allow_failure"] == true || text(job["when"]) == "manual" || onlyTags(job) {
			continue
		}
		own := env
		if vars, ok := job["variables"].(map[string]any); ok {
			own = literals(env, vars)
		}
		s := ciStep{why: file + " (job " + name + ")", name: name, script: gitlabScript(job["script"]), env: own}
		if job["services"] != nil {
			f.refuseStep(s, "its CI job runs with services")
			continue
		}
		f.offerStep(s)
	}
}

func gitlabKeyword(name string) bool {
	switch name {
	case "default", "include", "stages", "variables", "workflow", "image", "services", "cache", "before_script", "after_script", "spec":
		return true
	}
	return false
}

func gitlabScript(v any) string {
	if list, ok := v.([]any); ok {
		var lines []string
		for _, item := range list {
			lines = append(lines, text(item))
		}
		return strings.Join(lines, "\n")
	}
	return text(v)
}

// onlyTags: a job that runs for releases only.
func onlyTags(job map[string]any) bool {
	only := job["only"]
	if m, ok := only.(map[string]any); ok {
		only = m["refs"]
	}
	return text(only) == "tags"
}
