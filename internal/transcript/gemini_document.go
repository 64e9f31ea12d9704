package transcript

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// maxMessages bounds how many messages of a document are looked at: its
// newest ones.
const maxMessages = 100_000

// geminiDocument normalises Gemini's older form: one JSON document with a list
// of messages.
type geminiDocument struct{ log geminiLog }

func (d *geminiDocument) line(raw []byte, earlier bool) []entry { return d.log.line(raw, earlier) }

// hand gives the messages of a whole document to add, newest first.
func (d *geminiDocument) hand(c *collector, doc []byte, add func(*collector, []entry) bool) {
	var list [][]byte
	elements(field(doc, "messages"), func(v []byte) bool {
		if list = append(list, v); len(list) >= 2*maxMessages {
			list = slices.Delete(list, 0, maxMessages)
			c.cut = true
		}
		return true
	})
	for _, v := range slices.Backward(list) {
		if group := d.line(v, c.settled); len(group) > 0 && !add(c, group) {
			return
		}
	}
}

// isDocument tells a document written over many lines by its first one.
func isDocument(f io.ReaderAt, size int64) bool {
	head := make([]byte, min(size, 4096))
	n, _ := f.ReadAt(head, 0)
	first, _, ok := bytes.Cut(bytes.TrimLeft(head[:n], " \t\r\n"), []byte("\n"))
	return ok && string(bytes.TrimSpace(first)) == "{"
}

// document reads such a document: whole if it fits, else the messages at its
// end, which the indentation tells apart (a line end inside a string is escaped).
func (c *collector) document(f io.ReaderAt, size int64, add func(*collector, []entry) bool) error {
	n := min(size, c.opts.MaxBytes)
	buf := make([]byte, n)
	if _, err := f.ReadAt(buf, size-n); err != nil {
		return fmt.Errorf("read transcript: %w", err)
	}
	doc := &geminiDocument{}
	c.norm, c.format = doc, FormatGemini
	if n == size {
		if f, norm := detect(buf); f == FormatGemini && norm != nil {
			doc.hand(c, buf, add)
			return nil
		}
	}
	c.cut = n < size
	found := false
	for {
		var message []byte
		if message, buf = lastIndented(buf); message == nil {
			break
		}
		if f, _ := detect(message); f != FormatGemini {
			continue
		}
		found = true
		if group := doc.line(message, c.settled); len(group) > 0 && !add(c, group) {
			c.cut = false
			return nil
		}
	}
	if !found && (!c.cut || !namesSession(f)) {
		return fmt.Errorf("%w: not a session document", ErrFormat)
	}
	return nil
}

// namesSession reports whether the start of a document names a session.
func namesSession(f io.ReaderAt) bool {
	head := make([]byte, 4096)
	n, _ := f.ReadAt(head, 0)
	return bytes.Contains(head[:n], []byte(`"sessionId"`))
}

// lastIndented returns the last object that stands at the depth of a message,
// and what is before it.
func lastIndented(buf []byte) (object, before []byte) {
	const open, shut = "\n    {", "\n    }"
	end := bytes.LastIndex(buf, []byte(shut))
	if end < 0 {
		return nil, nil
	}
	start := bytes.LastIndex(buf[:end], []byte(open))
	if start < 0 {
		return nil, nil
	}
	return buf[start+1 : end+len(shut)], buf[:start]
}
