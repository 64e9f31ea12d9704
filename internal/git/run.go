package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/proc"
)

// ErrMissing means that there is no git binary.
var ErrMissing = errors.New("git is not installed")

// Error is a git command that did not succeed.
type Error struct {
	Args     []string
	ExitCode int
	Stderr   string
	TimedOut bool
}

func (e *Error) Error() string {
	msg := strings.TrimSpace(e.Stderr)
	if i := strings.LastIndexByte(msg, '\n'); i >= 0 && strings.HasPrefix(msg[i+1:], "fatal: ") {
		msg = msg[i+1:]
	}
	switch {
	case e.TimedOut:
		msg = "took too long"
	case msg == "":
		msg = fmt.Sprintf("exit status %d", e.ExitCode)
	}
	return "git " + e.Args[0] + ": " + strings.TrimPrefix(msg, "fatal: ")
}

// Opts are options that few git commands need.
type Opts struct {
	Dir       string // default: the root of the work tree
	IndexFile string // another index than the user's
	Env       []string
	Stdin     io.Reader
	Timeout   time.Duration
	// Locks lets git acquire the optional locks (refreshing the index in passing).
	Locks bool
	// Hooks lets the repository's hooks run: for commits and pushes on behalf of the user;
	// never for Gauntlet's own commands.
	Hooks bool
}

const maxOutput = 256 << 20

// Run runs git in the work tree and returns its stdout.
func (r Repo) Run(ctx context.Context, args ...string) ([]byte, error) {
	return r.RunWith(ctx, Opts{}, args...)
}

// command is how git is called: without the repository's hooks and file system monitor,
// which are programs that a repository may contain.
func (r Repo) command(o Opts) []string {
	args := []string{"git"}
	if !o.Hooks {
		args = append(args, "-c", "core.hooksPath="+os.DevNull)
	}
	if r.Safe {
		args = append(args, "-c", "safe.directory="+r.Root)
	}
	for _, s := range r.overrides() {
		args = append(args, "-c", s)
	}
	return args
}

// overrides are settings that the repository's own configuration must not make: a file
// system monitor, which is a program, and rules by which a changed file counts as
// unchanged. What the user set globally is the user's choice. Repositories inside this one
// have configurations of their own.
func (r Repo) overrides() []string {
	_, err := os.Lstat(filepath.Join(r.CommonDir, "modules"))
	var out []string
	for _, s := range []struct{ word, setting string }{
		{"fsmonitor", "core.fsmonitor=false"}, {"trustctime", "core.trustCTime=true"}, {"checkstat", "core.checkStat=default"},
	} {
		if err == nil || r.mentions(s.word) {
			out = append(out, s.setting)
		}
	}
	return out
}

// mentions reports whether the repository's own settings may contain a word in lower case.
func (r Repo) mentions(word string) bool {
	common, _ := r.readCommon("config", maxRefs)    // without it git has its defaults
	own, _ := r.readOwn("config.worktree", maxRefs) // most work trees have none
	text := bytes.ToLower(append(common, own...))
	return bytes.Contains(text, []byte("include")) || bytes.Contains(text, []byte(word))
}

// RunWith is Run with options.
func (r Repo) RunWith(ctx context.Context, o Opts, args ...string) ([]byte, error) {
	dir := cmp.Or(o.Dir, r.Root)
	extra := append(plainGit(), o.Env...)
	if !o.Hooks { // a hook's own git may work elsewhere
		extra = append(extra, "GIT_WORK_TREE="+r.Root) // regardless of core.worktree
	}
	if !o.Locks {
		extra = append(extra, "GIT_OPTIONAL_LOCKS=0")
	}
	if o.IndexFile != "" {
		extra = append(extra, "GIT_INDEX_FILE="+o.IndexFile)
	}
	if r.NoFilters && !o.Hooks {
		extra = append(extra, r.withoutFilters(ctx)...)
	}
	drop := redirects
	if !o.Hooks { // settings by variables are for what the user asked for: commits and pushes
		drop = func(name string) bool { return redirects(name) || settings(name) }
	}
	stdout, stderr, res := proc.Output(ctx, proc.Cmd{
		Args: append(r.command(o), args...), Dir: dir, Drop: drop, Extra: extra, Stdin: o.Stdin, Timeout: o.Timeout,
	}, maxOutput)
	if proc.NotFound(res) {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("git %s: %w", args[0], err)
		}
		return nil, ErrMissing
	}
	if res.Err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], res.Err)
	}
	if res.Cancelled {
		return nil, fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	}
	if !res.OK() {
		return stdout, &Error{Args: args, ExitCode: res.ExitCode, Stderr: string(stderr), TimedOut: res.TimedOut}
	}
	return stdout, nil
}

// withoutFilters are variables that take the program from each filter in the repository's own
// settings. Names are read by git itself: they may be in included files.
func (r Repo) withoutFilters(ctx context.Context) []string {
	plain := r
	plain.NoFilters = false
	var out []string
	for _, scope := range []string{"--local", "--worktree"} {
		names, err := plain.Run(ctx, "config", scope, "--includes", "-z", "--name-only", "--get-regexp", `^filter\.`)
		if err != nil {
			continue // none
		}
		for name := range strings.SplitSeq(string(names), "\x00") {
			if i := strings.LastIndexByte(name, '.'); i > 0 {
				n := len(out) / 2
				out = append(out, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, name), fmt.Sprintf("GIT_CONFIG_VALUE_%d=", n))
			}
		}
	}
	return append(out, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(out)/2))
}

// Environ is env without what would send git elsewhere than its working directory, with
// messages in English and without prompts.
func Environ(env []string) []string {
	out := make([]string, 0, len(env)+4)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if !redirects(name) {
			out = append(out, kv)
		}
	}
	return append(out, plainGit()...)
}

// plainGit makes git print English, ask nothing, and show objects unreplaced: one that
// refs/replace puts in the place of another can hide a change.
func plainGit() []string {
	return []string{"GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EDITOR=true"}
}

// settings reports whether a variable makes settings of git, which can hide changes.
func settings(name string) bool {
	return name == "GIT_CONFIG_COUNT" || name == "GIT_CONFIG_PARAMETERS" || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

func redirects(name string) bool {
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INDEX_VERSION", "GIT_OBJECT_DIRECTORY",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX",
		"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE",
		"GIT_REPLACE_REF_BASE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS",
		"GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_QUARANTINE_PATH", "GIT_EXTERNAL_DIFF",
		"GIT_DIFF_OPTS", "GIT_ATTR_SOURCE", "GIT_NO_REPLACE_OBJECTS", "GIT_OPTIONAL_LOCKS", "GIT_PAGER", "GIT_EDITOR", "GIT_TERMINAL_PROMPT", "LC_ALL":
		return true
	}
	return false
}
