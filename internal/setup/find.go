package setup

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/tasks"
)

// Project is one directory with a manifest.
type Project struct {
	Dir      string `json:"dir"`
	Kind     string `json:"kind"`
	Tool     string `json:"tool"` // go, npm, pnpm, yarn, bun, uv, poetry, pip, cargo, maven, gradle, …
	Manifest string `json:"manifest"`
}

// Result is what was found.
type Result struct {
	Projects  []Project
	Proposals []Proposal
	Refusals  []Refusal
	Notes     []string
	// Unrun are test commands whose tool is missing here. They are no gates; agents may have
	// the tool, so the checkpoint asks for them.
	Unrun []Proposal
}

const (
	maxDepth   = 3     // directories below the root
	maxVisited = 4_000 // looked into
	maxRead    = 1 << 20
	maxDirs    = 16 // with gates of their own
	maxGates   = 8  // of one directory
)

// Find reads the files of a repository.
func Find(root fs.FS) Result { return find(root, maxVisited) }

func find(root fs.FS, limit int) Result {
	f := &finder{fsys: root, set: tasks.New(root), limit: limit}
	f.visit(".", 0)
	f.ci()
	for _, phase := range []func(*directory){(*directory).runners, (*directory).hooks, (*directory).manifests} {
		for _, d := range f.dirs {
			phase(d)
		}
	}
	f.settle()
	return f.out
}

type finder struct {
	fsys    fs.FS
	set     *tasks.Set
	out     Result
	dirs    []*directory
	visited int // looked into so far, and at most
	limit   int
}

func (f *finder) note(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if !slices.Contains(f.out.Notes, note) {
		f.out.Notes = append(f.out.Notes, note)
	}
}

func (f *finder) visit(dir string, depth int) {
	if f.visited++; f.visited > f.limit {
		return
	}
	entries, err := fs.ReadDir(f.fsys, dir)
	if err != nil {
		f.note("%s cannot be read: %v", dir, err)
		return
	}
	d := &directory{finder: f, dir: dir, names: map[string]bool{}}
	for _, e := range entries {
		if e.Name() == ".git" && dir != "." {
			return // another repository, or a submodule: it has its own gates
		}
		if e.IsDir() {
			d.subs = append(d.subs, e.Name())
		} else {
			d.names[e.Name()] = true
		}
	}
	d.identify()
	if len(d.kinds) > 0 || len(f.set.In(dir)) > 0 || dir == "." {
		f.dirs = append(f.dirs, d)
		f.out.Projects = append(f.out.Projects, d.kinds...)
	}
	if depth == maxDepth {
		return
	}
	for _, sub := range d.subs {
		if !isFixture(sub) && !f.exists(path.Join(dir, sub, "pyvenv.cfg")) {
			f.visit(path.Join(dir, sub), depth+1)
		}
	}
}

// isFixture reports whether a directory contains third-party code, build output, or
// samples.
func isFixture(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "template") || strings.HasPrefix(name, "test_") || strings.HasPrefix(name, "test-") {
		return true
	}
	for _, end := range []string{"-test", "-tests", "-e2e", "-example", "-examples", "-fixtures", "-benchmark", "-benchmarks", "-demo", "-demos", "-playground"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return slices.Contains([]string{
		"node_modules", "bower_components", "vendor", "third_party", "third-party", "thirdparty", "external", "contrib", "deps",
		"target", "dist", "build", "out", "bin", "obj", "coverage", "venv", "env", "site-packages", "gauntlet_logs",
		"testdata", "test-data", "test_data", "fixture", "fixtures", "test", "tests", "spec", "specs", "e2e", "integration-tests", "mocks",
		"example", "examples", "sample", "samples", "demo", "demos", "playground", "playgrounds", "sandbox", "sandboxes",
		"tutorial", "tutorials", "snippets", "starter", "starters", "boilerplate", "skeleton", "cookbook", "fuzz", "bench", "benches", "benchmark", "benchmarks",
	}, name)
}

// inFixture reports whether some part of the path is a fixture.
func inFixture(dir string) bool {
	return dir != "." && slices.ContainsFunc(strings.Split(dir, "/"), isFixture)
}

// inSample is inFixture for what CI runs by name: the directory of the tests is no sample.
func inSample(dir string) bool {
	return dir != "." && slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return isFixture(part) && !slices.Contains([]string{"test", "tests", "spec", "specs"}, part)
	})
}
