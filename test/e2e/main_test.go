//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// insideEnv marks the second start of the test binary: everything is installed
// and built, and the network is loopback only.
const insideEnv = "GAUNTLET_E2E_INSIDE"

// skipEnv passes the skipped agents and the reasons, as JSON, to the second start.
const skipEnv = "GAUNTLET_E2E_SKIP"

// binaryEnv is where the gauntlet under test was built.
const binaryEnv = "GAUNTLET_E2E_BINARY"

// TestMain prepares with the network and then runs the tests without it.
func TestMain(m *testing.M) {
	if os.Getenv(insideEnv) != "" {
		if err := loopbackUp(); err != nil {
			fmt.Fprintln(os.Stderr, "e2e: loopback:", err)
			os.Exit(1)
		}
		// A client mostly waits, so more of them than cores run at a time.
		flag.Parse()
		if err := flag.Set("test.parallel", "4"); err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			os.Exit(1)
		}
		os.Exit(m.Run())
	}
	code, err := prepareAndRun()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// skipped returns why agents are skipped.
func skipped() map[string]string {
	var missing map[string]string
	_ = json.Unmarshal([]byte(os.Getenv(skipEnv)), &missing)
	return missing
}

func prepareAndRun() (int, error) {
	missing, err := installClients()
	if err != nil {
		return 0, err
	}
	for agent, why := range missing {
		rule := strings.Repeat("!", 72)
		fmt.Fprintf(os.Stderr, "\n%s\nE2E SKIPPED: %s WAS NOT DRIVEN\n%s\n%s\n\n", rule, strings.ToUpper(agent), why, rule)
	}
	skip, err := json.Marshal(missing)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "gauntlet-e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "gauntlet")
	build := exec.Command("go", "build", "-o", binary, "gauntlet/cmd/gauntlet")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return 0, fmt.Errorf("build gauntlet: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), insideEnv+"=1", skipEnv+"="+string(skip), binaryEnv+"="+binary)
	err = runIsolated(cmd)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
