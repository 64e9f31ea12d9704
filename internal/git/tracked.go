package git

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's own names for content
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Index reads the list of tracked files, or makes git list them if only git knows the
// format. Without one nothing is tracked.
func (r Repo) Index(ctx context.Context) (*Index, error) {
	seen, err := r.seeIndex()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Index{}, nil
	case err != nil:
		return nil, fmt.Errorf("read index: %w", err)
	case seen != nil:
		return seen, nil
	}
	out, err := r.Run(ctx, "ls-files", "--stage", "-v", "-z")
	if err != nil {
		return nil, err
	}
	x := &Index{monitored: true} // no times, no trees: git has to be asked for more
	for line := range strings.SplitSeq(string(out), "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 4 {
			continue
		}
		if !isPath(path) {
			return nil, fmt.Errorf("the index names %q, which is not a path in the work tree (`git reset` writes a new index)", path)
		}
		e := indexEntry{path: path}
		oid, err := hex.DecodeString(f[2])
		if _, scanErr := fmt.Sscanf(f[1]+" "+f[3], "%o %d", &e.mode, &e.stage); err != nil || scanErr != nil {
			return nil, fmt.Errorf("git ls-files: unexpected line %q", line)
		}
		e.oid = string(oid)
		x.entries = append(x.entries, e)
	}
	return x, nil
}

func (x *Index) find(path string) (int, bool) {
	if x == nil {
		return 0, false
	}
	return slices.BinarySearchFunc(x.entries, path, func(e indexEntry, p string) int { return strings.Compare(e.path, p) })
}

// Tracks reports whether a path is in the index.
func (x *Index) Tracks(path string) bool {
	_, ok := x.find(path)
	return ok
}

// TracksBelow reports whether the index has something in a directory.
func (x *Index) TracksBelow(dir string) bool {
	i, _ := x.find(dir + "/")
	return x != nil && i < len(x.entries) && strings.HasPrefix(x.entries[i].path, dir+"/")
}

// Has reports whether the index has a path with this very content, so that git should have
// it too.
func (x *Index) Has(f File) bool {
	i, ok := x.find(f.Path)
	return ok && x.entries[i].stage == 0 && x.entries[i].oid == f.ID
}

// IDSize is the length of a binary object id here.
func (r Repo) IDSize() int {
	if b, err := r.readCommon("config", maxConfig); err == nil && strings.Contains(strings.ToLower(string(b)), "sha256") {
		return sha256.Size
	}
	return sha1.Size
}

// BlobsByID reads contents by their binary ids, with one git process. What git does not
// have is missing from the answer; whether a content has its id is for the caller to check.
func (r Repo) BlobsByID(ctx context.Context, ids []string) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var in strings.Builder
	for _, id := range ids {
		in.WriteString(hex.EncodeToString([]byte(id)) + "\n")
	}
	out, err := r.RunWith(ctx, Opts{Stdin: strings.NewReader(in.String())}, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	blobs := make(map[string][]byte, len(ids))
	for _, id := range ids {
		var content []byte
		var ok bool
		if content, ok, out = nextObject(out); ok {
			blobs[id] = content
		}
	}
	return blobs, nil
}

func hexID(id string) string { return hex.EncodeToString([]byte(id)) }
