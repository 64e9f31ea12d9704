package report

import (
	"bytes"
	"io"
	"strings"
)

// Screen is a stream for a person: lines that are wider than the terminal are broken at
// spaces, under the text that they continue. A word that is wider than a line stays whole,
// because people copy paths.
type Screen struct {
	w    io.Writer
	t    Terminal
	rest []byte // the beginning of a line whose end was not written yet
}

// NewScreen wraps w at the width of its terminal.
func NewScreen(w io.Writer, getenv func(string) string) *Screen {
	return &Screen{w: w, t: Detect(w, getenv)}
}

// Under is the stream below: for programs, and for what draws on the terminal itself.
func (s *Screen) Under() io.Writer { return s.w }

// Terminal is what the stream below can do.
func (s *Screen) Terminal() Terminal { return s.t }

// Write shows whole lines; the beginning of one waits for its end.
func (s *Screen) Write(p []byte) (int, error) {
	if s.t.Size == nil {
		return s.w.Write(p)
	}
	end := bytes.LastIndexByte(p, '\n') + 1
	if end == 0 {
		s.rest = append(s.rest, p...)
		return len(p), nil
	}
	var out strings.Builder
	for line := range strings.Lines(string(s.rest) + string(p[:end])) {
		out.WriteString(Fold(strings.TrimSuffix(line, "\n"), s.t.Width()) + "\n")
	}
	s.rest = append(s.rest[:0], p[end:]...)
	if _, err := io.WriteString(s.w, out.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes the beginning of a line, such as a question.
func (s *Screen) Flush() {
	_, _ = io.WriteString(s.w, Fold(string(s.rest), s.t.Width())) // the next write to the same place fails, too
	s.rest = s.rest[:0]
}

// Fold breaks one line at spaces so that no part is wider than width. What follows is
// indented like the last column of the line, so that no part looks like a line of its own.
func Fold(line string, width int) string { return fold(line, width, false) }

// fold is Fold; in a table a word that is wider than a line is cut.
func fold(line string, width int, cut bool) string {
	if shownWidth(line) <= width {
		return line
	}
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	hang := hangOf(line, indent, width)
	var out strings.Builder
	out.WriteString(line[:indent])
	used, begun := indent, false
	for text != "" {
		gap := len(text) - len(strings.TrimLeft(text, " "))
		text = text[gap:]
		word, rest := text, ""
		if i := strings.IndexByte(text, ' '); i >= 0 {
			word, rest = text[:i], text[i:]
		}
		n := shownWidth(word)
		if cut && n > width-hang {
			word = fit(word, width-hang)
			n = wide(word)
		}
		switch {
		case word == "": // spaces at the end of the line
		case begun && used+gap+n > width && n <= width: // a wider one would not fit there either
			used = min(hang, width-n)
			out.WriteString("\n" + strings.Repeat(" ", used))
		default:
			out.WriteString(strings.Repeat(" ", gap))
			used += gap
		}
		out.WriteString(word)
		used, begun, text = used+n, true, rest
	}
	return out.String()
}

// hangOf is the column under which a line goes on: that of its last column that leaves room,
// or its own indentation; behind the sign of a diff it is further in.
func hangOf(line string, indent, width int) int {
	hang := indent
	if indent == 0 && line != "" && strings.ContainsRune("+-@#", rune(line[0])) {
		hang = 4
	}
	for i := indent; i+2 < len(line); i++ {
		if line[i:i+2] == "  " && line[i+2] != ' ' {
			if at := shownWidth(line[:i+2]); at <= width-leastText {
				hang = at
			}
		}
	}
	return min(hang, max(width-leastText, 0))
}

// leastText is the narrowest column in which text is still readable.
const leastText = 16

// shownWidth is how many columns s takes, without the codes of its colours.
func shownWidth(s string) int {
	n := 0
	for s != "" {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return n + wide(s)
		}
		n += wide(s[:i])
		s = s[i:]
		end := strings.IndexByte(s, 'm')
		if end < 0 {
			return n
		}
		s = s[end+1:]
	}
	return n
}
