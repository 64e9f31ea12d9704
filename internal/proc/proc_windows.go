package proc

import (
	"os"
	"os/exec"
)

// family on Windows is the child alone: there are no process groups to signal.
type family struct{ leader *os.Process }

func launch(cmd *exec.Cmd, _ bool) (*family, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &family{leader: cmd.Process}, nil
}

func (f *family) terminate() { _ = f.leader.Kill() }
func (f *family) kill()      { _ = f.leader.Kill() }
func (f *family) sweep()     {}

func signalOf(*os.ProcessState) (string, bool) { return "", false }

// Alive reports whether a process of this number exists.
func Alive(pid int) bool {
	p, err := os.FindProcess(pid) // opens the process here, so it fails when there is none
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}
