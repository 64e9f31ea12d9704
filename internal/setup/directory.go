package setup

import (
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// directory is one directory with a manifest or a task file.
type directory struct {
	*finder
	dir   string
	names map[string]bool
	subs  []string
	kinds []Project
}

// exists reports whether a path from the root exists.
func (f *finder) exists(name string) bool {
	_, err := fs.Lstat(f.fsys, name) // a virtual environment's python is a link to outside
	return err == nil
}

// text reads a bounded regular file; "" when there is none.
func (f *finder) text(name string) string {
	info, err := fs.Stat(f.fsys, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRead {
		return ""
	}
	data, err := fs.ReadFile(f.fsys, name)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(string(data), "\ufeff")
}

// toml reads a TOML file; nil when it is not valid.
func (f *finder) toml(name string) map[string]any {
	return f.decoded(name, "TOML", toml.Unmarshal)
}

func (f *finder) decoded(name, format string, decode func([]byte, any) error) (doc map[string]any) {
	text := f.text(name)
	if text == "" {
		return nil
	}
	if err := decode([]byte(text), &doc); err != nil {
		f.note("%s is not valid %s and was left out: %v", name, format, err)
		return nil
	}
	return doc
}

// json reads a JSON file; nil when it is not valid.
func (f *finder) json(name string) map[string]any {
	return f.decoded(name, "JSON", json.Unmarshal)
}

// at follows keys into nested tables; nil when one is missing.
func at(doc map[string]any, keys ...string) any {
	var v any = doc
	for _, k := range keys {
		v = table(v)[k]
	}
	return v
}

// has reports whether one of these files is in the directory.
func (d *directory) has(names ...string) bool { return d.first(names...) != "" }

// first is the first of these files that is in the directory.
func (d *directory) first(names ...string) string {
	for _, n := range names {
		if d.names[n] {
			return n
		}
	}
	return ""
}

// ending is the first file with one of these endings, in order of the names.
func (d *directory) ending(suffixes ...string) string {
	all := slices.Sorted(maps.Keys(d.names))
	for _, s := range suffixes {
		for _, n := range all {
			if strings.HasSuffix(n, s) {
				return n
			}
		}
	}
	return ""
}

// read returns a file of the directory, "" when it cannot be read.
func (d *directory) read(name string) string { return d.text(path.Join(d.dir, name)) }

// where names a file of the directory for a person.
func (d *directory) where(name string) string { return path.Join(d.dir, name) }

// is reports whether the directory contains a project of a kind, and by which tool.
func (d *directory) is(kind string) (Project, bool) {
	for _, p := range d.kinds {
		if p.Kind == kind {
			return p, true
		}
	}
	return Project{}, false
}

// anyFile looks for a file whose name passes, in the directory and a few levels below.
func (d *directory) anyFile(match func(name string) bool) bool {
	return d.search(maxDepth+2, func(string) bool { return false }, func(file string) bool { return match(path.Base(file)) })
}

// search looks for a file that matches, in the directory and some levels below, without
// hidden directories, those of third parties and those to skip.
func (d *directory) search(levels int, skip, match func(path string) bool) bool {
	looked := 0
	var look func(dir string, depth int) bool
	look = func(dir string, depth int) bool {
		if looked++; looked > 500 {
			return false
		}
		entries, _ := fs.ReadDir(d.fsys, dir) // none: there is nothing to be found
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && match(path.Join(dir, e.Name())) }) ||
			slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
				third := slices.Contains([]string{"node_modules", "vendor", "testdata"}, e.Name())
				sub := path.Join(dir, e.Name())
				return e.IsDir() && !third && e.Name()[0] != '.' && depth < levels && !skip(sub) && look(sub, depth+1)
			})
	}
	return look(d.dir, 0)
}
