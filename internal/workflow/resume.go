package workflow

import (
	"slices"

	"gauntlet/internal/jsontree"
)

// ResumePoint is where to continue; both are nil when there is nothing to do.
type ResumePoint struct {
	Phase   *string `json:"phase"`
	Summary *string `json:"summary"`
}

// Resume is where to continue a record: the current phase, else the first that failed, else
// the next one pending, else one that another phase replaced and that was not ended; with
// the summary of the last completed phase that has one.
func Resume(doc *jsontree.Value) ResumePoint {
	if doc == nil || !doc.Get("completed_at").Empty() {
		return ResumePoint{}
	}
	var r ResumePoint
	set := func(to **string, s string) {
		if *to == nil && s != "" {
			*to = &s
		}
	}
	current, _ := doc.Get("state", "current_phase").Text()
	set(&r.Phase, current)
	for _, want := range []string{Failed, Pending, InProgress} {
		if want == Pending {
			if list := doc.Get("state", "pending_phases").Strings(); len(list) > 0 {
				set(&r.Phase, list[0])
			}
		}
		for _, m := range doc.Get("phases").Members() {
			if status, _ := m.Value.Get("status").Text(); status == want {
				set(&r.Phase, m.Key)
			}
		}
	}
	completed := doc.Get("state", "completed_phases").Strings()
	for _, phase := range slices.Backward(completed) {
		summary, _ := doc.Get("phases", phase, "context_summary").Text()
		set(&r.Summary, summary)
	}
	return r
}
