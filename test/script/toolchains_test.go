package script

import (
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// toolchains lets scripts use the machine's compilers from their own HOME: these
// find themselves, or their caches, by way of the real one.
func toolchains(env *testscript.Env) {
	home, err := os.UserHomeDir()
	if err != nil {
		return
	}
	places := map[string]string{
		"RUSTUP_HOME": filepath.Join(home, ".rustup"),
		"CARGO_HOME":  filepath.Join(home, ".cargo"),
		"PYENV_ROOT":  filepath.Join(home, ".pyenv"),
	}
	if cache, err := os.UserCacheDir(); err == nil {
		places["GOCACHE"] = filepath.Join(cache, "go-build")
	}
	for name, dir := range places {
		if set := os.Getenv(name); set != "" {
			dir = set
		}
		if _, err := os.Stat(dir); err == nil {
			env.Setenv(name, dir)
		}
	}
}
