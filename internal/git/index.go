package git

import (
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gauntlet/internal/safefile"
)

// indexEntry is a file as the index has it.
type indexEntry struct {
	path, oid string // the object id in binary
	mode      uint32
	stage     uint8
	// hidden: git is configured to ignore changes to the file. intended: added without its
	// content.
	hidden, intended bool
}

// Modes of an entry that is a link, or another repository.
const (
	modeLink      = 0o120000
	modeSubmodule = 0o160000
)

// Index is the list of tracked files, as it was when it was read.
type Index struct {
	entries []indexEntry
	trees   string // its list of directories that are as git wrote them, see cachedTrees
	// monitored: a file system monitor reports to git what changed, or only git can read
	// the index.
	monitored bool
}

// seeIndex reads the index; nil without an error if only git can read it.
func (r Repo) seeIndex() (*Index, error) {
	text, err := r.readIndexFile()
	if err != nil {
		return nil, err
	}
	index, ok := scanIndex(text, r.IDSize())
	if !ok {
		return nil, nil
	}
	return &index, nil
}

// readIndexFile reads the index as the string that its entries are parts of: a
// large one is not copied.
func (r Repo) readIndexFile() (string, error) {
	f, err := safefile.Open(r.GitDir, filepath.Join(r.GitDir, "index"))
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if info.Size() > MaxIndex {
		return "", safefile.ErrTooLarge
	}
	var text strings.Builder
	text.Grow(int(info.Size()))
	n, err := io.CopyBuffer(&text, io.LimitReader(f, MaxIndex+1), make([]byte, 64<<10))
	if n > MaxIndex {
		err = safefile.ErrTooLarge
	}
	return text.String(), err
}

// indexSize is the size of the index.
func indexSize(r Repo) (int64, bool) {
	info, err := os.Lstat(filepath.Join(r.GitDir, "index"))
	if err != nil {
		return 0, false
	}
	return info.Size(), true
}

// readIndex lists the files of an index without a git process. ok is false for
// whatever it does not know for sure (a split or sparse index, conflicts, a
// format to come): then git itself has to be asked. oidSize is 20 or 32.
func readIndex(text string, oidSize int) (entries []TreeEntry, ok bool) {
	index, ok := scanIndex(text, oidSize)
	if !ok {
		return nil, false
	}
	entries = make([]TreeEntry, 0, len(index.entries))
	for _, e := range index.entries {
		if e.stage != 0 || e.intended {
			return nil, false
		}
		entries = append(entries, TreeEntry{Path: e.path, Mode: strconv.FormatUint(uint64(e.mode), 8), OID: hex.EncodeToString([]byte(e.oid))})
	}
	return entries, true
}

// scanIndex takes an index apart. The strings of the entries are parts of it: a
// large repository has too many files for one allocation each.
func scanIndex(text string, oidSize int) (index Index, ok bool) {
	const stat = indexStatSize
	version, count, ok := indexHeader(text, oidSize)
	if !ok {
		return index, false
	}
	text = text[:len(text)-oidSize] // the checksum
	pos, name, dir := indexHeaderSize, "", ""
	index.entries = make([]indexEntry, 0, count)
	for range count {
		fixed := stat + oidSize + 2
		if len(text) < pos+fixed+2 {
			return index, false
		}
		e := text[pos:]
		flags := word(e[stat+oidSize-2:]) & 0xffff
		entry := indexEntry{
			mode: word(e[24:]), oid: e[stat : stat+oidSize], stage: uint8(flags>>12) & 3, hidden: flags&0x8000 != 0,
		}
		if flags&0x4000 != 0 { // extended
			more := word(e[fixed-2:]) & 0xffff
			if version < 3 {
				return index, false
			}
			entry.intended = more&0x2000 != 0
			entry.hidden = entry.hidden || more&0x4000 != 0
			fixed += 2
		}
		if version == 4 {
			strip, n := offsetVarint(e[fixed:])
			if n == 0 || strip > len(name) {
				return index, false
			}
			name, fixed = name[:len(name)-strip], fixed+n
		} else {
			name = ""
		}
		end := strings.IndexByte(e[fixed:], 0)
		if end < 0 || entry.mode&0o170000 == 0o040000 {
			return index, false
		}
		name += e[fixed : fixed+end] // copies nothing unless the version shortens names
		if dir, ok = validPath(name, dir); !ok {
			return index, false
		}
		entry.path = name
		index.entries = append(index.entries, entry)
		size := fixed + end + 1
		if version < 4 {
			size = (fixed + end + 8) &^ 7 // at least one NUL, then up to a multiple of eight
		}
		if pos += size; pos > len(text) {
			return index, false
		}
	}
	return index, index.extensions(text[pos:])
}

// Sizes in an index: its header, and what an entry says about the file.
const (
	indexHeaderSize = 12
	indexStatSize   = 40
)

// indexHeader reads the version of an index and how many entries it has.
func indexHeader(text string, oidSize int) (version uint32, count int, ok bool) {
	if len(text) < indexHeaderSize+oidSize || text[:4] != "DIRC" {
		return 0, 0, false
	}
	version, count = word(text[4:]), int(word(text[8:]))
	return version, count, version >= 2 && version <= 4 && count <= len(text)/(indexStatSize+oidSize)
}

// word reads a number of four bytes.
func word(s string) uint32 {
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

// validPath reports whether git would write such a name, and returns its directory. dir is
// that of the file before it, nearly always the same: the files of a directory stand together.
func validPath(name, dir string) (string, bool) {
	slash := strings.LastIndexByte(name, '/')
	if slash >= 0 && name[:slash] != dir {
		if dir = name[:slash]; !isPath(dir) {
			return dir, false
		}
	}
	return dir, isName(name[slash+1:])
}

// isPath reports whether a directory is below the root, and written as git does.
func isPath(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if !isName(part) {
			return false
		}
	}
	return true
}

func isName(part string) bool { return part != "" && part != "." && part != ".." }

// extensions reads what follows the entries; ok is false where something there
// changes their meaning.
func (x *Index) extensions(b string) (ok bool) {
	for len(b) >= 8 {
		size := word(b[4:])
		if b[0] < 'A' || b[0] > 'Z' || uint64(size) > uint64(len(b)-8) { // not optional: "link", "sdir", …
			return false
		}
		switch b[:4] {
		case "TREE":
			x.trees = b[8 : 8+size]
		case "FSMN":
			x.monitored = true
		}
		b = b[8+size:]
	}
	return b == ""
}

// rootTree is the id of everything in the index, if it is as git wrote it.
func rootTree(list string, oidSize int) string {
	line, rest, _ := strings.Cut(strings.TrimPrefix(list, "\x00"), "\n")
	if line == list || strings.HasPrefix(line, "-") || len(rest) < oidSize {
		return ""
	}
	return rest[:oidSize]
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
func offsetVarint(b string) (v, n int) {
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
