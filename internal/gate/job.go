package gate

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"gauntlet/internal/config"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// Job is one gate to run at one place.
type Job struct {
	ID    string // kind:entry:name
	Kind  Kind
	Name  string
	Entry string // the entry point as it applies: a directory, a file or a glob
	Dir   string // absolute working directory
	// LogBase is the file name of its logs without run number and extension; no two jobs
	// share one.
	LogBase string
	// Exclude are the entry point's excludes: what does not count for it.
	Exclude []string
	// Also are the other entry points with the same check in the same directory. It runs once
	// for all of them, so its outcome depends on all of them.
	Also []Place
	// Own is the working directory that the check names, relative to the root: what it runs
	// on, wherever the entry point is. "" when it names none.
	Own string

	Check  *config.Check
	Review *config.Review
	// Mode is what a failure means in this run.
	Mode config.Mode
	// Changed are the changed files that the command is given, relative to the root; nil: not
	// known.
	Changed []string
}

// ID is the id of a job.
func ID(kind Kind, entry, name string) string { return string(kind) + ":" + entry + ":" + name }

// Place is what an entry point covers.
type Place struct {
	Entry   string
	Exclude []string
}

// Parallel reports whether the job may run beside others.
func (j Job) Parallel() bool {
	if j.Check != nil {
		return j.Check.Parallel
	}
	return j.Review.RunsBeside()
}

// SendsTree reports whether the job's runner is sent the tree as a bundle.
func (j Job) SendsTree() bool {
	return j.Check != nil && j.Check.Runner != nil && len(j.Check.Runner.Exec) > 0
}

// Filter narrows what is selected.
type Filter struct {
	Kind  Kind     // "" = both
	Names []string // none = all
	CI    bool
	// Mode turns a gate's own mode into the one that counts; nil: unchanged.
	Mode func(own config.Mode) config.Mode
	Now  time.Time // for quarantines
}

// Select finds the jobs that the changed paths (relative to the root) call for, in the
// order of the configuration. must reports the jobs that belong to the run whatever
// changed.
func Select(cfg *config.Loaded, changed []string, must func(Job) bool, f Filter) []Job {
	s := selector{cfg: cfg, filter: f, must: must, byPlace: map[string][]Place{}, chosen: map[string]bool{}, logs: map[string]string{}}
	for _, ep := range cfg.Project.EntryPoints {
		var counted []string
		for _, p := range changed {
			if !config.Matches(ep.Exclude, p) {
				counted = append(counted, p)
			}
		}
		for _, e := range expand(cfg.Root, ep.Path, counted) {
			s.add(ep, e)
		}
	}
	for i, place := range s.places {
		for _, other := range s.byPlace[place] {
			if j := &s.jobs[i]; j.Kind == KindCheck && (other.Entry != j.Entry || !slices.Equal(other.Exclude, j.Exclude)) {
				j.Also = append(j.Also, other)
			}
		}
	}
	return s.jobs
}

type selector struct {
	cfg     *config.Loaded
	filter  Filter
	must    func(Job) bool
	byPlace map[string][]Place // check and directory → the entry points that reach it, active or not
	chosen  map[string]bool    // the same check runs once at one place
	logs    map[string]string  // log base → job id
	jobs    []Job
	places  []string // of the jobs
}

func (s *selector) add(ep config.EntryPoint, e entry) {
	for _, name := range ep.Checks {
		c := s.cfg.Checks[name]
		if c == nil || !s.wanted(KindCheck, name, c.Runs) {
			continue
		}
		dir, own := e.dir, ""
		if c.WorkingDirectory != "" {
			dir = config.Absolute(s.cfg.Root, c.WorkingDirectory)
			own = ownFiles(s.cfg.Root, dir)
		}
		place := string(KindCheck) + "\x00" + name + "\x00" + dir
		j := Job{Kind: KindCheck, Name: name, Entry: e.path, Dir: dir, Exclude: ep.Exclude, Own: own, Check: c}
		s.take(j, e.active, place)
	}
	for _, name := range ep.Reviews {
		r := s.cfg.Reviews[name]
		if r == nil || !s.wanted(KindReview, name, r.Runs) {
			continue
		}
		place := string(KindReview) + "\x00" + name + "\x00" + e.path
		s.take(Job{Kind: KindReview, Name: name, Entry: e.path, Dir: e.dir, Exclude: ep.Exclude, Review: r}, e.active, place)
	}
}

func (s *selector) take(j Job, active bool, place string) {
	if j.Mode = s.filter.mode(j); j.Mode == config.ModeOff && len(s.filter.Names) == 0 {
		return // it runs only when selected by name
	}
	j.ID = ID(j.Kind, j.Entry, j.Name)
	s.byPlace[place] = append(s.byPlace[place], Place{j.Entry, j.Exclude})
	if s.chosen[place] {
		return
	}
	j.LogBase = s.logBase(j)
	if !active && (s.must == nil || !s.must(j)) {
		return
	}
	s.chosen[place] = true
	s.jobs, s.places = append(s.jobs, j), append(s.places, place)
}

