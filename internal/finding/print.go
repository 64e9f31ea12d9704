package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// identified gives every finding its print.
func (p *parser) identified() []Finding {
	list := p.report.Findings
	for i := range list {
		f := &list[i]
		if f.Test != "" {
			f.Print = hash("test", withoutRandom(f.Test))
			continue
		}
		f.Print = hash("line", f.Rule, normalise(f.Message, f.Path), string(p.files.line(f.Path, f.Line)))
	}
	return list
}

// Key identifies the finding within its gate. Tests are found by name wherever they are;
// everything else by its message and file.
func (f Finding) Key() string {
	if f.Test != "" {
		return f.Print
	}
	return f.Print + " " + f.Path
}

// Fingerprint identifies the finding for other tools.
func (f Finding) Fingerprint(gate string) string { return hash("finding", gate, f.Key()) }

func hash(parts ...string) string {
	h := sha256.New()
	var size [4]byte
	for _, s := range parts {
		n := len(s)
		size[0], size[1], size[2], size[3] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
		h.Write(size[:])
		h.Write([]byte(s))
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// withoutRandom is a test's name without numbers so long that only a program can have made
// them: tests of random values have another name each time.
func withoutRandom(name string) string {
	const most = 10
	var b strings.Builder
	for len(name) > 0 {
		rest := strings.TrimLeft(name, "0123456789")
		switch n := len(name) - len(rest); {
		case n >= most:
			b.WriteByte('#')
		case n > 0:
			b.WriteString(name[:n])
		}
		end := strings.IndexAny(rest, "0123456789")
		if end < 0 {
			end = len(rest)
		}
		b.WriteString(rest[:end])
		name = rest[end:]
	}
	return b.String()
}

// normalise removes from a message what differs although nothing changed: numbers, which
// are places, sizes and addresses, and the name of the file itself.
func normalise(message, path string) string {
	if path != "" {
		message = strings.ReplaceAll(message, path, "<file>")
	}
	var b strings.Builder
	b.Grow(len(message))
	digits := false
	for i := range len(message) {
		c := message[i]
		if c >= '0' && c <= '9' {
			if !digits {
				b.WriteByte('#')
			}
			digits = true
			continue
		}
		digits = false
		b.WriteByte(c)
	}
	return b.String()
}
