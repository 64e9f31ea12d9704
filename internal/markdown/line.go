package markdown

import "bytes"

// cursor is a place in a line; tabs count as columns to the next multiple of four.
type cursor struct {
	b   []byte
	off int
	col int
	// pending are the columns of a tab that is only partly consumed.
	pending int
}

// indent counts the columns of white space ahead.
func (c *cursor) indent() int {
	n, col := c.pending, c.col+c.pending
	for i := c.off; i < len(c.b); i++ {
		switch c.b[i] {
		case ' ':
			n, col = n+1, col+1
		case '\t':
			w := 4 - col%4
			n, col = n+w, col+w
		default:
			return n
		}
	}
	return n
}

// advance consumes columns of white space.
func (c *cursor) advance(cols int) {
	for cols > 0 {
		if c.pending > 0 {
			use := min(cols, c.pending)
			c.pending -= use
			c.col += use
			cols -= use
			continue
		}
		if c.off >= len(c.b) {
			return
		}
		switch c.b[c.off] {
		case ' ':
			c.off++
			c.col++
			cols--
		case '\t':
			c.pending = 4 - c.col%4
			c.off++
		default:
			return
		}
	}
}

// skip consumes n bytes that are no white space.
func (c *cursor) skip(n int) {
	c.off += n
	c.col += n
}

func (c *cursor) optionalSpace() {
	if c.pending > 0 || (c.off < len(c.b) && isBlank(c.b[c.off])) {
		c.advance(1)
	}
}

// rest is what is left of the line.
func (c *cursor) rest() []byte { return c.b[c.off:] }

// text is what is left without the white space ahead.
func (c *cursor) text() []byte { return bytes.TrimLeft(c.b[c.off:], " \t") }

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// atx reads a heading "## text ##"; t has no white space ahead.
func atx(t []byte) (level int, text string, ok bool) {
	for level < len(t) && t[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || (level < len(t) && !isBlank(t[level])) {
		return 0, "", false
	}
	body := bytes.Trim(t[level:], " \t")
	if trimmed := bytes.TrimRight(body, "#"); len(trimmed) == 0 || isBlank(trimmed[len(trimmed)-1]) {
		body = bytes.TrimRight(trimmed, " \t")
	}
	return level, string(body), true
}

// fence reads the opening line of a code fence.
func fence(t []byte) (char byte, n int, ok bool) {
	if len(t) < 3 || (t[0] != '`' && t[0] != '~') {
		return 0, 0, false
	}
	char = t[0]
	for n < len(t) && t[n] == char {
		n++
	}
	if n < 3 || (char == '`' && bytes.IndexByte(t[n:], '`') >= 0) {
		return 0, 0, false
	}
	return char, n, true
}

// underline reads the line that makes a paragraph a heading.
func underline(t []byte) (level int, ok bool) {
	t = bytes.TrimRight(t, " \t")
	if len(t) == 0 || (t[0] != '=' && t[0] != '-') {
		return 0, false
	}
	if len(bytes.TrimLeft(t, string(t[0]))) != 0 {
		return 0, false
	}
	if t[0] == '=' {
		return 1, true
	}
	return 2, true
}

func thematicBreak(t []byte) bool {
	if t[0] != '*' && t[0] != '-' && t[0] != '_' {
		return false
	}
	n := 0
	for _, b := range t {
		switch {
		case b == t[0]:
			n++
		case !isBlank(b):
			return false
		}
	}
	return n >= 3
}

type marker struct {
	char byte // '-', '+', '*' or, for a number, the '.' or ')' after it
	len  int
}

// listMarker reads the start of a list item. Inside a paragraph only an item
// with content, and of a numbered list only the first, begins one.
func listMarker(t []byte, inParagraph bool) (marker, bool) {
	m := marker{char: t[0], len: 1}
	switch {
	case t[0] == '-' || t[0] == '+' || t[0] == '*':
	case t[0] >= '0' && t[0] <= '9':
		n := 0
		for n < len(t) && t[n] >= '0' && t[n] <= '9' {
			n++
		}
		if n > 9 || n == len(t) || (t[n] != '.' && t[n] != ')') || (inParagraph && !(n == 1 && t[0] == '1')) {
			return marker{}, false
		}
		m = marker{char: t[n], len: n + 1}
	default:
		return marker{}, false
	}
	if m.len < len(t) && !isBlank(t[m.len]) {
		return marker{}, false
	}
	if inParagraph && len(bytes.TrimLeft(t[m.len:], " \t")) == 0 {
		return marker{}, false
	}
	return m, true
}
