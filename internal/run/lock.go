package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/safefile"
)

// lockName is the run lock in the log directory; a waiting process creates a file with the
// prefix beside it.
const (
	lockName   = ".gauntlet-run.lock"
	waitPrefix = ".gauntlet-run.wait."
	// foreignLock is how long a lock file without an owner counts; foreignPID how long one
	// that names a living process counts: its number may belong to another process by now.
	foreignLock = 10 * time.Minute
	foreignPID  = 24 * time.Hour
)

// owner is the process that holds the run lock or waits for it.
type owner struct {
	PID       int       `json:"pid"`
	Host      string    `json:"host"`
	StartedAt time.Time `json:"started_at"`
	// Agent and Session identify the stop; "" by hand.
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
}

func thisProcess(now time.Time) owner {
	host, _ := os.Hostname()
	return owner{PID: os.Getpid(), Host: host, StartedAt: now.UTC()}
}

// claim acquires the run lock and writes its owner into the file.
func claim(logDir string, me owner) (*safefile.Lock, error) {
	b, err := json.Marshal(me)
	if err != nil {
		return nil, err
	}
	lock, err := safefile.Claim(filepath.Join(logDir, lockName), append(b, '\n'), believed)
	if err != nil {
		return nil, err
	}
	if dead, full := readOwner(lock.LeftBy()); full && dead.Host == me.Host && !lock.Loose() {
		proc.EndOrphansOf(dead.PID) // its gates must not run beside those of this run
	}
	return lock, nil
}

// wait creates a file that shows people that this process waits; done removes it. Nothing
// depends on it.
func wait(logDir string, me owner) (done func()) {
	file := filepath.Join(logDir, waitPrefix+strconv.Itoa(me.PID))
	b, err := json.Marshal(me)
	if err != nil || safefile.WriteIn(logDir, file, append(b, '\n'), 0o600) != nil {
		return func() {}
	}
	return func() { _ = os.Remove(file) }
}

// Activity is a process that runs gates, or waits to do so.
type Activity struct {
	PID     int       `json:"pid"`
	Since   time.Time `json:"since"`
	Agent   string    `json:"agent,omitempty"`
	Session string    `json:"session,omitempty"`
}

// Now returns the run in progress in a log directory, nil when there is none, and the
// processes that wait for it, longest first.
func Now(logDir string) (running *Activity, waiting []Activity) {
	read := func(name string) *Activity {
		b, err := safefile.Read(logDir, filepath.Join(logDir, name), 4<<10)
		o, _ := readOwner(b)
		if err != nil || o.PID <= 0 || !proc.Alive(o.PID) {
			return nil
		}
		return &Activity{PID: o.PID, Since: o.StartedAt, Agent: o.Agent, Session: o.Session}
	}
	running = read(lockName)
	if running == nil {
		return nil, nil
	}
	entries, _ := safefile.ReadDir(logDir, logDir, -1)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), waitPrefix) {
			if a := read(e.Name()); a != nil {
				waiting = append(waiting, *a)
			}
		}
	}
	slices.SortFunc(waiting, func(a, b Activity) int { return a.Since.Compare(b.Since) })
	return running, waiting
}

// believed is how long a lock file counts as held although no process has the kernel's lock
// on it. 0: Gauntlet wrote it, or it names a process that is gone.
func believed(b []byte) time.Duration {
	o, full := readOwner(b)
	switch {
	case o.PID <= 0:
		return foreignLock
	case full || !proc.Alive(o.PID):
		return 0
	}
	return foreignPID
}

// readOwner reads who holds the lock. Other tools write only the number of the process;
// full is false then.
func readOwner(b []byte) (o owner, full bool) {
	if json.Unmarshal(b, &o) == nil && o.PID > 0 {
		return o, true
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || pid <= 0 {
		return owner{}, false
	}
	return owner{PID: pid}, false
}

func (e *execution) holder() string {
	b, err := safefile.Read(e.logDir, filepath.Join(e.logDir, lockName), 4096)
	o, full := readOwner(b)
	switch {
	case err != nil || o.PID == 0:
		return ""
	case !full:
		return fmt.Sprintf(" (pid %d)", o.PID)
	}
	return fmt.Sprintf(" (pid %d, since %s)", o.PID, o.StartedAt.Local().Format("15:04:05"))
}
