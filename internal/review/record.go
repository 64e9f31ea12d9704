package review

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// record is the result file of a slot: the reviewer's answer, and the place where the
// coding agent answers.
type record struct {
	Adapter    string    `json:"adapter"`
	Timestamp  time.Time `json:"timestamp"`
	Status     Status    `json:"status"`
	Message    string    `json:"message,omitempty"`
	RawOutput  string    `json:"rawOutput"`
	Violations []Finding `json:"violations"`
	// Said is the reviewer's own sentence, which is untrusted.
	Said string `json:"said,omitempty"`
	// Inputs identifies what was judged, so that an unchanged diff is not judged twice.
	Inputs string `json:"inputs,omitempty"`

	forOthers bool // only other sessions have something to answer
}

// prior is the newest record of a slot, from any reviewer.
type prior struct {
	record
	path, logPath string
	warnings      []string
	odd           int // findings with an unknown status
	// unreadable: the file exists but is invalid. Its findings are not gone.
	unreadable error
}

// compare marks the findings whose file has changed since, and those of other sessions.
func (p *prior) compare(job Job) {
	_, parts := readDiff(job.Diff)
	same := p.Inputs == inputs(job)
	for i := range p.Violations {
		f := &p.Violations[i]
		f.moved = !same && (f.Seen == "" || f.Seen != parts[f.File])
		f.others = !f.moved && f.Open() && job.Session != "" && f.Session != "" && f.Session != job.Session
	}
}

// open counts the findings without an answer that this session has to answer; moved those
// that only a reviewer can answer, and others those of other sessions.
func (p *prior) open() (open, moved, others int) {
	if p == nil {
		return 0, 0, 0
	}
	for _, f := range answered(p.Violations, New) {
		switch {
		case f.moved:
			moved++
		case f.others:
			others++
		default:
			open++
		}
	}
	return open, moved, others
}

func (p *prior) count(a Answer) int {
	if p == nil {
		return 0
	}
	return len(answered(p.Violations, a))
}

// unanswered describes what is still open, and which answers were not understood.
func (p *prior) unanswered() string {
	open, _, _ := p.open()
	s := text.Count(open, "finding") + " not answered yet"
	if p.odd > 0 {
		s += fmt.Sprintf(" (%d with an unknown status: use \"fixed\" or \"skipped\")", p.odd)
	}
	return s
}

// maxRecord bounds what is read back: Gauntlet never writes as much.
const maxRecord = 8 << 20

// loadPrior finds the last answer of a slot, in a run before run (0: any). A slot's history
// follows its index, not its reviewer.
func loadPrior(logDir, base string, slot, run int) *prior {
	entries, err := safefile.ReadDir(logDir, logDir, -1)
	if err != nil {
		return nil
	}
	best, bestRun := "", 0
	for _, e := range entries {
		_, s, n, ok := parseName(e.Name(), base)
		if ok && s == slot && n > bestRun && (run == 0 || n < run) && e.Type().IsRegular() {
			best, bestRun = e.Name(), n
		}
	}
	if best == "" {
		return nil
	}
	p := &prior{path: filepath.Join(logDir, best)}
	p.Adapter, _, _, _ = parseName(best, base)
	if log := strings.TrimSuffix(p.path, ".json") + ".log"; isFile(log) {
		p.logPath = log
	}
	p.unreadable = p.read()
	return p
}

func (p *prior) read() error {
	broken := func(why string) error {
		return fmt.Errorf("%s %s: its findings count as not answered; repair it, or delete it to have the review made again", p.path, why)
	}
	data, err := safefile.Read("", p.path, maxRecord)
	if errors.Is(err, safefile.ErrTooLarge) {
		return broken("is too large")
	}
	if err != nil {
		return broken("cannot be read (" + err.Error() + ")")
	}
	adapter := p.Adapter
	if err := json.Unmarshal(data, &p.record); err != nil {
		p.record = record{Adapter: adapter}
		return broken("is not valid JSON (" + position(data, err) + ")")
	}
	p.Adapter = adapter
	switch p.Status {
	case Pass, Fail, Error:
	case Skipped:
		p.Status = Pass
	default:
		p.Status = Fail
	}
	for i, f := range p.Violations {
		if f.Open() && strings.ToLower(strings.TrimSpace(f.Status)) != string(New) {
			p.odd++
			p.warnings = append(p.warnings, fmt.Sprintf("%s: violation %d has the status %q; it counts as \"new\" (use \"fixed\" or \"skipped\")",
				p.path, i+1, redact.Line(f.Status, 40)))
		}
	}
	return nil
}

// position is where the JSON is invalid, in an editor's terms.
func position(data []byte, err error) string {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &typ):
		offset = typ.Offset
	}
	if offset < 0 || offset > int64(len(data)) {
		return err.Error()
	}
	return fmt.Sprintf("line %d: %v", 1+bytes.Count(data[:offset], []byte("\n")), err)
}

// write stores a slot's record beside its log.
func (r record) write(path string) error {
	if r.Violations == nil {
		r.Violations = []Finding{}
	}
	r.Timestamp = r.Timestamp.UTC()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // people and agents edit this file
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return safefile.Write(path, buf.Bytes(), 0o600)
}

// parseName splits <base>_<adapter>@<slot>.<run>.json.
func parseName(name, base string) (adapter string, slot, run int, ok bool) {
	rest, ours := strings.CutPrefix(name, base+"_")
	rest, isRecord := strings.CutSuffix(rest, ".json")
	adapter, rest, _ = strings.Cut(rest, "@")
	s, n, _ := strings.Cut(rest, ".")
	slot, _ = strconv.Atoi(s)
	run, _ = strconv.Atoi(n)
	_, known := reviewer(adapter)
	return adapter, slot, run, ours && isRecord && known && slot > 0 && run > 0
}

// inputs identifies what a job judges: the diff and the question about it.
func inputs(job Job) string {
	h := sha256.New()
	for _, part := range []string{job.Review.Prompt, job.Review.Model} {
		fmt.Fprintf(h, "%d\n%s\n", len(part), part)
	}
	h.Write(job.Diff)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
