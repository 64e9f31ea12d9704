package config

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"

	"gauntlet/internal/safefile"
)

// Mentions reports whether one of words stands anywhere in the project's
// config.yml or in the user's own: a look at the bytes that saves the parser
// when a setting can only have its default. What cannot be read, or could spell
// a word in another way, counts as a mention.
func Mentions(root string, getenv func(string) string, words ...string) bool {
	for _, read := range []func() ([]byte, error){
		func() ([]byte, error) { return safefile.Read(root, filepath.Join(root, Dir, File), maxFile) },
		func() ([]byte, error) { return readGlobal(getenv) },
	} {
		data, err := read()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
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

// readGlobal reads the user's own configuration.
func readGlobal(getenv func(string) string) ([]byte, error) {
	path := GlobalPath(getenv)
	if path == "" {
		return nil, fs.ErrNotExist
	}
	return safefile.ReadLinked(path, maxFile)
}
