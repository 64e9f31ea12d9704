package finding

import (
	"slices"
	"strings"

	"gauntlet/internal/redact"
)

// Unread is what an output says about failures besides the findings in it: a gate may call a
// second tool whose messages are not read, and old findings of the first must not hide that
// it failed.
type Unread struct {
	// Prints identify the lines that report a failure, without what differs from run to run.
	Prints []string `json:"prints"`
	// Ends identify the last lines that are not findings, the very last one at the end: tools
	// that run side by side end in any order.
	Ends []string `json:"ends,omitempty"`

	last  bool              // the last line of all is one of the Ends
	shown map[string]string // the lines themselves, by print
}

// maxUnread bounds the lines that are remembered; beyond it nothing is compared.
const maxUnread = 1000

const maxEnds = 10

// UnreadIn finds the lines of an output that report a failure. tests: findings in it are failed
// tests, whose own output may say anything and is different whenever the code is; then only
// lines that begin with a verdict count. It returns nil if there are too many.
func UnreadIn(output string, tests bool) *Unread {
	u := &Unread{Prints: []string{}, shown: map[string]string{}}
	lastIsFinding := true
	for raw := range strings.Lines(redact.Strip(output)) {
		s := strings.TrimRight(raw, " \t\r\n")
		if s == "" || len(s) > maxReportLine {
			continue
		}
		if _, _, _, lastIsFinding = placed(s); !lastIsFinding && !tests && s[0] != ' ' && s[0] != '\t' {
			u.Ends = append(u.Ends[max(0, len(u.Ends)-maxEnds+1):], s)
		} else {
			lastIsFinding = true
		}
		if !reportsFailure(s, tests) {
			continue
		}
		if len(u.Prints) >= maxUnread {
			return nil
		}
		id := hash("unread", stable(s))
		u.Prints, u.shown[id] = append(u.Prints, id), s
	}
	for i, s := range u.Ends {
		u.Ends[i] = hash("unread", stable(s))
		u.shown[u.Ends[i]] = s
	}
	u.last = !lastIsFinding
	slices.Sort(u.Prints)
	return u
}

// Since returns a line that was not in the earlier output, "" for none. same: both have the
// same findings, so that their last lines are comparable, too; without some of them a tool
// sums up in other words.
func (u *Unread) Since(before *Unread, same bool) string {
	left := map[string]int{}
	for _, p := range before.Prints {
		left[p]++
	}
	for _, p := range u.Prints {
		if left[p]--; left[p] < 0 {
			return u.shown[p]
		}
	}
	if n := len(u.Ends); same && u.last && !slices.Contains(before.Ends, u.Ends[n-1]) {
		return u.shown[u.Ends[n-1]]
	}
	return ""
}

// reportsFailure reports whether a line says that something failed, and is neither a finding
// with its place, nor code that a tool shows below one, nor a sum.
func reportsFailure(s string, tests bool) bool {
	if taskFailed(s) {
		return true
	}
	words := strings.Fields(s)
	if len(words) == 0 || s[0] == ' ' || s[0] == '\t' || number(words[0]) > 0 || strings.IndexByte("|>+-<{#@", s[0]) >= 0 {
		return false
	}
	if _, _, _, isFinding := placed(s); isFinding {
		return false
	}
	if tests {
		word, isVerdict := strings.CutSuffix(words[0], ":")
		return isVerdict && failureWord(word) && len(words) > 1
	}
	for i, w := range words {
		if failureWord(strings.Trim(w, ".,:;!()[]\"'`*=")) && !isSum(words, i) {
			return true
		}
	}
	return false
}

// taskFailed reads the lines in which task runners name the step that failed.
func taskFailed(s string) bool {
	trimmed := strings.TrimLeft(s, " ")
	switch {
	case strings.HasPrefix(trimmed, "make") && strings.Contains(trimmed, ": *** "): // make, make[1]
	case strings.HasSuffix(trimmed, ".Failed"): // pre-commit
	case strings.HasPrefix(trimmed, "> Task ") && strings.HasSuffix(trimmed, " FAILED"): // Gradle
	case strings.HasPrefix(trimmed, "[ERROR] Failed to execute goal"): // Maven
	case strings.Contains(trimmed, ": FAIL code "): // tox
	case strings.Contains(trimmed, " exited with ") && !strings.HasSuffix(trimmed, " exited with 0"): // npm-run-all, concurrently
	case strings.HasPrefix(trimmed, "task: Failed to run task"):
	case strings.HasPrefix(trimmed, "nox > Session ") && strings.HasSuffix(trimmed, " failed."):
	default:
		return false
	}
	return true
}

func failureWord(w string) bool {
	switch strings.ToLower(w) {
	case "error", "errors", "fail", "fails", "failed", "failure", "failures", "fatal", "panic", "exception":
		return true
	}
	return false
}

// isSum reports whether the word at i is counted: `2 errors`, `Failures: 3`. How many there
// are and in which words depends on the findings.
func isSum(words []string, i int) bool {
	digits := func(w string) bool { return w != "" && strings.Trim(w, "0123456789") == "" }
	if i > 0 && digits(strings.Trim(words[i-1], "(,=")) {
		return true
	}
	return strings.HasSuffix(words[i], ":") && i+1 < len(words) && digits(strings.Trim(words[i+1], ".,"))
}

// stable is a line without what differs between two equal runs: numbers, times, addresses,
// and paths, which may be temporary or renamed.
func stable(s string) string {
	var out []string
	for _, w := range strings.Fields(s) {
		switch bare := strings.Trim(w, ".,:;!()[]\"'`"); {
		case bare != "" && bare[0] >= '0' && bare[0] <= '9': // 0.2s is not a file
			w = "#"
		case strings.ContainsAny(w, `/\`), strings.Contains(bare, ".") && looksLikeFile(bare):
			w = "<path>"
		case strings.ContainsAny(w, "0123456789"):
			w = "#"
		default:
			w = strings.TrimSuffix(strings.ToLower(bare), "s") // 1 error, 2 errors
		}
		if n := len(out); w == "#" && n > 0 && out[n-1] == "#" || slices.Contains([]string{"second", "sec", "m", "minute", "min", "hour"}, w) {
			continue
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
