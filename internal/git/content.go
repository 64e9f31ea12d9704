package git

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's own names for content
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// File is one file of a work tree: its mode as git has it and the binary id of
// its content.
type File struct {
	Path string
	Mode uint32
	ID   string
}

func byPath(f File, path string) int { return strings.Compare(f.Path, path) }

// Content is the content of a work tree at one moment: every file that is tracked, or
// untracked and not ignored. For files that git calls clean it uses the index; only the
// others are read.
type Content struct {
	Files []File // by path
	// Unknown are paths whose content is unknown: repositories inside this one, dirty
	// submodules, files that cannot be read.
	Unknown []string
	// Unreadable are those of them that could not be read.
	Unreadable []string
	// Hidden are files that differ although git is configured to ignore their changes.
	Hidden []string

	repo    Repo
	leave   []string
	raw     map[string]bool // files whose content on disk counts, without filters
	status  Status
	oidSize int
	index   []indexEntry // entries of the index that were used without reading the file
	trees   string       // the index's list of directories
	newer   indexStat    // when the index was written: a file that is not older may have changed
	read    map[string]indexStat
	dirs    map[string]indexStat
	at      time.Time
	digest  string
}

// maxHashed is the size up to which a file is read; larger files are compared by size and
// time.
const maxHashed = 64 << 20

// Content reads the work tree. st is the result of `git status`; paths at and below leave
// do not belong to the content.
func (r Repo) Content(ctx context.Context, st Status, leave []string) (*Content, error) {
	c := &Content{repo: r, leave: leave, status: st, oidSize: r.oidSize(st.Head), raw: map[string]bool{}, read: map[string]indexStat{}, at: st.at}
	seen := st.index.take(r)
	if seen == nil {
		var err error
		if seen, err = c.readIndex(ctx); err != nil {
			return nil, err
		}
	}
	entries := seen.entries
	c.newer, c.trees, c.dirs = seen.written, seen.trees, seen.dirs
	gone, look := c.differing()
	differ := slices.Concat(gone, look)
	slices.Sort(differ)
	var hidden []indexEntry
	c.index = entries[:0]
	for i := range entries {
		e := &entries[i]
		for len(differ) > 0 && differ[0] < e.path { // both are sorted
			differ = differ[1:]
		}
		switch {
		case len(differ) > 0 && differ[0] == e.path || e.stage != 0 || c.left(e.path):
		case e.hidden:
			look = append(look, e.path)
			hidden = append(hidden, *e)
		default:
			c.index = append(c.index, *e)
		}
	}
	look = slices.DeleteFunc(look, c.left)
	slices.Sort(look)
	look = slices.Compact(look)
	files, err := c.hashAll(ctx, look)
	if err != nil {
		return nil, err
	}
	c.unhide(hidden, files)
	c.Files = merge(c.index, files)
	c.rememberDirs()
	return c, ctx.Err()
}

// unhide finds the files that differ although git is configured to ignore their changes. In
// a sparse checkout a missing file is normal.
func (c *Content) unhide(hidden []indexEntry, files []File) {
	for _, e := range hidden {
		i, found := slices.BinarySearchFunc(files, e.path, byPath)
		if found && files[i].ID != e.oid || !found && !e.skipped {
			c.Hidden = append(c.Hidden, e.path)
		}
	}
}

// readIndex reads the index, or makes git list it if only git knows the format.
func (c *Content) readIndex(ctx context.Context) (*Index, error) {
	seen, err := c.repo.seeIndex()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Index{}, nil
	case err != nil:
		return nil, fmt.Errorf("read index: %w", err)
	case seen != nil:
		return seen, nil
	}
	out, err := c.repo.Run(ctx, "ls-files", "--stage", "-v", "-z")
	if err != nil {
		return nil, err
	}
	var entries []indexEntry
	for line := range strings.SplitSeq(string(out), "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 4 {
			continue
		}
		if !isPath(path) {
			return nil, fmt.Errorf("the index names %q, which is not a path in the work tree (`git reset` writes a new index)", path)
		}
		e := indexEntry{path: path, skipped: f[0] == "S" || f[0] == "s", hidden: f[0] != strings.ToUpper(f[0]) || f[0] == "S"}
		oid, err := hex.DecodeString(f[2])
		if _, scanErr := fmt.Sscanf(f[1]+" "+f[3], "%o %d", &e.mode, &e.stage); err != nil || scanErr != nil {
			return nil, fmt.Errorf("git ls-files: unexpected line %q", line)
		}
		e.oid = string(oid)
		entries = append(entries, e)
	}
	return &Index{entries: entries}, nil
}

