package setup

import "strings"

// travis offers the script of .travis.yml, and those of its jobs.
func (f *finder) travis() {
	f.ciDocuments(func(file string, doc map[string]any) {
		env := travisEnv(table(doc["env"])["global"])
		services := doc["services"] != nil
		if script := lines(doc["script"]); !otherSystem(doc["os"]) {
			f.offerJob([]ciStep{{why: file, script: script, env: env}}, services)
		}
		for _, key := range []string{"jobs", "matrix"} {
			for _, item := range listOf(table(doc[key])["include"]) {
				job := table(item)
				name := text(job["name"])
				if otherSystem(job["os"]) || ciUnfit(name) || ciUnfit(text(job["stage"])) || strings.Contains(text(job["if"]), "tag ") || strings.Contains(text(job["if"]), "cron") {
					continue
				}
				f.offerJob([]ciStep{{why: jobOf(file, name), name: name, script: lines(job["script"]), env: env}}, services || job["services"] != nil)
			}
		}
	}, ".travis.yml")
}

// otherSystem: a job of Travis that runs on another system only.
func otherSystem(os any) bool {
	names := text(os)
	return names != "" && !strings.Contains(names, "linux")
}

// travisEnv reads lines of NAME=value pairs; what is encrypted has no value.
func travisEnv(v any) map[string]string {
	env := map[string]string{}
	for pair := range strings.FieldsSeq(lines(v)) {
		if name, value, ok := strings.Cut(pair, "="); ok && !strings.ContainsAny(value, `"'$`) {
			env[name] = value
		}
	}
	return env
}
