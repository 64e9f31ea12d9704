package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/safefile"
)

// Cursor is how far a reader has read the spool: bytes read of each segment. It counts by
// segment, because a process that opened the old segment before a rotation may still add
// its lines there.
type Cursor map[string]int64

// cursorsDir contains the cursors, one file per reader; segments that a reader has not
// finished are kept for it.
const cursorsDir = "cursors"

// maxSpool is how many segments are kept for readers that never read them, 1 GB.
const maxSpool = 256

// maxSpoolLine bounds one line; Append writes far shorter ones.
const maxSpoolLine = 1 << 20

// ReadCursor returns the named reader's cursor; an unreadable one starts again from the
// beginning, which costs only time: readers ignore what they have.
func ReadCursor(dir, name string) Cursor {
	c := Cursor{}
	b, err := safefile.Read(dir, cursorFile(dir, name), maxSpoolLine)
	if err != nil || json.Unmarshal(b, &c) != nil || c == nil {
		return Cursor{}
	}
	return c
}

// WriteCursor remembers how far the named reader is.
func WriteCursor(dir, name string, c Cursor) error {
	b, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	if err := safefile.MkdirAll(dir, filepath.Join(dir, cursorsDir), 0o700); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	return safefile.WriteIn(dir, cursorFile(dir, name), b, 0o600)
}

func cursorFile(dir, name string) string {
	return filepath.Join(dir, cursorsDir, name+".json")
}

// ReadFrom returns at most limit complete lines after the cursor, oldest first, and the
// cursor after them. No lines: everything was read. Lines that are too long to be written
// by Gauntlet are skipped.
func ReadFrom(dir string, c Cursor, limit int) (lines [][]byte, next Cursor, err error) {
	names, err := Segments(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Cursor{}, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("history: %w", err)
	}
	next = Cursor{}
	for _, name := range names {
		next[name] = c[name]
	}
	for _, name := range names {
		if len(lines) >= limit {
			break
		}
		more, offset, err := readSegment(dir, name, next[name], limit-len(lines))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("history: %w", err)
		}
		lines, next[name] = append(lines, more...), offset
	}
	return lines, next, nil
}

func readSegment(dir, name string, offset int64, limit int) (lines [][]byte, end int64, err error) {
	f, err := safefile.Open(dir, filepath.Join(dir, name))
	if err != nil {
		return nil, offset, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() < offset {
		offset = 0 // another file by that name
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, offset, err
	}
	r := bufio.NewReaderSize(f, 64<<10)
	for len(lines) < limit {
		var line []byte
		size := int64(0)
		for {
			part, err := r.ReadSlice('\n')
			if size += int64(len(part)); size <= maxSpoolLine {
				line = append(line, part...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil { // the last line may not be complete yet
				return lines, offset, nil //nolint:nilerr // it is read the next time
			}
			break
		}
		offset += size
		if size > 1 && size <= maxSpoolLine {
			lines = append(lines, line[:len(line)-1])
		}
	}
	return lines, offset, nil
}

// unread reports whether a reader with a cursor still needs a segment.
func unread(dir, segment string) bool {
	files, _ := safefile.ReadDir(dir, filepath.Join(dir, cursorsDir), -1)
	info, err := os.Stat(filepath.Join(dir, segment))
	if err != nil {
		return false
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".json")
		if ok && ReadCursor(dir, name)[segment] < info.Size() {
			return true
		}
	}
	return false
}
