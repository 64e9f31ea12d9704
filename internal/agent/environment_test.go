package agent

import "testing"

// Two calls of one client have the same environment, and a variable that can change how a
// command ends makes another one.
func TestEnvironment(t *testing.T) {
	hook := []string{"PATH=/bin", "HOME=/h", "CLAUDECODE=1", "CLAUDE_PROJECT_DIR=/p", "PWD=/p", "SHLVL=1"}
	same := []string{"HOME=/h", "PATH=/bin", "PWD=/p/sub", "OLDPWD=/p", "SHLVL=3", "_=/bin/x", "TERM=dumb", "CLAUDECODE=1", "GIT_EDITOR=true", "PATH=/bin"}
	if Environment(hook) != Environment(same) {
		t.Error("two calls of one client differ")
	}
	for _, v := range []string{"MAKEFLAGS=-n", "npm_config_script_shell=/bin/true", "SKIP_TESTS=1", "HOME=/x", "PATH=/x:/bin", "GAUNTLET_MODE=observe", "X=", "LD_PRELOAD=/x.so"} {
		if Environment(append([]string{v}, hook...)) == Environment(hook) {
			t.Errorf("%s makes no difference", v)
		}
	}
	if Environment([]string{"A=1", "B=2"}) == Environment([]string{"A=1B=2"}) {
		t.Error("two variables are one")
	}
}
