package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"gauntlet/internal/safefile"
)

const (
	blockSize = 256 << 10
	// longLine is the length from which on a line is collected in one buffer for all that
	// may still be read: its pages cost memory only when they are filled, and nothing is
	// copied any more.
	longLine = 1 << 20
)

// open opens a regular file for reading and nothing else: a FIFO or a device
// would block or have side effects, a directory has no content.
func open(path string) (*os.File, int64, error) {
	f, err := safefile.OpenLinked(path)
	if errors.Is(err, safefile.ErrNotRegular) {
		return nil, 0, fmt.Errorf("%w: %s", ErrNotRegular, path)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read transcript: %w", err)
	}
	fi, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, fi.Size(), nil
}

// tail returns the lines of a file from the last to the first, reading blocks backwards,
// and stops at its limit.
type tail struct {
	f io.ReaderAt
	// block and long are blockSize and longLine, but for tests.
	block, long int
	// limit is the lowest offset that may be read.
	limit int64
	// buf contains the file from off; what is after end has been returned.
	off int64
	buf []byte
	// room is the free space before buf in the same array.
	room  []byte
	array []byte
	end   int
	ends  []int // where the lines end that were not returned yet
	done  bool
	// cut: the limit was reached inside the file, so there is more above.
	cut bool
	// read counts the bytes read so far.
	read int64
	// at is the offset of the line that was returned last.
	at  int64
	err error
}

func newTail(f io.ReaderAt, size, maxBytes int64) *tail {
	return &tail{f: f, block: blockSize, long: longLine, off: size, limit: max(0, size-maxBytes)}
}

// release frees the memory of a huge line immediately: the next reader of the same file
// needs as much, and the garbage collector may not have run by then.
func (t *tail) release() {
	huge := len(t.array) > 4*longLine
	t.buf, t.room, t.array = nil, nil, nil
	if huge {
		runtime.GC()
	}
}

// prev returns the line before the last one returned, without its line end. The slice is
// valid until the next call. ok is false at the start of the file or at the limit (cut),
// where an incomplete line is not returned.
func (t *tail) prev() (line []byte, ok bool) {
	if t.done {
		return nil, false
	}
	for {
		if last := len(t.ends) - 1; last >= 0 {
			i := t.ends[last]
			line = t.buf[i+1 : t.end]
			t.end, t.ends, t.at = i, t.ends[:last], t.off+int64(i)+1
			return line, true
		}
		if t.off == t.limit {
			t.done = true
			if t.limit > 0 {
				t.cut = true
				return nil, false
			}
			t.at = 0
			return t.buf[:t.end], t.end > 0
		}
		if !t.grow() {
			t.done = true
			return nil, false
		}
	}
}

// grow reads the block before buf.
func (t *tail) grow() bool {
	n := int(min(t.off-t.limit, int64(t.block)))
	if len(t.room) < n {
		spare := 0
		if t.end >= t.long {
			spare = int(t.off-t.limit) - n
		}
		if len(t.array) < spare+n+t.end {
			t.array = make([]byte, max(2*t.block, spare+n+t.end))
		}
		// what was returned is not needed any more: the rest moves to the end
		at := len(t.array) - t.end
		copy(t.array[at:], t.buf[:t.end])
		t.room, t.buf = t.array[:at], t.array[at:]
	}
	at := len(t.room) - n
	got, err := t.f.ReadAt(t.room[at:], t.off-int64(n))
	t.read += int64(got)
	if got < n {
		// The file shrank meanwhile, or cannot be read.
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		t.err = fmt.Errorf("read transcript: %w", err)
		return false
	}
	t.off -= int64(n)
	// Both are slices of one array, buf right after room.
	t.buf = t.room[at : len(t.room)+t.end][:n+t.end]
	t.room = t.room[:at]
	t.end = len(t.buf)
	// forwards, because that is many times faster than backwards
	for i := 0; i < n; i++ {
		j := bytes.IndexByte(t.buf[i:n], '\n')
		if j < 0 {
			break
		}
		i += j
		t.ends = append(t.ends, i)
	}
	return true
}
