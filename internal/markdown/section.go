package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Result is what ReplaceSection did.
type Result struct {
	Doc []byte
	// Found counts the sections of that title; only the first was replaced.
	// 0: one was appended.
	Found int
	// Lines are the line numbers of the sections found, from 1.
	Lines []int
	// Heading is where the heading of the replaced section begins and ends in Doc.
	Heading [2]int
}

// ReplaceSection puts body under the first level-2 heading with that title, or
// with that title and something after it. The heading's own line stays, and so
// do the blank lines at the section's end. Without such a section one is
// appended. body is given with line feeds; the document's own line ends are used.
// It has to end with a paragraph at the margin: an open list would take an
// indented heading after it for its own.
func ReplaceSection(doc []byte, title, body string) Result {
	s := scan(doc)
	eol := lineEnds(doc)
	var res Result
	first := -1
	for i, h := range s.headings {
		if h.Level == 2 && titled(h.Text, title) {
			if first < 0 {
				first = i
			}
			res.Found++
			res.Lines = append(res.Lines, 1+countLines(doc[:h.Start]))
		}
	}
	if first < 0 {
		res.Doc = appendSection(doc, s.closer(), title, strings.ReplaceAll(strings.TrimSpace(body), "\n", eol), eol)
		return res
	}
	h := s.headings[first]
	res.Heading = [2]int{h.Start, h.End}
	if end, next := lineEnd(doc, h.Start); next > end {
		eol = string(doc[end:next])
	}
	text := []byte(strings.ReplaceAll(strings.TrimSpace(body), "\n", eol))
	from, end := h.End, len(doc)
	for _, next := range s.headings[first+1:] {
		if next.Level <= 2 {
			end = next.Start
			break
		}
	}
	to := from + contentLen(doc[from:end])
	gap := doc[to:end] // line end of the last line and the blank lines after it
	var out bytes.Buffer
	out.Write(doc[:from])
	if !endsLine(doc[:from]) {
		out.WriteString(eol)
	}
	out.WriteString(eol)
	out.Write(text)
	lineEnded := to == from && (len(gap) > 0 || end < len(doc) || endsLine(doc))
	if lineEnded {
		out.WriteString(eol) // an empty section: the gap holds no line end for our last line
	}
	if end < len(doc) && !endsBlank(gap) && !(lineEnded && len(gap) > 0) {
		out.WriteString(eol) // without a blank line our text could swallow an underlined heading
	}
	out.Write(doc[to:])
	res.Doc = out.Bytes()
	return res
}

func appendSection(doc []byte, closer, title, text, eol string) []byte {
	var out bytes.Buffer
	out.Write(doc)
	content := bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	final := len(content) == 0 || endsLine(doc)
	if !final {
		out.WriteString(eol)
	}
	if closer != "" {
		out.WriteString(closer + eol)
	}
	if len(content) > 0 && (closer != "" || !endsBlank(content)) {
		out.WriteString(eol)
	}
	out.WriteString("## " + title + eol + eol + text)
	if final {
		out.WriteString(eol)
	}
	return out.Bytes()
}

// titled reports whether a heading's text is title, or title and something
// after it that does not make it another word.
func titled(text, title string) bool {
	rest, ok := strings.CutPrefix(text, title)
	if !ok {
		return false
	}
	r, n := utf8.DecodeRuneInString(rest)
	return n == 0 || !(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '\'' || r == '’')
}

// lineEnds is the document's line end: that of its first line.
func lineEnds(doc []byte) string {
	end, next := lineEnd(doc, 0)
	if next > end {
		return string(doc[end:next])
	}
	return "\n"
}

// contentLen is the length of b up to the end of its last line that is not
// blank, without that line's end.
func contentLen(b []byte) int {
	n := len(bytes.TrimRight(b, " \t\r\n"))
	for n > 0 && n < len(b) && isBlank(b[n]) {
		n++
	}
	return n
}

func endsLine(b []byte) bool {
	return len(b) > 0 && (b[len(b)-1] == '\n' || b[len(b)-1] == '\r')
}

// endsBlank reports whether the last line of b is blank; b begins within a line.
func endsBlank(b []byte) bool {
	if !endsLine(b) {
		return false
	}
	if bytes.HasSuffix(b, []byte("\r\n")) {
		b = b[:len(b)-1]
	}
	return endsLine(bytes.TrimRight(b[:len(b)-1], " \t"))
}

func countLines(b []byte) int {
	n := 0
	for pos := 0; pos < len(b); n++ {
		_, pos = lineEnd(b, pos)
	}
	return n
}
