package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strconv"
)

// readIndex lists the files of an index without a git process. ok is false for
// whatever it does not know for sure (a split or sparse index, conflicts, a
// format to come): then git itself has to be asked. oidSize is 20 or 32.
func readIndex(b []byte, oidSize int) (entries []TreeEntry, ok bool) {
	const header, stat = 12, 40
	if len(b) < header+oidSize || string(b[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(b[4:]), int(binary.BigEndian.Uint32(b[8:]))
	if version < 2 || version > 4 || count > len(b)/(stat+oidSize) {
		return nil, false
	}
	b = b[:len(b)-oidSize] // the checksum
	pos, name := header, []byte(nil)
	entries = make([]TreeEntry, 0, count)
	for range count {
		fixed := stat + oidSize + 2
		if len(b) < pos+fixed+2 {
			return nil, false
		}
		e := b[pos:]
		mode, flags := binary.BigEndian.Uint32(e[24:]), binary.BigEndian.Uint16(e[stat+oidSize:])
		if flags&0x4000 != 0 { // extended
			if version < 3 || binary.BigEndian.Uint16(e[fixed:])&0x2000 != 0 { // added by intention only
				return nil, false
			}
			fixed += 2
		}
		rest := e[fixed:]
		if version == 4 {
			strip, n := offsetVarint(rest)
			if n == 0 || strip > len(name) {
				return nil, false
			}
			name, rest, fixed = name[:len(name)-strip], rest[n:], fixed+n
		} else {
			name = name[:0]
		}
		end := bytes.IndexByte(rest, 0)
		if end < 0 || flags&0x3000 != 0 || mode&0o170000 == 0o040000 {
			return nil, false
		}
		name = append(name, rest[:end]...)
		entries = append(entries, TreeEntry{
			Path: string(name), Mode: strconv.FormatUint(uint64(mode), 8), OID: hex.EncodeToString(e[stat : stat+oidSize]),
		})
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
