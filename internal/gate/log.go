package gate

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"

	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
)

// A log keeps the first headLimit bytes and the last tailLimit: a gate may print gigabytes,
// which must fill neither memory nor disk.
const (
	headLimit = 4 << 20
	tailLimit = 128 << 10
)

// maxPending bounds a line, or a key of several lines, that is not complete yet.
const maxPending = 64 << 10

// gateLog streams a gate's output to its file as it arrives, in complete lines without
// their secrets, and remembers the end.
type gateLog struct {
	mu      sync.Mutex
	f       *os.File
	pending []byte // the beginning of a line, not written yet
	written int64  // bytes of output written to the head
	dropped int64
	ring    []byte // last tailLimit bytes of everything, oldest first from pos
	pos     int
	full    bool
	err     error
	onLine  func(string)
	line    []byte
	secrets redact.Values // of the gate's environment
	size    int64         // bytes in the file
	begin   int64         // where the output of the newest run begins in it
}

func createLog(path string, onLine func(string)) (*gateLog, error) {
	f, err := safefile.Replace("", path, 0o600)
	if err != nil {
		return nil, fmt.Errorf("gate log: %w", err)
	}
	return &gateLog{f: f, onLine: onLine}, nil
}

// note writes Gauntlet's own text, outside the limits.
func (l *gateLog) note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(text)
}

// start marks where the output of a run begins.
func (l *gateLog) start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drain()
	l.begin = l.size
}

// drain writes what is pending, complete or not.
func (l *gateLog) drain() {
	if len(l.pending) > 0 {
		l.put(l.secrets.String(string(l.pending)))
		l.pending = nil
	}
}

// Write accepts output. It never fails: a full disk must not kill the gate.
func (l *gateLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	l.remember(p)
	l.lines(p)
	if room := headLimit - l.written; room > 0 {
		head := p[:min(int64(n), room)]
		l.written += int64(len(head))
		p = p[len(head):]
		l.pending = append(l.pending, head...)
		l.flush(l.written == headLimit)
	}
	l.dropped += int64(len(p))
	return n, nil
}

// flush writes the pending complete lines. Half a secret would not be recognised, so an
// incomplete line waits, or is cut off where the head ends.
func (l *gateLog) flush(last bool) {
	end := bytes.LastIndexByte(l.pending, '\n') + 1
	switch {
	case last && end == 0:
		end = len(l.pending)
	case len(l.pending) > maxPending && end == 0:
		end = safeCut(l.pending)
	case !last && len(l.pending) <= maxPending && opensKey(l.pending[:end]):
		return
	}
	if end > 0 {
		l.put(l.secrets.String(string(l.pending[:end])))
	}
	l.pending = append(l.pending[:0], l.pending[end:]...)
	if last {
		l.dropped += int64(len(l.pending))
		l.pending = nil
	}
}

// safeCut is where a line without end may be split: between words, and not within its last
// bytes, where a secret may have begun.
func safeCut(line []byte) int {
	const kept = 4 << 10
	end := max(len(line)-kept, 0)
	if i := bytes.LastIndexAny(line[:end], " \t,;"); i > end-kept {
		return i + 1
	}
	return end
}

// opensKey reports whether a private key has begun and not ended.
func opensKey(b []byte) bool {
	if i := bytes.LastIndex(b, []byte("Private-Lines:")); i >= 0 && !bytes.Contains(b[i:], []byte("Private-MAC:")) {
		return true
	}
	i := bytes.LastIndex(b, []byte("-----BEGIN "))
	return i >= 0 && bytes.Contains(b[i:], []byte("PRIVATE KEY")) && !bytes.Contains(b[i:], []byte("-----END "))
}

// put writes to the file and keeps the first error.
func (l *gateLog) put(text string) {
	n, err := l.f.WriteString(text)
	l.size += int64(n)
	if err != nil && l.err == nil {
		l.err = err
	}
}

