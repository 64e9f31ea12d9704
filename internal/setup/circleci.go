package setup

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// circleCI offers what the jobs of .circleci/config.yml run.
func (f *finder) circleCI() {
	f.ciDocuments(func(file string, doc map[string]any) {
		c := circle{file: file, doc: doc}
		wanted, all := c.scheduled()
		for _, name := range slices.Sorted(maps.Keys(table(doc["jobs"]))) {
			job := table(table(doc["jobs"])[name])
			if ciUnfit(name) || !all && !slices.Contains(wanted, name) {
				continue
			}
			executor := table(table(doc["executors"])[executorOf(job)])
			machine := executorOf(job) + " " + text(table(job["machine"])["image"]) + " " + text(table(executor["machine"])["image"])
			if job["macos"] != nil || executor["macos"] != nil || elsewhere(machine) || strings.HasPrefix(machine, "win/") {
				continue
			}
			services := len(listOf(job["docker"])) > 1 || len(listOf(executor["docker"])) > 1
			root := text(job["working_directory"])
			f.offerJob(c.steps(listOf(job["steps"]), ciStep{why: file + " (job " + name + ")", env: literals(nil, table(job["environment"]))}, root, nil, 0), services)
		}
	}, ".circleci/config.yml", ".circleci/config.yaml")
}

type circle struct {
	file string
	doc  map[string]any
}

// scheduled are the jobs that some workflow runs for a change, not by the clock or
// for a tag; all when there is no workflow.
func (c circle) scheduled() (names []string, all bool) {
	workflows := table(c.doc["workflows"])
	all = true
	for _, v := range workflows {
		flow := table(v)
		if flow == nil {
			continue // the version
		}
		all = false
		if strings.Contains(yamlScalar(flow["triggers"]), "schedule") {
			continue
		}
		for _, item := range listOf(flow["jobs"]) {
			if name, ok := item.(string); ok {
				names = append(names, name)
			}
			for name, v := range table(item) {
				if text(at(table(v), "filters", "branches", "ignore")) != "/.*/" {
					names = append(names, name)
				}
			}
		}
	}
	return names, all
}

func executorOf(job map[string]any) string {
	if name := text(table(job["executor"])["name"]); name != "" {
		return name
	}
	return text(job["executor"])
}

// steps are the commands of a list of steps; calls of commands that the file defines are
// expanded.
func (c circle) steps(list []any, base ciStep, root string, args map[string]any, depth int) []ciStep {
	var out []ciStep
	for _, item := range list {
		call, given := text(item), map[string]any(nil)
		for name, v := range table(item) {
			call, given = name, table(v)
			if name != "run" {
				continue
			}
			s := base
			s.script, s.name = text(v), ""
			if given != nil {
				s.script, s.name = text(given["command"]), text(given["name"])
				s.sets(given["environment"])
				s.dir = within(text(given["working_directory"]), root)
			}
			s.script = filled(s.script, args)
			if s.dir = filled(s.dir, args); text(given["when"]) != "on_fail" {
				out = append(out, s)
			}
		}
		if command := table(table(c.doc["commands"])[call]); command != nil && depth < maxIncludes {
			inner := map[string]any{}
			for name, v := range table(command["parameters"]) {
				inner[name] = table(v)["default"]
			}
			for name, v := range given {
				inner[name] = filled(text(v), args)
			}
			out = append(out, c.steps(listOf(command["steps"]), base, root, inner, depth+1)...)
		}
	}
	return out
}

// within is a step's directory, relative to the one the job checks out into.
func within(dir, root string) string {
	root = cmp.Or(root, "~/project")
	if rest, ok := strings.CutPrefix(path.Clean(dir)+"/", path.Clean(root)+"/"); ok {
		return path.Clean(rest)
	}
	return dir
}

// filled replaces << parameters.name >> by arguments; a parameter without a value becomes a
// variable that only CI has.
func filled(script string, args map[string]any) string {
	return expressions(script, "<<", ">>", func(name string) (string, bool) {
		parameter, isParameter := strings.CutPrefix(name, "parameters.")
		switch {
		case strings.ContainsAny(name, " \n") || !strings.Contains(name, "."):
			return "", false // a here-document
		case isParameter && text(args[parameter]) != "":
			return text(args[parameter]), true
		}
		return "$" + placeholder, true
	})
}
