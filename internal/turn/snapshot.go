package turn

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // git's own name for a content
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
	"gauntlet/internal/weaken"
)

// Bounds of the snapshot at prompt time: a human waits for it.
const (
	maxTracked       = 200_000 // files in the index
	MaxDirty         = 5_000   // uncommitted files
	hashFileBytes    = 4 << 20 // larger files are compared by size and time
	hashTotalBytes   = 64 << 20
	snapshotPatience = 3 * time.Second
)

// Snapshot is the work tree as it was when the human's prompt arrived: its
// commit, and the state of every file that differed from it.
type Snapshot struct {
	Head  string          `json:"head"`
	At    time.Time       `json:"at"`
	Files map[string]File `json:"files"`
}

// File is the state of one file: gone, or its size, time and content.
type File struct {
	Gone  bool  `json:"gone,omitempty"`
	Size  int64 `json:"size,omitempty"`
	MTime int64 `json:"mtime,omitempty"`
	// Mode is git's: 100644, 100755, 120000, 160000 for a submodule.
	Mode string `json:"mode,omitempty"`
	// Blob is git's id of the content, before any filter; "" when it was not read. For a
	// submodule it is the sizes and times of its files.
	Blob string `json:"blob,omitempty"`
	// Marks are the parts of it that determine how strictly the project is judged.
	Marks weaken.Marks `json:"marks,omitzero"`
}

// errHuge means that a tree is too large to be recorded while a human waits.
var errHuge = errors.New("the work tree is too large for a snapshot at every prompt")

// Take records the state of the tree with one git process.
func Take(ctx context.Context, repo git.Repo, now time.Time) (*Snapshot, git.Status, error) {
	if n := indexEntries(repo); n > maxTracked {
		return nil, git.Status{}, fmt.Errorf("%w: %d files in the index, the limit is %d", errHuge, n, maxTracked)
	}
	ctx, cancel := context.WithTimeout(ctx, snapshotPatience)
	defer cancel()
	st, err := repo.Status(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, st, fmt.Errorf("%w: git status took more than %s", errHuge, snapshotPatience)
	}
	if err != nil {
		return nil, st, err
	}
	paths := st.Paths()
	if len(paths) > MaxDirty {
		return nil, st, fmt.Errorf("%w: %d uncommitted files, the limit is %d", errHuge, len(paths), MaxDirty)
	}
	return &Snapshot{Head: st.Head, At: now, Files: files(repo.Root, paths)}, st, nil
}

// indexEntries reads the number of tracked files from the index's header.
func indexEntries(repo git.Repo) uint32 {
	f, err := safefile.Open(repo.GitDir, filepath.Join(repo.GitDir, "index"))
	if err != nil {
		return 0
	}
	defer f.Close()
	var head [12]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || string(head[:4]) != "DIRC" {
		return 0
	}
	return binary.BigEndian.Uint32(head[8:])
}

// files records the state of files below root.
func files(root string, paths []string) map[string]File {
	out := make(map[string]File, len(paths))
	var total int64
	for _, p := range paths {
		f, content := state(root, p, total < hashTotalBytes)
		total += min(f.Size, hashFileBytes)
		f.Marks = weaken.Of(p, content)
		out[p] = f
	}
	return out
}

// state records the state of one file; read adds its blob id and the content that it names.
func state(root, p string, read bool) (f File, content []byte) {
	full := filepath.Join(root, filepath.FromSlash(p))
	info, err := os.Lstat(full)
	if err != nil {
		return File{Gone: true}, nil
	}
	f = File{Size: info.Size(), MTime: info.ModTime().UnixNano()}
	switch {
	case info.IsDir() && !strings.HasSuffix(p, "/"): // with a slash it is another repository, which is not content
		f = File{Mode: submodule}
		if read {
			f.Blob = sight(root, p)
		}
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(full)
		f.Mode, f.Blob = "120000", blobID(int64(len(target)), strings.NewReader(target))
	case info.Mode().IsRegular():
		f.Mode = "100644"
		if info.Mode()&0o100 != 0 {
			f.Mode = "100755"
		}
		if !read || info.Size() > hashFileBytes {
			return f, nil
		}
		if content, err = safefile.Read(root, full, hashFileBytes); err != nil {
			return f, nil
		}
		f.Blob = blobID(info.Size(), bytes.NewReader(content))
	}
	return f, content
}

const submodule = "160000"

// maxSeen is how many files of a submodule are checked.
const maxSeen = 20_000

