// Package script runs the end-to-end scenarios: one directory per command, real
// git, real processes, the real binary's main.
package script

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gauntlet/internal/cli"
)

func TestMain(m *testing.M) {
	// Most scripts wait for processes: more of them than processors keep the machine busy.
	if err := flag.Set("test.parallel", strconv.Itoa(max(6, 3*runtime.NumCPU()))); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"gauntlet": func() { os.Exit(cli.Main(os.Args[1:], cli.System(os.Exit))) },
	})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, f := range files {
		dirs = append(dirs, filepath.Dir(f))
	}
	if len(dirs) == 0 {
		t.Fatal("no scripts found")
	}
	for _, dir := range slices.Compact(dirs) {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{
				Dir:                 dir,
				RequireExplicitExec: true,
				RequireUniqueNames:  true,
				Setup:               setup,
				Condition:           condition,
			})
		})
	}
}

// setup gives every script a HOME and a git identity of its own and nothing of
// the machine's configuration.
func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	env.Setenv("XDG_STATE_HOME", filepath.Join(home, ".local", "state"))
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("GIT_AUTHOR_NAME", "dev")
	env.Setenv("GIT_AUTHOR_EMAIL", "dev@example.com")
	env.Setenv("GIT_COMMITTER_NAME", "dev")
	env.Setenv("GIT_COMMITTER_EMAIL", "dev@example.com")
	env.Setenv("LC_ALL", "C.UTF-8")
	env.Setenv("CI", "")
	env.Setenv("GAUNTLET_TRUST", "all")        // the need to allow a policy is tested in trust/
	env.Setenv("PYTHONDONTWRITEBYTECODE", "1") // it names a file by the second and the size, and scripts are faster
	env.Setenv("GAUNTLET_SLOTS", "0")          // whether a busy machine runs a failed check twice is tested in run/slots.txtar
	env.Setenv("GAUNTLET_AHEAD", "0")          // what is proved ahead is tested in ahead/*.txtar
	env.Setenv("GAUNTLET_WATCH", "off")        // what is found out after a stop is tested in meaning/*.txtar
	env.Setenv("CLAUDE_PROJECT_DIR", "")
	env.Setenv("GEMINI_PROJECT_DIR", "")
	env.Setenv("GITHUB_ACTIONS", "")
	toolchains(env)
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"), 0o644)
}
