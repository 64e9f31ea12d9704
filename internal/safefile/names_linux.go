package safefile

import (
	"bytes"
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// Names calls each with every name in an open directory, in no order. The bytes
// are valid during the call only, and part of buf, which should hold some
// kilobytes: a large tree is listed without filling memory with names.
func Names(dir *os.File, buf []byte, each func(name []byte)) error {
	for {
		n, err := unix.ReadDirent(int(dir.Fd()), buf)
		if err != nil {
			return err
		}
		if n <= 0 {
			return nil
		}
		for rest := buf[:n]; len(rest) > nameOffset; {
			size := int(binary.NativeEndian.Uint16(rest[nameOffset-3:]))
			if size <= nameOffset || size > len(rest) {
				return unix.EIO
			}
			name, _, _ := bytes.Cut(rest[nameOffset:size], []byte{0})
			if s := string(name); s != "." && s != ".." {
				each(name)
			}
			rest = rest[size:]
		}
	}
}

// nameOffset is where the name begins in a linux_dirent64; the size of the entry
// and the type of the file stand before it.
const nameOffset = 19
