package setup

import (
	"maps"
	"slices"
)

// bitbucket offers what bitbucket-pipelines.yml runs for pushes and pull requests.
func (f *finder) bitbucket() {
	f.ciDocuments(func(file string, doc map[string]any) {
		pipelines := table(doc["pipelines"])
		f.bitbucketSteps(file, pipelines["default"], 0)
		for _, key := range []string{"pull-requests", "branches"} {
			for _, branch := range slices.Sorted(maps.Keys(table(pipelines[key]))) {
				f.bitbucketSteps(file, table(pipelines[key])[branch], 0)
			}
		}
	}, "bitbucket-pipelines.yml")
}

// bitbucketSteps goes through steps, and through those in a stage or in a parallel group.
func (f *finder) bitbucketSteps(file string, list any, depth int) {
	for _, item := range listOf(list) {
		if depth > 2 {
			return
		}
		entry := table(item)
		for _, key := range []string{"parallel", "stage"} {
			f.bitbucketSteps(file, entry[key], depth+1)
			f.bitbucketSteps(file, table(entry[key])["steps"], depth+1)
		}
		step := table(entry["step"])
		if step == nil || step["deployment"] != nil || text(step["trigger"]) == "manual" {
			continue
		}
		f.offerJob([]ciStep{{why: file, name: text(step["name"]), script: lines(step["script"])}}, step["services"] != nil)
	}
}
