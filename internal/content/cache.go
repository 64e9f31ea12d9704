package content

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
)

// Cache remembers the last account of a work tree: directory by directory the names in it, and
// of files that were read the id with what identifies the file. It is sealed: one that was
// forged is not used. An older one of Gauntlet's own says nothing false, as a time of change
// never comes back with another content.
type Cache struct {
	path   string
	sealer seal.Sealer
	size   int // of an id
	dirs   []listing
}

// listing is what is remembered of a directory.
type listing struct {
	path string // "" for the top
	// stat is that of the directory when its names were read; zero: it had changed so
	// recently that they are not certain.
	stat    safefile.Stat
	flags   byte
	entries string
	whole   string // all of it, as it is kept
}

const (
	hasGit = 1 << iota
	hasRules
	unread // some names could not be read
)

// remembered is a name in a directory.
type remembered struct {
	kind byte
	path string
	stat safefile.Stat
	id   string
}

// Kinds of what is remembered: a directory, a file with its id, anything else.
const (
	aDirectory = 'd'
	aFile      = 'f'
	another    = 'o'
)

const (
	cacheDir = "content"
	// maxCache bounds what is read back.
	maxCache = 256 << 20
	// keepFrom is how much must have been read for the cache to be written again.
	keepFrom = 32
)

// openCache reads what is remembered of a work tree.
func openCache(sealer seal.Sealer, gitDir string, size int) *Cache {
	c := &Cache{sealer: sealer, size: size}
	if sealer.Home == "" {
		return c
	}
	sum := sha256.Sum256([]byte(gitDir))
	dir := filepath.Join(sealer.Home, "gauntlet", cacheDir)
	c.path = filepath.Join(dir, hex.EncodeToString(sum[:12]))
	sealed, err := safefile.Read(dir, c.path, maxCache)
	if err != nil {
		return c
	}
	if data, ok := sealer.Open(c.purpose(), sealed); ok {
		c.read(string(data))
	}
	return c
}

func (c *Cache) purpose() string {
	if c.size == sha256.Size {
		return "content 2 sha256"
	}
	return "content 2 sha1"
}

// read finds the directories.
func (c *Cache) read(data string) {
	d := decoder{rest: data}
	for d.rest != "" && d.err == nil {
		l := listing{whole: d.rest}
		l.path = d.text()
		l.stat = d.stat()
		l.flags = byte(d.number())
		l.entries = d.text()
		l.whole = l.whole[:len(l.whole)-len(d.rest)]
		c.dirs = append(c.dirs, l)
	}
	if d.err != nil || !slices.IsSortedFunc(c.dirs, func(a, b listing) int { return strings.Compare(a.path, b.path) }) {
		c.dirs = nil
	}
}

// dir is what is remembered of a directory; empty if nothing is.
func (c *Cache) dir(path string) listing {
	if c == nil {
		return listing{}
	}
	i, ok := slices.BinarySearchFunc(c.dirs, path, func(l listing, p string) int { return strings.Compare(l.path, p) })
	if !ok {
		return listing{}
	}
	return c.dirs[i]
}

// appendListing adds a directory as it is kept.
func appendListing(out []byte, l listing) []byte {
	out = appendText(out, l.path)
	out = appendStat(out, l.stat)
	out = append(out, l.flags)
	return appendText(out, l.entries)
}

// appendEntry adds a name as it is kept.
func appendEntry(out []byte, e remembered) []byte {
	out = appendText(append(out, e.kind), e.path)
	if e.kind == aFile {
		out = append(appendStat(out, e.stat), e.id...)
	}
	return out
}

func appendText(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

func appendStat(out []byte, st safefile.Stat) []byte {
	for _, n := range [...]uint64{st.Dev, st.Ino, uint64(st.Size), uint64(st.Mode), uint64(st.CTime), uint64(st.CTime ^ st.MTime)} {
		out = binary.AppendUvarint(out, n)
	}
	return out
}

func (d *decoder) stat() (st safefile.Stat) {
	st.Dev, st.Ino, st.Size = d.number(), d.number(), int64(d.number())
	st.Mode, st.CTime = fs.FileMode(d.number()), int64(d.number())
	st.MTime = st.CTime ^ int64(d.number())
	return st
}

// entry reads the next name; false if there is none.
func (d *decoder) entry(e *remembered, size int) bool {
	if d.rest == "" {
		return false
	}
	*e = remembered{kind: d.rest[0]}
	d.rest = d.rest[1:]
	e.path = d.text()
	if e.kind == aFile {
		e.stat = d.stat()
		if len(d.rest) < size {
			d.rest, d.err = "", io.ErrUnexpectedEOF
			return false
		}
		e.id, d.rest = d.rest[:size], d.rest[size:]
	}
	return d.err == nil
}

// keep writes what a walk found, if enough of it is new. Whether that works makes no
// difference to the truth.
func (c *Cache) keep(top *node, missed int64) {
	if c.path == "" || missed < keepFrom {
		return
	}
	var all []*node
	size := 0
	for todo := []*node{top}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], n.subs...)
		all = append(all, n)
		size += len(n.listed)
	}
	slices.SortFunc(all, func(a, b *node) int { return strings.Compare(a.path, b.path) })
	data := make([]byte, 0, size)
	for _, n := range all {
		data = append(data, n.listed...)
	}
	sealed, err := c.sealer.Seal(c.purpose(), data)
	if err != nil {
		return
	}
	dir := filepath.Dir(c.path)
	if safefile.Put(dir, c.path, sealed, 0o600) == nil {
		return
	}
	if safefile.MkdirAll(c.sealer.Home, dir, 0o700) == nil {
		_ = safefile.Put(dir, c.path, sealed, 0o600)
	}
}
