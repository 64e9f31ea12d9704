package setup

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

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
}

const (
	maxDepth   = 3     // directories below the root
	maxFolders = 4_000 // looked into
	maxRead    = 1 << 20
	maxDirs    = 16 // with gates of their own
	maxGates   = 8  // of one directory
)

// Find looks at the files of a repository.
func Find(root fs.FS) Result { return find(root, maxFolders) }

func find(root fs.FS, limit int) Result {
	f := &finder{fsys: root, set: tasks.New(root), limit: limit}
	f.visit(".", 0)
	f.github()
	f.gitlab()
	for _, phase := range []func(*folder){(*folder).runners, (*folder).hooks, (*folder).manifests} {
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
	dirs    []*folder
	folders int // looked into so far, and at most
	limit   int
}

// folder is one directory that holds a manifest or a task file.
type folder struct {
	*finder
	dir   string
	names map[string]bool
	subs  []string
	kinds []Project
}

func (f *finder) note(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if !slices.Contains(f.out.Notes, note) {
		f.out.Notes = append(f.out.Notes, note)
	}
}

func (f *finder) visit(dir string, depth int) {
	if f.folders++; f.folders > f.limit {
		return
	}
	entries, err := fs.ReadDir(f.fsys, dir)
	if err != nil {
		f.note("%s cannot be read: %v", dir, err)
		return
	}
	d := &folder{finder: f, dir: dir, names: map[string]bool{}}
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

// isFixture: directories that hold what others wrote, what was built, or samples.
func isFixture(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "template") {
		return true
	}
	switch name {
	case "node_modules", "bower_components", "vendor", "third_party", "third-party", "thirdparty", "external", "deps",
		"target", "dist", "build", "out", "bin", "obj", "coverage", "venv", "env", "site-packages", "gauntlet_logs",
		"testdata", "test-data", "test_data", "fixture", "fixtures", "test", "tests", "spec", "specs", "e2e", "integration-tests", "mocks",
		"example", "examples", "sample", "samples", "demo", "demos", "playground", "playgrounds", "sandbox", "sandboxes",
		"tutorial", "tutorials", "snippets", "starter", "starters", "boilerplate", "skeleton", "cookbook", "fuzz", "bench", "benches", "benchmark", "benchmarks":
		return true
	}
	return false
}

// inFixture: some part of the path is a fixture.
func inFixture(dir string) bool {
	return dir != "." && slices.ContainsFunc(strings.Split(dir, "/"), isFixture)
}

// offer judges a command and keeps it unless what is kept says it all.
func (f *finder) offer(c found) bool {
	p, r := judge(f.set, c)
	if r != nil {
		if !slices.ContainsFunc(f.out.Refusals, func(o Refusal) bool { return o.Dir == r.Dir && o.Run == r.Run }) {
			f.out.Refusals = append(f.out.Refusals, *r)
		}
		return false
	}
	if p == nil {
		return false
	}
	p.Parts = f.parts(c, *p)
	for i, q := range f.out.Proposals {
		if q.Dir == p.Dir && (q.Run == p.Run || slices.Equal(q.keys, p.keys)) {
			return true
		}
		if p.Source > FromCI && f.covers(q, *p) {
			if q.Dir == p.Dir {
				f.out.Proposals[i].Instead = append(q.Instead, *p)
			}
			return true
		}
	}
	f.out.Proposals = append(f.out.Proposals, *p)
	return true
}

// parts are the recipes that a recipe does nothing but call: npm test that is
// npm run lint && npm run unit, or a make target with prerequisites only.
func (f *finder) parts(c found, whole Proposal) []Proposal {
	var out []Proposal
	for _, run := range f.set.Parts(whole.Run, whole.Dir) {
		p, _ := judge(f.set, found{dir: whole.Dir, run: run, why: whole.Why, source: c.source, env: c.env, kind: c.kind})
		if p != nil {
			p.Parts = nil
			out = append(out, *p)
		}
	}
	return out
}

// covers: q speaks for what p would say. What a more trusted source says about a
// role and a language counts; two of the same source stand beside each other
// only if they are about different things.
func (f *finder) covers(q, p Proposal) bool {
	sums := p.Role == Check || p.Role == Build // for want of something more telling
	if !slices.Contains(q.Covers, p.Role) && !sums {
		return false
	}
	if len(q.Kinds) > 0 && len(p.Kinds) > 0 && !slices.ContainsFunc(q.Kinds, func(k string) bool { return slices.Contains(p.Kinds, k) }) {
		return false
	}
	if q.Dir == p.Dir {
		return true
	}
	return under(q.Dir, p.Dir) && f.memberOf(p, q.Dir)
}

// memberOf: the workspace that begins in top runs this proposal's project too.
func (f *finder) memberOf(p Proposal, top string) bool {
	for _, kind := range p.Kinds {
		if f.isWorkspace(top, kind) {
			return true
		}
	}
	return false
}

// settle drops what the rest runs anyway, bounds the number, and sorts.
func (f *finder) settle() {
	list := f.out.Proposals
	runs := func(p Proposal, keys []string) bool {
		return !slices.ContainsFunc(p.keys, func(k string) bool { return !slices.Contains(keys, k) })
	}
	for i := len(list) - 1; i >= 0; i-- { // the sum of others
		var rest []string
		for j, q := range list {
			if j != i && q.Dir == list[i].Dir && len(q.Env) == 0 {
				rest = append(rest, q.keys...)
			}
		}
		if len(list[i].keys) > 1 && runs(list[i], rest) {
			list = slices.Delete(list, i, i+1)
		}
	}
	for i := len(list) - 1; i >= 0; i-- { // a part of another
		for j, q := range list {
			if j != i && len(list[i].keys) > 0 && len(q.keys) > len(list[i].keys) && runs(list[i], q.keys) {
				list = slices.Delete(list, i, i+1)
				break
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Proposal) int {
		if c := strings.Compare(sortKey(a.Dir), sortKey(b.Dir)); c != 0 {
			return c
		}
		return slices.Index(roles(), a.Role) - slices.Index(roles(), b.Role)
	})
	f.out.Proposals = f.bound(list)
}

// bound keeps the number of gates to what a stop can carry.
func (f *finder) bound(list []Proposal) []Proposal {
	var out []Proposal
	dirs, perDir := map[string]int{}, map[string]int{}
	for _, p := range list {
		if _, ok := dirs[p.Dir]; !ok && len(dirs) == maxDirs {
			f.note("more than %d directories have checks of their own; add entry points for %s and the rest by hand", maxDirs, p.Dir)
			continue
		}
		dirs[p.Dir]++
		if perDir[p.Dir]++; perDir[p.Dir] > maxGates {
			f.out.Refusals = append(f.out.Refusals, Refusal{Dir: p.Dir, Run: p.Run, Why: p.Why, Reason: fmt.Sprintf("more than %d checks", maxGates)})
			continue
		}
		out = append(out, p)
	}
	return out
}

// sortKey puts the root first.
func sortKey(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}

// under tells whether dir lies below parent.
func under(parent, dir string) bool {
	return dir != parent && (parent == "." || strings.HasPrefix(dir, parent+"/"))
}

// exists tells whether a path from the root exists.
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

// toml reads a TOML file; nil when it is none.
func (f *finder) toml(name string) map[string]any {
	text := f.text(name)
	if text == "" {
		return nil
	}
	var doc map[string]any
	if err := toml.Unmarshal([]byte(text), &doc); err != nil {
		f.note("%s is not valid TOML and was left out: %v", name, err)
		return nil
	}
	return doc
}

// json reads a JSON file; nil when it is none.
func (f *finder) json(name string) map[string]any {
	text := f.text(name)
	if text == "" {
		return nil
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		f.note("%s is not valid JSON and was left out: %v", name, err)
		return nil
	}
	return doc
}

// at follows keys into nested tables; nil when one is missing.
func at(doc map[string]any, keys ...string) any {
	var v any = doc
	for _, k := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}

// has tells whether one of these files is in the directory.
func (d *folder) has(names ...string) bool { return d.first(names...) != "" }

// first is the first of these files that is in the directory.
func (d *folder) first(names ...string) string {
	for _, n := range names {
		if d.names[n] {
			return n
		}
	}
	return ""
}

// ending is the first file with one of these endings, in order of the names.
func (d *folder) ending(suffixes ...string) string {
	var all []string
	for n := range d.names {
		all = append(all, n)
	}
	slices.Sort(all)
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
func (d *folder) read(name string) string { return d.text(path.Join(d.dir, name)) }

// where names a file of the directory for a person.
func (d *folder) where(name string) string { return path.Join(d.dir, name) }

// is tells whether the directory holds a project of a kind, and by which tool.
func (d *folder) is(kind string) (Project, bool) {
	for _, p := range d.kinds {
		if p.Kind == kind {
			return p, true
		}
	}
	return Project{}, false
}

// anyFile looks for a file whose name passes, in the directory and a few levels
// below, not in other projects.
func (d *folder) anyFile(match func(name string) bool) bool {
	looked := 0
	var look func(dir string, depth int) bool
	look = func(dir string, depth int) bool {
		if looked++; looked > 500 {
			return false
		}
		entries, err := fs.ReadDir(d.fsys, dir)
		if err != nil {
			return false
		}
		for _, e := range entries {
			if !e.IsDir() && match(e.Name()) {
				return true
			}
		}
		for _, e := range entries {
			name := e.Name()
			if !e.IsDir() || strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" || name == "testdata" || depth == maxDepth+2 {
				continue
			}
			if look(path.Join(dir, name), depth+1) {
				return true
			}
		}
		return false
	}
	return look(d.dir, 0)
}
