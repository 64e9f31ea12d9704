package content

import (
	"path"
	"runtime"
	"strings"
)

// list is one ignore list: a .gitignore, info/exclude, or the user's own.
type list struct {
	names    map[string]int // patterns that are a plain name, by that name: the last one's number
	patterns []pattern      // all others, in order
	numbers  []int          // their numbers
	all      []pattern
}

// pattern is one line of an ignore list.
type pattern struct {
	glob    string
	negated bool
	dirOnly bool
	path    bool // it has a slash: it is compared with the whole path, not with the last name
	literal int  // how much of glob is before the first special character
}

const special = `*?[\`

// parseList reads an ignore list the way git does.
func parseList(text string) *list {
	l := &list{names: map[string]int{}}
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		if p, ok := parsePattern(trimSpaces(line)); ok {
			l.add(p)
		}
	}
	return l
}

func parsePattern(line string) (p pattern, ok bool) {
	p.glob, p.negated = strings.CutPrefix(line, "!")
	p.glob, p.dirOnly = strings.CutSuffix(p.glob, "/")
	p.path = strings.Contains(p.glob, "/")
	p.glob = strings.TrimPrefix(p.glob, "/")
	p.glob = folded(p.glob)
	if p.literal = strings.IndexAny(p.glob, special); p.literal < 0 {
		p.literal = len(p.glob)
	}
	return p, p.glob != ""
}

func (l *list) add(p pattern) {
	n := len(l.all)
	l.all = append(l.all, p)
	if !p.path && !p.dirOnly && p.literal == len(p.glob) {
		l.names[p.glob] = n
		return
	}
	l.patterns, l.numbers = append(l.patterns, p), append(l.numbers, n)
}

// trimSpaces removes the blanks at the end that no backslash protects.
func trimSpaces(line string) string {
	end := -1
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			if end < 0 {
				end = i
			}
			continue
		case '\\':
			if i++; i >= len(line) {
				return line
			}
		}
		end = -1
	}
	if end >= 0 {
		return line[:end]
	}
	return line
}

// verdict is what an ignore list says of a path.
type verdict int8

const (
	silent verdict = iota
	ignored
	kept
)

// match finds the last line that concerns a path, which is relative to the list's own
// directory.
func (l *list) match(rel string, isDir bool) verdict {
	if l == nil {
		return silent
	}
	rel = folded(rel)
	name := path.Base(rel)
	last := -1
	if n, ok := l.names[name]; ok {
		last = n
	}
	for i := len(l.patterns) - 1; i >= 0 && l.numbers[i] > last; i-- {
		if l.patterns[i].matches(rel, name, isDir) {
			last = l.numbers[i]
			break
		}
	}
	switch {
	case last < 0:
		return silent
	case l.all[last].negated:
		return kept
	}
	return ignored
}

func (p *pattern) matches(rel, name string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	text := name
	if p.path {
		text = rel
	}
	if !strings.HasPrefix(text, p.glob[:p.literal]) {
		return false
	}
	glob, text := p.glob[p.literal:], text[p.literal:]
	switch {
	case glob == "":
		return text == ""
	case !p.path && p.literal == 0 && !strings.ContainsAny(glob[1:], special) && glob[0] == '*':
		return strings.HasSuffix(text, glob[1:])
	}
	m := matcher{left: maxSteps, glob: p.glob, whole: p.path}
	return m.run(p.literal, text) == yes
}

// folded is text in lower case where the file system makes no difference: a fact of the
// platform, and no setting.
func folded(text string) string {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return strings.ToLower(text)
	}
	return text
}

// maxSteps bounds how long one comparison may take: some patterns take for ever. Such a
// pattern matches nothing, so it hides nothing.
const maxSteps = 100_000

type outcome int8

const (
	no outcome = iota
	yes
	never     // no longer text can match either
	nextSlash // only a `**` before can make it match
)

// matcher compares a text with a glob as git's wildmatch does; whole: `*` and `?` do not
// match a slash.
type matcher struct {
	glob  string
	whole bool
	left  int
}

func (m *matcher) at(i int) byte {
	if i < len(m.glob) {
		return m.glob[i]
	}
	return 0
}

// run compares text with the glob from position p on.
func (m *matcher) run(p int, text string) outcome {
	for ; p < len(m.glob); p++ {
		if m.left--; m.left < 0 {
			return never
		}
		c := m.glob[p]
		if text == "" && c != '*' {
			return never
		}
		switch c {
		case '*':
			return m.star(p, text)
		case '?':
			if m.whole && text[0] == '/' {
				return no
			}
		case '[':
			end, in := m.class(p, text[0])
			if end < 0 {
				return never
			}
			if !in || m.whole && text[0] == '/' {
				return no
			}
			p = end
		case '\\':
			p++
			if m.at(p) != text[0] {
				return no
			}
		default:
			if c != text[0] {
				return no
			}
		}
		text = text[1:]
	}
	if text != "" {
		return no
	}
	return yes
}

// star compares from a star on.
func (m *matcher) star(p int, text string) outcome {
	first := p
	for p++; m.at(p) == '*'; p++ {
	}
	slashes := !m.whole
	if m.whole && p-first > 1 {
		open := first == 0 || m.glob[first-1] == '/'
		closed := p == len(m.glob) || m.at(p) == '/' || m.at(p) == '\\' && m.at(p+1) == '/'
		if open && closed {
			if m.at(p) == '/' && m.run(p+1, text) == yes {
				return yes
			}
			slashes = true
		}
	}
	if p == len(m.glob) {
		if !slashes && strings.Contains(text, "/") {
			return nextSlash
		}
		return yes
	}
	if !slashes && m.at(p) == '/' {
		i := strings.IndexByte(text, '/')
		if i < 0 {
			return never
		}
		return m.run(p+1, text[i+1:])
	}
	for ; text != ""; text = text[1:] {
		if got := m.run(p, text); got != no {
			if !slashes || got != nextSlash {
				return got
			}
		} else if !slashes && text[0] == '/' {
			return nextSlash
		}
	}
	return never
}

// class compares a character with the set that begins at p. end is where the set ends, -1
// for one that does not.
func (m *matcher) class(p int, c byte) (end int, in bool) {
	p++
	negated := m.at(p) == '!' || m.at(p) == '^'
	if negated {
		p++
	}
	var before byte
	for begin := p; ; p++ {
		ch := m.at(p)
		switch {
		case ch == 0:
			return -1, false
		case ch == ']' && p > begin:
			return p, in != negated
		case ch == '\\':
			p++
			if ch = m.at(p); ch == 0 {
				return -1, false
			}
			in = in || c == ch
		case ch == '-' && before != 0 && m.at(p+1) != 0 && m.at(p+1) != ']':
			p++
			if ch = m.at(p); ch == '\\' {
				p++
				if ch = m.at(p); ch == 0 {
					return -1, false
				}
			}
			in = in || before <= c && c <= ch
			ch = 0
		case ch == '[' && m.at(p+1) == ':':
			size := strings.IndexByte(m.glob[p+2:], ']')
			if size < 0 {
				return -1, false
			}
			if size == 0 || m.glob[p+1+size] != ':' { // no name of a class
				in = in || c == '['
				break
			}
			is, known := named(m.glob[p+2:p+1+size], c)
			if !known {
				return -1, false
			}
			in, p, ch = in || is, p+2+size, 0
		default:
			in = in || c == ch
		}
		before = ch
	}
}

// named reports whether a character belongs to a named class.
func named(class string, c byte) (is, known bool) {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	graph := c > ' ' && c < 0x7f
	switch class {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return lower, true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F', true
	}
	return false, false
}
