package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/proc"
	"gauntlet/internal/proof/share"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/site"
)

// elsewhere runs a check on its configured runner. If that fails it runs locally, and a
// warning says why. A runner that is down is left alone for a while, with one warning.
func (e *execution) elsewhere(kept git.Kept) func(context.Context, gate.Job, string, proc.Cmd) (proc.Result, string, bool) {
	return func(ctx context.Context, j gate.Job, command string, c proc.Cmd) (proc.Result, string, bool) {
		s := sent{
			Job: j, command: command, cmd: c, run: e,
			outage: share.NewOutage(site.StateHome(e.opts.Getenv), e.runner(j), 1, e.opts.Now),
		}
		if e.content == nil {
			return s.here("the content of the work tree is unknown")
		}
		if s.outage.Lasts() {
			return s.quiet()
		}
		tmp, remove, err := safefile.TempDir("", "gauntlet-runner-")
		if err != nil {
			return s.here(err.Error())
		}
		defer remove()
		s.tmp = tmp
		switch r := j.Check.Runner; {
		case len(r.Exec) > 0:
			return e.byCommand(ctx, s, kept)
		case r.Kind == config.RunnerRemote:
			return e.onFarm(ctx, s)
		}
		return proc.Result{}, "", false
	}
}

// sent is a check on its way to a runner.
type sent struct {
	gate.Job
	command string
	cmd     proc.Cmd // how it would run here
	tmp     string   // a directory of its own
	run     *execution
	outage  share.Outage // of the runner
}

// here makes the check run here, with a warning.
func (s sent) here(why string) (proc.Result, string, bool) {
	s.run.runners.Lock()
	defer s.run.runners.Unlock()
	s.run.res.Warnings = append(s.run.res.Warnings, s.why(why))
	return proc.Result{}, "", false
}

func (s sent) why(why string) string { return fmt.Sprintf("%s ran here: %s", s.Name, why) }

// quiet makes the check run here during an outage that was reported.
func (s sent) quiet() (proc.Result, string, bool) {
	s.run.runners.Lock()
	defer s.run.runners.Unlock()
	s.run.note("%s ran here: its runner did not answer and is left alone for %s", s.Name, s.outage.Pause())
	return proc.Result{}, "", false
}

// down makes the check run here because its runner runs nothing at present.
func (s sent) down(why string) (proc.Result, string, bool) {
	why += "; checks of this runner run here for " + s.outage.Pause()
	if !s.learn(false, s.why(why)) {
		return s.quiet()
	}
	return s.here(why)
}

// learn remembers whether the runner answered, and reports whether an outage begins.
func (s sent) learn(answered bool, outage string) bool {
	s.run.runners.Lock()
	defer s.run.runners.Unlock()
	begins := s.outage.Learn(answered)
	if begins {
		s.run.res.Outages = append(s.run.res.Outages, outage)
	}
	return begins
}

// runner names what a check runs on, for a hash. Workers with other properties are another
// runner: one kind may be missing while the others work. So is a farm with another token: a
// corrected one is tried at once.
func (e *execution) runner(j gate.Job) string {
	name := struct {
		Exec     []string
		Farm     *config.Farm
		Token    string
		Platform map[string]string
	}{Exec: j.Check.Runner.Exec}
	if len(name.Exec) == 0 {
		name.Farm, name.Token, name.Platform = e.opts.Config.Project.Remote.Farm, e.opts.Getenv("GAUNTLET_FARM_TOKEN"), j.Check.Platform
	}
	text, _ := json.Marshal(name) //nolint:errcheck // strings only
	return "runner " + string(text)
}

// fleetJob is what `gauntlet-fleet execute` reads.
type fleetJob struct {
	Command    string            `json:"command"`
	Root       string            `json:"root"`
	Dir        string            `json:"dir"`
	Files      []string          `json:"files"`
	Env        map[string]string `json:"env,omitempty"`
	Platform   map[string]string `json:"platform,omitempty"`
	TimeoutSec float64           `json:"timeoutSeconds"`
}

// farmResult is what `gauntlet-fleet execute` writes.
type farmResult struct {
	ExitCode int    `json:"exitCode"`
	Worker   string `json:"worker"`
	TimedOut bool   `json:"timedOut"`
}

