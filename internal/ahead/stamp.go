package ahead

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/proc"
	"gauntlet/internal/run"
	"gauntlet/internal/safefile"
)

// Command is the hidden command that is the process.
const Command = "ahead"

// Session is whose work is proved ahead: the newest prompt's. It is a file in the memory of
// the work tree, whose time is that of the agent's last call. Nothing in it is believed: it
// selects what is run of what is allowed anyway.
type Session struct {
	ID    string `json:"session"`
	Agent string `json:"agent"`
	Root  string `json:"root"`
	// Client is the process of the agent, 0 if it is not known.
	Client int `json:"client,omitempty"`
}

const maxSession = 64 << 10

func sessionFile(memory string) string { return filepath.Join(memory, "ahead") }
func editFile(memory string) string    { return filepath.Join(memory, "ahead.edit") }

// Begin records that a human's prompt arrived, and makes sure that the process is there.
func Begin(memory string, s Session) error {
	if s.Client == 0 {
		s.Client = proc.Client()
	}
	b, err := json.Marshal(s)
	if err == nil {
		err = safefile.MakeDir(memory, 0o700)
	}
	if err == nil {
		err = safefile.Put(memory, sessionFile(memory), b, 0o600)
	}
	if err == nil && !safefile.Exists(editFile(memory)) {
		err = safefile.Put(memory, editFile(memory), nil, 0o600)
	}
	if err == nil {
		err = Ensure(memory, s.Root)
	}
	return err
}

// End records that a session is over, or that nothing is to be proved ahead any more; "" is
// every session. The process ends when it sees that.
func End(memory, session string) {
	if s, ok := current(memory); ok && (session == "" || s.ID == session) {
		_ = safefile.Remove(memory, sessionFile(memory))
	}
}

// Called records that a call of the agent ended that may have changed content, and makes sure
// that the process is there. Where nothing is proved ahead, that is one failed system call.
func Called(memory, root string, kind event.ToolKind, now time.Time) error {
	file := sessionFile(memory)
	if kind == event.ToolEdit || kind == event.ToolWrite {
		file = editFile(memory)
	}
	if kind == event.ToolRead || kind == event.ToolSearch || memory == "" || safefile.Touch(file, now) != nil || file != sessionFile(memory) && !safefile.Exists(sessionFile(memory)) {
		return nil //nolint:nilerr // no session here: nothing is proved ahead
	}
	return Ensure(memory, root)
}

// Ensure starts the process unless one runs. The lock is passed on to it, so that of many
// that want to start one only one does.
func Ensure(memory, root string) error {
	lock, err := safefile.TryAcquire(run.AheadLock(memory))
	if errors.Is(err, safefile.ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Release() //nolint:errcheck // the process has it
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if !proc.PassesFiles {
		_ = lock.Release()
		return proc.Detach(proc.Cmd{Args: []string{self, Command, root}, Dir: root})
	}
	return proc.Detach(proc.Cmd{Args: []string{self, Command, root, "locked"}, Dir: root}, lock.File())
}

// current is whose work is proved ahead.
func current(memory string) (s Session, ok bool) {
	b, err := safefile.Read(memory, sessionFile(memory), maxSession)
	return s, err == nil && json.Unmarshal(b, &s) == nil
}

// stamp is when the agent last edited a file, and when its last other call ended.
type stamp struct{ edited, called time.Time }

func (s stamp) newest() time.Time {
	if s.edited.After(s.called) {
		return s.edited
	}
	return s.called
}

func stampOf(memory string) stamp {
	at := func(file string) (t time.Time) {
		if info, err := os.Lstat(file); err == nil {
			t = info.ModTime()
		}
		return t
	}
	return stamp{at(editFile(memory)), at(sessionFile(memory))}
}
