package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// launchFlag makes this program start one other program, measure it, and end. A process
// inherits the peak memory of the one that started it, and this one, with its fixtures, is
// not small; a fresh copy of it is.
const launchFlag = "-launch"

// launched is what a launcher has measured.
type launched struct {
	Took   time.Duration
	Exit   int
	PeakMB float64
}

// launch runs a command with its own stdin, stdout and stderr and writes what it measured
// to descriptor 3.
func launch(args []string) int {
	report := os.NewFile(3, "report")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	if err := json.NewEncoder(report).Encode(launched{took, cmd.ProcessState.ExitCode(), peakResidentMB(cmd.ProcessState)}); err != nil {
		return 1
	}
	return 0
}

// launched runs cmd through a launcher.
func (b *bench) launched(cmd *exec.Cmd) (seen launched, err error) {
	self, err := os.Executable()
	if err != nil {
		return seen, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return seen, err
	}
	defer r.Close()
	outer := exec.CommandContext(b.ctx, self, append([]string{launchFlag, cmd.Path}, cmd.Args[1:]...)...)
	outer.Dir, outer.Env, outer.Stdin, outer.Stdout = cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout
	outer.ExtraFiles = []*os.File{w}
	err = outer.Run()
	_ = w.Close()
	if err != nil {
		return seen, fmt.Errorf("launch %s: %w", cmd.Path, err)
	}
	return seen, json.NewDecoder(r).Decode(&seen)
}
