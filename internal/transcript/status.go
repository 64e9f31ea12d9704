package transcript

import (
	"strconv"
	"strings"
)

// Some clients put a command's exit status into its output: the first as a
// leading line "Exit code 1", another as a trailing field "Exit Code: 1".

// PrintsStatusOne reports whether the client's own text in a command's output shows that it
// ended with status 1.
func PrintsStatusOne(output string) bool {
	return strings.HasPrefix(output, "Exit code 1\n") || output == "Exit code 1" ||
		strings.Contains(output, "Exit Code: 1\n") || strings.HasSuffix(output, "Exit Code: 1")
}

// WithoutStatus is a command's output, without what the client wrote around it: a line
// about its status, a text for empty output.
func WithoutStatus(output string) string {
	output = strings.TrimSpace(output)
	if first, rest, _ := strings.Cut(output, "\n"); strings.HasPrefix(first, "Exit code ") {
		output = strings.TrimSpace(rest)
	}
	if i := strings.LastIndex(output, "Exit Code: "); i >= 0 && !strings.Contains(output[i:], "\n") {
		output = strings.TrimSpace(output[:i])
	}
	switch rest := strings.TrimSpace(strings.TrimPrefix(output, "Output:")); strings.ToLower(rest) {
	case "", "(empty)", "(no output)", "(bash completed with no output)", "(no content)", "tool ran without output or errors":
		return ""
	}
	return output
}

// exitMark reads the exit status between two marks at the end of a command's
// text.
func exitMark(text, before, after string) (code int, ok bool) {
	text = strings.TrimSpace(text)
	i := strings.LastIndex(text, before)
	if i < 0 {
		return 0, false
	}
	digits, ok := strings.CutSuffix(text[i+len(before):], after)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	return n, err == nil
}
