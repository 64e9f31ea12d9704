package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"gauntlet/internal/safefile"
)

// indexEntry is a file as the index has it.
type indexEntry struct {
	path, oid string // the object id in binary
	mode      uint32
	stage     int
	stat      indexStat
	// hidden: git was told not to look whether the file changed. skipped: because
	// it is outside a sparse checkout. intended: added without its content.
	hidden, skipped, intended bool
}

// indexStat is what tells git, without reading a file, that it did not change.
type indexStat struct {
	ctime, ctimeNS, mtime, mtimeNS, ino, size uint32
}

// seenIndex is the index as it was when git was asked for the status.
type seenIndex struct {
	entries []indexEntry
	written indexStat
}

// seeIndex reads the index; nil without an error where only git can read it.
func (r Repo) seeIndex() (*seenIndex, error) {
	written, _ := indexTime(r) // first: what is written from now on is noticed
	b, err := r.readOwn("index", MaxIndex)
	if err != nil {
		return nil, err
	}
	entries, ok := scanIndex(b, r.oidSize(""))
	if !ok {
		return nil, nil
	}
	return &seenIndex{entries, written}, nil
}

// take hands the entries over to a caller that may change them; ok is false where
// there are none, or the index was written since.
func (s *seenIndex) take(r Repo) (entries []indexEntry, written indexStat, ok bool) {
	if s == nil || s.entries == nil {
		return nil, indexStat{}, false
	}
	now, ok := indexTime(r)
	if !ok || now != s.written {
		return nil, indexStat{}, false
	}
	entries, s.entries = s.entries, nil
	return entries, s.written, true
}

// indexTime says when the index was written, and which file it is.
func indexTime(r Repo) (indexStat, bool) {
	dir, err := safefile.OpenDir(r.GitDir)
	if err != nil {
		return indexStat{}, false
	}
	defer dir.Close() //nolint:errcheck // read only
	return statAt(int(dir.Fd()), "index")
}

// readIndex lists the files of an index without a git process. ok is false for
// whatever it does not know for sure (a split or sparse index, conflicts, a
// format to come): then git itself has to be asked. oidSize is 20 or 32.
func readIndex(b []byte, oidSize int) (entries []TreeEntry, ok bool) {
	all, ok := scanIndex(b, oidSize)
	if !ok {
		return nil, false
	}
	entries = make([]TreeEntry, 0, len(all))
	for _, e := range all {
		if e.stage != 0 || e.intended {
			return nil, false
		}
		entries = append(entries, TreeEntry{Path: e.path, Mode: strconv.FormatUint(uint64(e.mode), 8), OID: hex.EncodeToString([]byte(e.oid))})
	}
	return entries, true
}

// scanIndex takes an index apart. The strings of the entries are parts of one
// copy of it: a large repository has too many files for one allocation each.
func scanIndex(b []byte, oidSize int) (entries []indexEntry, ok bool) {
	const header, stat = 12, 40
	if len(b) < header+oidSize || string(b[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(b[4:]), int(binary.BigEndian.Uint32(b[8:]))
	if version < 2 || version > 4 || count > len(b)/(stat+oidSize) {
		return nil, false
	}
	b = b[:len(b)-oidSize] // the checksum
	text := string(b)
	pos, name := header, ""
	entries = make([]indexEntry, 0, count)
	for range count {
		fixed := stat + oidSize + 2
		if len(b) < pos+fixed+2 {
			return nil, false
		}
		e := b[pos:]
		word := func(at int) uint32 { return binary.BigEndian.Uint32(e[at:]) }
		flags := binary.BigEndian.Uint16(e[stat+oidSize:])
		entry := indexEntry{
			mode: word(24), oid: text[pos+stat : pos+stat+oidSize], stage: int(flags>>12) & 3, hidden: flags&0x8000 != 0,
			stat: indexStat{word(0), word(4), word(8), word(12), word(20), word(36)},
		}
		if flags&0x4000 != 0 { // extended
			more := binary.BigEndian.Uint16(e[fixed:])
			if version < 3 {
				return nil, false
			}
			entry.intended, entry.skipped = more&0x2000 != 0, more&0x4000 != 0
			entry.hidden = entry.hidden || entry.skipped
			fixed += 2
		}
		if version == 4 {
			strip, n := offsetVarint(e[fixed:])
			if n == 0 || strip > len(name) {
				return nil, false
			}
			name, fixed = name[:len(name)-strip], fixed+n
		} else {
			name = ""
		}
		end := bytes.IndexByte(e[fixed:], 0)
		if end < 0 || entry.mode&0o170000 == 0o040000 {
			return nil, false
		}
		if tail := text[pos+fixed : pos+fixed+end]; name == "" {
			name = tail
		} else {
			name += tail
		}
		entry.path = name
		entries = append(entries, entry)
		size := fixed + end + 1
		if version < 4 {
			size = (fixed + end + 8) &^ 7 // at least one NUL, then up to a multiple of eight
		}
		pos += size
	}
	return entries, knownExtensions(b, pos)
}

// knownExtensions reports that nothing behind the entries changes their meaning.
func knownExtensions(b []byte, pos int) bool {
	for pos+8 <= len(b) {
		if b[pos] < 'A' || b[pos] > 'Z' { // not optional: "link", "sdir", …
			return false
		}
		pos += 8 + int(binary.BigEndian.Uint32(b[pos+4:]))
	}
	return pos == len(b)
}

// offsetVarint reads the variable width number that git uses in packs and
// indexes; n is 0 when there is none.
func offsetVarint(b []byte) (v, n int) {
	for n < len(b) && n < 5 {
		c := b[n]
		v |= int(c & 0x7f)
		n++
		if c&0x80 == 0 {
			return v, n
		}
		v = (v + 1) << 7
	}
	return 0, 0
}
