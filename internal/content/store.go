package content

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
)

// Store keeps accounts, and the content that only the work tree had when they were made, so
// that it can be laid out again. It is in the directory of a work tree's memory. An account
// is named by the digest of its bytes, which the sealed memory has: another one in its place
// is none. A blob is named by its id.
type Store struct {
	Dir  string
	Repo git.Repo
}

// Bounds of the store.
const (
	accountsDir  = "accounts"
	blobsDir     = "blobs"
	sweptFile    = ".swept"
	maxAccount   = 512 << 20
	maxBlob      = 4 << 20
	maxBlobs     = 64 << 20 // of one account
	keptFor      = 14 * 24 * time.Hour
	keptAccounts = 256 << 20
	keptBlobs    = 256 << 20
)

var (
	// ErrNoAccount means that an account is gone, or is not the one that was kept.
	ErrNoAccount = errors.New("it is gone, or was not written by gauntlet")
	// ErrNoContent means that a content was not kept, or is gone.
	ErrNoContent = errors.New("the content was not kept")
)

// Put keeps an account and returns its name.
func (s Store) Put(a *Account) (name string, err error) {
	data := a.encode()
	sum := sha256.Sum256(data)
	name = hex.EncodeToString(sum[:])
	path := filepath.Join(s.Dir, accountsDir, name)
	if info, err := os.Lstat(path); err == nil && info.Size() == int64(len(data)) && time.Since(info.ModTime()) < keptFor/2 {
		return name, nil
	}
	if err := s.write(accountsDir, path, data); err != nil {
		return "", err
	}
	s.sweep(accountsDir, keptAccounts, name)
	return name, nil
}

func (s Store) write(sub, path string, data []byte) error {
	if safefile.Put(s.Dir, path, data, 0o600) == nil {
		return nil
	}
	if err := safefile.MakeDir(s.Dir, 0o700); err != nil {
		return err
	}
	if err := safefile.MkdirAll(s.Dir, filepath.Join(s.Dir, sub), 0o700); err != nil {
		return err
	}
	return safefile.Put(s.Dir, path, data, 0o600)
}

