package install

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/install/jsonedit"
	"gauntlet/internal/jsontree"
)

// trusted is one table of a client's trust list: the hash of one of Gauntlet's hooks.
type trusted struct{ table, hash string }

// trustOf lists the trust that Gauntlet's hooks in a settings file need.
func trustOf(s wire.Setup, root, path string, data []byte) ([]trusted, error) {
	if isBlank(data) {
		return nil, nil
	}
	l, err := parse(path, s, root, data)
	if err != nil {
		return nil, err
	}
	var out []trusted
	for _, e := range l.entries() {
		if !isOwn(e.command) {
			continue
		}
		line := e.command
		if runtime.GOOS == "windows" && e.windows != "" {
			line = e.windows
		}
		out = append(out, trusted{s.Trust.Table(path, e.event, e.group, e.handler), s.Trust.Hash(e.event, line, e.timeout)})
	}
	return out, nil
}

// planTrust writes the hashes if the person requested it, and otherwise notes that the
// client will ask.
func (p Places) planTrust(a agent.Adapter, c *Change, root string, r Request) (*Change, error) {
	s := a.Setup()
	want, err := trustOf(s, root, c.Path, c.After())
	if err != nil {
		return nil, err
	}
	f, err := readFile(s.Trust.File(p.dirs()))
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(want, func(t trusted) bool {
		at := findTable(f.data, t.table)
		return at == nil || at.hash != t.hash
	}) {
		return nil, nil
	}
	if !r.Trust {
		c.Notes = append(c.Notes, fmt.Sprintf("%s runs hooks only after you trusted them: %s. (--trust writes the trust for you, without that review.)", s.Label, s.Trust.How))
		return nil, nil
	}
	if err := readableTOML(f.name, f.data); err != nil {
		return nil, err
	}
	t := p.change(a, r.Scope, f)
	for _, w := range want {
		edits, err := addTrust(f.name, t.after, w)
		if err != nil {
			return nil, err
		}
		t.edit(edits)
	}
	if err := readableTOML(f.name, t.after); err != nil {
		return nil, err // it has another table of the same name
	}
	if err := f.writable(); err != nil {
		return nil, err
	}
	t.Notes = []string{"Trust in the hooks was written because of --trust."}
	return t, nil
}

// readableTOML refuses a file that is not TOML: the client would not read it either.
func readableTOML(path string, data []byte) error {
	var any map[string]any
	err := toml.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &any)
	if err == nil {
		return nil
	}
	why := strings.TrimPrefix(err.Error(), "toml: ")
	at := jsontree.ErrorAt(data, 0, "%s", why)
	if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
		at.Line, at.Column = bad.Position()
	} else if key, _, ok := strings.Cut(strings.TrimPrefix(why, "key "), " is already defined"); ok {
		// the library does not say where: it is the last place that begins with the key
		at = jsontree.ErrorAt(data, bytes.LastIndex(data, []byte("\n"+key))+1, "%s", why)
	}
	return refuse(path, at, "Correct it there and try again.")
}

// planDistrust removes the trust in Gauntlet's hooks.
func (p Places) planDistrust(a agent.Adapter, c *Change, root string) (*Change, error) {
	s := a.Setup()
	want, err := trustOf(s, root, c.Path, c.file.data)
	if err != nil || len(want) == 0 {
		return nil, err
	}
	f, err := readFile(s.Trust.File(p.dirs()))
	if err != nil || !f.exists {
		return nil, err
	}
	t := p.change(a, c.Scope, f)
	if t.record.Path != "" {
		return t, t.undo()
	}
	for _, w := range want {
		at := findTable(t.after, w.table)
		if at == nil || at.hash != w.hash || !at.plain {
			continue // not Gauntlet's, or edited since
		}
		t.edit([]jsonedit.Edit{{At: at.start, Removed: string(t.after[at.start:at.end])}})
		t.Action = Restored
	}
	if t.Action == Unchanged {
		return nil, nil
	}
	return t, f.writable()
}

// addTrust appends a table, or corrects the hash in an existing one.
func addTrust(path string, data []byte, w trusted) ([]jsonedit.Edit, error) {
	line := fmt.Sprintf("trusted_hash = %q", w.hash)
	if at := findTable(data, w.table); at != nil {
		if at.hash == w.hash {
			return nil, nil
		}
		if at.hashEnd > at.hashStart {
			return []jsonedit.Edit{{At: at.hashStart, Removed: string(data[at.hashStart:at.hashEnd]), Inserted: line}}, nil
		}
		return []jsonedit.Edit{{At: at.body, Inserted: line + "\n"}}, nil
	}
	// Tables cannot follow a value of the same name written as one.
	offset := 0
	for raw := range bytes.Lines(data) {
		key, _, ok := strings.Cut(string(raw), "=")
		if key = strings.TrimSpace(key); ok && (key == "hooks" || key == "hooks.state") {
			return nil, refuse(path, jsontree.ErrorAt(data, offset, "%q is written as a value here", key), "Write it as a table, or trust the hooks in the client itself.")
		}
		offset += len(raw)
	}
	text := w.table + "\n" + line + "\n"
	if len(data) > 0 {
		text = "\n" + text
		if data[len(data)-1] != '\n' {
			text = "\n" + text
		}
	}
	if bytes.Contains(data, []byte("\r\n")) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []jsonedit.Edit{{At: len(data), Inserted: text}}, nil
}

// table is the position of a TOML table.
type table struct {
	start, body, end   int // from the blank line before the header to the next header
	hash               string
	hashStart, hashEnd int
	plain              bool // nothing but the hash in it
	off                bool // "enabled" is false
}

// findTable looks for a header in the form that Gauntlet writes; nil if there is none. Text
// in multi-line strings is not a header.
func findTable(data []byte, header string) *table {
	var t *table
	offset, quoted := 0, ""
	for raw := range bytes.Lines(data) {
		line := strings.TrimSpace(string(raw))
		start := offset
		offset += len(raw)
		if quoted != "" {
			if strings.Contains(line, quoted) {
				quoted = ""
			}
			continue
		}
		switch {
		case t == nil && line == header:
			t = &table{start: start, body: offset, end: offset, plain: true}
			if start > 0 && (start == 1 || data[start-2] == '\n') && data[start-1] == '\n' {
				t.start-- // the blank line before it
			}
		case t != nil && strings.HasPrefix(line, "["):
			return t
		case t != nil:
			t.take(line, start, raw, offset)
		}
		for _, q := range []string{`"""`, `'''`} {
			if strings.Count(line, q)%2 == 1 {
				quoted = q
			}
		}
	}
	return t
}

// take reads one line of the table's body.
func (t *table) take(line string, start int, raw []byte, end int) {
	key, value, ok := strings.Cut(line, "=")
	switch {
	case ok && strings.TrimSpace(key) == "trusted_hash":
		t.hash = strings.Trim(strings.TrimSpace(value), `"'`)
		t.hashStart, t.hashEnd = start, start+len(bytes.TrimRight(raw, "\r\n"))
		t.end = end
	case line != "":
		t.off = t.off || ok && strings.TrimSpace(key) == "enabled" && strings.HasPrefix(strings.TrimSpace(value), "false")
		t.plain = false
		t.end = end
	}
}
