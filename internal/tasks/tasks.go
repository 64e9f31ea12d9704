package tasks

import (
	"io/fs"
	"path"
	"strings"

	"gauntlet/internal/safefile"
)

// File is one task file.
type File struct {
	Name    string // its name in its directory
	Runner  string // the program that runs its recipes: make, just, task, npm, composer, mise, deno, poe, pdm, hatch, nx, moon, tox, nox, cargo
	Recipes []Recipe
}

// Recipe is one entry of a task file.
type Recipe struct {
	Name  string
	Needs []string // recipes that run before it
	Lines []string // shell lines, variables replaced as far as the file defines them; see ignoreMark
	Dir   string   // where it runs, relative to the file; "" beside it
}

// Find returns the recipe of a name.
func (f File) Find(name string) (Recipe, bool) {
	for _, r := range f.Recipes {
		if r.Name == name {
			return r, true
		}
	}
	return Recipe{}, false
}

// rule is the recipe that a call of a name runs: its own, or that of a pattern.
func (f File) rule(name string) (Recipe, bool) {
	if r, ok := f.Find(name); ok {
		return r, true
	}
	return f.byPattern(name)
}

const (
	maxFile    = 1 << 20
	maxRecipes = 2_000
)

// Set is the task files of a tree; each directory is read once, on demand.
type Set struct {
	fsys fs.FS
	dirs map[string][]File
}

// New returns the task files of a tree.
func New(fsys fs.FS) *Set { return &Set{fsys: fsys, dirs: map[string][]File{}} }

// Of returns the task files of the project at root, opened as untrusted files: regular
// ones, reached by no link that leaves the project.
func Of(root string) *Set { return New(safefile.FS(root)) }

// In returns the task files of a directory (a slash path, "." for the root).
func (s *Set) In(dir string) []File {
	dir = path.Clean(dir)
	if files, ok := s.dirs[dir]; ok {
		return files
	}
	var files []File
	for _, read := range []func(dir string) (File, bool){
		s.makefile, s.justfile, s.taskfile, s.packageJSON, s.composer, s.deno, s.mise, s.poe, s.pdm, s.hatch,
		s.nxTargets, s.moonTasks, s.tox, s.nox, s.cargo,
	} {
		if f, ok := read(dir); ok {
			f.Recipes = f.Recipes[:min(len(f.Recipes), maxRecipes)]
			files = append(files, f)
		}
	}
	s.dirs[dir] = files
	return files
}

// By returns the file of a directory that a program reads. The package managers
// of Node all read package.json.
func (s *Set) By(runner, dir string) (File, bool) {
	switch runner {
	case "pnpm", "yarn", "bun":
		runner = "npm"
	case "gmake":
		runner = "make"
	case "go-task":
		runner = "task"
	}
	for _, f := range s.In(dir) {
		if f.Runner == runner {
			return f, true
		}
	}
	return File{}, false
}

// text reads a bounded regular file; "" when there is none.
func (s *Set) text(dir string, names ...string) (name, text string) {
	for _, n := range names {
		p := path.Join(dir, n)
		if !fs.ValidPath(p) {
			continue
		}
		info, err := fs.Stat(s.fsys, p)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			continue
		}
		data, err := fs.ReadFile(s.fsys, p)
		if err != nil {
			continue
		}
		text := strings.TrimPrefix(string(data), "\ufeff")
		return n, strings.ReplaceAll(text, "\r\n", "\n")
	}
	return "", ""
}