// sight identifies the files of a submodule by their sizes and times: git only reports that
// it is dirty, not what changed in it since.
func sight(root, dir string) string {
	h := sha256.New()
	seen := 0
	_ = fs.WalkDir(safefile.FS(root), path.Clean(dir), func(name string, e fs.DirEntry, err error) error {
		if seen++; err != nil || seen > maxSeen || e.IsDir() && e.Name() == ".git" {
			return fs.SkipDir
		}
		if info, err := e.Info(); err == nil && !e.IsDir() && e.Name() != ".git" && !git.IsBytecode(name) {
			fmt.Fprintf(h, "%s\x00%o %d %d\x00", name, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	if seen > maxSeen {
		return "too many files"
	}
	return hex.EncodeToString(h.Sum(nil))
}

// blobID is the id that git gives a content. The SHA-1 only names it, nothing is proved by
// it.
func blobID(size int64, content io.Reader) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", size)
	if n, err := io.Copy(h, content); err != nil || n != size {
		return "" // it is being written
	}
	return hex.EncodeToString(h.Sum(nil))
}

// still reports whether a file is unchanged: the same size and time, or else the same
// content.
func (f File) still(root, p string) bool {
	now, _ := state(root, p, false)
	if f.Gone || now.Gone {
		return f.Gone == now.Gone
	}
	if now.Size != f.Size || now.Mode != f.Mode {
		return false
	}
	if now.MTime == f.MTime && now.Mode != submodule {
		return true
	}
	now, _ = state(root, p, f.Blob != "")
	return f.Blob != "" && f.Blob == now.Blob
}

// State identifies the present content of files below root: another name means that one of
// them has changed.
func State(root string, paths []string) string {
	const maxHashed = 500 // more files are compared by size and time
	h := sha256.New()
	var total int64
	for _, p := range paths {
		f, _ := state(root, p, len(paths) <= maxHashed && total < hashTotalBytes)
		total += min(f.Size, hashFileBytes)
		if f.Blob != "" {
			f.MTime = 0 // content decides if it is known
		}
		fmt.Fprintf(h, "%s\x00%v\x00%d\x00%d\x00%s\x00%s\x00", p, f.Gone, f.Size, f.MTime, f.Mode, f.Blob)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Since lists what differs between the snapshot and the tree now: files whose
// state changed, and files of commits made since.
func (t *Snapshot) Since(ctx context.Context, repo git.Repo, st git.Status) ([]string, error) {
	changed := map[string]bool{}
	for _, p := range st.Paths() {
		if before, was := t.Files[p]; !was || !before.still(repo.Root, p) {
			changed[p] = true
		}
	}
	dirty := map[string]bool{}
	for _, p := range st.Paths() {
		dirty[p] = true
	}
	for p, before := range t.Files {
		if !dirty[p] && !before.still(repo.Root, p) {
			changed[p] = true // was dirty, is clean, and not because it was committed unchanged
		}
	}
	if st.Head != t.Head && st.Head != "" {
		committed, err := Base{Head: t.Head, At: t.At}.Committed(ctx, repo)
		if err != nil {
			return nil, err
		}
		for _, p := range committed {
			if before, was := t.Files[p]; !was || !before.still(repo.Root, p) {
				changed[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(changed)), nil
}

// Committed lists the files of commits on HEAD that were made at the prompt or after it:
// work of the turn, and not what a pull or a change of branch added. A merge that was made
// then is work too.
func (b Base) Committed(ctx context.Context, repo git.Repo) ([]string, error) {
	args := []string{
		"log", "-z", "--name-only", "--no-renames", "--diff-merges=first-parent", "--format=", "--max-count=500", "HEAD",
	}
	if !b.At.After(time.Now()) { // otherwise the clock was set back, and dates mean nothing
		args = append(args, fmt.Sprintf("--since=%d", b.At.Unix()))
	}
	if b.Head != "" {
		args = append(args, "--not", b.Head)
	}
	out, err := repo.Run(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	var list []string
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p = strings.Trim(p, "\n"); p != "" {
			list = append(list, p)
		}
	}
	if b.Head == "" || len(list) == 0 {
		return list, nil
	}
	// A commit that was only made again, with another message or on another base, lists
	// files that it did not change.
	differ, err := repo.DiffNames(ctx, b.Head+"..HEAD")
	if err != nil {
		return list, nil //nolint:nilerr // that commit is gone: all of them may be changed
	}
	list = slices.DeleteFunc(list, func(p string) bool {
		_, found := slices.BinarySearch(differ, p)
		return !found
	})
	return list, nil
}
