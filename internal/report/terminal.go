package report

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/term"

	"gauntlet/internal/redact"
)

// Terminal is what w can do.
type Terminal struct {
	// Live: lines can be redrawn in place.
	Live bool
	// Colour: colours are wanted.
	Colour bool
	// Seen: a person looks at it.
	Seen bool
	// Size is the width and height at this moment; nil: as much as is written.
	Size func() (width, height int)
}

// Detect finds out what w can do. Colours and redrawing are for terminals only; NO_COLOR
// disables the colours, TERM=dumb both. COLUMNS sets the width, of a pipe, too.
func Detect(w io.Writer, getenv func(string) string) Terminal {
	if s, ok := w.(interface{ Terminal() Terminal }); ok {
		return s.Terminal()
	}
	columns, err := strconv.Atoi(getenv("COLUMNS"))
	set := err == nil && columns > 0
	columns = min(max(columns, narrowest), 1<<20)
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		if !set {
			return Terminal{}
		}
		return Terminal{Size: func() (int, int) { return columns, 24 }}
	}
	t := Terminal{Live: getenv("TERM") != "dumb" && enableEscapes(f), Seen: true}
	t.Colour = t.Live && getenv("NO_COLOR") == ""
	t.Size = func() (int, int) {
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			width, height = 80, 24
		}
		if set {
			width = min(width, columns) // a larger one would break what is drawn
		}
		return width, height
	}
	return t
}

// narrowest is the least width that COLUMNS can set.
const narrowest = 20

// Colours.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	dim    = "2"
	bold   = "1"
)

func (t Terminal) paint(code, s string) string {
	if !t.Colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Good colours a text if colours are wanted; so do Bad, Warn, Dim and Bold.
func (t Terminal) Good(s string) string { return t.paint(green, s) }
func (t Terminal) Bad(s string) string  { return t.paint(red, s) }
func (t Terminal) Warn(s string) string { return t.paint(yellow, s) }
func (t Terminal) Dim(s string) string  { return t.paint(dim, s) }
func (t Terminal) Bold(s string) string { return t.paint(bold, s) }

// Width is how many columns a line may have. Output that does not go to a terminal has no
// limit.
func (t Terminal) Width() int {
	if t.Size == nil {
		return 1 << 20
	}
	width, _ := t.Size()
	return width
}

// Fit makes one clean line of s that the terminal need not wrap after indent columns;
// without a terminal it is not cut.
func (t Terminal) Fit(s string, indent int) string {
	return fit(s, max(t.Width()-indent-1, 10))
}

// Wrap breaks s at spaces so that it stays to the right of indent columns; a word that
// is too long for a line, such as a path, stays whole: people copy it.
func (t Terminal) Wrap(s string, indent int) string {
	var b strings.Builder
	room := max(t.Width()-indent, leastText)
	used := 0
	for _, word := range strings.Fields(oneLine(s)) {
		switch n := wide(word); {
		case used == 0:
			used = n
		case used+1+n > room:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = n
		default:
			b.WriteByte(' ')
			used += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}

// Beside puts a text to the right of head, or below it if there is little room.
func (t Terminal) Beside(head, text string) string {
	indent := shownWidth(head)
	switch {
	case text == "":
		return strings.TrimRight(head, " ")
	case t.Width()-indent < leastText+8:
		if head = strings.TrimRight(head, " "); head != "" {
			head += "\n"
		}
		return head + "    " + t.Wrap(text, 4)
	}
	return head + t.Wrap(text, indent)
}

// oneLine makes one line of s without control characters.
func oneLine(s string) string {
	s = redact.Strip(strings.ReplaceAll(s, "\t", " "))
	return strings.ReplaceAll(s, "\n", " ")
}

// fit makes one clean line of s, at most width columns wide.
func fit(s string, width int) string {
	s = oneLine(s)
	used := 0
	for i, r := range s {
		w := columns(r)
		if used+w > width || used+w == width && i+len(string(r)) < len(s) {
			if width <= 0 {
				return ""
			}
			return s[:i] + "…"
		}
		used += w
	}
	return s
}

// wide is how many columns s takes.
func wide(s string) (n int) {
	for _, r := range s {
		n += columns(r)
	}
	return n
}

// columns is how wide a terminal draws r: near enough for cutting a line.
func columns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf && r != 0x303f, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
