// Package seal authenticates what Gauntlet remembers and later acts upon (undo notes,
// proofs, session memory, the off switch), so that a file which another program put in its
// place is not used. The key is in the user's state home, readable by the user only. A seal
// proves who wrote the bytes; it does not hide them. Ring 0: standard library and safefile.
package seal

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gauntlet/internal/safefile"
)

const (
	version = "v1:"
	keySize = 32
	// prefixSize is the length of what Seal puts before the data:
	// "v1:", the code in hexadecimal, a blank.
	prefixSize = len(version) + 2*sha256.Size + 1
)

// ErrNoHome means that there is no state home for the key.
var ErrNoHome = errors.New("seal: no state home to keep the key in (set HOME or XDG_STATE_HOME)")

// Sealer seals and opens with the key of one state home. The key is read, or
// made, when it is first needed.
type Sealer struct {
	Home string // the state home
	key  func() ([]byte, error)
}

// New returns the sealer of a state home; with "" nothing can be sealed or opened.
func New(stateHome string) Sealer {
	return Sealer{Home: stateHome, key: sync.OnceValues(func() ([]byte, error) {
		if stateHome == "" {
			return nil, ErrNoHome
		}
		return loadKey(filepath.Join(stateHome, "gauntlet"))
	})}
}

// Seal returns data with a code before it that only this key can make. Data sealed for one
// purpose does not open for another. One line stays one line.
func (s Sealer) Seal(purpose string, data []byte) ([]byte, error) {
	if s.key == nil {
		return nil, ErrNoHome
	}
	key, err := s.key()
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, prefixSize+len(data))
	out = append(out, version...)
	out = hex.AppendEncode(out, code(key, purpose, data))
	out = append(out, ' ')
	return append(out, data...), nil
}

// Open returns what was sealed for the same purpose; ok is false for anything else.
func (s Sealer) Open(purpose string, sealed []byte) (data []byte, ok bool) {
	if s.key == nil || len(sealed) < prefixSize || !bytes.HasPrefix(sealed, []byte(version)) || sealed[prefixSize-1] != ' ' {
		return nil, false
	}
	key, err := s.key()
	if err != nil {
		return nil, false
	}
	want, err := hex.DecodeString(string(sealed[len(version) : prefixSize-1]))
	if err != nil {
		return nil, false
	}
	data = sealed[prefixSize:]
	if !hmac.Equal(want, code(key, purpose, data)) {
		return nil, false
	}
	return data, true
}

// code covers the length of the purpose too, so that no part of the data can be mistaken
// for a part of the purpose.
func code(key []byte, purpose string, data []byte) []byte {
	mac := hmac.New(sha256.New, key)
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(purpose)))
	mac.Write(size[:])
	mac.Write([]byte(purpose))
	mac.Write(data)
	return mac.Sum(nil)
}

// loadKey reads the key in dir, or makes one. A key that others can read or could have
// written is worthless: it is replaced, and what the old one sealed is no longer accepted.
func loadKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, "key")
	var err error
	for range 50 {
		var key []byte
		if key, err = readKey(path); err == nil {
			return key, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errUnsafe) {
			return nil, fmt.Errorf("seal: %w", err)
		}
		if errors.Is(err, errUnsafe) {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("seal: %w", err)
			}
		}
		// The first process makes it; all of them read that one.
		if err = makeKey(dir, path); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("seal: %w", err)
		}
		time.Sleep(time.Millisecond) // another process is replacing it at this moment
	}
	return nil, fmt.Errorf("seal: %w", err)
}

var errUnsafe = errors.New("the key is not a private file of this user")

func readKey(path string) ([]byte, error) {
	seen, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, errUnsafe
	}
	f, err := safefile.Open("", path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(seen, info) || info.Size() != keySize || !private(info) {
		return nil, errUnsafe
	}
	key := make([]byte, keySize)
	if _, err := io.ReadFull(f, key); err != nil {
		return nil, err
	}
	return key, nil
}

// makeKey puts a complete key in place in one step, and never over another one.
func makeKey(dir, path string) error {
	if err := safefile.MakeDir(dir, 0o700); err != nil {
		return err
	}
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	return safefile.WriteNew(dir, path, key, 0o600)
}
