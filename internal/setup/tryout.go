package setup

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// Tryout tries proposals in a work tree.
type Tryout struct {
	Root    string
	Repo    git.Repo
	Environ []string
	Until   time.Time // when the trial as a whole ends
	Now     func() time.Time
	// Place writes the files that init is about to write, so that the tree that is tried is the
	// one that will be judged; it returns their paths and how to take them back.
	Place func() (paths []string, undo func(), err error)

	logs    string
	temp    string   // where commands put temporary files, if that is in the tree: "tmp/"
	own     []string // Gauntlet's files
	undo    func()
	before  string // the tree before the trial
	head    string
	current string // with Gauntlet's files in it
}

// Start saves the tree and puts Gauntlet's files into it; the returned function takes them
// back and ends the trial.
func (t *Tryout) Start(ctx context.Context) (end func(), err error) {
	parent := ""
	for _, v := range t.Environ {
		if dir, ok := strings.CutPrefix(v, "TMPDIR="); ok && safefile.Inside(t.Root, dir) {
			parent = t.Repo.GitDir
			if rel, err := filepath.Rel(t.Root, dir); err == nil {
				t.temp = filepath.ToSlash(rel) + "/"
			}
		}
	}
	logs, remove, err := safefile.TempDir(parent, "gauntlet-try-")
	if err != nil {
		return nil, err
	}
	t.logs = logs
	t.head, _ = t.Repo.Head(ctx) // none yet is fine
	if t.before, err = t.snapshot(ctx); err == nil {
		err = t.place(ctx)
	}
	if err != nil {
		remove()
		return nil, fmt.Errorf("save the work tree: %w", err)
	}
	return func() {
		t.undo()
		remove()
	}, nil
}

// place puts Gauntlet's files into the tree.
func (t *Tryout) place(ctx context.Context) (err error) {
	t.undo, t.current = func() {}, t.before
	if t.Place == nil {
		return nil
	}
	if t.own, t.undo, err = t.Place(); err != nil {
		return err
	}
	if t.current, err = t.snapshot(ctx); err != nil {
		t.undo()
	}
	return err
}

func (t *Tryout) snapshot(ctx context.Context) (string, error) {
	st, err := t.Repo.Status(ctx)
	if err != nil {
		return "", err
	}
	return t.Repo.SnapshotTree(ctx, st.Nested())
}

// minTrial is the least time that is worth a trial.
const minTrial = 2 * time.Second

// share is the time that a proposal gets: a build, which others may need, and the last one
// get all there is.
func (t *Tryout) share(p Proposal, left int) time.Duration {
	rest := t.Until.Sub(t.Now())
	if p.Role == Build || left == 0 {
		return rest
	}
	return rest * 2 / 3
}

// Try runs one proposal in place and restores what it changed.
func (t *Tryout) Try(ctx context.Context, p Proposal, left int) Trial {
	within := t.share(p, left)
	if ctx.Err() != nil {
		return Trial{}
	}
	if within < minTrial {
		return t.late(ctx, p)
	}
	trial := t.once(ctx, p, within)
	if trial.State == Late {
		return t.late(ctx, p)
	}
	named := func(file string) bool { return strings.Contains(trial.result.Tail, file) }
	if trial.State != Red || !slices.ContainsFunc(t.own, named) || t.share(p, 0) < minTrial {
		return trial
	}
	t.undo()
	saved := t.current
	t.current = t.before
	without := t.once(ctx, p, t.share(p, 0))
	t.current = saved
	if err := t.place(context.WithoutCancel(ctx)); err != nil || without.State != Passed {
		return trial
	}
	without.Rejects = slices.DeleteFunc(slices.Clone(t.own), func(file string) bool { return !named(file) })
	if without.Ignore = ignoreFileOf(t.Root, p); without.Ignore == "" {
		trial.Detail = "it rejects what init writes (" + few(without.Rejects) + "); make an exception for that"
		return trial
	}
	return without
}

// late is the trial of a proposal that did not end in time. What its tools are known to leave
// is declared, unless a file of the project looks like that.
func (t *Tryout) late(ctx context.Context, p Proposal) Trial {
	trial := Trial{State: Late}
	out, err := t.Repo.Run(ctx, "ls-tree", "-r", "-z", "--name-only", t.current)
	if err != nil {
		return trial
	}
	tree := strings.Split(string(out), "\x00")
	for _, step := range tasks.New(safefile.FS(t.Root)).Expand(p.Run, p.Dir) {
		for _, argv := range step.Views {
			for _, glob := range tool.Of(argv).ByProducts() {
				glob = path.Join(p.Dir, glob)
				if !slices.Contains(trial.Outputs, glob) && !slices.ContainsFunc(tree, func(file string) bool { return config.Matches([]string{glob}, file) }) {
					trial.Outputs = append(trial.Outputs, glob)
				}
			}
		}
	}
	return trial
}

// once runs a proposal and restores the tree.
func (t *Tryout) once(ctx context.Context, p Proposal, within time.Duration) Trial {
	limit := within.Seconds()
	job := gate.Job{
		ID: "check:" + p.Dir + ":" + p.Run, Kind: gate.KindCheck, Name: string(p.Role), Entry: p.Dir,
		Dir: filepath.Join(t.Root, filepath.FromSlash(p.Dir)), LogBase: "try",
		Check: &config.Check{Command: p.Run, Env: p.Env, Timeout: &limit},
	}
	res := gate.RunCheck(ctx, job, gate.Env{LogDir: t.logs, RunNumber: 1, Environ: t.Environ, Now: t.Now, Root: t.Root})
	// The tree is restored even if the person interrupts.
	restore, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	changed, err := t.restore(restore)
	if err == nil && ctx.Err() != nil {
		return Trial{}
	}
	trial := t.read(p, res, changed, err)
	trial.Took = time.Duration(res.DurationMS) * time.Millisecond
	return trial
}

