package wire

import (
	"path/filepath"
	"slices"
	"strings"
)

// FolderTrust is a client's list of directories whose hooks it runs. In any
// other directory it does not run project hooks; some clients skip them silently.
type FolderTrust struct {
	// File contains the list.
	File func(Dirs) string
	// Applies reads from the client's settings whether it uses the list; nil: always.
	Applies func(settings Payload) bool
	// Trusts reads from the list whether hooks run in dir.
	Trusts func(list Payload, dir string) bool
	// Silent is set when it skips the hooks of other directories without a message.
	Silent bool
	// How describes how a person trusts a directory.
	How string
}

// Covers reports whether one of the directories is dir or above it.
func Covers(dirs []string, dir string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool {
		d = filepath.Clean(d)
		rest, ok := strings.CutPrefix(filepath.Clean(dir), d)
		return ok && (rest == "" || strings.HasPrefix(rest, string(filepath.Separator)) || strings.HasSuffix(d, string(filepath.Separator)))
	})
}

// TrustedMap is the form {"/dir":"TRUST_FOLDER","/up/dir":"TRUST_PARENT"}.
func TrustedMap(list Payload, dir string) bool {
	var dirs []string
	for name := range list {
		switch list.String(name) {
		case "TRUST_FOLDER":
			dirs = append(dirs, name)
		case "TRUST_PARENT":
			dirs = append(dirs, filepath.Dir(name))
		}
	}
	return Covers(dirs, dir)
}
