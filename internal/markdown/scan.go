package markdown

import (
	"bytes"
)

// Heading is a heading that stands directly in the document.
type Heading struct {
	// Start and End delimit its line or, for an underlined heading, its lines,
	// line end included.
	Start, End int
	Level      int
	Text       string
}

type leafKind uint8

const (
	leafNone leafKind = iota
	leafParagraph
	leafFence
	leafHTML
)

// container is an open block quote or list item.
type container struct {
	quote bool
	// width is the indentation that keeps a line inside a list item.
	width int
	// filled: the item has content; an empty one ends at the first blank line.
	filled bool
}

// scanner is the state between two lines.
type scanner struct {
	open []container
	leaf leafKind
	// fence: its character, length. html: its kind.
	fenceChar byte
	fenceLen  int
	html      *html
	// paragraph is where the open paragraph begins.
	paragraph int
	text      []byte

	headings []Heading
	tasks    []string
}

// scan walks the whole document.
func scan(doc []byte) *scanner {
	s := &scanner{}
	pos := 0
	if bytes.HasPrefix(doc, []byte("\xef\xbb\xbf")) {
		pos = 3
	}
	for pos < len(doc) {
		end, next := lineEnd(doc, pos)
		s.line(doc[pos:end], pos, next)
		pos = next
	}
	return s
}

// lineEnd finds where the line at pos ends, without and with its line end.
func lineEnd(doc []byte, pos int) (end, next int) {
	i := bytes.IndexAny(doc[pos:], "\r\n")
	if i < 0 {
		return len(doc), len(doc)
	}
	end = pos + i
	if doc[end] == '\r' && end+1 < len(doc) && doc[end+1] == '\n' {
		return end, end + 2
	}
	return end, end + 1
}

// OpenTask returns the text of the first list item "- [ ]", and whether there is one.
func OpenTask(doc []byte) (string, bool) {
	if s := scan(doc); len(s.tasks) > 0 {
		return s.tasks[0], true
	}
	return "", false
}

// current is the line that is being read.
type current struct {
	cursor
	start, next int // where it and the next one begin
	matched     int // how many of the open containers it continues
}

func (s *scanner) line(line []byte, start, next int) {
	l := current{cursor: cursor{b: line}, start: start, next: next}
	for l.matched < len(s.open) && s.continues(&s.open[l.matched], &l.cursor) {
		l.matched++
	}
	if l.matched == len(s.open) && s.inLeaf(l.cursor) {
		return
	}
	for len(l.text()) > 0 {
		if l.indent() >= 4 {
			if s.leaf == leafParagraph {
				break
			}
			s.begin(l) // code
			return
		}
		if s.quote(&l) {
			continue
		}
		if s.leafBlock(l) {
			return
		}
		if !s.item(&l) {
			break
		}
	}
	s.paragraphLine(l)
}

// inLeaf reports whether the line belongs to an open fence or HTML block, and closes it if
// it ends there.
func (s *scanner) inLeaf(c cursor) bool {
	ends := false
	switch s.leaf {
	case leafFence:
		ends = s.closesFence(c)
	case leafHTML:
		ends = s.html.end.Match(c.rest())
	case leafNone, leafParagraph:
		return false
	}
	if ends {
		s.leaf = leafNone
	}
	return true
}

// begin makes room for a new block in the containers that the line continues.
func (s *scanner) begin(l current) {
	s.close(l.matched)
	s.fill()
}

// quote opens a block quote.
func (s *scanner) quote(l *current) bool {
	if l.text()[0] != '>' {
		return false
	}
	s.begin(*l)
	l.advance(l.indent())
	l.skip(1)
	l.optionalSpace()
	s.open = append(s.open, container{quote: true})
	l.matched = len(s.open)
	return true
}

// inParagraph: only a paragraph of the same container is interrupted or underlined; one in
// a container that this line did not match can only go on lazily.
func (s *scanner) inParagraph(l current) bool {
	return l.matched == len(s.open) && s.leaf == leafParagraph
}

