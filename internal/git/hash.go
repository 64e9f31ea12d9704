package git

import (
	"crypto/sha1" //nolint:gosec // git's own names for content
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"
)

// File is one file of a work tree: its mode as git has it and the binary id of
// its content.
type File struct {
	Path string
	Mode uint32
	ID   string
}

func byPath(f File, path string) int { return strings.Compare(f.Path, path) }

func newHash(size int) hash.Hash {
	if size == sha256.Size {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // git's own names for content
}

// objectID is the binary id that git gives to content of a kind.
func objectID(h hash.Hash, kind string, data []byte) []byte {
	h.Write([]byte(kind + " " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data)
	return h.Sum(nil)
}

// DigestFiles is the digest of a list of files: their paths, modes and contents.
func DigestFiles(files []File) string {
	h := sha256.New()
	const room = 8 << 10 // many files at a time: a call costs more than a name
	buf := make([]byte, 0, room)
	for i := range files {
		f := &files[i]
		if len(buf)+len(f.Path)+len(f.ID)+32 > room {
			h.Write(buf)
			buf = buf[:0]
		}
		buf = strconv.AppendInt(buf, int64(len(f.Path)), 10)
		buf = append(buf, ':')
		buf = append(buf, f.Path...)
		buf = strconv.AppendUint(buf, uint64(f.Mode), 8)
		buf = append(buf, ':')
		buf = append(buf, f.ID...)
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}
