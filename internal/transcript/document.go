package transcript

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// maxMessages bounds how many messages of a document are read: its newest ones.
const maxMessages = 100_000

// document normalises a session that is one JSON document with a list of messages: Gemini's
// older form, and OpenCode's export.
type document struct {
	log    normaliser
	format string
}

func newDocument(format string) *document {
	if format == FormatOpenCode {
		return &document{log: &opencodeLog{}, format: format}
	}
	return &document{log: &geminiLog{}, format: FormatGemini}
}

func (d *document) line(raw []byte, earlier bool) []entry { return d.log.line(raw, earlier) }

// hand passes the messages of a whole document to add, newest first.
func (d *document) hand(c *collector, doc []byte, add func(*collector, []entry) bool) {
	var list [][]byte
	for v := range elements(field(doc, "messages"), all) {
		if list = append(list, v); len(list) >= 2*maxMessages {
			list = slices.Delete(list, 0, maxMessages)
			c.cut = true
		}
	}
	for _, v := range slices.Backward(list) {
		// a part of doc, so the capacity of the array shows where it begins
		c.at = int64(cap(doc) - cap(v))
		if c.opts.End > 0 && c.at >= c.opts.End {
			continue
		}
		if group := d.line(v, c.settled); len(group) > 0 && !add(c, group) {
			return
		}
	}
}

// isDocument recognises a document written over many lines by its first one or, if its
// beginning was cut off, by its last one.
func isDocument(f io.ReaderAt, size int64) bool {
	tail := make([]byte, min(size, 64))
	n, _ := f.ReadAt(tail, size-int64(len(tail)))
	return beginsDocument(f, size) || bytes.HasSuffix(bytes.TrimRight(tail[:n], " \t\r\n"), []byte("\n}"))
}

func beginsDocument(f io.ReaderAt, size int64) bool {
	head := make([]byte, min(size, 4096))
	n, _ := f.ReadAt(head, 0)
	first, _, ok := bytes.Cut(bytes.TrimLeft(head[:n], " \t\r\n"), []byte("\n"))
	return ok && string(bytes.TrimSpace(first)) == "{"
}

// readDocument reads such a document: all of it if it fits, else the messages at its end,
// which are separated by their indentation (a line end inside a string is escaped).
func (c *collector) readDocument(f io.ReaderAt, size int64, add func(*collector, []entry) bool) error {
	n := min(size, c.opts.MaxBytes)
	buf := make([]byte, n)
	if _, err := f.ReadAt(buf, size-n); err != nil {
		return fmt.Errorf("read transcript: %w", err)
	}
	end := bytes.TrimRight(buf, " \t\r\n")
	c.torn = len(end) > 0 && end[len(end)-1] != '}'
	doc := newDocument(FormatGemini)
	if isExport(f) {
		doc = newDocument(FormatOpenCode)
	}
	c.norm, c.format = doc, doc.format
	if n == size {
		if _, norm := detect(buf); norm != nil {
			if whole, isDoc := norm.(*document); isDoc {
				c.norm, c.format = whole, whole.format
				whole.hand(c, buf, add)
				return nil
			}
		}
	}
	c.cut = n < size || !beginsDocument(f, size)
	found := false
	for {
		var message []byte
		if message, buf = lastIndented(buf); message == nil {
			break
		}
		if f, _ := detect(message); f != doc.format {
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

// isExport reports whether a document begins as OpenCode's do.
func isExport(f io.ReaderAt) bool {
	head := make([]byte, 256)
	n, _ := f.ReadAt(head, 0)
	rest, isObject := bytes.CutPrefix(bytes.TrimLeft(head[:n], " \t\r\n"), []byte("{"))
	return isObject && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(`"info"`))
}

// namesSession reports whether the start of a document names a session.
func namesSession(f io.ReaderAt) bool {
	head := make([]byte, 4096)
	n, _ := f.ReadAt(head, 0)
	return bytes.Contains(head[:n], []byte(`"sessionId"`)) || isExport(f)
}

// lastIndented returns the last object at the depth of a message, and what is before it.
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
