package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"gauntlet/internal/text"
)

// Answer is the coding agent's answer to a finding.
type Answer string

// Answers, as written in the result file.
const (
	New    Answer = "new"
	Fixed  Answer = "fixed"
	Waived Answer = "skipped"
)

// Finding is one violation: what the reviewer reported, and how the coding
// agent answered it in the result file.
type Finding struct {
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Issue    string `json:"issue"`
	Fix      string `json:"fix,omitempty"`
	Priority string `json:"priority"`
	// Status is new, then fixed or skipped by the agent; anything else counts as new.
	Status string  `json:"status,omitempty"`
	Result *string `json:"result"`
	// Session is whose stop the finding was reported at, "" by hand, and Seen identifies what
	// its file's changes were then.
	Session string `json:"session,omitempty"`
	Seen    string `json:"seen,omitempty"`

	// moved: its file's changes are others now, so only a reviewer knows whether it still
	// holds. others: another session has to answer it.
	moved, others bool
}

// Answer reads the status leniently: the agent writes it by hand.
func (f Finding) Answer() Answer {
	switch strings.ToLower(strings.TrimSpace(f.Status)) {
	case string(Fixed):
		return Fixed
	case string(Waived):
		return Waived
	}
	return New
}

// Open reports whether a finding has no answer yet.
func (f Finding) Open() bool { return f.Answer() == New }

// Where is file:line, for people.
func (f Finding) Where() string {
	if f.Line > 0 {
		return f.File + ":" + strconv.Itoa(f.Line)
	}
	return f.File
}

// UnmarshalJSON accepts what models and people really write: a line as text, a missing
// field, a number where text belongs. One odd field does not lose the finding.
func (f *Finding) UnmarshalJSON(data []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*f = Finding{
		File: contentOf(raw["file"]), Issue: contentOf(raw["issue"]), Fix: contentOf(raw["fix"]),
		Priority: strings.ToLower(strings.TrimSpace(contentOf(raw["priority"]))), Status: contentOf(raw["status"]),
		Session: contentOf(raw["session"]), Seen: contentOf(raw["seen"]),
	}
	digits := strings.TrimSpace(contentOf(raw["line"]))
	if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		digits = digits[:i] // "12-15", "12.0"
	}
	f.Line, _ = strconv.Atoi(digits)
	if r := bytes.TrimSpace(raw["result"]); len(r) > 0 && !bytes.Equal(r, []byte("null")) {
		s := contentOf(r)
		f.Result = &s
	}
	return nil
}

// contentOf is a JSON value as text: a string's content, anything else as written.
func contentOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if v := string(bytes.TrimSpace(raw)); v != "null" {
		return v
	}
	return ""
}

// rank orders priorities; an unknown one must not be dropped as unimportant.
func rank(priority string) int {
	switch strings.ToLower(strings.TrimSpace(priority)) {
	case "critical":
		return 4
	case "medium":
		return 2
	case "low":
		return 1
	}
	return 3
}

// same reports whether two findings of two runs are about the same thing. Models do not
// repeat themselves word by word and lines move.
func same(a, b Finding) bool {
	if a.File != b.File {
		return false
	}
	alike := similarity(a.Issue, b.Issue)
	return alike >= 0.6 || alike >= 0.3 && a.Line == b.Line && a.Line > 0
}

// similarity is the share of words that two texts have in common.
func similarity(a, b string) float64 {
	wa, wb := words(a), words(b)
	if len(wa) == 0 && len(wb) == 0 {
		return 1
	}
	common := 0
	for w := range wa {
		if wb[w] {
			common++
		}
	}
	return float64(common) / float64(len(wa)+len(wb)-common)
}

func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		set[w] = true
	}
	return set
}

// merge joins what a re-run's reviewer reported with the findings it was given. What the
// agent never answered stays open whatever the reviewer reports, as long as its file has not
// changed; what it skipped stays skipped. What it called fixed, or changed the file of, is
// gone unless the reviewer still sees it. A really new finding counts only from threshold
// up.
func merge(earlier, reported []Finding, threshold string) (kept []Finding, reopened, dropped int) {
	matched := make([]*Finding, len(earlier))
	var fresh []Finding
	for _, r := range reported {
		known := false
		for i, e := range earlier {
			if same(e, r) {
				known, matched[i] = true, &r
				break
			}
		}
		switch {
		case known:
		case rank(r.Priority) < rank(threshold):
			dropped++
		default:
			fresh = append(fresh, r)
		}
	}
	for i, e := range earlier {
		again := matched[i]
		switch {
		case e.Answer() == Waived || e.Open() && !e.moved:
			kept = append(kept, e)
		case again == nil:
		case e.Answer() == Fixed:
			reopened++
			e.Status, e.Result, e.moved = string(New), nil, false
			e.Session, e.Seen, e.others = again.Session, again.Seen, false
			kept = append(kept, e)
		default:
			kept = append(kept, *again)
		}
	}
	return append(kept, fresh...), reopened, dropped
}

// describe summarises a list of findings in one line.
func describe(open, waived int) string {
	parts := []string{}
	if open > 0 {
		parts = append(parts, text.Count(open, "finding"))
	}
	if waived > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", waived))
	}
	if len(parts) == 0 {
		return "no findings"
	}
	return strings.Join(parts, ", ")
}
