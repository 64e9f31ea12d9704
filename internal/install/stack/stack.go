// Package stack tells what a repository is made of and which commands of its
// own check it: the test script that is there, the linter that is configured,
// never a command that the project does not use. Part of install (ring 3): it
// reads files through an fs.FS, runs nothing and writes nothing.
package stack

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Kinds of projects.
const (
	Go     = "go"
	Node   = "node"
	Python = "python"
	Rust   = "rust"
	Java   = "java"
	Make   = "make"
)

// Roles of commands, in the order in which they are proposed: the quick ones
// that find most first.
const (
	Lint      = "lint"
	Format    = "format"
	Typecheck = "typecheck"
	Check     = "check"
	Test      = "test"
	Build     = "build"
)

func roles() []string { return []string{Format, Lint, Typecheck, Check, Test, Build} }

// Project is one folder with a manifest.
type Project struct {
	Dir      string    `json:"dir"` // slash path from the root, "." for the root
	Kind     string    `json:"kind"`
	Tool     string    `json:"tool"` // go, npm, pnpm, yarn, bun, uv, poetry, pip, cargo, maven, gradle, make
	Manifest string    `json:"manifest"`
	Commands []Command `json:"commands"`

	// coveredBy is the folder whose workspace runs this project's commands too.
	coveredBy string
}

// Command is one command of the project.
type Command struct {
	Role string `json:"role"`
	Run  string `json:"run"`
	Why  string `json:"why"` // what in the project says so
	// Evidence are command patterns that prove it was run.
	Evidence []string `json:"-"`
}

// Result is what was found.
type Result struct {
	Projects []Project
	Notes    []string // what was seen and left out, and why
}

const (
	maxDepth   = 3     // folders below the root
	maxFolders = 4_000 // looked into
	maxRead    = 1 << 20
)

// Detect looks at the files of a repository.
func Detect(root fs.FS) Result { return detect(root, maxFolders) }

func detect(root fs.FS, limit int) Result {
	d := &detector{fsys: root, limit: limit, covered: map[string]string{}}
	d.visit(".", 0)
	slices.SortStableFunc(d.out.Projects, func(a, b Project) int {
		return strings.Compare(sortKey(a.Dir), sortKey(b.Dir))
	})
	return d.out
}

// sortKey puts the root first.
func sortKey(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}

type detector struct {
	fsys    fs.FS
	out     Result
	folders int // looked into so far, and at most
	limit   int
	// covered: kind → the folder whose workspace runs its members' commands.
	covered map[string]string
	// roles that the covering workspace has
	coveredRoles map[string]bool
}

// folder is one folder being looked at.
type folder struct {
	*detector
	dir   string
	names map[string]bool
}

func (d *detector) visit(dir string, depth int) {
	if d.folders++; d.folders > d.limit {
		return
	}
	entries, err := fs.ReadDir(d.fsys, dir)
	if err != nil {
		d.note("%s cannot be read: %v", dir, err)
		return
	}
	f := folder{detector: d, dir: dir, names: map[string]bool{}}
	for _, e := range entries {
		if e.Name() == ".git" && dir != "." {
			return // another repository, or a submodule: it has its own gates
		}
		if !e.IsDir() {
			f.names[e.Name()] = true
		}
	}
	found := f.projects()
	d.out.Projects = append(d.out.Projects, found...)
	if depth == maxDepth {
		return
	}
	undo := d.cover(dir, found)
	for _, e := range entries {
		if e.IsDir() && !skipped(e.Name()) && !d.isVirtualEnv(path.Join(dir, e.Name())) {
			d.visit(path.Join(dir, e.Name()), depth+1)
		}
	}
	undo()
}

// skipped folders hold what others wrote, what was built, or samples.
func skipped(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	switch strings.ToLower(name) {
	case "node_modules", "vendor", "third_party", "target", "dist", "build", "out", "bin", "obj", "coverage",
		"testdata", "fixtures", "example", "examples", "sample", "samples", "templates", "venv", "site-packages", "gauntlet_logs":
		return true
	}
	return false
}

func (d *detector) isVirtualEnv(dir string) bool {
	_, err := fs.Stat(d.fsys, path.Join(dir, "pyvenv.cfg"))
	return err == nil
}

// projects finds the manifests of one folder. A Makefile beside them gives the
// commands that the people here really type, so its targets go first.
func (f folder) projects() []Project {
	var found []Project
	for _, detect := range []func() (Project, bool){f.golang, f.node, f.python, f.rust, f.java} {
		if p, ok := detect(); ok {
			p.Dir = f.dir
			found = append(found, f.withoutCovered(p))
		}
	}
	m, ok := f.makefile()
	if !ok {
		return found
	}
	for i := range found {
		found[i].Commands = slices.DeleteFunc(found[i].Commands, func(c Command) bool {
			at := slices.IndexFunc(m.Commands, func(t Command) bool { return t.Role == c.Role })
			if at < 0 {
				return false
			}
			// Whoever runs what the target stands for has done it too.
			m.Commands[at].Evidence = append(m.Commands[at].Evidence, c.Evidence...)
			return true
		})
	}
	m.Dir = f.dir
	return append(found, m)
}

// withoutCovered drops what the enclosing workspace runs already.
func (f folder) withoutCovered(p Project) Project {
	if top, ok := f.covered[p.Kind]; ok {
		p.coveredBy = top
		p.Commands = slices.DeleteFunc(p.Commands, func(c Command) bool { return f.coveredRoles[p.Kind+" "+c.Role] })
	}
	return p
}

// cover notes the workspaces that begin in dir; the returned function ends them.
func (d *detector) cover(dir string, found []Project) (undo func()) {
	covered, had := d.covered, d.coveredRoles
	d.covered, d.coveredRoles = map[string]string{}, map[string]bool{}
	for k, v := range covered {
		d.covered[k] = v
	}
	for k := range had {
		d.coveredRoles[k] = true
	}
	f := folder{detector: d, dir: dir}
	for _, p := range found {
		if !f.isWorkspace(p) {
			continue
		}
		d.covered[p.Kind] = dir
		for _, q := range found { // a Makefile beside it counts too
			for _, c := range q.Commands {
				if q.Kind == p.Kind || q.Kind == Make {
					d.coveredRoles[p.Kind+" "+c.Role] = true
				}
			}
		}
	}
	return func() { d.covered, d.coveredRoles = covered, had }
}

// isWorkspace tells whether a project's own commands also run those of the
// projects below it.
func (f folder) isWorkspace(p Project) bool {
	switch p.Kind {
	case Node:
		return f.nodeWorkspace()
	case Rust:
		return tomlTables(f.read("Cargo.toml"))["workspace"]
	case Python:
		return tomlTables(f.read("pyproject.toml"))["tool.uv.workspace"]
	case Java:
		return true // modules and sub-projects are built from the top
	}
	return false
}

// has tells whether one of these files is in the folder.
func (f folder) has(names ...string) bool { return f.first(names...) != "" }

// first is the first of these files that is in the folder.
func (f folder) first(names ...string) string {
	for _, n := range names {
		if f.names[n] {
			return n
		}
	}
	return ""
}

// read returns a file of the folder, "" when it cannot be read.
func (f folder) read(name string) string {
	return readText(f.fsys, path.Join(f.dir, name))
}

func readText(fsys fs.FS, name string) string {
	info, err := fs.Stat(fsys, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRead {
		return ""
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(string(data), "\ufeff")
}

// where names a file of the folder for a person.
func (f folder) where(name string) string { return path.Join(f.dir, name) }
