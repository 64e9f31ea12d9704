package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// Kept is a snapshot of a work tree in a repository of its own, beside the user's: `git log
// --all` does not show it, no push sends it, and its objects are removed when the next one
// replaces it.
type Kept struct {
	Commit string
	// Left are untracked files that are too large to keep.
	Left []string
	dir  string
}

const (
	// keptDir contains the snapshot, below the work tree's git directory.
	keptDir = "gauntlet/snapshot.git"
	// keptRef is the snapshot's name in it.
	keptRef = "refs/heads/run"
	// keptPacks contains its objects.
	keptPacks = "objects/pack"
	// maxFile bounds what is read at once.
	maxFile = 1 << 30
	// maxKept is the size up to which an untracked file is stored.
	maxKept = 10 << 20
)

// Judged is what a run judges: the files of the work tree, with the ids of their raw bytes,
// and what git says of them.
type Judged struct {
	Files  []File // sorted
	Status Status
	// Leave are directories that do not belong to it.
	Leave []string
	// Index is the list of tracked files; nil: it is read.
	Index *Index
}

// Keep saves what is judged as a commit on top of HEAD, without a git process: objects of
// HEAD are borrowed, and only files and directories that differ are written. The snapshot of
// the previous run is removed. The files of a killed run have no name, and are removed by
// the next run.
func (r Repo) Keep(ctx context.Context, j Judged, message string, now time.Time) (k Kept, err error) {
	dir := filepath.Join(r.GitDir, filepath.FromSlash(keptDir))
	if info, err := os.Lstat(filepath.Dir(dir)); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return Kept{}, fmt.Errorf("snapshot: %s is a symbolic link; remove it", filepath.Dir(dir))
	}
	size := r.IDSize()
	if err := r.makeKept(dir, size); err != nil {
		return Kept{}, fmt.Errorf("snapshot: %w", err)
	}
	index := j.Index
	if index == nil {
		if index, err = r.Index(ctx); err != nil {
			return Kept{}, fmt.Errorf("snapshot: %w", err)
		}
	}
	newHash := func() hash.Hash { return newHash(size) }
	w := &keeper{repo: r, Judged: j, index: index, size: size, pack: packWriter{dir: filepath.Join(dir, keptPacks), newHash: newHash}, dirty: map[string]bool{}}
	w.Files = w.own()
	tree, err := w.trees(ctx)
	if err != nil {
		return Kept{}, fmt.Errorf("snapshot: %w", err)
	}
	text := "tree " + hex.EncodeToString(tree) + "\n"
	if j.Status.Head != "" {
		text += "parent " + j.Status.Head + "\n"
	}
	who := fmt.Sprintf("Gauntlet <gauntlet@localhost> %d +0000", now.Unix())
	text += "author " + who + "\ncommitter " + who + "\n\n" + message
	id, err := w.pack.add("commit", []byte(text))
	if err == nil {
		err = w.pack.flush()
	}
	k = Kept{Commit: hex.EncodeToString(id), Left: w.left, dir: dir}
	if err == nil {
		err = safefile.Put(dir, filepath.Join(dir, keptRef), []byte(k.Commit+"\n"), 0o600)
	}
	if err != nil {
		return Kept{}, fmt.Errorf("snapshot: %w", err)
	}
	dropOthers(filepath.Join(dir, keptPacks), w.pack.names...)
	dropOthers(filepath.Join(dir, "objects"), "info", "pack")
	dropOthers(filepath.Join(dir, filepath.Dir(keptRef)), filepath.Base(keptRef))
	return k, nil
}

