package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/safefile"
)

// Policy is the content of .gauntlet/**, read once: what is trusted, what is
// parsed and what is shown to a person are the same bytes. Keys are paths below
// .gauntlet, with slashes.
type Policy map[string]PolicyFile

// PolicyFile is one file, or why it cannot be read.
type PolicyFile struct {
	Data []byte
	Err  error
}

// Bounds of a policy.
const (
	maxPolicyFiles = 2000
	maxPolicyDepth = 8
)

// ReadPolicy reads .gauntlet/** of the project at root. Hidden files and the
// backups of editors are not part of it.
func ReadPolicy(root string) Policy {
	p := Policy{}
	p.walk(root, filepath.Join(root, Dir), "", 0)
	return p
}

// walk reads a directory of the policy at top; no link leaves root.
func (p Policy) walk(root, top, dir string, depth int) {
	at := filepath.Join(top, filepath.FromSlash(dir))
	entries, err := safefile.ReadDir(root, at, maxPolicyFiles)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			p[cleanName(dir)] = PolicyFile{Err: err}
		}
		return
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."), strings.HasSuffix(e.Name(), "~"), len(p) >= maxPolicyFiles:
		case e.IsDir() && name == File:
			p[name] = PolicyFile{Err: safefile.ErrNotRegular}
		case e.IsDir() && depth < maxPolicyDepth:
			p.walk(root, top, name, depth+1)
		case e.IsDir():
			p[name] = PolicyFile{Err: errors.New("is nested too deeply")}
		default:
			data, err := safefile.Read(root, filepath.Join(top, filepath.FromSlash(name)), maxFile)
			p[name] = PolicyFile{Data: data, Err: err}
		}
	}
}

// cleanName is the name of a directory that cannot be listed; .gauntlet itself is reported
// as its config.yml.
func cleanName(dir string) string {
	if dir == "" {
		return File
	}
	return dir
}

// Names lists the files, sorted.
func (p Policy) Names() []string { return slices.Sorted(maps.Keys(p)) }

// Digest identifies the content of the whole policy.
func (p Policy) Digest() string {
	h := sha256.New()
	for _, name := range p.Names() {
		f := p[name]
		state := "file"
		if f.Err != nil {
			state = "unreadable" // the text of an error differs between systems
		}
		fmt.Fprintf(h, "%s %d:%s%d:", state, len(name), name, len(f.Data))
		h.Write(f.Data)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// in lists the files directly in a directory.
func (p Policy) in(dir string) []string {
	var out []string
	for _, name := range p.Names() {
		if path.Dir(name) == dir {
			out = append(out, path.Base(name))
		}
	}
	return out
}

// read is a file's text for the parser; shown is its name in errors.
func (p Policy) read(name, shown string) ([]byte, *Error) {
	f, ok := p[name]
	if !ok {
		return nil, &Error{File: shown, Msg: openProblem(fs.ErrNotExist)}
	}
	if f.Err != nil {
		return nil, &Error{File: shown, Msg: openProblem(f.Err)}
	}
	return plainText(f.Data, shown)
}

// mentions reports whether one of words occurs in config.yml. A file that cannot be read,
// or could spell a word in another way, counts as a mention.
func (p Policy) mentions(words ...string) bool {
	f := p[File]
	return f.Err != nil || mentionsAny(f.Data, words)
}

func mentionsAny(data []byte, words []string) bool {
	return bytes.ContainsAny(data, "\\\x00") || slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(data, []byte(w)) })
}

// beside is the policy whose config.yml, or directory, file is.
func beside(root, file string) source {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		if _, err := os.Stat(filepath.Join(file, Dir, File)); err == nil {
			file = filepath.Join(file, Dir)
		}
		file = filepath.Join(file, File)
	}
	dir := filepath.Dir(file)
	from := source{policy: Policy{}, config: filepath.ToSlash(file), gates: filepath.ToSlash(dir)}
	for _, name := range []string{ChecksDir, ReviewsDir} {
		from.policy.walk(dir, dir, name, 1)
	}
	if len(from.policy) == 0 { // it has no gates of its own
		from.policy, from.gates = ReadPolicy(root), Dir
	}
	data, err := safefile.ReadLinked(file, maxFile)
	from.policy[File] = PolicyFile{Data: data, Err: err}
	return from
}