// read is what a run means for the proposal.
func (t *Tryout) read(p Proposal, res gate.Result, changed changes, err error) Trial {
	last := redact.Line(lastLine(res.Tail), 120)
	failed := res.Status == gate.Fail
	cannot := func(why string) Trial { return Trial{State: Cannot, Detail: why} }
	switch {
	case err != nil:
		return Trial{State: Changed, Detail: "changed files, which could not be put back: " + err.Error()}
	case res.TimedOut:
		return Trial{State: Late}
	case res.Status == gate.Error, failed && (strings.Contains(res.Tail, "JAVA_HOME is not set") || offline(res.Tail) || t.uninstalled(p)):
		return cannot(t.missing(p, res, last))
	case failed && strings.Contains(res.Tail, "error: unrecognized arguments:"):
		return cannot("a plugin that its options need is not installed (" + last + ")")
	case failed && unprepared(res.Tail) != "":
		return cannot(redact.Line(unprepared(res.Tail), 120))
	case failed && t.lacks(p, res.Tail) != "":
		return cannot(redact.Line(t.lacks(p, res.Tail), 80) + " is not installed")
	case installs(res.LogPath):
		return cannot("it installs packages while it runs, which needs the network at every stop")
	case len(changed.other) > 0 || !byProducts(changed.made):
		return Trial{State: Changed, Detail: changed.String()}
	case failed:
		return Trial{State: Red, Detail: strings.TrimSuffix(res.Message+": "+last, ": "), Outputs: changed.outputs, result: res}
	}
	return Trial{State: Passed, Outputs: changed.outputs}
}

// changes are the files that a trial made, those that it changed or removed, and globs of
// those that it made.
type changes struct{ made, other, outputs []string }

func (c changes) String() string {
	if len(c.other) > 0 {
		return "changed files, which were put back: " + few(append(c.other, c.made...))
	}
	return "makes files that look like sources: " + few(c.made) + "; add them to .gitignore and run gauntlet init again"
}

// byProducts reports whether new files are what a tool leaves behind: anything but sources,
// and whatever is in a directory of builds.
func byProducts(made []string) bool {
	return !slices.ContainsFunc(made, func(file string) bool {
		return tool.Language(file) != "" && !slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(part string) bool {
			return slices.Contains([]string{"build", "_build", "builddir", "target", "dist", "out", "coverage"}, part)
		})
	})
}

// globs names by-products: directories that are new as a whole, endings that no other file
// of the directory has, the rest by name.
func globs(made, tree []string) []string {
	var out []string
	has := func(prefix, ext string) bool {
		return slices.ContainsFunc(tree, func(file string) bool {
			return strings.HasPrefix(file, prefix) && (ext == "" || path.Ext(file) == ext)
		})
	}
	for _, file := range made {
		dir, base := path.Split(file)
		glob, ext := base, path.Ext(base)
		if ext != "" && ext != base && !has(dir, ext) {
			glob = "*" + ext
		}
		glob = dir + glob
		for top := path.Dir(file); top != "." && !has(top+"/", ""); top = path.Dir(top) {
			glob = top + "/**"
		}
		glob = strings.NewReplacer("[", "?", "]", "?", "{", "?", "}", "?", "\\", "?").Replace(glob)
		if !slices.Contains(out, glob) {
			out = append(out, glob)
		}
	}
	return out
}

// restore restores what differs from the saved tree and lists it.
func (t *Tryout) restore(ctx context.Context) (changes, error) {
	now, err := t.snapshot(ctx)
	if err != nil {
		return changes{}, err
	}
	if head, _ := t.Repo.Head(ctx); head != t.head { // one that cannot be read is another one
		return changes{}, fmt.Errorf("it made a commit; HEAD was %s", t.head)
	}
	if now == t.current {
		return changes{}, nil
	}
	out, err := t.Repo.Run(ctx, "diff-tree", "-r", "-z", "--no-renames", now, t.current)
	if err != nil {
		return changes{}, err
	}
	r := git.Restore{Commit: t.current}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		meta, path := strings.Fields(strings.TrimPrefix(fields[i], ":")), fields[i+1]
		if len(meta) != 5 || meta[0] == "160000" || meta[1] == "160000" {
			continue // another repository's content cannot be restored here
		}
		if meta[4] == "D" {
			r.Remove = append(r.Remove, path)
		} else {
			r.Write = append(r.Write, path)
		}
	}
	if err := t.Repo.ApplyRestore(ctx, r); err != nil {
		return changes{}, err
	}
	made := slices.DeleteFunc(r.Remove, func(file string) bool {
		return git.IsBytecode(file) || t.temp != "" && strings.HasPrefix(file, t.temp)
	})
	tree, err := t.Repo.Run(ctx, "ls-tree", "-r", "-z", "--name-only", t.current)
	return changes{made, r.Write, globs(made, strings.Split(string(tree), "\x00"))}, err
}

// few names some files.
func few(paths []string) string {
	slices.Sort(paths)
	if len(paths) > 3 {
		return strings.Join(paths[:3], ", ") + fmt.Sprintf(" and %d more", len(paths)-3)
	}
	return strings.Join(paths, ", ")
}