func (l *gateLog) remember(p []byte) {
	if len(p) >= tailLimit {
		l.ring = append(l.ring[:0], p[len(p)-tailLimit:]...)
		l.pos, l.full = 0, true
		return
	}
	if !l.full {
		l.ring = append(l.ring, p...)
		if len(l.ring) < tailLimit {
			return
		}
		l.ring = l.ring[len(l.ring)-tailLimit:]
		l.ring = append(make([]byte, 0, tailLimit), l.ring...)
		l.pos, l.full = 0, true
		return
	}
	n := copy(l.ring[l.pos:], p)
	if n < len(p) {
		copy(l.ring, p[n:])
	}
	l.pos = (l.pos + len(p)) % tailLimit
}

func (l *gateLog) tail() []byte {
	if !l.full {
		return l.ring
	}
	return append(append(make([]byte, 0, tailLimit), l.ring[l.pos:]...), l.ring[:l.pos]...)
}

// lines passes the observer the last complete line of each write: a live view shows no more
// than that anyway.
func (l *gateLog) lines(p []byte) {
	if l.onLine == nil {
		return
	}
	end := bytes.LastIndexByte(p, '\n')
	if end < 0 {
		if len(l.line) < 1000 {
			l.line = append(l.line, p...)
		}
		return
	}
	whole := p[:end]
	if i := bytes.LastIndexByte(whole, '\n'); i >= 0 {
		whole, l.line = whole[i+1:], l.line[:0]
	}
	text := append(l.line, whole...)
	if len(bytes.TrimSpace(text)) > 0 {
		l.onLine(string(text[:min(len(text), 1000)]))
	}
	l.line = append(l.line[:0], p[end+1:][:min(len(p)-end-1, 1000)]...)
}

// finish writes the stored end of the cut output and closes the file.
func (l *gateLog) finish(trailer string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drain()
	if l.dropped > 0 {
		tail := l.tail()
		if int64(len(tail)) > l.dropped {
			tail = tail[int64(len(tail))-l.dropped:]
		}
		if cut := l.dropped - int64(len(tail)); cut > 0 {
			l.put(fmt.Sprintf("\n[gauntlet: %d bytes of output left out here]\n", cut))
			if i := bytes.IndexByte(tail, '\n'); i >= 0 {
				tail = tail[i+1:] // the rest of a line may be the rest of a secret
			}
		}
		l.put(l.secrets.String(string(tail)))
	}
	l.put(trailer)
	if err := l.f.Close(); err != nil && l.err == nil {
		l.err = err
	}
	return l.err
}

// output is the end of the output without escape sequences; whole is true if nothing is
// missing before it.
func (l *gateLog) output() (text string, whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return redact.Strip(string(l.tail())), !l.full
}

// read returns the output of the newest run as the file has it; whole is true if nothing
// of it is missing.
func (l *gateLog) read() (text string, whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drain()
	if l.dropped > 0 { // a part is missing anyway: its end is enough, and needs little memory
		return redact.Strip(string(l.tail())), false
	}
	data, err := safefile.Read("", l.f.Name(), headLimit*2)
	if err != nil || l.err != nil || l.begin > int64(len(data)) {
		return "", false
	}
	return redact.Strip(string(data[l.begin:])), l.dropped == 0
}

// lastLines is the end of the output as it may be shown to an agent: stripped, redacted, at
// most limit bytes, complete lines.
func (l *gateLog) lastLines(limit int) string {
	l.mu.Lock()
	raw := l.tail()
	l.mu.Unlock()
	// Escape sequences and secrets take space of their own, so read more than is kept, and
	// redact before cutting: half a secret is still one.
	raw = raw[max(0, len(raw)-8*limit):]
	return LastLines(l.secrets.String(string(raw)), limit)
}

// LastLines cuts s to its last limit bytes, at a line's beginning if there is one.
func LastLines(s string, limit int) string {
	s = strings.TrimRight(s, "\n ")
	if len(s) <= limit {
		return s
	}
	s = s[len(s)-limit:]
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)-1 {
		s = s[i+1:]
	}
	return strings.ToValidUTF8(s, "")
}
