package safefile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// FS is the tree below root for code that reads through an fs.FS: files are
// opened as Open opens them, directories are listed as ReadDir lists them. Stat
// opens nothing, so it follows links wherever they lead.
func FS(root string) fs.FS { return tree(root) }

type tree string

func (t tree) path(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return filepath.Join(string(t), filepath.FromSlash(name)), nil
}

// Open opens a regular file; a directory is an error.
func (t tree) Open(name string) (fs.File, error) {
	path, err := t.path("open", name)
	if err != nil {
		return nil, err
	}
	f, err := Open(string(t), path)
	if err != nil {
		return nil, err // a nil *os.File would not be a nil fs.File
	}
	return f, nil
}

// ReadDir implements fs.ReadDirFS.
func (t tree) ReadDir(name string) ([]fs.DirEntry, error) {
	path, err := t.path("readdir", name)
	if err != nil {
		return nil, err
	}
	return ReadDir(string(t), path, -1)
}

// Stat implements fs.StatFS.
func (t tree) Stat(name string) (fs.FileInfo, error) {
	path, err := t.path("stat", name)
	if err != nil {
		return nil, err
	}
	return os.Stat(path)
}

// Lstat implements fs.ReadLinkFS.
func (t tree) Lstat(name string) (fs.FileInfo, error) {
	path, err := t.path("lstat", name)
	if err != nil {
		return nil, err
	}
	return os.Lstat(path)
}

// ReadLink implements fs.ReadLinkFS.
func (t tree) ReadLink(name string) (string, error) {
	path, err := t.path("readlink", name)
	if err != nil {
		return "", err
	}
	return os.Readlink(path)
}
