package review

import (
	"bytes"
	"fmt"
	"time"
)

// capture keeps the beginning and the end of an output of any size and
// reports the newest line.
type capture struct {
	head, tail int // how much to keep of either
	line       func(string)

	first []byte
	rest  []byte // what came after first; at most 2×tail
	total int64

	partial  []byte
	reported time.Time
}

// reportEvery bounds how often the newest line is passed on.
const reportEvery = 50 * time.Millisecond

func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	if c.line != nil {
		c.report(p)
	}
	if room := c.head - len(c.first); room > 0 {
		k := min(room, len(p))
		c.first = append(c.first, p[:k]...)
		p = p[k:]
	}
	c.rest = append(c.rest, p...)
	if len(c.rest) > 2*c.tail {
		keep := c.rest[len(c.rest)-c.tail:]
		c.rest = c.rest[:copy(c.rest, keep)]
	}
	return n, nil
}

func (c *capture) report(p []byte) {
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
		c.line(s)
	}
	c.partial = append(c.partial[:0], p[end+1:][:min(len(p)-end-1, 1024)]...)
}

// last is the newest output: all of it when it is short enough.
func (c *capture) last() []byte {
	if int64(len(c.first)+len(c.rest)) == c.total {
		return append(c.first[:len(c.first):len(c.first)], c.rest...)
	}
	return c.rest[max(0, len(c.rest)-c.tail):]
}

// text is the beginning and the end with at most limit bytes in all, with a note about what
// is missing between them.
func (c *capture) text(limit int) string {
	if all := int64(len(c.first) + len(c.rest)); all == c.total && all <= int64(limit) {
		return string(c.first) + string(c.rest)
	}
	head := c.first[:min(len(c.first), limit/4)]
	end := c.last()
	end = end[max(0, len(end)-limit*3/4):]
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", head, c.total-int64(len(head)+len(end)), end)
}
