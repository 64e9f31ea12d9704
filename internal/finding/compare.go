package finding

import (
	"cmp"
	"slices"
)

// Known is one finding of an earlier run and how often it was there: all that a
// later run needs to distinguish old from new.
type Known struct {
	Path  string `json:"path,omitempty"`
	Test  bool   `json:"test,omitempty"`
	Print string `json:"print"`
	Count int    `json:"count"`
}

// Remember reduces findings to what a later run compares with, in a fixed order.
func Remember(list []Finding) []Known {
	index := map[string]int{}
	var out []Known
	for _, f := range list {
		key := f.Key()
		if i, ok := index[key]; ok {
			out[i].Count++
			continue
		}
		index[key] = len(out)
		out = append(out, Known{Path: f.Path, Test: f.Test != "", Print: f.Print, Count: 1})
	}
	slices.SortFunc(out, func(a, b Known) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Print, b.Print)) })
	return out
}

// New reports which findings were not there before: equal ones are counted, so the
// third of three is new when there were two. renamed maps old paths to new ones.
func New(now []Finding, before []Known, renamed map[string]string) []bool {
	left := map[string]int{}
	for _, k := range before {
		path := k.Path
		if to, ok := renamed[path]; ok {
			path = to
		}
		known := Finding{Path: path, Print: k.Print}
		if k.Test {
			known.Test = "test"
		}
		left[known.Key()] += k.Count
	}
	return fresh(now, left, Finding.Key)
}

// fresh reports which findings are more than what is left of each key.
func fresh[K comparable](now []Finding, left map[K]int, key func(Finding) K) []bool {
	out := make([]bool, len(now))
	for i, f := range now {
		left[key(f)]--
		out[i] = left[key(f)] < 0
	}
	return out
}

// Counts is how many findings of each rule each file has: the content of a baseline.
type Counts map[string]map[string]int

// Count sums findings up by file and rule; a test counts by its name.
func Count(list []Finding) Counts {
	c := Counts{}
	for _, f := range list {
		as := f.countedAs()
		if c[as.file] == nil {
			c[as.file] = map[string]int{}
		}
		c[as.file][as.rule]++
	}
	return c
}

// testRule begins the rule of a failed test.
const testRule = "test "

// counted is what a baseline counts.
type counted struct{ file, rule string }

func (f Finding) countedAs() counted {
	if f.Test != "" { // wherever it failed
		return counted{"", testRule + f.Test}
	}
	return counted{f.Path, cmp.Or(f.Rule, "-")}
}

// Over reports which findings are more than the baseline allows. Counts cannot show which
// of several equal ones is the new one: the last ones in the report count as new.
func Over(now []Finding, allowed Counts, renamed map[string]string) []bool {
	left := map[counted]int{}
	for file, rules := range allowed {
		if to, ok := renamed[file]; ok {
			file = to
		}
		for rule, n := range rules {
			left[counted{file, rule}] += n
		}
	}
	return fresh(now, left, Finding.countedAs)
}

// Tighten lowers allowed to the remaining findings and never raises it; it reports whether
// anything changed. Counts of renamed files move with them.
func Tighten(allowed, now Counts, renamed map[string]string) (Counts, bool) {
	out, changed := Counts{}, false
	for file, rules := range allowed {
		to := file
		if name, ok := renamed[file]; ok && now[file] == nil {
			to, changed = name, true
		}
		for rule, n := range rules {
			left := min(n, now[to][rule])
			changed = changed || left != n
			if left <= 0 {
				continue
			}
			if out[to] == nil {
				out[to] = map[string]int{}
			}
			out[to][rule] = left
		}
	}
	return out, changed
}

// Total is how many findings the counts allow.
func (c Counts) Total() int {
	n := 0
	for _, rules := range c {
		for _, k := range rules {
			n += k
		}
	}
	return n
}
