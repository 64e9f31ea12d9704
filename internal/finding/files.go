package finding

import (
	"bytes"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// files knows the project's files by the names that reports give them.
type files struct {
	src    Source
	placed map[string]place
	texts  map[string][][]byte
	size   int
}

type place struct {
	path   string
	inside bool
}

// maxTexts bounds how much of the project is kept in memory for the text of lines.
const maxTexts = 64 << 20

func newFiles(src Source) *files {
	return &files{src: src, placed: map[string]place{}, texts: map[string][][]byte{}}
}

// place turns a tool's name for a file into a path relative to the project root. A name
// that leads out of the project, or that no file can have, is not inside.
func (f *files) place(name string) (string, bool) {
	if p, ok := f.placed[name]; ok {
		return p.path, p.inside
	}
	var p place
	p.path, p.inside = f.find(name)
	f.placed[name] = p
	return p.path, p.inside
}

func (f *files) find(name string) (string, bool) {
	if rest, ok := strings.CutPrefix(name, "file://"); ok {
		if u, err := url.PathUnescape(rest); err == nil {
			name = u
		}
		if len(name) > 2 && name[0] == '/' && name[2] == ':' { // file:///C:/dir
			name = name[1:]
		}
	}
	if name == "" || len(name) > 4096 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }) {
		return "", false
	}
	name = strings.ReplaceAll(name, "\\", "/")
	if path.IsAbs(name) || filepath.IsAbs(filepath.FromSlash(name)) || len(name) > 1 && name[1] == ':' {
		return f.below(name)
	}
	dir := path.Clean(f.src.Dir)
	joined := path.Join(dir, name)
	if strings.HasPrefix(joined, "../") || joined == ".." || joined == "." || joined == dir {
		return "", false
	}
	// Relative to where the tool ran, or to the project root.
	if plain := path.Clean(name); dir != "." && plain != joined && !strings.HasPrefix(plain, "../") && f.lines(joined) == nil && f.lines(plain) != nil {
		return plain, true
	}
	return joined, true
}

// below makes an absolute path relative to the project.
func (f *files) below(name string) (string, bool) {
	root := filepath.ToSlash(f.src.Root)
	if root == "" {
		return "", false
	}
	rest, ok := strings.CutPrefix(path.Clean(name), strings.TrimSuffix(root, "/")+"/")
	if !ok || rest == "" {
		return "", false
	}
	return rest, true
}

// lines is the text of a file of the project, nil when it cannot be read.
func (f *files) lines(name string) [][]byte {
	if lines, ok := f.texts[name]; ok {
		return lines
	}
	var lines [][]byte
	if f.src.Text != nil && f.size < maxTexts {
		if text := f.src.Text(name); text != nil {
			f.size += len(text)
			lines = bytes.Split(text, []byte("\n"))
		}
	}
	f.texts[name] = lines
	return lines
}

// line is the text of one line without its indentation, nil when unknown.
func (f *files) line(name string, n int) []byte {
	if name == "" || n <= 0 {
		return nil
	}
	if lines := f.lines(name); n <= len(lines) {
		return bytes.TrimSpace(lines[n-1])
	}
	return nil
}
