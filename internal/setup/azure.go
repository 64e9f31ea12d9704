package setup

import (
	"cmp"
	"strings"
)

// azure offers what the pipelines of Azure DevOps run.
func (f *finder) azure() {
	f.ciDocuments(func(file string, doc map[string]any) {
		if doc["trigger"] == "none" && doc["pr"] == "none" || ciUnfit(strings.TrimSuffix(strings.TrimSuffix(file, ".yaml"), ".yml")) {
			return
		}
		env := azureVariables(nil, doc["variables"])
		f.azureSteps(ciStep{why: file, env: env}, doc)
		stages := []any{doc}
		for _, stage := range append(stages, listOf(doc["stages"])...) {
			s := table(stage)
			if ciUnfit(text(s["stage"])) || ciUnfit(text(s["displayName"])) || elsewhere(text(s["condition"])) {
				continue
			}
			for _, item := range listOf(s["jobs"]) {
				job := table(item)
				name := text(job["job"])
				if ciUnfit(name) || ciUnfit(text(job["displayName"])) || elsewhere(text(job["condition"])) || job["continueOnError"] == true {
					continue
				}
				f.azureSteps(ciStep{why: jobOf(file, name), env: azureVariables(env, job["variables"])}, job)
			}
		}
	}, "azure-pipelines.yml", "azure-pipelines.yaml", ".azure-pipelines.yml", ".azure-pipelines/*.yml", ".azure-pipelines/*.yaml")
}

func (f *finder) azureSteps(base ciStep, job map[string]any) {
	if elsewhere(text(table(job["pool"])["vmImage"])) {
		return
	}
	var steps []ciStep
	for _, item := range listOf(job["steps"]) {
		step := table(item)
		if elsewhere(text(step["condition"])) || step["continueOnError"] == true || step["enabled"] == false {
			continue
		}
		s := base
		s.name = text(step["displayName"])
		s.dir = azureValue(text(step["workingDirectory"]), base.env)
		s.sets(step["env"])
		s.script = azureValue(cmp.Or(text(step["bash"]), text(step["script"]), azureTask(step)), base.env)
		steps = append(steps, s)
	}
	f.offerJob(steps, job["services"] != nil)
}

// azureTask is the command that a well-known task stands for.
func azureTask(step map[string]any) string {
	name, _, _ := strings.Cut(text(step["task"]), "@")
	in := func(key string) string { return text(table(step["inputs"])[key]) }
	switch name {
	case "CmdLine", "Bash":
		return in("script")
	case "DotNetCoreCLI":
		return "dotnet " + in("command")
	case "Maven":
		return "mvn " + in("goals")
	case "Gradle":
		return "./gradlew " + in("tasks")
	case "Npm":
		return "npm " + in("customCommand")
	}
	return ""
}

func azureVariables(base map[string]string, v any) map[string]string {
	env := literals(base, table(v))
	for _, item := range listOf(v) {
		if name := text(table(item)["name"]); name != "" {
			env = literals(env, map[string]any{name: table(item)["value"]})
		}
	}
	return env
}

// azureValue replaces $(name), which the agent does before the shell sees it: by the
// variable's value, or by one that only CI has. Anything else belongs to the shell.
func azureValue(script string, env map[string]string) string {
	return expressions(script, "$(", ")", func(name string) (string, bool) {
		value, known := env[name]
		switch {
		case name == "Build.SourcesDirectory", name == "System.DefaultWorkingDirectory":
			return ".", true
		case known:
			return value, true
		}
		return "$" + placeholder, strings.Contains(name, ".") && !strings.ContainsAny(name, " /")
	})
}