// oidSize is the length of a binary object id here.
func (r Repo) oidSize(head string) int {
	if head != "" {
		return len(head) / 2
	}
	if b, err := r.readCommon("config", maxConfig); err == nil && strings.Contains(strings.ToLower(string(b)), "sha256") {
		return sha256.Size
	}
	return sha1.Size
}

// differing sorts the result of `git status`: what is gone, and what has to be read.
func (c *Content) differing() (gone, dirty []string) {
	for _, ch := range c.status.Changes {
		switch {
		case ch.Raw:
			dirty = append(dirty, ch.Path)
			c.raw[ch.Path] = true
		case ch.Hidden: // the index says so too
		case ch.Submodule:
			c.unknown(ch.Path)
		case strings.HasSuffix(ch.Path, "/"): // a repository inside this one
			if path := strings.TrimSuffix(ch.Path, "/"); !c.left(path) && !c.repo.isOwnWorkTree(path) {
				c.unknown(path)
			}
		case ch.Deleted():
			gone = append(gone, ch.Path)
		case ch.Untracked, ch.Unmerged, ch.Worktree != '.':
			dirty = append(dirty, ch.Path)
		}
	}
	return gone, dirty
}

func (c *Content) unknown(path string) {
	if !c.left(path) {
		c.Unknown = append(c.Unknown, path)
	}
}

// left reports whether a path does not belong to the content.
func (c *Content) left(path string) bool {
	return slices.ContainsFunc(c.leave, func(l string) bool {
		return path == l || len(path) > len(l) && path[len(l)] == '/' && strings.HasPrefix(path, l)
	})
}

// isOwnWorkTree reports whether a repository inside this one is another work tree of it,
// which agents often create. Its files are not part of this one.
func (r Repo) isOwnWorkTree(path string) bool {
	dir := filepath.Join(r.Root, filepath.FromSlash(path))
	target, ok := readGitFile(filepath.Join(dir, ".git"), dir)
	return ok && commonDir(target) == r.CommonDir
}

// merge combines the clean files and those that were read into one list by path.
func merge(index []indexEntry, read []File) []File {
	out := make([]File, 0, len(index)+len(read))
	for _, e := range index {
		for len(read) > 0 && read[0].Path < e.path {
			out, read = append(out, read[0]), read[1:]
		}
		out = append(out, File{e.path, e.mode, e.oid})
	}
	return append(out, read...)
}

// Digest identifies the whole content, "" if a part of it is unknown.
func (c *Content) Digest() string {
	if len(c.Unknown) > 0 {
		return ""
	}
	if c.digest == "" {
		c.digest = DigestFiles(c.Files)
	}
	return c.digest
}

// maxSeen is how many files are checked in directories that git does not read.
const maxSeen = 20_000

// Sight identifies the content as far as it is visible: for unknown content it uses the
// sizes and times of the files. It shows whether anything changed, and proves nothing. ""
// if there is too much to check.
func (c *Content) Sight() string {
	if len(c.Unknown) == 0 {
		return c.Digest()
	}
	h := sha256.New()
	h.Write([]byte(DigestFiles(c.Files)))
	seen := 0
	for _, p := range c.Unknown {
		_ = fs.WalkDir(safefile.FS(c.repo.Root), path.Clean(p), func(name string, e fs.DirEntry, err error) error {
			if seen++; err != nil || seen > maxSeen {
				return fs.SkipDir
			}
			if e.Name() == ".git" {
				return skipGit(e)
			}
			if info, err := e.Info(); err == nil && !e.IsDir() {
				fmt.Fprintf(h, "%s\x00%o %d %d\x00", name, info.Mode(), info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	if seen > maxSeen {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

func skipGit(e fs.DirEntry) error {
	if e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// DigestFiles is the digest of a list of files: their paths, modes and contents.
func DigestFiles(files []File) string {
	h := sha256.New()
	const room = 8 << 10 // many files at a time: a call costs more than a name
	buf := make([]byte, 0, room)
	for i := range files {
		f := &files[i]
		if len(buf)+len(f.Path)+len(f.ID)+32 > room {
			h.Write(buf)
			buf = buf[:0]
		}
		buf = strconv.AppendInt(buf, int64(len(f.Path)), 10)
		buf = append(buf, ':')
		buf = append(buf, f.Path...)
		buf = strconv.AppendUint(buf, uint64(f.Mode), 8)
		buf = append(buf, ':')
		buf = append(buf, f.ID...)
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}