// ownFiles are the files of the project in a working directory: a directory, "." also for
// one above the project, "" for one elsewhere.
func ownFiles(root, dir string) string {
	rel := relativeTo(root, dir)
	switch {
	case rel == ".." || strings.HasPrefix(rel, "../") && strings.Trim(rel, "./") == "":
		return "."
	case strings.HasPrefix(rel, "../"):
		return ""
	}
	return rel
}

// mode is what a failure of the job means in this run.
func (f Filter) mode(j Job) config.Mode {
	own := config.ModeEnforce
	if j.Check != nil {
		own = j.Check.Mode
	} else if j.Review != nil {
		own = j.Review.Mode
	}
	if f.Mode != nil {
		own = f.Mode(own)
	}
	if j.Check != nil && j.Check.Quarantined(f.Now) {
		own = config.Weaker(own, config.ModeWarn)
	}
	return config.Weaker(own, config.ModeEnforce)
}

func (s *selector) wanted(k Kind, name string, runs func(inCI bool) bool) bool {
	if s.filter.Kind != "" && s.filter.Kind != k || len(s.filter.Names) > 0 && !slices.Contains(s.filter.Names, name) {
		return false
	}
	return runs(s.filter.CI)
}

// logBase makes the file name of a job's logs. Different jobs whose safe names are equal
// get a number.
func (s *selector) logBase(j Job) string {
	base := text.SafeName(string(j.Kind)+"_"+j.Entry+"_"+j.Name, '_')
	base = base[:min(len(base), 150)] // leaves space for adapter, slot, run number and extension
	name := base
	for n := 2; ; n++ {
		if id, taken := s.logs[name]; !taken || id == j.ID {
			s.logs[name] = j.ID
			return name
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
}

// entry is an entry point at one place.
type entry struct {
	path   string
	dir    string
	active bool
}

// expand turns an entry point into the places it stands for. Places that no change touches
// are returned too, not active, because a gate that still fails there has to be found
// again.
func expand(root, pattern string, changed []string) []entry {
	p := path.Clean(filepath.ToSlash(strings.TrimSpace(pattern)))
	if p == "." || p == "/" {
		return []entry{{path: ".", dir: root, active: len(changed) > 0}}
	}
	p = strings.TrimPrefix(p, "/")
	// Directories such as app/[id] are names, not globs.
	isGlob := func(p string) bool { return config.HasMeta(p) && !safefile.Exists(config.Absolute(root, p)) }
	if parent, ok := strings.CutSuffix(p, "/*"); ok && !isGlob(parent) {
		return children(root, parent, changed)
	}
	if p == "*" {
		return children(root, "", changed)
	}
	if !isGlob(p) {
		e := entry{path: p, dir: config.Absolute(root, p)}
		if st, err := os.Stat(e.dir); err == nil && !st.IsDir() {
			e.dir = filepath.Dir(e.dir)
		}
		e.active = slices.ContainsFunc(changed, func(c string) bool { return config.Under(c, p) })
		return []entry{e}
	}
	base, _ := doublestar.SplitPattern(p)
	e := entry{path: p, dir: config.Absolute(root, base)}
	e.active = slices.ContainsFunc(changed, func(c string) bool { return matches(p, c) })
	return []entry{e}
}

// children is `dir/*`: one entry point per child directory.
func children(root, parent string, changed []string) []entry {
	active := map[string]bool{}
	prefix := ""
	if parent != "" {
		prefix = parent + "/"
	}
	for _, c := range changed {
		if rest, ok := strings.CutPrefix(c, prefix); ok {
			if child, _, deeper := strings.Cut(rest, "/"); deeper {
				active[child] = true
			}
		}
	}
	names := map[string]bool{}
	list, _ := safefile.ReadDir(root, config.Absolute(root, parent), -1)
	for _, d := range list {
		if d.IsDir() && !strings.HasPrefix(d.Name(), ".git") {
			names[d.Name()] = true
		}
	}
	var out []entry
	for name := range names { // a deleted directory has nothing left to check
		out = append(out, entry{path: prefix + name, dir: config.Absolute(root, prefix+name), active: active[name]})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].path < out[j].path })
	return out
}

// matches reports whether a glob matches p or a directory that p is in.
func matches(glob, p string) bool {
	ok, err := doublestar.Match(glob+"/**", p)
	return err == nil && ok
}

// Covers reports whether a changed path belongs to the job's entry points.
func (j Job) Covers(p string) bool {
	return Place{j.Entry, j.Exclude}.covers(p) || slices.ContainsFunc(j.Also, func(other Place) bool { return other.covers(p) })
}

func (pl Place) covers(p string) bool {
	return !config.Matches(pl.Exclude, p) && (config.Under(p, pl.Entry) || config.HasMeta(pl.Entry) && matches(pl.Entry, p))
}
