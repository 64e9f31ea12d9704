package content

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/safefile"
)

// Bounds of what a link may lead to.
const (
	maxLinked      = 1000
	maxLinkedBytes = 10 << 20
)

var errTooMuch = errors.New("a link leads to too much")

// follow adds the content to which links lead outside the account.
func (a *Account) follow(w *walker) {
	root, err := filepath.EvalSymlinks(w.asked.Repo.Root)
	if err != nil {
		return
	}
	for _, link := range w.links {
		real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(link)))
		if err != nil {
			continue // it leads nowhere
		}
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
			rel = filepath.ToSlash(rel)
			if _, ok := a.index(rel); ok || a.below(rel) || rel == "." {
				continue
			}
			if strings.HasPrefix(rel+"/", ".git/") {
				continue // the git directory is not content
			}
		}
		i, ok := a.index(link)
		if !ok {
			continue
		}
		digest, err := w.outside(real)
		if err != nil {
			a.NotSeen = append(a.NotSeen, link)
			continue
		}
		a.Files[i].ID += digest
	}
	slices.Sort(a.NotSeen)
}

// outside is a digest of a file, or of all files in a directory.
func (w *walker) outside(path string) (string, error) {
	h := sha256.New()
	files, left := 0, int64(maxLinkedBytes)
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return w.outsideFile(path, &left)
	}
	err := fs.WalkDir(safefile.FS(path), ".", func(rel string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && isGit([]byte(e.Name())):
			return fs.SkipDir
		case e.IsDir():
			return w.ctx.Err()
		}
		if files++; files > maxLinked {
			return errTooMuch
		}
		id, p := "", filepath.Join(path, filepath.FromSlash(rel))
		if e.Type()&fs.ModeSymlink != 0 {
			id, err = os.Readlink(p)
		} else {
			id, err = w.outsideFile(p, &left)
		}
		_ = binary.Write(h, binary.LittleEndian, [2]uint32{uint32(len(rel)), uint32(len(id))})
		_, _ = h.Write([]byte(rel + id))
		return err
	})
	return string(h.Sum(nil)), err
}

func (w *walker) outsideFile(path string, left *int64) (string, error) {
	dir, err := safefile.OpenDir(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	defer dir.Close() //nolint:errcheck // read only
	f, st, err := safefile.OpenBelow(dir, filepath.Base(path))
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // read only
	if *left -= st.Size; *left < 0 {
		return "", errTooMuch
	}
	return st.Mode.String() + w.blobID(st.Size, io.LimitReader(f, st.Size+1)), nil
}
