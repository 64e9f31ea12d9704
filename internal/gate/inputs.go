package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"gauntlet/internal/config"
	"gauntlet/internal/safefile"
)

// maxHashed is the size up to which an input's content is read; larger ones are compared by
// size and time.
const maxHashed = 64 << 20

// unlisted finds the declared inputs that the snapshot does not contain: ignored by git, or
// outside the project. A pattern that may be anywhere in the project (`**/*.go`) is not
// searched among ignored files: that would mean walking through every directory of
// dependencies at every stop.
func (j Job) unlisted(root string, listed func(string) bool) map[string]string {
	found := map[string]string{}
	for _, pattern := range j.inputPatterns() {
		base, rest := doublestar.SplitPattern(pattern)
		if base == "." && strings.Contains(rest, "**") {
			continue
		}
		dir := filepath.Join(root, filepath.FromSlash(base))
		if !config.HasMeta(rest) {
			if st, err := os.Stat(filepath.Join(dir, rest)); err == nil && st.IsDir() {
				rest += "/**"
			}
		}
		_ = doublestar.GlobWalk(safefile.FS(dir), rest, func(p string, d fs.DirEntry) error {
			if name := path.Join(base, p); !listed(name) && !d.IsDir() {
				found[name] = fingerprint(filepath.Join(dir, filepath.FromSlash(p)))
			}
			return nil
		}, doublestar.WithNoFollow()) // an unreadable directory cannot be an input
	}
	return found
}

// inputPatterns are the inputs relative to the project root: they may also be written
// relative to the entry point.
func (j Job) inputPatterns() []string {
	var out []string
	for _, in := range j.Check.Inputs {
		p := path.Clean(filepath.ToSlash(in))
		if path.IsAbs(p) || p == "." {
			continue
		}
		out = append(out, p)
		if j.Entry != "." && !config.HasMeta(j.Entry) {
			out = append(out, path.Join(j.Entry, p))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// fingerprint changes when the content of a file does.
func fingerprint(name string) string {
	f, err := safefile.OpenLinked(name)
	if err != nil {
		return "unreadable"
	}
	defer f.Close() //nolint:errcheck // read only
	st, err := f.Stat()
	if err != nil {
		return err.Error()
	}
	if !st.Mode().IsRegular() || st.Size() > maxHashed {
		return fmt.Sprint(st.Mode(), st.Size(), st.ModTime().UnixNano())
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err.Error()
	}
	return st.Mode().String() + hex.EncodeToString(h.Sum(nil))
}
