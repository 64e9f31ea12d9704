package gate

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
	"gauntlet/internal/room"
	"gauntlet/internal/slots"
	"gauntlet/internal/text"
)

// Env is what a check needs from its run.
type Env struct {
	LogDir     string
	RunNumber  int
	BaseBranch string
	Environ    []string
	Observer   Observer
	Now        func() time.Time
	// Root is the project, which paths in reports are relative to.
	Root string
	// Touched reports whether the work that is judged changed a file; nil: nothing.
	Touched func(path string) bool
	// Elsewhere runs a check's command on its configured runner, and reports where that
	// was. ok is false when it did not run there: then it runs locally. nil: nowhere.
	Elsewhere func(ctx context.Context, j Job, command string, c proc.Cmd) (r proc.Result, where string, ok bool)
	// Preface is written to the log before the output: what an earlier run of the same
	// check printed. "" for nothing.
	Preface string
	// Room is where the check runs instead of the work tree; nil: in place.
	Room *room.Room
	// Judge may change the result before it is written to the log; nil: unchanged.
	Judge func(context.Context, Job, *Result)
}

const (
	tailForReason = 3000
	evidenceBytes = 8 << 10 // of the output that the history keeps
	maxShown      = 2000    // of a command
)

// at is where a directory of the project is that the check sees.
func (e Env) at(dir string) string {
	if e.Room == nil {
		return dir
	}
	return e.Room.Path(dir)
}

// LogPath is where run n of the job logs.
func (j Job) LogPath(logDir string, n int) string {
	return filepath.Join(logDir, fmt.Sprintf("%s.%d.log", j.LogBase, n))
}

// RunCheck runs one check to its end and logs it. The result shows whether it passed,
// failed, or could not run.
func RunCheck(ctx context.Context, j Job, env Env) Result {
	res := Result{ID: j.ID, Kind: KindCheck, Name: j.Name, Entry: j.Entry, Dir: j.Dir, LogPath: j.LogPath(env.LogDir, env.RunNumber), LimitMS: j.Check.Limit().Milliseconds()}
	command := j.withChanged(withBase(j.Check.Command, env.BaseBranch), env.at(env.Root), env.at(j.Dir))
	res.Command = redact.String(text.Cut(command, maxShown))
	start := env.Now()
	var onLine func(string)
	if env.Observer != nil {
		onLine = func(s string) { env.Observer.Line(j.ID, s) }
	}
	log, err := createLog(res.LogPath, onLine)
	if err != nil {
		res.Status, res.Message = Error, err.Error()
		res.LogPath = ""
		return res
	}
	log.secrets = redact.Environment(checkEnviron(env.Environ, j.Check.Env, j.Dir))
	log.note(log.secrets.String(text.Visible(fmt.Sprintf("Start: %s\nCommand: %s\nDirectory: %s\n\n", start.UTC().Format(time.RFC3339), res.Command, j.Dir))))
	if st, err := os.Stat(env.at(j.Dir)); err != nil || !st.IsDir() {
		res.Status, res.Message = Error, "working directory does not exist: "+j.Dir
		_ = log.finish("Result: error - " + res.Message + "\n")
		return res
	}
	log.note(env.Preface)
	run := checkRun{Job: j, env: env, command: command, log: log}
	blank := res
	res = run.once(ctx, blank)
	if res.mayBeFlaky(ctx, j.Check) {
		log.note("\nResult: fail - " + res.Message + "; running once more\n\n")
		res = res.again(run.once(ctx, blank), env.Touched)
	}
	if env.Judge != nil {
		env.Judge(ctx, j, &res)
	}
	if res.Status == Fail && res.Report != nil && res.Report.Note != "" {
		res.Message += "; " + res.Report.Note
	}
	trailer := "\nResult: " + string(res.Status)
	if why := strings.TrimPrefix(res.Message+"; "+res.Warning, "; "); why != "" {
		trailer += " - " + strings.TrimSuffix(why, "; ")
	}
	trailer += "\n"
	if res.Status == Fail && j.Check.FixText != "" {
		res.FixInstructions = j.Check.FixText
		trailer += "\nFix instructions:\n" + indent(res.FixInstructions) + "\n"
	}
	if err := log.finish(trailer); err != nil {
		res.Message = strings.TrimPrefix(res.Message+"; log incomplete: "+err.Error(), "; ")
	}
	return res
}

// checkRun is a check that is being run.
type checkRun struct {
	Job
	env     Env
	command string
	log     *gateLog
}

// once runs the command once and adds how it ended to the result.
func (c checkRun) once(ctx context.Context, res Result) Result {
	out := newCapture(c.Check, c.env.at(c.Dir), c.log)
	c.log.start()
	cmd := proc.Cmd{
		Dir: c.Dir, Env: append(checkEnviron(c.env.Environ, c.Check.Env, c.Dir), "BASE_BRANCH="+c.env.BaseBranch),
		Stdout: out.stdout, Stderr: out.stderr, Timeout: c.Check.Limit(), Contain: true, Beside: c.Parallel(),
	}
	r, ran, stall := proc.Result{}, false, slots.Now(time.Now())
	args, remove, err := shellArgs(c.command)
	if err != nil {
		res.Status, res.Message = Error, err.Error()
		return res
	}
	defer remove()
	cmd.Args = args
	if c.Check.Runner != nil && c.env.Elsewhere != nil {
		if r, res.Where, ran = c.env.Elsewhere(ctx, c.Job, c.command, cmd); ran {
			c.log.note("\nRan on " + res.Where + "\n")
		}
	}
	if !ran && c.env.Room != nil {
		r = c.env.Room.Run(ctx, cmd)
	} else if !ran {
		r = proc.Run(ctx, cmd)
	}
	if !ran {
		res.Stalled = math.Round(100*stall.Share(time.Now())) / 100
	}
	res.DurationMS = r.Duration.Milliseconds()
	output, whole := c.log.output()
	res.judge(c.Job, r, c.Check.Limit(), output, whole)
	if res.Status != Pass || c.env.Room != nil {
		res.Output = c.log.lastLines(evidenceBytes)
		res.Tail = LastLines(res.Output, tailForReason)
	}
	res.readReport(c.Job, c.env, c.command, out)
	res.identify(c.Job, c.env, c.command, c.log)
	return res
}

// withBase puts the base branch into the command. A name that is not a plain word is left
// for the shell to expand: git allows branches like "x;id".
func withBase(command, base string) string {
	for _, c := range base {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("._/@+-", c) {
			return command
		}
	}
	return strings.ReplaceAll(command, "${BASE_BRANCH}", base)
}

// indent prevents text from the project from being read as one of Gauntlet's lines.
func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}

// checkEnviron is the parent's environment without the git variables that would point the
// check's own git elsewhere, plus what the check declares.
func checkEnviron(environ []string, declared map[string]string, dir string) []string {
	out := make([]string, 0, len(environ)+len(declared)+1)
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
			"GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX", "PWD":
			continue
		}
		out = append(out, kv)
	}
	for k, v := range declared {
		out = append(out, k+"="+v)
	}
	return append(out, "PWD="+dir)
}
