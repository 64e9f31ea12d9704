package text

import "strings"

// Nearest returns the known name that a person most likely meant by name, or "".
func Nearest(name string, known []string) string {
	best, bestDist := "", max(1, len(name)/3)+1
	fold := func(s string) string {
		return strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(s))
	}
	n := fold(name)
	if len(n) > 64 {
		return ""
	}
	for _, k := range known {
		d := distance(n, fold(k))
		if strings.HasPrefix(k, name) && len(name) > 1 {
			d = 1 // a prefix
		}
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
