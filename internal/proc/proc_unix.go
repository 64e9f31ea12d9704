//go:build !windows

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// family is a child, its process group, and what left it.
type family struct {
	leader *os.Process
	escape escape
}

func launch(cmd *exec.Cmd, contain, beside bool) (*family, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	esc, err := start(cmd, contain, beside)
	if err != nil {
		return nil, err
	}
	return &family{leader: cmd.Process, escape: esc}, nil
}

// ended returns when the leader has ended, or at once if only waiting for it shows that.
func (f *family) ended() { f.escape.ended() }

func (f *family) terminate() { _ = syscall.Kill(-f.leader.Pid, syscall.SIGTERM) }
func (f *family) kill()      { _ = syscall.Kill(-f.leader.Pid, syscall.SIGKILL) }

// sweep ends what outlived the leader: the rest of its group, and what left it.
func (f *family) sweep() {
	f.kill()
	f.escape.end(f.leader.Pid)
}

func signalOf(st *os.ProcessState) (string, bool) {
	ws, ok := st.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return "", false
	}
	return ws.Signal().String(), true
}

// Alive reports whether a process of this number exists.
func Alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
