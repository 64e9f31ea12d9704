package transcript

import (
	"bytes"
	"path/filepath"
	"strings"
)

// maxNeedles is up to how many names a line is searched for before it is
// understood; with more of them understanding it is cheaper.
const maxNeedles = 12

// needle is a text that is searched in megabytes: by its rarest byte first.
type needle struct {
	text string
	rare int
}

// needlesFor are the texts of which a line before the turn must contain one to matter: the
// name of a wanted file, or a pattern for all of its kind. None means that any line may.
func needlesFor(names map[string]bool) []needle {
	var list []needle
	kinds := map[string]bool{}
	for name := range names {
		name = filepath.Base(name)
		if !isPlainText(name) {
			return nil // JSON has more than one way to write it
		}
		list = append(list, newNeedle(name))
		if kind := "*" + filepath.Ext(name); !kinds[kind] {
			kinds[kind] = true
			list = append(list, newNeedle(kind))
		}
	}
	if len(list) > maxNeedles {
		return nil
	}
	return append(list, newNeedle(`"turn_context"`)) // which stands right before the prompt
}

func isPlainText(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' || r == '/' })
}

func newNeedle(text string) needle {
	// from the commonest byte of a transcript to the rarest; unlisted bytes are rarer still
	const common = " etaoinsrldcum\"p:,fghb.y0v1w2-k345678x9jqz_"
	n, best := needle{text: text}, -1
	for i := range len(text) {
		rank := strings.IndexByte(common, text[i])
		if rank < 0 {
			rank = len(common)
		}
		if rank > best {
			best, n.rare = rank, i
		}
	}
	return n
}

func (n needle) in(line []byte) bool { return n.index(line) >= 0 }

// index is where the text begins in line, -1 when it is not there.
func (n needle) index(line []byte) int {
	for i, misses := n.rare, 0; i < len(line); i, misses = i+1, misses+1 {
		if misses > 8+i/64 { // not so rare in here
			if at := bytes.Index(line[i-n.rare:], []byte(n.text)); at >= 0 {
				return i - n.rare + at
			}
			return -1
		}
		j := bytes.IndexByte(line[i:], n.text[n.rare])
		if j < 0 {
			return -1
		}
		i += j
		start := i - n.rare
		if end := start + len(n.text); end <= len(line) && string(line[start:end]) == n.text {
			return start
		}
	}
	return -1
}

// isFailed reports whether a call failed: then it showed nothing. Some writers put a blank
// after the colon.
func isFailed(line []byte) bool {
	const mark = `"is_error"`
	n := needle{text: mark, rare: 3}
	for {
		i := n.index(line)
		if i < 0 {
			return false
		}
		line = bytes.TrimLeft(line[i+len(mark):], ": ")
		if bytes.HasPrefix(line, []byte("true")) {
			return true
		}
	}
}
