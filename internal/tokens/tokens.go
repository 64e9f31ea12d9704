// Package tokens bounds the summaries that agents pass to each other. The count is an
// approximation on purpose: words as JavaScript's \s splits them, so that every tool that
// shares these files gets the same number without a vocabulary of its own. Ring 0: standard
// library only.
package tokens

import "fmt"

// Limits of a context summary. A text without a blank is one word however long it is, so
// there is a second limit.
const (
	Limit     = 500
	ByteLimit = 8 << 10
)

// Count is the number of words in text.
func Count(text string) int {
	n, inWord := 0, false
	for _, r := range text {
		if isSpace(r) {
			inWord = false
		} else if !inWord {
			inWord = true
			n++
		}
	}
	return n
}

// Estimate is the larger of the words and a quarter of the bytes: closer to
// what a model counts for code, long identifiers and scripts without blanks.
func Estimate(text string) int { return max(Count(text), len(text)/4) }

// Result is what Validate found; other tools read its JSON form.
type Result struct {
	Valid      bool   `json:"valid"`
	TokenCount int    `json:"tokenCount"`
	Limit      int    `json:"limit"`
	Error      string `json:"error,omitempty"`
}

// Validate checks a context summary against limit words and the byte limit.
func Validate(summary string, limit int) Result { return check(summary, Count(summary), limit) }

// ValidateEstimate is Validate with Estimate in place of Count.
func ValidateEstimate(summary string, limit int) Result {
	return check(summary, Estimate(summary), limit)
}

func check(summary string, count, limit int) Result {
	r := Result{Valid: true, TokenCount: count, Limit: limit}
	switch {
	case count > limit:
		r.Valid = false
		r.Error = fmt.Sprintf("Context summary exceeds %d token limit (actual: %d tokens)", limit, count)
	case len(summary) > ByteLimit:
		r.Valid = false
		r.Error = fmt.Sprintf("Context summary exceeds %d byte limit (actual: %d bytes)", ByteLimit, len(summary))
	}
	return r
}

// isSpace is JavaScript's \s: unlike unicode.IsSpace it has U+FEFF and lacks
// U+0085.
func isSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ':
		return true
	case r < 0xa0:
		return false
	case r >= 0x2000 && r <= 0x200a:
		return true
	}
	switch r {
	case 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return false
}
