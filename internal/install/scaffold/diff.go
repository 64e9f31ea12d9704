package scaffold

import "strings"

// maxDiff is how many lines of a file are compared; a settings file has fewer.
const maxDiff = 2_000

// Diff lists the lines that differ between two texts, with "- " and "+ " before
// them and two lines of surroundings; nil when they are equal.
func Diff(before, after string) []string {
	a, b := lines(before), lines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	if head == len(a) && head == len(b) {
		return nil
	}
	mid := changed(a[head:len(a)-tail], b[head:len(b)-tail])
	var out []string
	for _, l := range a[max(0, head-2):head] {
		out = append(out, "  "+l)
	}
	out = append(out, mid...)
	for _, l := range a[len(a)-tail : min(len(a), len(a)-tail+2)] {
		out = append(out, "  "+l)
	}
	return out
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// changed is the shortest way from a to b, by longest common subsequence.
func changed(a, b []string) []string {
	var out []string
	if len(a) > maxDiff || len(b) > maxDiff {
		return []string{"  (too many lines to show)"}
	}
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, "  "+a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return out
}
