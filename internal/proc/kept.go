package proc

import (
	"bytes"
	"fmt"
	"time"
)

// Kept keeps the beginning and the end of an output of any size, so that a chatty child
// neither fails nor fills the memory, and reports the newest line.
type Kept struct {
	Head, Tail int // how much to keep of either
	Line       func(string)
	Total      int64 // how much there was

	first []byte
	rest  []byte // what came after first; at most 2×Tail

	partial  []byte
	reported time.Time
}

// reportEvery bounds how often the newest line is passed on.
const reportEvery = 50 * time.Millisecond

// Write never fails.
func (c *Kept) Write(p []byte) (int, error) {
	n := len(p)
	c.Total += int64(n)
	if c.Line != nil {
		c.report(p)
	}
	if room := c.Head - len(c.first); room > 0 {
		k := min(room, len(p))
		c.first = append(c.first, p[:k]...)
		p = p[k:]
	}
	if c.Tail > 0 {
		c.rest = append(c.rest, p...)
	}
	if len(c.rest) > 2*c.Tail {
		keep := c.rest[len(c.rest)-c.Tail:]
		c.rest = c.rest[:copy(c.rest, keep)]
	}
	return n, nil
}

func (c *Kept) report(p []byte) {
	end := bytes.LastIndexByte(p, '\n')
	if end < 0 {
		if len(c.partial) < 1024 {
			c.partial = append(c.partial, p[:min(len(p), 1024)]...)
		}
		return
	}
	start := bytes.LastIndexByte(p[:end], '\n') + 1
	line := p[start:end]
	if start == 0 {
		line = append(c.partial, line...)
	}
	if s := string(line[:min(len(line), 1024)]); time.Since(c.reported) >= reportEvery {
		c.reported = time.Now()
		c.Line(s)
	}
	c.partial = append(c.partial[:0], p[end+1:][:min(len(p)-end-1, 1024)]...)
}

// Whole reports whether nothing is missing.
func (c *Kept) Whole() bool { return int64(len(c.first)+len(c.rest)) == c.Total }

// Last is the newest output: all of it when it is short enough.
func (c *Kept) Last() []byte {
	if c.Whole() {
		return append(c.first[:len(c.first):len(c.first)], c.rest...)
	}
	return c.rest[max(0, len(c.rest)-c.Tail):]
}

// Text is the beginning and the end with at most limit bytes in all, with a note about what
// is missing between them.
func (c *Kept) Text(limit int) string {
	if c.Whole() && c.Total <= int64(limit) {
		return string(c.first) + string(c.rest)
	}
	head := c.first[:min(len(c.first), limit/4)]
	end := c.Last()
	end = end[max(0, len(end)-limit*3/4):]
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", head, c.Total-int64(len(head)+len(end)), end)
}
