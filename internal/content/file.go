package content

import (
	"crypto/sha1" //nolint:gosec // git's own name for content
	"crypto/sha256"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
)

// file adds a path that is not a directory.
func (w *walker) file(n *node, dir *os.File, path, name string, st safefile.Stat) {
	f := git.File{Path: path, Mode: File}
	m := markOf(st)
	switch {
	case st.Mode&fs.ModeSymlink != 0:
		f.Mode = Link
		if !w.glance {
			text, err := os.Readlink(filepath.Join(w.asked.Repo.Root, filepath.FromSlash(path)))
			if err != nil {
				w.unseen(path)
				return
			}
			f.ID = w.blobID(int64(len(text)), strings.NewReader(text))
			w.mu.Lock()
			w.links = append(w.links, path)
			w.mu.Unlock()
		}
	case !st.Mode.IsRegular():
		w.unseen(path)
		return
	default:
		if st.Mode&0o100 != 0 {
			f.Mode = Executable
		}
		if !w.glance {
			var err error
			if f.ID, m, err = w.id(dir, path, name, st); gone(err) {
				return
			} else if err != nil {
				w.unseen(path)
				return
			}
		}
	}
	n.files, n.marks = append(n.files, f), append(n.marks, m)
}

// id is the id of a file's content: as it was read before, or read now.
func (w *walker) id(dir *os.File, path, name string, st safefile.Stat) (string, mark, error) {
	m := markOf(st)
	if id := w.cache.id(m); id != "" {
		return id, m, nil
	}
	if st.Size > largest {
		return string(m[:]), m, nil
	}
	f, now, err := safefile.OpenBelow(dir, name)
	if err != nil {
		return "", m, err
	}
	defer f.Close() //nolint:errcheck // read only
	m = markOf(now)
	id := w.blobID(now.Size, io.LimitReader(f, now.Size+1))
	if id == "" { // it is being written: no id is the same as another
		id = "being written " + strconv.FormatInt(time.Now().UnixNano(), 10)
	}
	w.missed.Add(1 + now.Size>>15)
	if now.CTime == 0 || now.CTime >= w.since {
		w.mu.Lock()
		w.young = append(w.young, path)
		w.mu.Unlock()
	}
	return id, m, nil
}

// blobID is the id that git gives to a content; "" if it does not have the size.
func (w *walker) blobID(size int64, content io.Reader) string {
	h := newHash(w.size)
	_, _ = h.Write([]byte("blob " + strconv.FormatInt(size, 10) + "\x00"))
	if n, err := io.Copy(h, content); err != nil || n != size {
		return ""
	}
	return string(h.Sum(nil))
}

func newHash(size int) hash.Hash {
	if size == sha256.Size {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // git's own name for content
}
