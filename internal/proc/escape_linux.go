package proc

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// markVar names a family in the environment of all its members, so that an
// orphan can be told from another family's.
const markVar = "GAUNTLET_FAMILY="

// leaders are the running children that Run itself started. The kernel's list
// of our children is process-wide, hence so is this one: it keeps one family's
// end from touching another family's members.
var leaders = struct {
	sync.Mutex
	next  int
	marks map[string]int // mark → pid of the leader, 0 before it started
}{marks: map[string]int{}}

// escape finds the members of a family that left its group. As subreaper we
// become the parent of every orphan among our descendants, so a process that
// left its group and session ends up among our own children.
type escape struct{ mark string }

func prepare(cmd *exec.Cmd, contain bool) escape {
	if contain && unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		contain = false
	}
	leaders.Lock()
	defer leaders.Unlock()
	leaders.next++
	mark := strconv.Itoa(os.Getpid()) + "." + strconv.Itoa(leaders.next)
	leaders.marks[mark] = 0
	if !contain {
		return escape{mark: "-" + mark}
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], markVar+mark)
	return escape{mark: mark}
}

func (e escape) key() string {
	if e.mark[0] == '-' {
		return e.mark[1:]
	}
	return e.mark
}

func (e escape) started(pid int) {
	leaders.Lock()
	defer leaders.Unlock()
	leaders.marks[e.key()] = pid
}

func (e escape) forget() {
	leaders.Lock()
	defer leaders.Unlock()
	delete(leaders.marks, e.key())
}

// end kills what is left of the family, in its group or out of it. Processes
// may be forking or being handed over to us while we look, so it looks until
// nothing is left.
func (e escape) end(pgid int) {
	defer e.forget()
	if e.mark[0] == '-' {
		return
	}
	for range 200 {
		left := false
		for _, pid := range e.members() {
			left = true
			_ = syscall.Kill(pid, syscall.SIGKILL)
			var ws syscall.WaitStatus
			_, _ = syscall.Wait4(pid, &ws, syscall.WNOHANG, nil)
		}
		if !left && errors.Is(syscall.Kill(-pgid, 0), syscall.ESRCH) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// members are our adopted children that carry the family's mark; when no other
// family runs, also those that shed their environment.
func (e escape) members() []int {
	leaders.Lock()
	defer leaders.Unlock()
	alone := len(leaders.marks) == 1
	isLeader := make(map[int]bool, len(leaders.marks))
	for mark, pid := range leaders.marks {
		if pid == 0 {
			alone = false // one is being started right now and not known yet
		}
		if mark != e.key() {
			isLeader[pid] = true
		}
	}
	var out []int
	for _, pid := range children() {
		if isLeader[pid] {
			continue
		}
		if alone || carries(pid, markVar+e.mark) {
			out = append(out, pid)
		}
	}
	return out
}

// children are the pids whose parent is this process.
func children() []int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil
	}
	var out []int
	for _, t := range tasks {
		b, err := os.ReadFile("/proc/self/task/" + t.Name() + "/children")
		if err != nil {
			continue
		}
		for _, f := range bytes.Fields(b) {
			if pid, err := strconv.Atoi(string(f)); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// carries reports whether pid's environment holds the mark, or can no longer
// be asked because it is a zombie waiting for us.
func carries(pid int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	if len(env) == 0 {
		return isZombie(pid)
	}
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if string(v) == mark {
			return true
		}
	}
	return false
}

func isZombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	i := bytes.LastIndexByte(b, ')')
	return i >= 0 && i+2 < len(b) && b[i+2] == 'Z'
}
