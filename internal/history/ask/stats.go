package ask

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Since is where a look back begins: so many days, today included, in the time zone of
// now. The page and the commands begin at the same moment.
func Since(now time.Time, days int) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day()-days+1, 0, 0, 0, 0, now.Location())
}

// Stats sums up what happened since a moment.
type Stats struct {
	Since    time.Time `json:"since"`
	Verdicts int       `json:"verdicts"` // runs by hand included
	Blocks   int       `json:"blocks"`
	Total    Total     `json:"total"`
	Gates    []Gate    `json:"gates"`
	Days     []DayStat `json:"days"` // in since's time zone
}

// Stats counts verdicts and gates; gates are sorted by project and name.
func (f *Facts) Stats(by Filter) Stats {
	st := Stats{Since: by.Since, Total: f.Totals(by), Gates: f.Gates(by), Days: f.Calendar(by, by.Since.Location())}
	for _, d := range st.Days {
		st.Verdicts += d.Verdicts
		st.Blocks += d.Blocks
	}
	slices.SortFunc(st.Gates, func(a, b Gate) int {
		return cmp.Or(strings.Compare(a.Project, b.Project), strings.Compare(a.Gate, b.Gate))
	})
	return st
}
