package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Mentions reports whether one of words stands anywhere in the project's
// config.yml or in the user's own: a look at the bytes that saves the parser
// when a setting can only have its default. What cannot be read, or could spell
// a word in another way, counts as a mention.
func Mentions(root string, getenv func(string) string, words ...string) bool {
	for _, path := range []string{filepath.Join(root, Dir, File), GlobalPath(getenv)} {
		if path == "" {
			continue
		}
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !info.Mode().IsRegular() {
			return true
		}
		data, err := os.ReadFile(path)
		if err != nil || bytes.ContainsAny(data, "\\\x00") {
			return true
		}
		for _, w := range words {
			if bytes.Contains(data, []byte(w)) {
				return true
			}
		}
	}
	return false
}
