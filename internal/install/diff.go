package install

import (
	"fmt"
	"strings"
)

// Diff shows the change from before to after as a unified diff; nil stands for
// no file. It is meant for settings files and configuration, not for megabytes.
func Diff(name string, before, after []byte) string {
	if string(before) == string(after) && (before == nil) == (after == nil) {
		return ""
	}
	from, to := "a/"+name, "b/"+name
	if before == nil {
		from = "/dev/null"
	}
	if after == nil {
		to = "/dev/null"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	for _, h := range hunks(lines(before), lines(after)) {
		b.WriteString(h)
	}
	return b.String()
}

// lines splits text after its line breaks.
func lines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	return strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
}

// op is one line of a diff.
type op struct {
	kind byte // ' ', '-' or '+'
	text string
}

const (
	around   = 3    // lines of context
	maxLines = 4000 // above that the middle is shown as replaced
)

// ops is the shortest edit script by the longest common subsequence.
func ops(a, b []string) []op {
	var out []op
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		out = append(out, op{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	var tail []op
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append([]op{{' ', a[len(a)-1]}}, tail...)
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)*len(b) <= maxLines*maxLines/4 {
		out = append(out, common(a, b)...)
	} else {
		for _, l := range a {
			out = append(out, op{'-', l})
		}
		for _, l := range b {
			out = append(out, op{'+', l})
		}
	}
	return append(out, tail...)
}

func common(a, b []string) []op {
	length := make([][]int32, len(a)+1)
	for i := range length {
		length[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var out []op
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, op{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || length[i+1][j] >= length[i][j+1]):
			out = append(out, op{'-', a[i]})
			i++
		default:
			out = append(out, op{'+', b[j]})
			j++
		}
	}
	return out
}

// hunks groups the changes with their context.
func hunks(a, b []string) []string {
	all := ops(a, b)
	var out []string
	for i := 0; i < len(all); {
		if all[i].kind == ' ' {
			i++
			continue
		}
		start := max(0, i-around)
		end, quiet := i, 0
		for end < len(all) && quiet <= 2*around {
			if all[end].kind == ' ' {
				quiet++
			} else {
				quiet = 0
			}
			end++
		}
		end -= max(0, quiet-around)
		out = append(out, hunk(all, start, end))
		i = end
	}
	return out
}

func hunk(all []op, start, end int) string {
	oldLine, newLine := 1, 1
	for _, o := range all[:start] {
		if o.kind != '+' {
			oldLine++
		}
		if o.kind != '-' {
			newLine++
		}
	}
	var body strings.Builder
	oldCount, newCount := 0, 0
	for _, o := range all[start:end] {
		if o.kind != '+' {
			oldCount++
		}
		if o.kind != '-' {
			newCount++
		}
		body.WriteByte(o.kind)
		body.WriteString(strings.TrimSuffix(o.text, "\n") + "\n")
	}
	return fmt.Sprintf("@@ -%s +%s @@\n", span(oldLine, oldCount), span(newLine, newCount)) + body.String()
}

func span(line, count int) string {
	if count == 0 {
		line--
	}
	return fmt.Sprintf("%d,%d", line, count)
}
