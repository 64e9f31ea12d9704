package proc

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// markVar names the families a process belongs to in its environment, so that an
// orphan can be distinguished from another family's. A gate may run gauntlet itself: its
// gates belong to both families.
const markVar = "GAUNTLET_FAMILY="

// leaders are the running children that Run itself started. The kernel's list of children
// is process-wide, so this one is too: it prevents the end of one family from touching
// another family's members.
var leaders = struct {
	sync.Mutex
	next  int
	adopt bool // orphans are adopted by this process
	// guests are the children that this process had before it adopted orphans: jobs of the
	// shell that became gauntlet by exec.
	guests map[int]bool
	pids   map[string]int // mark → pid of the leader
	idle   chan struct{}  // closed when there is nothing left to reap
}{pids: map[string]int{}}

// escape finds the members of a family that left its group. As subreaper this process
// becomes the parent of every orphan among its descendants, so a process that left its
// group and session becomes one of its children.
type escape struct {
	mark string
	exit exitNotice
}

// start starts cmd and adds it to the list in one step: a child that is not on the list yet
// would look like an orphan of another family, and be reaped.
func start(cmd *exec.Cmd, contain, beside bool) (escape, error) {
	leaders.Lock()
	defer leaders.Unlock()
	leaders.next++
	e := escape{mark: strconv.Itoa(os.Getpid()) + "." + strconv.Itoa(leaders.next)}
	if contain && leaders.guests == nil {
		leaders.guests = otherChildren()
	}
	if contain && unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil {
		leaders.adopt = true
		mark := markVar + e.mark
		for _, kv := range cmd.Env {
			if strings.HasPrefix(kv, markVar) {
				mark = kv + " " + e.mark
			}
		}
		cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], mark)
	}
	if beside {
		e.exit.ask(cmd.SysProcAttr)
	}
	if err := cmd.Start(); err != nil {
		return e, err
	}
	leaders.pids[e.mark] = cmd.Process.Pid
	if leaders.adopt && leaders.idle == nil {
		leaders.idle = make(chan struct{})
		go reap(leaders.idle)
	}
	return e, nil
}

func (e escape) ended() { e.exit.await() }

func (e escape) forget() {
	leaders.Lock()
	defer leaders.Unlock()
	delete(leaders.pids, e.mark)
	if len(leaders.pids) == 0 && leaders.idle != nil {
		close(leaders.idle)
		leaders.idle = nil
	}
}

// reap waits for adopted orphans that ended by themselves while gates run, as init would: a
// gate that waits for one to disappear would wait for ever.
func reap(idle <-chan struct{}) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	for {
		reapOrphans()
		select {
		case <-ended:
		case <-idle:
			return
		}
	}
}

func reapOrphans() {
	leaders.Lock()
	defer leaders.Unlock()
	for pid := range otherChildren() {
		if !leaders.guests[pid] && isZombie(pid) {
			var ws syscall.WaitStatus
			_, _ = syscall.Wait4(pid, &ws, syscall.WNOHANG, nil)
		}
	}
}

// otherChildren are the children that Run did not start itself; leaders is locked.
func otherChildren() map[int]bool {
	isLeader := make(map[int]bool, len(leaders.pids))
	for _, pid := range leaders.pids {
		isLeader[pid] = true
	}
	others := map[int]bool{}
	for _, pid := range children() {
		if !isLeader[pid] {
			others[pid] = true
		}
	}
	return others
}

// end kills what is left of the family, in its group or outside. Processes may be forking
// or being adopted meanwhile, so it repeats until nothing is left.
func (e escape) end(pgid int) {
	defer e.forget()
	killed := map[int]bool{} // and not waited for yet
	for range 200 {
		for _, pid := range e.members() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			killed[pid] = true
		}
		for pid := range killed {
			var ws syscall.WaitStatus
			if got, err := syscall.Wait4(pid, &ws, syscall.WNOHANG, nil); got == pid || err != nil {
				delete(killed, pid)
			}
		}
		if len(killed) == 0 && errors.Is(syscall.Kill(-pgid, 0), syscall.ESRCH) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// members are the adopted children that carry the family's mark; if no other family could
// have left them, also those that cleared their environment.
func (e escape) members() []int {
	leaders.Lock()
	defer leaders.Unlock()
	if !leaders.adopt {
		return nil
	}
	all := children()
	alone := len(leaders.pids) == 1 && !slices.ContainsFunc(all, func(pid int) bool { return leaders.guests[pid] && !isZombie(pid) })
	isLeader := make(map[int]bool, len(leaders.pids))
	for mark, pid := range leaders.pids {
		isLeader[pid] = mark != e.mark
	}
	var out []int
	for _, pid := range all {
		if isLeader[pid] || leaders.guests[pid] {
			continue
		}
		if alone || carries(pid, e.mark) {
			out = append(out, pid)
		}
	}
	return out
}

// EndOrphansOf kills the processes that the children of a killed Gauntlet process left
// running: it could not clean up after itself.
func EndOrphansOf(dead int) {
	if dead <= 1 || !errors.Is(syscall.Kill(dead, 0), syscall.ESRCH) && !isZombie(dead) {
		return // it lives
	}
	ofDead := func(mark string) bool { return strings.HasPrefix(mark, strconv.Itoa(dead)+".") }
	for range 20 { // they may be forking meanwhile
		left := false
		entries, err := os.ReadDir("/proc")
		if err != nil {
			return
		}
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil {
				continue
			}
			env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
			if err == nil && slices.ContainsFunc(marks(env), ofDead) {
				left = syscall.Kill(pid, syscall.SIGKILL) == nil || left
			}
		}
		if !left {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// children are the children of this process that no thread but the first one has: the
// kernel hands every orphan to the first thread, and what this process had before it
// became gauntlet belongs to it, too. What Run starts is known anyway.
func children() []int {
	// Mostly there are none, and the kernel reports that in one call.
	if err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil); errors.Is(err, unix.ECHILD) {
		return nil
	}
	b, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children")
	if err != nil {
		return nil
	}
	var out []int
	for _, f := range bytes.Fields(b) {
		if pid, err := strconv.Atoi(string(f)); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// carries reports whether pid's environment contains the mark, or can no longer be read
// because it is a zombie waiting for this process.
func carries(pid int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	if len(env) == 0 {
		return isZombie(pid)
	}
	return slices.Contains(marks(env), mark)
}

// marks are the families that an environment names.
func marks(env []byte) []string {
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if list, ok := bytes.CutPrefix(v, []byte(markVar)); ok {
			return strings.Fields(string(list))
		}
	}
	return nil
}

func isZombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	i := bytes.LastIndexByte(b, ')')
	return i >= 0 && i+2 < len(b) && b[i+2] == 'Z'
}
