package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"gauntlet/internal/safefile"
)

// indexEntry is a file as the index has it.
type indexEntry struct {
	path, oid string // the object id in binary
	mode      uint32
	stage     int
	stat      indexStat
	// hidden: git is configured to ignore changes to the file. skipped: because it is
	// outside a sparse checkout. intended: added without its content.
	hidden, skipped, intended bool
}

// indexStat shows git, without reading a file, that it did not change.
type indexStat struct {
	ctime, ctimeNS, mtime, mtimeNS, ino, size uint32
}

// seenIndex is the index as it was when git status ran.
type seenIndex struct {
	entries []indexEntry
	trees   string // its list of directories that are unchanged since git wrote them
	written indexStat
}

// seeIndex reads the index; nil without an error if only git can read it.
func (r Repo) seeIndex() (*seenIndex, error) {
	written, _ := indexTime(r) // first: later writes are noticed
	b, err := r.readOwn("index", MaxIndex)
	if err != nil {
		return nil, err
	}
	entries, trees, ok := scanIndex(b, r.oidSize(""))
	if !ok {
		return nil, nil
	}
	return &seenIndex{entries, trees, written}, nil
}

// take passes the index to a caller that may change its entries; nil if it was already
// taken, or the index was written since.
func (s *seenIndex) take(r Repo) *seenIndex {
	if s == nil || s.entries == nil {
		return nil
	}
	if now, ok := indexTime(r); !ok || now != s.written {
		return nil
	}
	taken := *s
	s.entries = nil
	return &taken
}

// indexTime is when the index was written, and which file it is.
func indexTime(r Repo) (indexStat, bool) {
	dir, err := safefile.OpenDir(r.GitDir)
	if err != nil {
		return indexStat{}, false
	}
	defer dir.Close() //nolint:errcheck // read only
	return statAt(int(dir.Fd()), "index")
}

// readIndex lists the files of an index without a git process. ok is false for anything it
// does not know for sure (a split or sparse index, conflicts, a future format): then git
// itself has to read it. oidSize is 20 or 32.
func readIndex(b []byte, oidSize int) (entries []TreeEntry, ok bool) {
	all, _, ok := scanIndex(b, oidSize)
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

// scanIndex parses an index. The strings of the entries are parts of one copy of it: a
// large repository has too many files for one allocation each. trees is its list of
// directories, see cachedTrees.
func scanIndex(b []byte, oidSize int) (entries []indexEntry, trees string, ok bool) {
	const header, stat = 12, 40
	if len(b) < header+oidSize || string(b[:4]) != "DIRC" {
		return nil, "", false
	}
	version, count := binary.BigEndian.Uint32(b[4:]), int(binary.BigEndian.Uint32(b[8:]))
	if version < 2 || version > 4 || count > len(b)/(stat+oidSize) {
		return nil, "", false
	}
	b = b[:len(b)-oidSize] // the checksum
	text := string(b)
	pos, name := header, ""
	entries = make([]indexEntry, 0, count)
	for range count {
		fixed := stat + oidSize + 2
		if len(b) < pos+fixed+2 {
			return nil, "", false
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
				return nil, "", false
			}
			entry.intended, entry.skipped = more&0x2000 != 0, more&0x4000 != 0
			entry.hidden = entry.hidden || entry.skipped
			fixed += 2
		}
		if version == 4 {
			strip, n := offsetVarint(e[fixed:])
			if n == 0 || strip > len(name) {
				return nil, "", false
			}
			name, fixed = name[:len(name)-strip], fixed+n
		} else {
			name = ""
		}
		end := bytes.IndexByte(e[fixed:], 0)
		if end < 0 || entry.mode&0o170000 == 0o040000 {
			return nil, "", false
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
		if pos += size; pos > len(b) {
			return nil, "", false
		}
	}
	trees, ok = extensions(text[pos:])
	return entries, trees, ok
}

// extensions finds the list of directories after the entries; ok is false if something
// there changes their meaning.
func extensions(b string) (trees string, ok bool) {
	for len(b) >= 8 {
		size := binary.BigEndian.Uint32([]byte(b[4:8]))
		if b[0] < 'A' || b[0] > 'Z' || uint64(size) > uint64(len(b)-8) { // not optional: "link", "sdir", …
			return "", false
		}
		if b[:4] == "TREE" {
			trees = b[8 : 8+size]
		}
		b = b[8+size:]
	}
	return trees, b == ""
}

// cachedTrees are the ids of the directories that the index has exactly as git wrote them,
// by path; "" is the root. If the list cannot be read, there are none.
func cachedTrees(list string, oidSize int) map[string]string {
	trees := map[string]string{}
	type level struct {
		dir  string
		left int // remaining subdirectories
	}
	levels := []level{{left: 1}}
	for list != "" {
		for len(levels) > 0 && levels[len(levels)-1].left == 0 {
			levels = levels[:len(levels)-1]
		}
		name, rest, _ := strings.Cut(list, "\x00")
		line, rest, ok := strings.Cut(rest, "\n")
		files, dirs, _ := strings.Cut(line, " ")
		count, err := strconv.Atoi(files)
		below, err2 := strconv.Atoi(dirs)
		if !ok || err != nil || err2 != nil || below < 0 || len(levels) == 0 || count >= 0 && len(rest) < oidSize {
			return nil
		}
		top := &levels[len(levels)-1]
		top.left--
		dir := name
		if top.dir != "" {
			dir = top.dir + "/" + name
		}
		if count >= 0 {
			trees[dir], rest = rest[:oidSize], rest[oidSize:]
		}
		levels = append(levels, level{dir, below})
		list = rest
	}
	return trees
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
