package setup

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"gauntlet/internal/tasks"
)

func yamlScalar(v any) string { return fmt.Sprint(v) }

// gitlabJob is a job with the file that defines it.
type gitlabJob struct {
	file, name string
	keys       map[string]any
}

// gitlab offers what the jobs of .gitlab-ci.yml run, and of the files of this
// repository that it includes.
func (f *finder) gitlab() {
	jobs := f.gitlabJobs(".gitlab-ci.yml", 0)
	named := map[string]map[string]any{}
	env := map[string]string{}
	for _, job := range jobs {
		named[job.name] = job.keys
		if job.name == "variables" {
			env = literals(env, job.keys)
		}
	}
	for _, job := range jobs {
		if strings.HasPrefix(job.name, ".") || gitlabKeyword(job.name) || ciUnfit(job.name) {
			continue
		}
		keys := extended(job.keys, named, 0)
		if keys["allow_failure"] == true || text(keys["when"]) == "manual" || onlyTags(keys) || ciUnfit(text(keys["stage"])) {
			continue
		}
		s := ciStep{why: job.file + " (job " + job.name + ")", name: job.name, script: lines(keys["script"]), env: literals(env, table(keys["variables"]))}
		f.offerJob([]ciStep{s}, keys["services"] != nil)
	}
}

const maxIncludes = 5 // files that include files

func (f *finder) gitlabJobs(file string, depth int) []gitlabJob {
	content := f.text(file)
	if content == "" || depth > maxIncludes {
		return nil
	}
	var doc yaml.MapSlice
	if err := tasks.DecodeYAML(content, &doc); err != nil {
		f.note("%s cannot be read and was left out", file)
		return nil
	}
	var out []gitlabJob
	for _, item := range doc {
		if text(item.Key) == "include" {
			for _, inner := range f.gitlabIncludes(item.Value) {
				out = append(out, f.gitlabJobs(inner, depth+1)...)
			}
		}
		if keys, ok := item.Value.(map[string]any); ok {
			out = append(out, gitlabJob{file, text(item.Key), keys})
		}
	}
	return out
}

// gitlabIncludes are the included files of this repository.
func (f *finder) gitlabIncludes(v any) []string {
	var out []string
	for _, item := range listOf(v) {
		local, ok := item.(string)
		if !ok {
			local = text(table(item)["local"])
		}
		files, _ := fs.Glob(f.fsys, strings.TrimPrefix(local, "/")) // a bad pattern names none
		out = append(out, files[:min(len(files), maxWorkflows)]...)
	}
	return out
}

// extended is a job merged with the templates it extends.
func extended(job map[string]any, named map[string]map[string]any, depth int) map[string]any {
	if job["extends"] == nil || depth > maxIncludes {
		return job
	}
	out := map[string]any{}
	for base := range strings.FieldsSeq(text(job["extends"])) {
		maps.Copy(out, extended(named[base], named, depth+1))
	}
	maps.Copy(out, job)
	return out
}

func gitlabKeyword(name string) bool {
	return slices.Contains([]string{
		"default", "include", "stages", "variables", "workflow", "image", "services", "cache", "before_script", "after_script", "spec",
	}, name)
}

// onlyTags reports whether a job runs for releases only.
func onlyTags(job map[string]any) bool {
	return text(job["only"]) == "tags" || text(table(job["only"])["refs"]) == "tags"
}