// onFarm runs a check on the build farm, through the helper binary.
func (e *execution) onFarm(ctx context.Context, s sent) (proc.Result, string, bool) {
	fleet, err := s.helper()
	if err != nil {
		return s.here(err.Error())
	}
	dir, err := filepath.Rel(e.opts.Config.Root, s.Dir)
	if err != nil || !filepath.IsLocal(dir) {
		return s.here("its directory is not in the project")
	}
	proved := newWitness(s.cmd.Stdout)
	s.cmd.Stdout = proved
	job := fleetJob{
		Command: proved.script(s.command), Root: e.opts.Config.Root, Dir: strings.TrimPrefix(filepath.ToSlash(dir), "."), Env: s.Check.Env, Platform: s.Check.Platform, TimeoutSec: s.Check.Limit().Seconds(),
	}
	for _, f := range e.tree.Files {
		job.Files = append(job.Files, f.Path)
	}
	text, err := json.Marshal(job)
	if err != nil {
		return s.here(err.Error())
	}
	farm := e.opts.Config.Project.Remote.Farm
	result := filepath.Join(s.tmp, "result.json")
	args := []string{fleet, "execute", "--farm", farm.Address, "--instance", farm.Instance, "--result", result}
	if farm.Plaintext {
		args = append(args, "--plaintext")
	}
	var trouble bytes.Buffer
	s.cmd.Args, s.cmd.Dir, s.cmd.Stdin, s.cmd.Stderr = args, e.opts.Config.Root, bytes.NewReader(text), &trouble
	s.cmd.Timeout += farmGrace
	r := proc.Run(ctx, s.cmd)
	code, ran := proved.end()
	if ctx.Err() != nil {
		return r, farm.Address, true
	}
	if r.TimedOut {
		return s.down("the build farm did not finish it in time")
	}
	var ended farmResult
	answer, err := safefile.Read(s.tmp, result, 64<<10)
	if r.ExitCode != 0 || err != nil || json.Unmarshal(answer, &ended) != nil {
		why := "the build farm did not run it"
		if line := strings.TrimSpace(trouble.String()); line != "" {
			why += ": " + redact.Line(strings.TrimPrefix(line, "gauntlet-fleet: "), maxReason)
		}
		if r.ExitCode == farmDown {
			return s.down(why)
		}
		return s.here(why)
	}
	s.learn(true, "")
	if r.ExitCode, r.TimedOut = ended.ExitCode, ended.TimedOut; !r.TimedOut && (!ran || code != r.ExitCode) {
		r.ExitCode, r.Err = -1, errNotProved
	}
	where := farm.Address
	if ended.Worker != "" {
		where = redact.Line(ended.Worker, maxWorker) + " of " + where
	}
	return r, where, true
}

// farmDown is the exit code of `gauntlet-fleet execute` for a farm that runs nothing at
// present.
const farmDown = 4

// farmGrace is how much longer than the check's own time a farm may take, to receive the
// inputs and to find a worker.
const farmGrace = 3 * time.Minute

// Bounds on what a farm says about itself.
const (
	maxReason = 300
	maxWorker = 80
)

// helper finds the program that talks to the farm, and remembers whether it is installed.
func (s sent) helper() (string, error) {
	path, err := fleetBinary()
	s.outage = share.NewOutage(site.StateHome(s.run.opts.Getenv), "gauntlet-fleet", 1, s.run.opts.Now)
	if err != nil {
		s.learn(false, s.why(err.Error()))
		return "", err
	}
	s.learn(true, "")
	return path, nil
}

// fleetBinary finds the helper beside this program, else on PATH.
func fleetBinary() (string, error) {
	name := "gauntlet-fleet"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if beside := filepath.Join(filepath.Dir(self), name); isFile(beside) {
			return beside, nil
		}
	}
	if p, err := proc.LookPath(name); err == nil {
		return p, nil
	}
	return "", fmt.Errorf("%s is not installed (it comes with Gauntlet: make fleet, or the package of that name)", name)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// byCommand runs a check through a command such as ssh, with the tree as a git
// bundle on its standard input.
func (e *execution) byCommand(ctx context.Context, s sent, kept git.Kept) (proc.Result, string, bool) {
	if kept.Commit == "" {
		return s.here("the tree could not be saved")
	}
	file := filepath.Join(s.tmp, "tree.bundle")
	if err := kept.Bundle(ctx, e.repo, file); err != nil {
		return s.here(err.Error())
	}
	bundle, err := safefile.Open(s.tmp, file)
	if err != nil {
		return s.here(err.Error())
	}
	defer bundle.Close() //nolint:errcheck // read only
	dir, err := filepath.Rel(e.repo.Root, s.Dir)
	if err != nil || !filepath.IsLocal(dir) {
		return s.here("its directory is not in the repository")
	}
	proved := newWitness(s.cmd.Stdout)
	s.cmd.Args = append(slices.Clone(s.Check.Runner.Exec), remoteScript(filepath.ToSlash(dir), s.Check.Env, proved.script(s.command)))
	s.cmd.Stdin, s.cmd.Stdout = bundle, proved
	r := proc.Run(ctx, s.cmd)
	code, ran := proved.end()
	// The command shares the position in the bundle: at 0 it has never got to read the tree.
	read, err := bundle.Seek(0, io.SeekCurrent)
	switch why := s.Check.Runner.Exec[0] + " could not start it"; {
	case ran:
		s.learn(true, "")
		r.ExitCode, r.Err = code, nil
	case proc.NotFound(r):
		return s.here(why)
	case ctx.Err() != nil:
	case r.ExitCode == notStarted, r.TimedOut && err == nil && read == 0:
		return s.down(why)
	case !r.TimedOut:
		r.ExitCode, r.Err = -1, errNotProved
	}
	return r, strings.Join(s.Check.Runner.Exec, " "), true
}

// notStarted is the exit code of the script when the tree could not be unpacked, and that
// of ssh when it cannot connect.
const notStarted = 255

// remoteScript unpacks the tree in a new directory, runs a script there and removes it
// again.
func remoteScript(dir string, env map[string]string, script string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "d=$(mktemp -d) || exit %d; trap 'rm -rf \"$d\"' EXIT; ", notStarted)
	fmt.Fprintf(&b, "cat > \"$d/bundle\" && git clone -q -b %s \"$d/bundle\" \"$d/tree\" && cd \"$d/tree/\"%s || exit %d; ", strings.TrimPrefix(git.BundleRef, "refs/heads/"), quote(dir), notStarted)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&b, "export %s; ", quote(name+"="+env[name]))
	}
	return b.String() + script
}

// quote makes text one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
