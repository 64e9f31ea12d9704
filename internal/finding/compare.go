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
		left[Finding{Path: path, Print: k.Print, Test: testMark(k.Test)}.Key()] += k.Count
	}
	fresh := make([]bool, len(now))
	for i, f := range now {
		key := f.Key()
		if left[key] > 0 {
			left[key]--
			continue
		}
		fresh[i] = true
	}
	return fresh
}

func testMark(is bool) string {
	if is {
		return "test"
	}
	return ""
}

// Counts is how many findings of each rule each file has: the content of a baseline.
type Counts map[string]map[string]int

// Count sums findings up by file and rule; a test counts by its name.
func Count(list []Finding) Counts {
	c := Counts{}
	for _, f := range list {
		file, rule := f.countedAs()
		if c[file] == nil {
			c[file] = map[string]int{}
		}
		c[file][rule]++
	}
	return c
}

func (f Finding) countedAs() (file, rule string) {
	switch {
	case f.Test != "":
		return f.Path, "test " + f.Test
	case f.Rule == "":
		return f.Path, "-"
	}
	return f.Path, f.Rule
}

// Over reports which findings are more than the baseline allows. Counts cannot show which
// of several equal ones is the new one: the last ones in the report count as new.
func Over(now []Finding, allowed Counts, renamed map[string]string) []bool {
	left := Counts{}
	for file, rules := range allowed {
		if to, ok := renamed[file]; ok {
			file = to
		}
		if left[file] == nil {
			left[file] = map[string]int{}
		}
		for rule, n := range rules {
			left[file][rule] += n
		}
	}
	fresh := make([]bool, len(now))
	for i, f := range now {
		file, rule := f.countedAs()
		if left[file][rule] > 0 {
			left[file][rule]--
			continue
		}
		fresh[i] = true
	}
	return fresh
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
