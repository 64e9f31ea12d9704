package git

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Head is the commit HEAD names, "" when there is none yet.
func (r Repo) Head(ctx context.Context) (string, error) {
	if b, err := r.readOwn("HEAD", maxPointer); err == nil {
		line := strings.TrimSpace(string(b))
		ref, symbolic := strings.CutPrefix(line, "ref: ")
		if !symbolic && isOID(line) {
			return line, nil
		}
		if oid, ok := r.ReadRef(ref); ok {
			return oid, nil
		}
	}
	out, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if ge, ok := errors.AsType[*Error](err); ok && ge.ExitCode == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// Blob reads a file as the index (":path") or a commit ("HEAD:path") has it;
// ok is false when it has none.
func (r Repo) Blob(ctx context.Context, spec string) (content []byte, ok bool, err error) {
	out, err := r.Run(ctx, "cat-file", "blob", spec)
	if ge, ok := errors.AsType[*Error](err); ok && !ge.TimedOut {
		return nil, false, nil
	}
	return out, err == nil, err
}

// Blobs reads files as a commit has them, with one git process. Files that it does not have
// are missing from the result; ok is false when the commit itself is missing.
func (r Repo) Blobs(ctx context.Context, commit string, paths []string) (blobs map[string][]byte, ok bool, err error) {
	var in strings.Builder
	in.WriteString(commit + "\n")
	asked := make([]string, 0, len(paths))
	for _, p := range paths {
		if !strings.Contains(p, "\n") {
			in.WriteString(commit + ":" + p + "\n")
			asked = append(asked, p)
		}
	}
	out, err := r.RunWith(ctx, Opts{Stdin: strings.NewReader(in.String())}, "cat-file", "--batch")
	if err != nil {
		return nil, false, err
	}
	if _, ok, out = nextObject(out); !ok {
		return nil, false, nil
	}
	blobs = make(map[string][]byte, len(asked))
	for _, p := range asked {
		var content []byte
		if content, ok, out = nextObject(out); ok {
			blobs[p] = content
		}
	}
	return blobs, true, nil
}

// nextObject reads the next answer of `git cat-file --batch`: a header that ends in the
// size, the content, a line end; or one line for what is missing.
func nextObject(out []byte) (content []byte, ok bool, rest []byte) {
	header, rest, found := bytes.Cut(out, []byte("\n"))
	if !found {
		return nil, false, nil
	}
	f := bytes.Fields(header)
	if len(f) < 3 || !isOID(string(f[0])) {
		return nil, false, rest
	}
	size, err := strconv.Atoi(string(f[len(f)-1]))
	if err != nil || size < 0 || size > len(rest) {
		return nil, false, rest
	}
	return rest[:size], true, bytes.TrimPrefix(rest[size:], []byte("\n"))
}

// IndexEntries are the entries of some paths in the user's index, by path: mode
// and object id.
func (r Repo) IndexEntries(ctx context.Context, paths ...string) (map[string]TreeEntry, error) {
	if entries, ok := r.readEntries(paths); ok {
		return entries, nil
	}
	out, err := r.Run(ctx, append([]string{"--literal-pathspecs", "ls-files", "--stage", "-z", "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	entries := map[string]TreeEntry{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if ok && len(f) == 3 {
			entries[path] = TreeEntry{Path: path, Mode: f[0], OID: f[1]}
		}
	}
	return entries, nil
}

// readEntries is IndexEntries without a git process; ok is false when only git
// knows.
func (r Repo) readEntries(paths []string) (map[string]TreeEntry, bool) {
	b, err := r.readOwn("HEAD", maxPointer)
	if err != nil {
		return nil, false
	}
	ref, _ := strings.CutPrefix(strings.TrimSpace(string(b)), "ref: ")
	head, ok := r.ReadRef(ref)
	if !ok {
		return nil, false // the length of an object id is unknown
	}
	text, err := r.readIndexFile()
	if err != nil {
		return nil, false
	}
	all, ok := readIndex(text, len(head)/2)
	if !ok {
		return nil, false
	}
	entries := map[string]TreeEntry{}
	for _, e := range all {
		if slices.Contains(paths, e.Path) {
			entries[e.Path] = e
		}
	}
	return entries, true
}

// Ignored reports whether git ignores a path that it does not track.
func (r Repo) Ignored(ctx context.Context, path string) (bool, error) {
	_, err := r.Run(ctx, "check-ignore", "--quiet", "--", path)
	if ge, ok := errors.AsType[*Error](err); ok && ge.ExitCode == 1 {
		return false, nil
	}
	return err == nil, err
}

// Difference is one file that differs between two trees.
type Difference struct {
	Status string `json:"status"` // A, M, D or T, as git has it
	Path   string `json:"path"`
}

// Compare lists what differs from one tree to another; from is "" for the empty
// tree.
func (r Repo) Compare(ctx context.Context, from, to string) ([]Difference, error) {
	if from == "" {
		out, err := r.RunWith(ctx, Opts{Stdin: strings.NewReader("")}, "mktree")
		if err != nil {
			return nil, err
		}
		from = strings.TrimSpace(string(out))
	}
	out, err := r.Run(ctx, "diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to)
	if err != nil {
		return nil, err
	}
	files := []Difference{}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		files = append(files, Difference{Status: fields[i], Path: fields[i+1]})
	}
	return files, nil
}
