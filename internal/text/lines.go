package text

import "strings"

// maxEdits bounds the work on one file: beyond it everything between the first and the last
// difference counts as replaced.
const maxEdits = 2000

// ChangedLines counts the lines that were added to a file and removed from it.
func ChangedLines(before, now string) (added, removed int) {
	a, b := split(before), split(now)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	edits := editsOf(a, b)
	return (edits + len(b) - len(a)) / 2, (edits - len(b) + len(a)) / 2
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// editsOf is the least number of lines to remove from a and to add so that it is b, after
// Myers.
func editsOf(a, b []string) int {
	most := len(a) + len(b)
	if len(a) == 0 || len(b) == 0 {
		return most
	}
	limit := min(most, maxEdits)
	furthest := make([]int, 2*limit+3) // by diagonal: how far into a
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			at := limit + 1 + k
			x := furthest[at-1] + 1
			if k == -d || k != d && furthest[at-1] < furthest[at+1] {
				x = furthest[at+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			furthest[at] = x
			if x >= len(a) && x-k >= len(b) {
				return d
			}
		}
	}
	return most
}
