package proc

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// family is a child and the job object it is in: whatever it starts is in that
// job too, and ends with it.
type family struct {
	leader *os.Process
	job    windows.Handle // 0 if no job could be made: then the child alone is ended
}

func launch(cmd *exec.Cmd, _, _ bool) (*family, error) {
	job := newJob()
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if job != 0 { // it runs once it is in the job, so that nothing it starts is outside
		cmd.SysProcAttr.CreationFlags |= windows.CREATE_SUSPENDED
	}
	if err := cmd.Start(); err != nil {
		if job != 0 {
			_ = windows.CloseHandle(job)
		}
		return nil, err
	}
	f := &family{leader: cmd.Process, job: job}
	if job == 0 {
		return f, nil
	}
	if !join(job, cmd.Process.Pid) {
		_ = windows.CloseHandle(job)
		f.job = 0
	}
	if err := resume(uint32(cmd.Process.Pid)); err != nil {
		f.kill()
		_ = cmd.Wait()
		f.sweep()
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return f, nil
}

// resume lets a process that was started suspended run: its only thread.
func resume(pid uint32) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(threads) }()
	e := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &e); err == nil; err = windows.Thread32Next(threads, &e) {
		if e.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, e.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread)
		return err
	}
	return err
}

// newJob makes a job whose processes end when its last handle is closed; 0 when Windows
// does not allow it.
func newJob() windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0
	}
	return job
}

// join puts a process into the job.
func join(job windows.Handle, pid int) bool {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(process) }()
	return windows.AssignProcessToJobObject(job, process) == nil
}

// terminate ends the whole job: Windows has no signal that asks a program without a window
// to end.
func (f *family) ended() {} // waiting for it takes nothing from others here

func (f *family) terminate() { f.kill() }

func (f *family) kill() {
	if f.job != 0 && windows.TerminateJobObject(f.job, 1) == nil {
		return
	}
	_ = f.leader.Kill()
}

// sweep ends what outlived the leader.
func (f *family) sweep() {
	if f.job == 0 {
		return
	}
	_ = windows.TerminateJobObject(f.job, 1)
	_ = windows.CloseHandle(f.job)
	f.job = 0
}

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
