package doctor

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/config"
	"gauntlet/internal/git"
	"gauntlet/internal/install"
	"gauntlet/internal/proc"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// selfTestTime is far longer than one of these answers takes.
const selfTestTime = 30 * time.Second

// trial is one event sent through an installed command, and the expected result.
type trial struct {
	name string
	dir  string
	env  []string
	want wire.Outcome
	bad  string // what a different result means
	// soft: a different result is reported with this state and fix, and the rest counts.
	soft  bool
	state State
	fix   string
}

// selfTest sends the agent's own event through the command in its settings: in a
// directory without configuration, in a project whose only gate fails, and with no
// gauntlet on PATH. Each reply is read by the agent's rules.
func (d *Doctor) selfTest(ctx context.Context, a agent.Adapter, ins []install.Installed) {
	world, remove, err := safefile.TempDir("", "gauntlet-doctor-")
	if err != nil {
		d.add(Check{Name: "self-test", Agent: a.Name(), State: Warn, Message: "not run: " + err.Error(), Fix: "make room in the temporary directory"})
		return
	}
	defer remove()
	trials, err := d.trials(ctx, world)
	if err != nil {
		d.add(Check{Name: "self-test", Agent: a.Name(), State: Warn, Message: "not run: " + err.Error(), Fix: "see whether git works in a new directory"})
		return
	}
	tested := map[string]bool{}
	for _, in := range ins {
		stop := in.Stop()
		if stop == nil || stop.Line == "" || tested[stop.Line] {
			continue
		}
		tested[stop.Line] = true
		argv, err := clientShell(a.Setup(), *stop, d.LookPath)
		if err != nil {
			d.add(Check{Name: "self-test", Agent: a.Name(), State: Warn, Message: "not run: " + err.Error(), Fix: "install what is missing"})
			continue
		}
		d.try(ctx, a, in, argv, trials)
	}
}

// trials prepares the directories of the self-test.
func (d *Doctor) trials(ctx context.Context, world string) ([]trial, error) {
	plain, project, nothing := filepath.Join(world, "plain"), filepath.Join(world, "project"), filepath.Join(world, "nothing")
	files := map[string]string{
		filepath.Join(project, ".gauntlet", "config.yml"):                      "base_branch: main\nstop_hook:\n  enabled: true\n  run_interval_minutes: 0\nentry_points:\n  - path: .\n    checks: [doctor]\n",
		filepath.Join(project, ".gauntlet", "checks", "doctor.yml"):            "command: echo this gate always fails; exit 1\n",
		filepath.Join(project, "committed.txt"):                                "one\n",
		filepath.Join(plain, "README"):                                         "no project\n",
		filepath.Join(nothing, "README"):                                       "no programs\n",
		filepath.Join(world, "home", ".config", "agent-gauntlet", config.File): config.TrustEverything,
	}
	for path, content := range files {
		if err := safefile.MakeDir(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := safefile.Put(world, path, []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{
		{"init", "-q", plain}, // a project around the temporary directory must not be found
		{"init", "-q", "-b", "main"},
		{"add", "committed.txt"},
		{"-c", "user.name=gauntlet doctor", "-c", "user.email=doctor@localhost", "-c", "commit.gpgsign=false", "commit", "-q", "--no-verify", "-m", "self-test"},
	} {
		_, stderr, res := proc.Output(ctx, proc.Cmd{Args: append([]string{"git"}, args...), Dir: project, Env: d.env(world, d.Getenv("PATH")), Timeout: selfTestTime}, 1<<16)
		if !res.OK() {
			if res.Err != nil {
				return nil, res.Err
			}
			return nil, fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(stderr)))
		}
	}
	if err := safefile.Put(project, filepath.Join(project, "committed.txt"), []byte("two\n"), 0o600); err != nil {
		return nil, err
	}
	env := d.env(world, d.Getenv("PATH"))
	out := []trial{
		{name: "a stop outside a project", dir: plain, env: env, want: wire.Allowed, bad: "the agent could not stop where nothing is configured"},
		{name: "a stop with a failing gate", dir: project, env: env, want: wire.Blocked, bad: "a failing gate would not block"},
		{name: "a stop without gauntlet on PATH", dir: plain, env: d.env(world, nothing), want: wire.Allowed, bad: "a missing binary would disturb the agent"},
	}
	if runtime.GOOS == "windows" {
		return out, nil
	}
	t := trial{
		name: "a stop with the PATH of the Dock", dir: project, env: append(d.env(world, wire.LaunchPath), "HOME="+d.Home), want: wire.Blocked, soft: true, state: Info,
		bad: "an agent that is started from the desktop, with the PATH " + wire.LaunchPath + ", does not find gauntlet: its stops pass unjudged",
		fix: "put gauntlet into ~/.local/bin or /usr/local/bin",
	}
	if runtime.GOOS == "darwin" {
		t.state = Warn
	}
	return append(out, t), nil
}

// env is a clean environment with its own home directories, so that the person's history
// and configuration are not used.
func (d *Doctor) env(world, path string) []string {
	var env []string
	for _, kv := range git.Environ(d.Environ) {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case name == "PATH" || name == "HOME" || name == "CI" || name == "GITHUB_ACTIONS":
		case strings.HasPrefix(name, "GAUNTLET_") || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "CLAUDE_"):
		default:
			env = append(env, kv)
		}
	}
	home := filepath.Join(world, "home")
	return append(env, "PATH="+path, "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "GIT_CONFIG_NOSYSTEM=1")
}

// clientShell is how the client runs the command of a hook on this system.
func clientShell(s wire.Setup, c install.Command, lookPath func(string) (string, error)) ([]string, error) {
	if sh, err := proc.Shell(); runtime.GOOS != "windows" || err == nil && s.WindowsKey == "" {
		return []string{sh, "-c", c.Line}, err
	}
	ps, err := lookPath("powershell")
	return []string{ps, "-NoProfile", "-NonInteractive", "-Command", cmp.Or(c.Windows, c.Line)}, err
}

// try runs the trials and reports the first that fails.
func (d *Doctor) try(ctx context.Context, a agent.Adapter, in install.Installed, argv []string, trials []trial) {
	for _, t := range trials {
		stdout, stderr, res := proc.Output(ctx, proc.Cmd{
			Args: argv, Dir: t.dir, Env: t.env, Unguarded: true,
			Stdin: bytes.NewReader(a.Sample(t.dir)), Timeout: selfTestTime,
		}, 1<<20)
		got := a.React(wire.Reply{Stdout: stdout, Stderr: stderr, ExitCode: res.ExitCode, TimedOut: res.TimedOut})
		if got.Outcome == t.want {
			continue
		}
		if t.soft {
			d.add(Check{Name: "desktop", Agent: a.Name(), State: t.state, Message: t.bad, Fix: t.fix})
			continue
		}
		why := got.Why
		if why == "" {
			why = "it answered " + quoteShort(stdout)
		}
		d.add(Check{
			Name: "self-test", Agent: a.Name(), State: Fail,
			Message: fmt.Sprintf("%s was %s, expected %s (%s): %s", t.name, got.Outcome, t.want, why, t.bad),
			Fix:     "gauntlet init --agents=" + a.Name() + flag(in.Scope) + "; if it stays, run the command by hand: " + argv[len(argv)-1],
		})
		return
	}
	d.add(Check{Name: "self-test", Agent: a.Name(), State: OK, Message: "the installed command blocks a failing gate, lets other stops pass, and is silent when gauntlet is missing"})
}

func quoteShort(out []byte) string {
	s := wire.OneLine(string(out))
	if s == "" {
		return "nothing"
	}
	return text.CutRunes(s, 121)
}
