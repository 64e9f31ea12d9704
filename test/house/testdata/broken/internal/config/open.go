package config

import (
	"io/fs"
	"io/ioutil" // breaks: imports
	disk "os"
	"path/filepath"
)

func Load() ([]byte, error) {
	open := disk.ReadFile // breaks: files
	if _, err := ioutil.ReadFile("x"); err != nil {
		return nil, err
	}
	return open(".gauntlet/config.yml")
}

func List(root *disk.Root) ([]string, error) {
	read := root.ReadFile // breaks: files
	if _, err := read("x"); err != nil {
		return nil, err
	}
	for _, tree := range []fs.FS{disk.DirFS("."), root.FS()} { // breaks: files
		_, _ = tree.Open("x")
	}
	_ = filepath.WalkDir(".", nil)             // breaks: files
	return filepath.Glob(".gauntlet/checks/*") // breaks: files
}

// To look at a file and to remove it opens nothing.
func Look() error {
	if _, err := disk.Lstat("x"); err != nil {
		return err
	}
	return disk.Remove("x")
}
