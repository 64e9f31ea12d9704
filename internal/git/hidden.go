package git

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // git's own name for content
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/safefile"
)

// hiddenChanges are files that differ although git ignores their changes (assume-unchanged,
// skip-worktree) or cannot see them. In a sparse checkout a missing file is normal.
func (r Repo) hiddenChanges(index *Index) []Change {
	if index == nil {
		return nil // a format that only git knows
	}
	var out []Change
	backdated := r.backdated(index.entries)
	for _, e := range index.entries {
		if !e.hidden && !backdated[e.path] || e.stage != 0 || e.mode&0o170000 != 0o100000 {
			continue
		}
		data, err := safefile.Read(r.Root, filepath.Join(r.Root, filepath.FromSlash(e.path)), maxHashed)
		switch {
		case os.IsNotExist(err) || err != nil && e.skipped:
			if !e.skipped {
				out = append(out, Change{Path: e.path, Index: '.', Worktree: 'D', Hidden: true})
			}
		case err != nil || blobID(data, len(e.oid)) != e.oid:
			out = append(out, Change{Path: e.path, Index: '.', Worktree: 'M', Hidden: true, Raw: !e.hidden})
		}
	}
	return out
}

// maxBackdated bounds how many files are checked again.
const maxBackdated = 2000

// backdated are the files that git considers unchanged although they were touched after
// they were added: within the same second, and with the time of their content set back, so
// that git does not even call them racy.
func (r Repo) backdated(entries []indexEntry) map[string]bool {
	var out map[string]bool
	root, err := safefile.OpenDir(r.Root)
	if err != nil {
		return nil
	}
	defer root.Close() //nolint:errcheck // read only
	n := 0
	for _, e := range entries {
		if e.hidden || e.stat.ctime <= e.stat.mtime+1 || e.stat.ctimeNS == 0 {
			continue
		}
		if n++; n > maxBackdated {
			break
		}
		now, ok := statAt(int(root.Fd()), e.path)
		if ok && now.ctime == e.stat.ctime && now.mtime == e.stat.mtime && now.size == e.stat.size && now.ctimeNS != e.stat.ctimeNS {
			if out == nil {
				out = map[string]bool{}
			}
			out[e.path] = true
		}
	}
	return out
}

// blobID is the binary object id of a file's content.
func blobID(data []byte, size int) string {
	h := sha1.New() //nolint:gosec // git's own name for content
	if size == sha256.Size {
		h = sha256.New()
	}
	return string(objectID(h, "blob", data))
}

// objectID is the binary id that git gives to content of a kind.
func objectID(h hash.Hash, kind string, data []byte) []byte {
	h.Write(idHeader(kind, int64(len(data))))
	h.Write(data)
	return h.Sum(nil)
}

// idHeader is what git puts before the content of an object to compute its id.
func idHeader(kind string, size int64) []byte {
	return []byte(kind + " " + strconv.FormatInt(size, 10) + "\x00")
}

// UntrackedUnder lists the untracked files as git would see them with another list of
// excludes in place of the repository's own.
func (r Repo) UntrackedUnder(ctx context.Context, excludes string) ([]Change, error) {
	args := []string{"ls-files", "--others", "-z", "--exclude-per-directory=.gitignore"}
	for line := range strings.Lines(excludes) {
		args = append(args, "--exclude="+strings.TrimRight(line, "\n"))
	}
	out, err := r.Run(ctx, args...)
	if err != nil {
		return nil, err
	}
	var list []Change
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p != "" && !IsBytecode(p) {
			list = append(list, Change{Path: p, Index: '.', Worktree: '?', Untracked: true})
		}
	}
	return list, nil
}

// Unfiltered lists the tracked files that one of these filter drivers applies to and whose
// content on disk is not what the index has: what a clean filter hides.
func (r Repo) Unfiltered(ctx context.Context, drivers []string) ([]Change, error) {
	names, err := r.Run(ctx, "ls-files", "-z")
	if err != nil || len(drivers) == 0 {
		return nil, err
	}
	out, err := r.RunWith(ctx, Opts{Stdin: bytes.NewReader(names)}, "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	var paths []string
	f := strings.Split(string(out), "\x00") // path, "filter", driver
	for i := 0; i+2 < len(f); i += 3 {
		if slices.Contains(drivers, f[i+2]) {
			paths = append(paths, f[i])
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	entries, err := r.IndexEntries(ctx, paths...)
	if err != nil {
		return nil, err
	}
	var list []Change
	for _, p := range paths {
		oid, err := hex.DecodeString(entries[p].OID)
		if err != nil || !strings.HasPrefix(entries[p].Mode, "100") {
			continue
		}
		data, err := safefile.Read(r.Root, filepath.Join(r.Root, filepath.FromSlash(p)), maxHashed)
		if err != nil || blobID(data, len(oid)) != string(oid) {
			list = append(list, Change{Path: p, Index: '.', Worktree: 'M', Hidden: true, Raw: true})
		}
	}
	return list, nil
}
