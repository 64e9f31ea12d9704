package content

import (
	"crypto/sha1" //nolint:gosec // git's own name for content
	"crypto/sha256"
	"hash"
	"hash/maphash"
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

// file adds a path that is not a directory, and returns what to remember of it.
func (w *walker) file(n *node, dir *os.File, st safefile.Stat, e remembered, known *remembered) remembered {
	f := git.File{Path: e.path, Mode: File}
	switch {
	case st.Mode&fs.ModeSymlink != 0:
		f.Mode = Link
		if !w.glance {
			text, err := os.Readlink(filepath.Join(w.asked.Repo.Root, filepath.FromSlash(e.path)))
			if err != nil {
				w.unseen(e.path)
				return e
			}
			f.ID = w.blobID(int64(len(text)), strings.NewReader(text))
			w.mu.Lock()
			w.links = append(w.links, e.path)
			w.mu.Unlock()
		}
	case !st.Mode.IsRegular():
		w.unseen(e.path)
		return e
	default:
		if st.Mode&0o100 != 0 {
			f.Mode = Executable
		}
		switch {
		case w.glance:
		case known != nil && known.kind == aFile && known.stat == st:
			f.ID, e = known.id, *known
		default:
			var err error
			if f.ID, err = w.id(dir, n.name(e.path), &st, &e); gone(err) {
				return e
			} else if err != nil {
				w.unseen(e.path)
				return e
			}
		}
	}
	n.files, n.marks = append(n.files, f), append(n.marks, w.mark(st))
	return e
}

// mark identifies a file within this process: no other can foresee how.
func (w *walker) mark(st safefile.Stat) uint64 { return maphash.Comparable(w.seed, written(st)) }

// written is a stat without what reading changes.
func written(st safefile.Stat) safefile.Stat {
	st.ATime = 0
	return st
}

// id reads a file: its id, its stat as it was opened, and what to remember of it.
func (w *walker) id(dir *os.File, name string, st *safefile.Stat, e *remembered) (string, error) {
	if st.Size > largest {
		return largeID(*st), nil
	}
	f, now, err := safefile.OpenBelow(dir, name)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // read only
	now = written(now)
	*st = now
	id := w.blobID(now.Size, io.LimitReader(f, now.Size+1))
	w.missed.Add(1 + now.Size>>15)
	switch {
	case id == "": // it is being written: no id is the same as another
		return "being written " + strconv.FormatInt(time.Now().UnixNano(), 10), nil
	case now.CTime == 0 || now.CTime >= w.since:
		w.mu.Lock()
		w.young = append(w.young, e.path)
		w.mu.Unlock()
	default:
		e.kind, e.stat, e.id = aFile, now, id
	}
	return id, nil
}

// largeID stands for the content of a file that is too large to read.
func largeID(st safefile.Stat) string {
	sum := sha256.Sum256(appendStat(nil, st))
	return string(sum[:16])
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
