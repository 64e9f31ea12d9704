package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// Bounds of the spool. A segment is closed once it is this large; the oldest are removed
// when there are too many, so the history never grows beyond 32 MB.
const (
	segmentSize  = 4 << 20
	keepSegments = 8
	maxText      = 16 << 10 // of one text field
	maxName      = 1 << 10  // of one field that names something
	maxTail      = 8 << 10  // of a gate's output
	maxSteps     = 64
	maxChanged   = 200
	maxFindings  = 50
	maxFinding   = 300 // of a finding's message
)

// Append adds the records to the spool in dir, all with one write, so that lines of
// concurrent processes never mix. Secrets are redacted here again, whatever the caller did.
func Append(dir string, recs ...Record) error {
	if dir == "" || len(recs) == 0 {
		return nil
	}
	var buf bytes.Buffer
	for _, rec := range recs {
		line, err := json.Marshal(clean(rec))
		if err != nil {
			return fmt.Errorf("history: %w", err)
		}
		buf.Write(line)
		buf.WriteByte('\n')
	}
	if err := appendTo(dir, buf.Bytes()); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	return nil
}

// appendTo writes complete lines to the newest segment. Segments are numbered and never
// renamed: two processes that find the newest one full both open the same next number, and
// one that still has the old one open loses nothing.
func appendTo(dir string, lines []byte) error {
	names, err := Segments(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := safefile.MakeDir(dir, 0o700); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	number := 1
	if len(names) > 0 {
		number, _ = segmentNumber(names[len(names)-1])
		if info, err := os.Stat(filepath.Join(dir, names[len(names)-1])); err == nil && info.Size() >= segmentSize {
			number++
			prune(dir, names)
		}
	}
	f, err := safefile.Append(dir, filepath.Join(dir, segmentName(number)), 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if torn(f, info) {
		lines = append([]byte{'\n'}, lines...)
	}
	if _, err := f.Write(lines); err != nil {
		return err
	}
	return f.Close()
}

// torn reports whether the file ends inside a line that a full disk cut: the next line must
// not become part of it. Another process in the middle of its write looks the same, but
// only for a moment.
func torn(f *os.File, info fs.FileInfo) bool {
	if info.Size() == 0 || time.Since(info.ModTime()) < 100*time.Millisecond {
		return false
	}
	var last [1]byte
	_, err := f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// prune removes the oldest segments when a new one is about to be added, except those that
// a reader still needs. A segment that cannot be removed is tried again at the next
// rotation.
func prune(dir string, names []string) {
	for len(names) >= keepSegments && (len(names) >= maxSpool || !unread(dir, names[0])) {
		_ = os.Remove(filepath.Join(dir, names[0]))
		names = names[1:]
	}
}

// Segments lists the files of the spool by name, oldest first.
func Segments(dir string) ([]string, error) {
	entries, err := safefile.ReadDir(dir, dir, -1)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries { // by name already
		if _, ok := segmentNumber(e.Name()); ok {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func segmentName(n int) string { return fmt.Sprintf("spool-%08d.jsonl", n) }

func segmentNumber(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "spool-")
	if !ok {
		return 0, false
	}
	if digits, ok = strings.CutSuffix(digits, ".jsonl"); !ok || len(digits) != 8 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	return int(n), err == nil
}

// cut shortens s to at most n bytes, on a character boundary and with a mark.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const mark = "… (cut)"
	end := n - len(mark)
	for end > 0 && s[end]&0xC0 == 0x80 {
		end--
	}
	return s[:end] + mark
}
