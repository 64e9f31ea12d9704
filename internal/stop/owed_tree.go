package stop

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

// Bounds of the snapshot at prompt time: a human waits for it.
const (
	maxTracked      = 200_000 // files in the index
	maxDirty        = 5_000   // uncommitted files
	hashFileBytes   = 4 << 20 // larger files are told by size and time
	hashTotalBytes  = 64 << 20
	snapshotPatient = 3 * time.Second
)

// treeSnapshot is the work tree as it was when the human's prompt arrived: its
// commit, and the state of every file that differed from it.
type treeSnapshot struct {
	Head  string              `json:"head"`
	At    time.Time           `json:"at"`
	Files map[string]fileMark `json:"files"`
}

// fileMark is the state of one file: gone, or its size, time and content.
type fileMark struct {
	Gone  bool   `json:"gone,omitempty"`
	Size  int64  `json:"size,omitempty"`
	MTime int64  `json:"mtime,omitempty"`
	Hash  string `json:"hash,omitempty"`
}

// errHuge says that a tree is too large to be remembered while a human waits.
var errHuge = errors.New("the work tree is too large for a snapshot at every prompt")

// snapshot takes the state of the tree with one git process.
func snapshot(ctx context.Context, repo git.Repo, now time.Time) (*treeSnapshot, error) {
	if n := indexEntries(repo); n > maxTracked {
		return nil, fmt.Errorf("%w: %d files in the index, the limit is %d", errHuge, n, maxTracked)
	}
	ctx, cancel := context.WithTimeout(ctx, snapshotPatient)
	defer cancel()
	st, err := repo.Status(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("%w: git status took more than %s", errHuge, snapshotPatient)
	}
	if err != nil {
		return nil, err
	}
	paths := st.Paths()
	if len(paths) > maxDirty {
		return nil, fmt.Errorf("%w: %d uncommitted files, the limit is %d", errHuge, len(paths), maxDirty)
	}
	return &treeSnapshot{Head: st.Head, At: now, Files: marks(repo.Root, paths)}, nil
}

// indexEntries reads the number of tracked files out of the index's header.
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

// marks takes the state of files below root.
func marks(root string, paths []string) map[string]fileMark {
	out := make(map[string]fileMark, len(paths))
	var total int64
	for _, p := range paths {
		m := mark(root, p, total < hashTotalBytes)
		total += min(m.Size, hashFileBytes)
		out[p] = m
	}
	return out
}

// mark takes the state of one file; hash asks for its content too.
func mark(root, p string, hash bool) fileMark {
	full := filepath.Join(root, filepath.FromSlash(p))
	info, err := os.Lstat(full)
	if err != nil {
		return fileMark{Gone: true}
	}
	m := fileMark{Size: info.Size(), MTime: info.ModTime().UnixNano()}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(full)
		m.Hash = "link:" + target
	case info.Mode().IsRegular() && hash && info.Size() <= hashFileBytes:
		m.Hash = contentHash(full)
	}
	return m
}

func contentHash(full string) string {
	f, err := safefile.Open("", full)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, hashFileBytes+1)); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// still reports whether a file is as it was: the same size and time, or else
// the same content.
func (m fileMark) still(root, p string) bool {
	now := mark(root, p, false)
	if m.Gone || now.Gone {
		return m.Gone == now.Gone
	}
	if now.Size != m.Size {
		return false
	}
	if now.MTime == m.MTime {
		return true
	}
	now = mark(root, p, m.Hash != "")
	return m.Hash != "" && m.Hash == now.Hash
}

// since lists what differs between the snapshot and the tree now: files whose
// state changed, and files of commits made since.
func (t *treeSnapshot) since(ctx context.Context, repo git.Repo, st git.Status) ([]string, error) {
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
			changed[p] = true // was dirty, is clean, and not because it was committed as it was
		}
	}
	if st.Head != t.Head && st.Head != "" {
		committed, err := committedSince(ctx, repo, t.Head, t.At)
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

// committedSince lists the files of commits on HEAD that were made at or after
// a time: work of the turn, and not what a pull or a change of branch brought.
func committedSince(ctx context.Context, repo git.Repo, from string, at time.Time) ([]string, error) {
	args := []string{
		"log", "-z", "--name-only", "--no-renames", "--format=", "--max-count=500",
		fmt.Sprintf("--since=%d", at.Unix()), "HEAD",
	}
	if from != "" {
		args = append(args, "--not", from)
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
	return list, nil
}
