package setup

import (
	"context"
	"fmt"
	"os"
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
)

// Tryout tries proposals in a work tree.
type Tryout struct {
	Root    string
	Repo    git.Repo
	Environ []string
	Limit   time.Duration // of one proposal
	Now     func() time.Time

	logs   string
	before string // the tree before the trial
	head   string
}

// Start saves the tree; the returned function ends the trial.
func (t *Tryout) Start(ctx context.Context) (end func(), err error) {
	if t.logs, end, err = safefile.TempDir("", "gauntlet-try-"); err != nil {
		return nil, err
	}
	if t.before, err = t.snapshot(ctx); err != nil {
		end()
		return nil, fmt.Errorf("save the work tree: %w", err)
	}
	t.head, _ = t.Repo.Head(ctx) // none yet is fine
	return end, nil
}

func (t *Tryout) snapshot(ctx context.Context) (string, error) {
	st, err := t.Repo.Status(ctx)
	if err != nil {
		return "", err
	}
	return t.Repo.SnapshotTree(ctx, st.Nested())
}

// Try runs one proposal in place and restores what it changed.
func (t *Tryout) Try(ctx context.Context, p Proposal) Trial {
	if ctx.Err() != nil {
		return Trial{}
	}
	within := t.Limit
	if p.brief {
		within = min(within, Slow)
	}
	limit := within.Seconds()
	job := gate.Job{
		ID: "check:" + p.Dir + ":" + p.Run, Kind: gate.KindCheck, Name: string(p.Role), Entry: p.Dir,
		Dir: filepath.Join(t.Root, filepath.FromSlash(p.Dir)), LogBase: "try",
		Check: &config.Check{Command: p.Run, Env: p.Env, Timeout: &limit},
	}
	res := gate.RunCheck(ctx, job, gate.Env{LogDir: t.logs, RunNumber: 1, Environ: t.Environ, Now: t.Now, Root: t.Root})
	took := time.Duration(res.DurationMS) * time.Millisecond
	// The tree is restored even if the person interrupts.
	restore, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	changed, err := t.restore(restore)
	last := redact.Line(lastLine(res.Tail), 120)
	switch {
	case err != nil:
		return Trial{State: Changed, Took: took, Detail: "changed files, which could not be put back: " + err.Error()}
	case ctx.Err() != nil:
		return Trial{}
	case res.TimedOut:
		return Trial{State: Late, Took: within}
	case res.Status == gate.Error, res.Status == gate.Fail && strings.Contains(res.Tail, "JAVA_HOME is not set"), res.Status == gate.Fail && offline(res.Tail), res.Status == gate.Fail && t.uninstalled(p):
		return Trial{State: Cannot, Took: took, Detail: t.missing(p, res, last)}
	case res.Status == gate.Fail && strings.Contains(res.Tail, "error: unrecognized arguments:"):
		return Trial{State: Cannot, Took: took, Detail: "a plugin that its options need is not installed (" + last + ")"}
	case res.Status == gate.Fail && unprepared(res.Tail) != "":
		return Trial{State: Cannot, Took: took, Detail: redact.Line(unprepared(res.Tail), 120)}
	case res.Status == gate.Fail && t.lacks(p, res.Tail) != "":
		return Trial{State: Cannot, Took: took, Detail: redact.Line(t.lacks(p, res.Tail), 80) + " is not installed"}
	case installs(res.LogPath):
		return Trial{State: Cannot, Took: took, Detail: "it installs packages while it runs, which needs the network at every stop"}
	case len(changed.made)+len(changed.other) > 0:
		return Trial{State: Changed, Took: took, Detail: changed.String()}
	case res.Status == gate.Fail:
		return Trial{State: Red, Took: took, Detail: strings.TrimSuffix(res.Message+": "+last, ": "), result: res}
	}
	return Trial{State: Passed, Took: took}
}

// changes are the files that a trial made, and those that it changed or removed.
type changes struct{ made, other []string }

func (c changes) String() string {
	if len(c.other) > 0 {
		return "changed files, which were put back: " + few(append(c.other, c.made...))
	}
	return "leaves files that git does not ignore: " + few(c.made) + "; add them to .gitignore and run gauntlet init again"
}

// restore restores what differs from the saved tree and lists it.
func (t *Tryout) restore(ctx context.Context) (changes, error) {
	now, err := t.snapshot(ctx)
	if err != nil {
		return changes{}, err
	}
	if head, _ := t.Repo.Head(ctx); head != t.head {
		return changes{}, fmt.Errorf("it made a commit; HEAD was %s", t.head)
	}
	if now == t.before {
		return changes{}, nil
	}
	out, err := t.Repo.Run(ctx, "diff-tree", "-r", "-z", "--no-renames", now, t.before)
	if err != nil {
		return changes{}, err
	}
	r := git.Restore{Commit: t.before}
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
	return changes{slices.DeleteFunc(r.Remove, git.IsBytecode), r.Write}, nil
}

// few names some files.
func few(paths []string) string {
	slices.Sort(paths)
	if len(paths) > 3 {
		return strings.Join(paths[:3], ", ") + fmt.Sprintf(" and %d more", len(paths)-3)
	}
	return strings.Join(paths, ", ")
}

