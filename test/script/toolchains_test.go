package script

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// toolchains lets scripts use the machine's compilers from their own HOME.
func toolchains(env *testscript.Env) {
	for name, dir := range toolchainDirs() {
		env.Setenv(name, dir)
	}
}

// toolchainDirs are where compilers find themselves, or their caches, through the real
// HOME.
func toolchainDirs() map[string]string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
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
		places[name] = dir
		if _, err := os.Stat(dir); err != nil {
			delete(places, name)
		}
	}
	return places
}

// condition knows [root], and [works:PROGRAM]: the program is there and prints its version.
// Version managers leave programs on PATH that can do nothing.
func condition(name string) (bool, error) {
	if name == "root" {
		return os.Geteuid() == 0, nil
	}
	program, ok := strings.CutPrefix(name, "works:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	if program == "go" {
		cmd = exec.CommandContext(ctx, program, "version")
	}
	cmd.Env = os.Environ()
	for name, dir := range toolchainDirs() {
		cmd.Env = append(cmd.Env, name+"="+dir)
	}
	return cmd.Run() == nil, nil
}