// Get is the account of a name.
func (s Store) Get(name string) (*Account, error) {
	if raw, err := hex.DecodeString(name); err != nil || len(raw) != sha256.Size {
		return nil, ErrNoAccount
	}
	data, err := safefile.Read(s.Dir, filepath.Join(s.Dir, accountsDir, name), maxAccount)
	if err != nil {
		return nil, ErrNoAccount
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != name {
		return nil, ErrNoAccount
	}
	return decode(string(data))
}

// sweep removes what is old, and the oldest of what is too much; not keep. Once in an hour is
// enough.
func (s Store) sweep(sub string, most int64, keep ...string) {
	dir := filepath.Join(s.Dir, sub)
	if info, err := os.Lstat(filepath.Join(dir, sweptFile)); err == nil && time.Since(info.ModTime()).Abs() < time.Hour {
		return
	}
	_ = safefile.Put(s.Dir, filepath.Join(dir, sweptFile), nil, 0o600)
	entries, err := safefile.ReadDir(s.Dir, dir, -1)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !slices.Contains(keep, e.Name()) {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	var total int64
	for _, f := range files {
		if total += f.Size(); total > most || time.Since(f.ModTime()) > keptFor {
			_ = safefile.Remove(s.Dir, filepath.Join(dir, f.Name()))
		}
	}
}

// KeepBlobs keeps the content of files that git does not have. Files that changed since the
// account was made, or are too large, are left out.
func (s Store) KeepBlobs(ctx context.Context, a *Account) error {
	index := a.Tracked() // nil: everything is kept
	left, wrote := int64(maxBlobs), false
	size := s.Repo.IDSize()
	for _, f := range a.Files {
		if f.Mode == Repository || len(f.ID) < size || index.Has(f) || ctx.Err() != nil {
			continue
		}
		id := f.ID[:size]
		path := s.blobPath(id)
		if safefile.Exists(path) {
			continue
		}
		data, err := s.FromTree(f)
		if err != nil {
			continue
		}
		if left -= int64(len(data)); left < 0 {
			break
		}
		if err := s.write(blobsDir, path, data); err != nil {
			return err
		}
		wrote = true
	}
	if wrote {
		s.sweep(blobsDir, keptBlobs)
	}
	return ctx.Err()
}

func (s Store) blobPath(id string) string {
	return filepath.Join(s.Dir, blobsDir, hex.EncodeToString([]byte(id)))
}

// FromTree is the content of a path, if the work tree still has it.
func (s Store) FromTree(f git.File) ([]byte, error) {
	data, err := s.fromTree(f)
	if size := s.Repo.IDSize(); err == nil && (len(f.ID) < size || nameBlob(data, size) != f.ID[:size]) {
		return nil, fmt.Errorf("%s: %w", f.Path, ErrNoContent)
	}
	return data, err
}

func (s Store) fromTree(f git.File) ([]byte, error) {
	path := filepath.Join(s.Repo.Root, filepath.FromSlash(f.Path))
	if f.Mode == Link {
		text, err := os.Readlink(path)
		return []byte(text), err
	}
	return safefile.Read(s.Repo.Root, path, maxBlob)
}

func nameBlob(data []byte, size int) string {
	h := newHash(size)
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(data))
	_, _ = h.Write(data)
	return string(h.Sum(nil))
}

// Content is the content of a path in an account: as it was kept, or as git has it. What is
// returned has the id that the account says.
func (s Store) Content(ctx context.Context, f git.File) ([]byte, error) {
	all, err := s.Contents(ctx, []git.File{f})
	if err != nil {
		return nil, err
	}
	if data, ok := all(f); ok {
		return data, nil
	}
	return nil, fmt.Errorf("%s: %w", f.Path, ErrNoContent)
}

// Contents reads files, with at most one git process; the answer says what one contains.
func (s Store) Contents(ctx context.Context, files []git.File) (func(git.File) ([]byte, bool), error) {
	size := s.Repo.IDSize()
	var ask []string
	for _, f := range files {
		if f.Mode != Repository && len(f.ID) >= size && !safefile.Exists(s.blobPath(f.ID[:size])) {
			ask = append(ask, f.ID[:size])
		}
	}
	slices.Sort(ask)
	blobs, err := s.Repo.BlobsByID(ctx, slices.Compact(ask))
	if err != nil {
		return nil, err
	}
	return func(f git.File) ([]byte, bool) {
		if f.Mode == Repository || len(f.ID) < size {
			return nil, false
		}
		id := f.ID[:size]
		data, ok := blobs[id]
		if !ok {
			var err error
			data, err = safefile.Read(s.Dir, s.blobPath(id), maxBlob)
			ok = err == nil
		}
		return data, ok && nameBlob(data, size) == id
	}, nil
}

// Each reads the content of files, a bounded part of them at a time, and calls do for each.
// Content that was not kept is an error that names the path.
func (s Store) Each(ctx context.Context, files []git.File, do func(git.File, []byte) error) error {
	const many = 2000 // at a time: what git answers is in memory
	for part := range slices.Chunk(files, many) {
		content, err := s.Contents(ctx, part)
		if err != nil {
			return err
		}
		for _, f := range part {
			data, ok := content(f)
			if !ok {
				return fmt.Errorf("%s: %w", f.Path, ErrNoContent)
			}
			if err := do(f, data); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

const magic = "gauntlet account 1\n"

// encode is the account as bytes: equal accounts have equal ones. A path is written as what
// differs from the one before it.
func (a *Account) encode() []byte {
	out := make([]byte, 0, 64+len(a.Refs)+len(a.Files)*48)
	out = append(out, magic...)
	str := func(s string) {
		out = binary.AppendUvarint(out, uint64(len(s)))
		out = append(out, s...)
	}
	str(a.Refs)
	out = binary.AppendUvarint(out, uint64(len(a.Rules)))
	for _, where := range slices.Sorted(maps.Keys(a.Rules)) {
		str(where)
		str(a.Rules[where])
	}
	out = binary.AppendUvarint(out, uint64(len(a.NotSeen)))
	for _, p := range a.NotSeen {
		str(p)
	}
	out = binary.AppendUvarint(out, uint64(len(a.Files)))
	last := ""
	for i := range a.Files {
		f := &a.Files[i]
		same := 0
		for same < len(last) && same < len(f.Path) && last[same] == f.Path[same] {
			same++
		}
		out = binary.AppendUvarint(out, uint64(same))
		str(f.Path[same:])
		out = binary.AppendUvarint(out, uint64(f.Mode))
		str(f.ID)
		last = f.Path
	}
	return out
}

// decoder reads what encode wrote; after a fault it reads nothing more.
type decoder struct {
	rest string
	err  error
}

func (d *decoder) number() uint64 {
	var n uint64
	for i := 0; i < len(d.rest) && i < binary.MaxVarintLen64; i++ {
		n |= uint64(d.rest[i]&0x7f) << (7 * i)
		if d.rest[i] < 0x80 {
			d.rest = d.rest[i+1:]
			return n
		}
	}
	d.rest, d.err = "", io.ErrUnexpectedEOF
	return 0
}

func (d *decoder) text() string {
	n := d.number()
	if n > uint64(len(d.rest)) {
		d.rest, d.err = "", io.ErrUnexpectedEOF
		return ""
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

func decode(data string) (*Account, error) {
	rest, ok := strings.CutPrefix(data, magic)
	if !ok {
		return nil, ErrNoAccount
	}
	d := &decoder{rest: rest}
	a := &Account{Refs: d.text(), Rules: Rules{}}
	for n := d.number(); n > 0 && d.err == nil; n-- {
		where := d.text()
		a.Rules[where] = d.text()
	}
	for n := d.number(); n > 0 && d.err == nil; n-- {
		a.NotSeen = append(a.NotSeen, d.text())
	}
	n := d.number()
	if n > maxFiles || n > uint64(len(d.rest)) {
		return nil, ErrNoAccount
	}
	a.Files = make([]git.File, 0, n)
	last := ""
	for ; n > 0 && d.err == nil; n-- {
		same := d.number()
		if same > uint64(len(last)) {
			return nil, ErrNoAccount
		}
		last = last[:same] + d.text()
		f := git.File{Path: last, Mode: uint32(d.number())}
		f.ID = d.text()
		a.Files = append(a.Files, f)
	}
	if d.err != nil {
		return nil, ErrNoAccount
	}
	return a, nil
}