// offline reports whether it failed because something could not be fetched.
func offline(output string) bool {
	return slices.ContainsFunc([]string{
		"Could not resolve host", "could not resolve host", "Temporary failure in name resolution", "getaddrinfo ENOTFOUND", "getaddrinfo EAI_AGAIN",
		"Network is unreachable", "network is unreachable", "no route to host", "No matching distribution found", "Could not find a version that satisfies",
		"failed to download", "error: failed to get `", "Unable to update registry", "dial tcp: lookup", ": reading https://", "module lookup disabled by GOPROXY=off", "ERR_PNPM_FETCH_", "registry signature could not be verified", "Could not transfer artifact", "Could not resolve all",
		"Unable to access jarfile", "Failed to fetch", "UnknownHostException", "java.net.ConnectException", "Could not GET", "ConnectionRefusedError: [Errno 111] Connection refused", "Connection refused by proxy", "npm error 404 Not Found - GET", "JSR package manifest for", "error sending request for url",
	}, func(sign string) bool { return strings.Contains(output, sign) })
}

// unprepared is the line in which a tool reports that it lacks a program, a newer release
// of itself or a step before it; "" when it ran. Only the last lines count: tests may print
// such words too.
func unprepared(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for _, line := range slices.Backward(lines[max(0, len(lines)-6):]) { // a traceback ends in the reason
		for _, sign := range []string{
			"executable file not found in", "fork/exec ", " ENOENT", "go: updates to go.mod needed", "no required module provides package",
			"ERROR: tox config file", "ERROR: unknown environment", "tox.exception.ConfigError", "configure tox to use an isolated_build",
		} {
			if strings.Contains(line, sign) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// lacks is the module of others that a program could not load, "" for none: before anything
// was changed its absence says nothing about the project.
func (t *Tryout) lacks(p Proposal, output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for _, line := range lines[max(0, len(lines)-12):] {
		if _, name, found := strings.Cut(line, "cannot load such file -- "); found && !path.IsAbs(name) && !strings.HasPrefix(name, ".") && !t.owns(p.Dir, name+".rb") {
			return name
		}
		if _, name, found := strings.Cut(line, "No module named '"); found {
			name, _, _ = strings.Cut(name, "'")
			if top, _, _ := strings.Cut(name, "."); top != "" && !t.owns(p.Dir, top) && !t.owns(p.Dir, top+".py") {
				return name
			}
		}
	}
	return ""
}

// owns reports whether a file or directory of that name is the project's.
func (t *Tryout) owns(dir, name string) bool {
	return slices.ContainsFunc([]string{"", "src", "lib", "test", "tests", "spec"}, func(place string) bool {
		return t.has(dir, filepath.Join(place, name)) || t.has(".", filepath.Join(place, name))
	})
}

// installs reports whether its output shows that a package manager fetched something, which
// reading the command could not show.
func installs(log string) bool {
	data, err := safefile.Read("", log, 64<<20)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "added ") && strings.Contains(line, " package") && strings.Contains(line, " in ") || strings.HasPrefix(line, "Successfully installed ") {
			return true
		}
	}
	return false
}

// uninstalled reports whether the project's own dependencies are missing, so that nothing
// that needs them can run.
func (t *Tryout) uninstalled(p Proposal) bool { return t.install(p) != "" }

// install is how to install the dependencies of a project, "" when they are installed.
func (t *Tryout) install(p Proposal) string {
	if slices.Contains(p.Kinds, Node) {
		if manager := t.withoutModules(p.Dir); manager != "" {
			return manager + " install"
		}
	}
	if slices.Contains(p.Kinds, PHP) && t.has(p.Dir, "composer.json") && !t.has(p.Dir, "vendor") {
		return "composer install"
	}
	if slices.Contains(p.Kinds, Elixir) && t.has(p.Dir, "mix.lock") && !t.has(p.Dir, "deps") {
		return "mix deps.get"
	}
	return ""
}

// withoutModules names the package manager of a Node project that has
// dependencies and no node_modules here or above.
func (t *Tryout) withoutModules(dir string) string {
	d := &directory{finder: &finder{fsys: safefile.FS(t.Root)}, dir: dir}
	doc := d.json(d.where("package.json"))
	if len(table(doc["dependencies"]))+len(table(doc["devDependencies"])) == 0 {
		return ""
	}
	for at := filepath.FromSlash(dir); ; at = filepath.Dir(at) {
		if t.has(at, "node_modules") || t.has(at, ".pnp.cjs") {
			return ""
		}
		if at == "." {
			return d.packageManager()
		}
	}
}

func (t *Tryout) has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(t.Root, filepath.FromSlash(dir), name))
	return err == nil
}

// missing describes what to install.
func (t *Tryout) missing(p Proposal, res gate.Result, last string) string {
	if how := t.install(p); how != "" {
		return "its dependencies are not installed (" + how + ")"
	}
	if offline(res.Tail) {
		return "it needs the network"
	}
	if last != "" && !strings.Contains(res.Message, last) && !strings.Contains(res.Message, "is not installed") {
		return res.Message + " (" + last + ")"
	}
	return res.Message
}

// lastLine is the last line of an output with content.
func lastLine(output string) string {
	lines := strings.Split(output, "\n")
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
