package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"path/filepath"
	"slices"

	"gauntlet/internal/safefile"
)

// packWriter writes objects as git packs: a pack and its index are two files for any number
// of objects, and a file system takes longer to make a file than to fill it.
type packWriter struct {
	dir     string // directory of the packs
	newHash func() hash.Hash
	names   []string        // of the packs that were written
	known   map[string]bool // ids of all objects

	body    bytes.Buffer // of the current pack
	objects []packed
}

// packed is an object of the current pack.
type packed struct {
	id     []byte
	crc    uint32
	offset uint32
}

// maxPack is the size at which a pack is complete: it is built in memory.
const maxPack = 4 << 20

// add puts an object into a pack and returns its id.
func (w *packWriter) add(kind string, data []byte) ([]byte, error) {
	id := objectID(w.newHash(), kind, data)
	if w.known[string(id)] {
		return id, nil
	}
	if w.known == nil {
		w.known = map[string]bool{}
	}
	w.known[string(id)] = true
	if w.body.Len() == 0 {
		w.body.WriteString("PACK\x00\x00\x00\x02\x00\x00\x00\x00") // the number of objects is not known yet
	}
	start := w.body.Len()
	w.body.Write(objectHeader(kind, len(data)))
	writeStored(&w.body, data)
	w.objects = append(w.objects, packed{id, crc32.ChecksumIEEE(w.body.Bytes()[start:]), uint32(start)})
	if w.body.Len() < maxPack {
		return id, nil
	}
	return id, w.flush()
}

// flush writes the current pack.
func (w *packWriter) flush() error {
	if len(w.objects) == 0 {
		return nil
	}
	binary.BigEndian.PutUint32(w.body.Bytes()[8:], uint32(len(w.objects)))
	sum := w.newHash()
	sum.Write(w.body.Bytes())
	trailer := sum.Sum(nil)
	w.body.Write(trailer)
	name := "pack-" + hex.EncodeToString(trailer)
	// The index last: git ignores a pack without one.
	for _, f := range []struct {
		name string
		data []byte
	}{
		{name + ".pack", w.body.Bytes()},
		{name + ".idx", w.index(trailer)},
	} {
		if err := safefile.Put(w.dir, filepath.Join(w.dir, f.name), f.data, 0o400); err != nil {
			return err
		}
		w.names = append(w.names, f.name)
	}
	w.body.Reset()
	w.objects = w.objects[:0]
	return nil
}

// index is the index of the current pack, version 2.
func (w *packWriter) index(pack []byte) []byte {
	slices.SortFunc(w.objects, func(a, b packed) int { return bytes.Compare(a.id, b.id) })
	out := []byte("\xfftOc\x00\x00\x00\x02")
	n := 0
	for first := range 256 {
		for n < len(w.objects) && int(w.objects[n].id[0]) == first {
			n++
		}
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	for _, o := range w.objects {
		out = append(out, o.id...)
	}
	for _, o := range w.objects {
		out = binary.BigEndian.AppendUint32(out, o.crc)
	}
	for _, o := range w.objects {
		out = binary.BigEndian.AppendUint32(out, o.offset)
	}
	out = append(out, pack...)
	sum := w.newHash()
	sum.Write(out)
	return sum.Sum(out)
}

// objectHeader is the type and size of an object in a pack.
func objectHeader(kind string, size int) []byte {
	b := map[string]byte{"commit": 1, "tree": 2, "blob": 3}[kind]<<4 | byte(size&15)
	var out []byte
	for size >>= 4; size > 0; size >>= 7 {
		out = append(out, b|0x80)
		b = byte(size & 127)
	}
	return append(out, b)
}

// writeStored writes data as an uncompressed zlib stream: the snapshot exists until the
// next run, and a compressor costs more than the rest of it.
func writeStored(out *bytes.Buffer, data []byte) {
	const block = 1<<16 - 1
	out.Grow(len(data) + len(data)/block*5 + 16)
	out.Write([]byte{0x78, 0x01})
	for rest := data; ; {
		part := rest[:min(len(rest), block)]
		rest = rest[len(part):]
		head := []byte{0}
		if len(rest) == 0 {
			head[0] = 1 // the last block
		}
		head = binary.LittleEndian.AppendUint16(head, uint16(len(part)))
		out.Write(binary.LittleEndian.AppendUint16(head, ^uint16(len(part))))
		out.Write(part)
		if len(rest) == 0 {
			out.Write(binary.BigEndian.AppendUint32(nil, adler32.Checksum(data)))
			return
		}
	}
}