// dropOthers removes everything but some names from a directory of the snapshot.
func dropOthers(dir string, keep ...string) {
	entries, _ := safefile.ReadDir(dir, dir, -1)
	for _, e := range entries {
		if !slices.Contains(keep, e.Name()) {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// Env lets git see the snapshot's objects beside the repository's own.
func (k Kept) Env() []string {
	return []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(k.dir, "objects")}
}

// Bundle writes the snapshot's files, without their history, as a git bundle.
func (k Kept) Bundle(ctx context.Context, r Repo, file string) error {
	env := Opts{Env: []string{"GIT_DIR=" + k.dir, "GIT_AUTHOR_NAME=Gauntlet", "GIT_AUTHOR_EMAIL=gauntlet@localhost", "GIT_COMMITTER_NAME=Gauntlet", "GIT_COMMITTER_EMAIL=gauntlet@localhost"}}
	alone, err := r.RunWith(ctx, env, "commit-tree", "-m", "gauntlet: one tree", k.Commit+"^{tree}")
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	if _, err := r.RunWith(ctx, env, "update-ref", BundleRef, strings.TrimSpace(string(alone))); err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	if _, err := r.RunWith(ctx, env, "bundle", "create", "--quiet", file, BundleRef); err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	return nil
}

// BundleRef is the branch that a bundle contains.
const BundleRef = "refs/heads/gauntlet"

// makeKept makes the repository for snapshots, if it does not exist; it borrows the objects
// of this one.
func (r Repo) makeKept(dir string, oidSize int) error {
	config := "[core]\n\trepositoryformatversion = 0\n"
	if oidSize == sha256.Size {
		config = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n"
	}
	for _, f := range []struct{ name, text string }{
		{"HEAD", "ref: " + keptRef + "\n"},
		{"config", config},
		{"objects/info/alternates", filepath.Join(r.CommonDir, "objects") + "\n"},
	} {
		name := filepath.Join(dir, filepath.FromSlash(f.name))
		if b, err := safefile.Read("", name, maxPointer); err == nil && string(b) == f.text {
			continue
		}
		for _, d := range []string{filepath.Dir(name), filepath.Join(dir, keptPacks), filepath.Join(dir, filepath.Dir(keptRef))} {
			if err := safefile.MakeDir(d, 0o700); err != nil {
				return err
			}
		}
		if err := safefile.Put(dir, name, []byte(f.text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// keeper writes the objects of a snapshot that the repository may not have.
type keeper struct {
	Judged
	repo  Repo
	index *Index
	size  int // of an id
	pack  packWriter
	dirty map[string]bool // directories that differ from HEAD
	left  []string
}

// own are the files of this repository: of one within git only records the commit, if it
// tracks it at all.
func (w *keeper) own() []File {
	var within []string
	for _, f := range w.Files {
		if f.Mode == modeSubmodule {
			within = append(within, strings.TrimSuffix(f.Path, ".git"))
		}
	}
	files := w.Files
	if len(within) > 0 {
		files = slices.DeleteFunc(slices.Clone(files), func(f File) bool {
			return slices.ContainsFunc(within, func(dir string) bool { return strings.HasPrefix(f.Path, dir) })
		})
	}
	for _, e := range w.index.entries {
		if e.mode == modeSubmodule && e.stage == 0 {
			i, _ := slices.BinarySearchFunc(files, e.path, byPath)
			files = slices.Insert(slices.Clip(files), i, File{e.path, e.mode, e.oid})
		}
	}
	return files
}

// findDirty finds the directories that differ from HEAD, and the files to store.
func (w *keeper) findDirty() (store map[string]bool) {
	touch := func(p string) {
		for dir := path.Dir(p); !w.dirty[dir]; dir = path.Dir(dir) {
			w.dirty[dir] = true
			if dir == "." {
				return
			}
		}
	}
	store = map[string]bool{}
	for _, ch := range w.Status.Changes {
		p := strings.TrimSuffix(ch.Path, "/")
		touch(p)
		if ch.Orig != "" {
			touch(ch.Orig)
		}
		store[p] = true
	}
	// Both lists are sorted. What git does not look at is stored as it is; what it calls
	// unchanged otherwise only has other line endings.
	entries := w.index.entries
	for _, f := range w.Files {
		for len(entries) > 0 && entries[0].path < f.Path {
			touch(entries[0].path) // it is gone
			entries = entries[1:]
		}
		if len(entries) == 0 || entries[0].path != f.Path || entries[0].hidden && entries[0].oid != f.ID {
			store[f.Path] = true
			touch(f.Path)
		}
		for len(entries) > 0 && entries[0].path == f.Path { // several while there is a conflict
			entries = entries[1:]
		}
	}
	for _, e := range entries {
		touch(e.path)
	}
	for _, p := range w.Leave {
		touch(p + "/any")
	}
	if w.Status.Head == "" {
		for _, f := range w.Files {
			touch(f.Path)
		}
	}
	return store
}

// trees writes what differs, bottom up, and returns the id of the root. Files are sorted by
// path, so a directory is complete at the first path outside it.
func (w *keeper) trees(ctx context.Context) ([]byte, error) {
	store := w.findDirty()
	known := cachedTrees(w.index.trees, w.size)
	root := &keptTree{}
	stack := []*keptTree{root}
	closeTo := func(depth int) error {
		for len(stack) > depth {
			t := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			id, err := w.tree(t)
			if err != nil {
				return err
			}
			stack[len(stack)-1].add(0o40000, path.Base(t.dir), id)
		}
		return nil
	}
files:
	for i := 0; i < len(w.Files); i++ {
		f := w.Files[i]
		dir := path.Dir(f.Path)
		if dir == "." {
			dir = ""
		}
		for !inside(dir, stack[len(stack)-1].dir) {
			if err := closeTo(len(stack) - 1); err != nil {
				return nil, err
			}
		}
		for top := stack[len(stack)-1].dir; top != dir; top = stack[len(stack)-1].dir {
			next := below(top, dir)
			if id := known[next]; id != "" && !w.dirty[next] { // the whole directory is unchanged in git
				stack[len(stack)-1].add(0o40000, path.Base(next), []byte(id))
				skip, _ := slices.BinarySearchFunc(w.Files[i:], next+"0", byPath)
				i += skip - 1
				continue files
			}
			stack = append(stack, &keptTree{dir: next})
		}
		id, err := w.blob(f, store[f.Path])
		if err != nil {
			return nil, err
		}
		if id != nil {
			stack[len(stack)-1].add(f.Mode, path.Base(f.Path), id)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if err := closeTo(1); err != nil {
		return nil, err
	}
	return w.tree(root)
}

// inside reports whether dir is top or below it; "" is the root.
func inside(dir, top string) bool {
	return top == "" || dir == top || strings.HasPrefix(dir, top) && len(dir) > len(top) && dir[len(top)] == '/'
}

// below is the next directory on the path from top to dir.
func below(top, dir string) string {
	rest := dir
	if top != "" {
		rest = dir[len(top)+1:]
	}
	name, _, _ := strings.Cut(rest, "/")
	return path.Join(top, name)
}

// keptTree is a directory while it is built.
type keptTree struct {
	dir     string // "" for the root
	entries []keptEntry
}

type keptEntry struct {
	sort, name string
	mode       uint32
	id         []byte
}

func (t *keptTree) add(mode uint32, name string, id []byte) {
	e := keptEntry{sort: name, name: name, mode: mode, id: id}
	if mode == 0o40000 {
		e.sort += "/" // how git sorts directories among files
	}
	t.entries = append(t.entries, e)
}

// tree is the id of a directory, which is written where it differs from HEAD.
func (w *keeper) tree(t *keptTree) ([]byte, error) {
	slices.SortFunc(t.entries, func(a, b keptEntry) int { return strings.Compare(a.sort, b.sort) })
	var b []byte
	for _, e := range t.entries {
		if len(e.id) == 0 {
			continue // a directory of which nothing is stored
		}
		b = strconv.AppendUint(b, uint64(e.mode), 8)
		b = append(b, ' ')
		b = append(b, e.name...)
		b = append(b, 0)
		b = append(b, e.id...)
	}
	if len(b) == 0 && t.dir != "" {
		return nil, nil
	}
	if dir := t.dir; !w.dirty[dir] && !(dir == "" && w.dirty["."]) {
		return objectID(newHash(w.size), "tree", b), nil
	}
	return w.pack.add("tree", b)
}

// blob is the id of a stored file; nil for one that is not stored.
func (w *keeper) blob(f File, store bool) ([]byte, error) {
	i, tracked := w.index.find(f.Path)
	if tracked && (!store || f.Mode == modeSubmodule || w.index.entries[i].oid == f.ID) {
		return []byte(w.index.entries[i].oid), nil // the repository has it
	}
	name := filepath.Join(w.repo.Root, filepath.FromSlash(f.Path))
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return nil, nil //nolint:nilerr // gone a moment ago
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(name)
		if err != nil {
			return nil, nil //nolint:nilerr // gone a moment ago
		}
		return w.pack.add("blob", []byte(target))
	case !tracked && info.Size() > maxKept:
		w.left = append(w.left, f.Path)
		return nil, nil
	}
	content, err := safefile.Read("", name, maxFile)
	if err != nil {
		return nil, nil //nolint:nilerr // unreadable, or gone a moment ago
	}
	return w.pack.add("blob", content)
}