// leafBlock reads a heading, a thematic break, or the beginning of a fence or HTML block.
func (s *scanner) leafBlock(l current) bool {
	rest := l.text()
	if level, text, ok := atx(rest); ok {
		s.begin(l)
		s.heading(l.start, l.next, level, text)
		return true
	}
	if ch, n, ok := fence(rest); ok {
		s.begin(l)
		s.leaf, s.fenceChar, s.fenceLen = leafFence, ch, n
		return true
	}
	if kind := htmlStart(rest, s.leaf == leafParagraph); kind != nil {
		s.begin(l)
		if !kind.end.Match(rest) {
			s.leaf, s.html = leafHTML, kind
		}
		return true
	}
	if level, ok := underline(rest); ok && s.inParagraph(l) {
		s.leaf = leafNone
		s.heading(s.paragraph, l.next, level, string(bytes.TrimSpace(s.text)))
		return true
	}
	if thematicBreak(rest) {
		s.begin(l)
		return true
	}
	return false
}

// item opens a list item.
func (s *scanner) item(l *current) bool {
	m, ok := listMarker(l.text(), s.inParagraph(*l))
	if !ok {
		return false
	}
	s.begin(*l)
	indent := l.indent()
	l.advance(indent)
	l.skip(m.len)
	after, blank := l.indent(), len(l.text()) == 0
	if blank || after > 4 {
		after = 1
	}
	l.advance(after)
	if task, ok := bytes.CutPrefix(l.rest(), []byte("[ ]")); ok && m.char == '-' && (len(task) == 0 || isBlank(task[0])) {
		s.tasks = append(s.tasks, string(bytes.TrimSpace(task)))
	}
	s.open = append(s.open, container{width: indent + m.len + after})
	l.matched = len(s.open)
	return true
}

// paragraphLine begins, continues or ends a paragraph.
func (s *scanner) paragraphLine(l current) {
	blank := len(l.text()) == 0
	if !blank && l.matched < len(s.open) && s.leaf == leafParagraph {
		s.extend(l.cursor) // lazy continuation: the containers stay open
		return
	}
	if l.matched < len(s.open) {
		s.close(l.matched)
	}
	switch {
	case blank:
		s.leaf = leafNone
	case s.leaf == leafParagraph:
		s.extend(l.cursor)
	default:
		s.fill()
		s.leaf, s.paragraph, s.text = leafParagraph, l.start, nil
		s.extend(l.cursor)
	}
}

// continues reports whether the line goes on inside an open container.
func (s *scanner) continues(k *container, c *cursor) bool {
	indent, blank := c.indent(), len(c.text()) == 0
	if k.quote {
		if blank || indent > 3 || c.text()[0] != '>' {
			return false
		}
		c.advance(indent)
		c.skip(1)
		c.optionalSpace()
		return true
	}
	if blank {
		c.advance(min(indent, k.width))
		return k.filled
	}
	if indent < k.width {
		return false
	}
	c.advance(k.width)
	return true
}

// close ends the containers beyond the first n, and the leaf.
func (s *scanner) close(n int) {
	s.open = s.open[:n]
	s.leaf = leafNone
}

func (s *scanner) fill() {
	if n := len(s.open); n > 0 {
		s.open[n-1].filled = true
	}
}

func (s *scanner) extend(c cursor) {
	if len(s.text) > 0 {
		s.text = append(s.text, ' ')
	}
	s.text = append(s.text, bytes.TrimSpace(c.text())...)
}

func (s *scanner) heading(start, next, level int, text string) {
	if len(s.open) == 0 {
		s.headings = append(s.headings, Heading{Start: start, End: next, Level: level, Text: text})
	}
}

func (s *scanner) closesFence(c cursor) bool {
	if c.indent() > 3 {
		return false
	}
	t := c.text()
	n := 0
	for n < len(t) && t[n] == s.fenceChar {
		n++
	}
	return n >= s.fenceLen && len(bytes.TrimRight(t[n:], " \t")) == 0
}

// closer is the line that ends what is still open at the end of the document
// and would swallow whatever is appended; "" when nothing is.
func (s *scanner) closer() string {
	if len(s.open) > 0 {
		return "" // a heading at the margin closes containers and what is in them
	}
	switch s.leaf {
	case leafFence:
		return string(bytes.Repeat([]byte{s.fenceChar}, s.fenceLen))
	case leafHTML:
		return s.html.closer
	case leafNone, leafParagraph:
	}
	return ""
}
