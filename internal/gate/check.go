package gate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
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
	// Judge may change the result before it is written to the log; nil: unchanged.
	Judge func(context.Context, Job, *Result)
}

const (
	tailForReason = 3000
)

// LogPath is where run n of the job logs.
func (j Job) LogPath(logDir string, n int) string {
	return filepath.Join(logDir, fmt.Sprintf("%s.%d.log", j.LogBase, n))
}

// RunCheck runs one check to its end and logs it. The result shows whether it passed,
// failed, or could not run.
func RunCheck(ctx context.Context, j Job, env Env) Result {
	res := Result{ID: j.ID, Kind: KindCheck, Name: j.Name, Entry: j.Entry, Dir: j.Dir, LogPath: j.LogPath(env.LogDir, env.RunNumber), LimitMS: j.Check.Limit().Milliseconds()}
	command := withBase(j.Check.Command, env.BaseBranch)
	res.Command = redact.String(command)
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
	if st, err := os.Stat(j.Dir); err != nil || !st.IsDir() {
		res.Status, res.Message = Error, "working directory does not exist: "+j.Dir
		_ = log.finish("Result: error - " + res.Message + "\n")
		return res
	}
	run := func() Result { return attempt(ctx, j, env, res, command, log) }
	res = run()
	if res.mayBeFlaky(ctx, j.Check) {
		log.note("\nResult: fail - " + res.Message + "; running once more\n\n")
		res = res.again(run(), env.Touched)
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

// attempt runs the command once.
func attempt(ctx context.Context, j Job, env Env, res Result, command string, log *gateLog) Result {
	out := newCapture(j.Check, j.Dir, log)
	cmd := proc.Cmd{
		Args: []string{"sh", "-c", command}, Dir: j.Dir, Env: append(checkEnviron(env.Environ, j.Check.Env, j.Dir), "BASE_BRANCH="+env.BaseBranch),
		Stdout: out.stdout, Stderr: out.stderr, Timeout: j.Check.Limit(), Contain: true, Beside: j.Parallel(),
	}
	r, ran := proc.Result{}, false
	if j.Check.Runner != nil && env.Elsewhere != nil {
		if r, res.Where, ran = env.Elsewhere(ctx, j, command, cmd); ran {
			log.note("\nRan on " + res.Where + "\n")
		}
	}
	if !ran {
		r = proc.Run(ctx, cmd)
	}
	res.DurationMS = r.Duration.Milliseconds()
	output, whole := log.output()
	res.judge(j, r, j.Check.Limit(), output, whole)
	if res.Status != Pass {
		res.Tail = log.lastLines(tailForReason)
	}
	res.readReport(j, env, command, out)
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
