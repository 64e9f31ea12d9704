package transcript

import "strings"

// Some clients put a command's exit status into its output: the first as a
// leading line "Exit code 1", another as a trailing field "Exit Code: 1".

// PrintsStatusOne reports whether the client's own words in a command's output
// say that it ended with status 1.
func PrintsStatusOne(output string) bool {
	return strings.HasPrefix(output, "Exit code 1\n") || output == "Exit code 1" ||
		strings.Contains(output, "Exit Code: 1\n") || strings.HasSuffix(output, "Exit Code: 1")
}

// WithoutStatus is a command's output without the leading line that the client
// wrote about its status.
func WithoutStatus(output string) string {
	output = strings.TrimSpace(output)
	if first, rest, _ := strings.Cut(output, "\n"); strings.HasPrefix(first, "Exit code ") {
		return strings.TrimSpace(rest)
	}
	return output
}
