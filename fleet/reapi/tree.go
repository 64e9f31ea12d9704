package reapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"google.golang.org/protobuf/proto"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
)

// blob is content to upload: bytes in memory or a file on disk.
type blob struct {
	digest *repb.Digest
	data   []byte
	file   string // read when it is sent; "" for data
}

// maxInputs bounds what is uploaded for one gate.
const maxInputs = 2 << 30

// tree builds the Merkle tree of files (slash-separated paths below root) and of the
// directory in which the command runs, and returns the root directory's digest and
// everything to upload.
func tree(root, dir string, files []string) (*repb.Digest, map[string]blob, error) {
	dirs := map[string]*repb.Directory{"": {}}
	blobs := map[string]blob{}
	makeDirs(dirs, path.Clean(dir)) // it may contain no file
	total := int64(0)
	for _, p := range files {
		p = path.Clean(p)
		if !filepath.IsLocal(filepath.FromSlash(p)) {
			return nil, nil, fmt.Errorf("%q is not below the project", p)
		}
		full := filepath.Join(root, filepath.FromSlash(p))
		info, err := os.Lstat(full)
		if os.IsNotExist(err) {
			continue // deleted: part of the key, not of the tree
		}
		if err != nil {
			return nil, nil, err
		}
		dir := makeDirs(dirs, path.Dir(p))
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(full)
			if err != nil {
				return nil, nil, err
			}
			dir.Symlinks = append(dir.Symlinks, &repb.SymlinkNode{Name: path.Base(p), Target: filepath.ToSlash(target)})
		case info.Mode().IsRegular():
			if total += info.Size(); total > maxInputs {
				return nil, nil, fmt.Errorf("inputs are larger than %d GB: narrow `inputs` of the check", maxInputs>>30)
			}
			d, err := digestFile(full)
			if err != nil {
				return nil, nil, err
			}
			blobs[d.GetHash()] = blob{digest: d, file: full}
			dir.Files = append(dir.Files, &repb.FileNode{Name: path.Base(p), Digest: d, IsExecutable: info.Mode()&0o111 != 0})
		}
	}
	rootDigest, err := seal(dirs, "", blobs)
	return rootDigest, blobs, err
}

// makeDirs returns the directory at p, making those above it.
func makeDirs(dirs map[string]*repb.Directory, p string) *repb.Directory {
	if p == "." || p == "/" {
		p = ""
	}
	if d := dirs[p]; d != nil {
		return d
	}
	parent := makeDirs(dirs, path.Dir(p))
	parent.Directories = append(parent.Directories, &repb.DirectoryNode{Name: path.Base(p)})
	dirs[p] = &repb.Directory{}
	return dirs[p]
}

// seal computes the digest of a directory after those below it; the protocol requires every
// list to be sorted by name.
func seal(dirs map[string]*repb.Directory, p string, blobs map[string]blob) (*repb.Digest, error) {
	d := dirs[p]
	for _, node := range d.GetDirectories() {
		digest, err := seal(dirs, strings.TrimPrefix(p+"/"+node.GetName(), "/"), blobs)
		if err != nil {
			return nil, err
		}
		node.Digest = digest
	}
	sort.Slice(d.GetDirectories(), func(i, j int) bool { return d.GetDirectories()[i].GetName() < d.GetDirectories()[j].GetName() })
	sort.Slice(d.GetFiles(), func(i, j int) bool { return d.GetFiles()[i].GetName() < d.GetFiles()[j].GetName() })
	sort.Slice(d.GetSymlinks(), func(i, j int) bool { return d.GetSymlinks()[i].GetName() < d.GetSymlinks()[j].GetName() })
	return message(d, blobs)
}

// message adds a protobuf message to the upload.
func message(m proto.Message, blobs map[string]blob) (*repb.Digest, error) {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	d := digest(b)
	blobs[d.GetHash()] = blob{digest: d, data: b}
	return d, nil
}

func digest(b []byte) *repb.Digest {
	sum := sha256.Sum256(b)
	return &repb.Digest{Hash: hex.EncodeToString(sum[:]), SizeBytes: int64(len(b))}
}
