package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"
)

// maxEvent bounds the event on stdin.
const maxEvent = 32 << 20

// usualEvent is the size that nearly every event fits into. Such an event is read at
// once and needs no decoder to find its end.
const usualEvent = 8 << 10

// errNoInput means that the rest of the event did not arrive in time.
var errNoInput = errors.New("the event did not arrive in time")

// ReadEvent reads one JSON value: until it is complete or the input ends,
// whichever is first. A caller that keeps stdin open, or sends nothing, does
// not make the hook wait; what has arrived by then is returned.
func ReadEvent(r io.Reader, patience time.Duration) []byte { return ReadRest(nil, r, patience) }

// ReadRest is ReadEvent after a part of the event was read.
func ReadRest(part []byte, r io.Reader, patience time.Duration) []byte {
	if f, ok := r.(*os.File); ok {
		r = patientReader(f, patience)
	}
	if r == nil {
		return part
	}
	if len(part) > 0 {
		r = io.MultiReader(bytes.NewReader(part), r)
	}
	head := make([]byte, usualEvent)
	n, err := r.Read(head)
	head = head[:n]
	if whole := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))); bytes.HasPrefix(whole, []byte("{")) && json.Valid(whole) {
		return whole
	}
	var seen bytes.Buffer
	var value json.RawMessage
	in := io.TeeReader(io.LimitReader(io.MultiReader(bytes.NewReader(head), errReader{err}, r), maxEvent), &seen)
	if err := json.NewDecoder(skipBOM(in)).Decode(&value); err != nil {
		return seen.Bytes() // not one complete value: let the decoder report why
	}
	return value
}

// skipBOM drops a byte order mark, which some shells put in front of a pipe.
func skipBOM(r io.Reader) io.Reader {
	var head [3]byte
	n, err := io.ReadFull(r, head[:1])
	if n == 0 || head[0] != 0xef {
		return io.MultiReader(bytes.NewReader(head[:n]), errReader{err}, r)
	}
	m, err := io.ReadFull(r, head[1:])
	if m == 2 && head[1] == 0xbb && head[2] == 0xbf {
		return r
	}
	return io.MultiReader(bytes.NewReader(head[:1+m]), errReader{err}, r)
}

// errReader repeats the error met while looking ahead, if there was one.
type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) {
	if e.err == nil {
		return 0, io.EOF
	}
	return 0, e.err
}
