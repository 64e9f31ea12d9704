package config

import (
	"strconv"
	"strings"
	"unicode"
)

// Error is one thing wrong in one file.
type Error struct {
	File   string // relative to the project root where it lies under it
	Line   int    // 1-based; 0 = the file as a whole
	Column int
	Field  string // dotted path, such as entry_points[0].checks[1]
	Msg    string
	Hint   string // the nearest known name
}

// Error is file:line:col: field: message (did you mean "x"?).
func (e *Error) Error() string {
	var b strings.Builder
	if strings.ContainsFunc(e.File, unicode.IsControl) {
		b.WriteString(strconv.Quote(e.File)) // file names are anybody's text
	} else {
		b.WriteString(e.File)
	}
	if e.Line > 0 {
		b.WriteString(":" + strconv.Itoa(e.Line) + ":" + strconv.Itoa(max(e.Column, 1)))
	}
	b.WriteString(": ")
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString(" (did you mean " + strconv.Quote(e.Hint) + "?)")
	}
	return b.String()
}

// nearest returns the known name that a person most likely meant by name, or "".
func nearest(name string, known []string) string {
	best, bestDist := "", max(2, len(name)/3)+1
	fold := func(s string) string {
		return strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(s))
	}
	n := fold(name)
	if len(n) > 64 {
		return ""
	}
	for _, k := range known {
		d := distance(n, fold(k))
		if d < bestDist && d < len(k) {
			best, bestDist = k, d
		}
	}
	return best
}

// distance is the edit distance in which two swapped neighbours count once.
func distance(a, b string) int {
	ra, rb := []rune(a), []rune(b)
	before, prev, cur := make([]int, len(rb)+1), make([]int, len(rb)+1), make([]int, len(rb)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range ra {
		cur[0] = i + 1
		for j := range rb {
			cost := 1
			if ra[i] == rb[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j+1]+1, cur[j]+1, prev[j]+cost)
			if i > 0 && j > 0 && ra[i] == rb[j-1] && ra[i-1] == rb[j] {
				cur[j+1] = min(cur[j+1], before[j-1]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(rb)]
}
