package site

import (
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/proc"
	"gauntlet/internal/session"
)

// forgedSection lists events that the agent made up, in a session's memory that all projects
// share.
const forgedSection = "forged"

// Forged is an event that did not come from the client.
type Forged struct {
	What string    `json:"what"` // the hook
	Why  string    `json:"why"`
	At   time.Time `json:"at"`
}

// maxForged bounds how many are remembered.
const maxForged = 5

// above is the nearest client among the processes that this one descends from, and whether the
// client called it plainly: nothing is between them but what names this hook on its own
// command line. A shell of a tool is there for other reasons.
func above(line []proc.Process) (client Client, plain bool) {
	if len(line) == 0 {
		return Client{}, false
	}
	for i, p := range line[1:] {
		if _, ok := agent.Program(p.Args); ok {
			return Client{PID: p.PID, Started: p.Started}, !slices.ContainsFunc(line[1:i+1], func(p proc.Process) bool { return !callsHook(p.Args) })
		}
	}
	return Client{}, false
}

// callsHook reports whether a command line is that of a hook, as it is in a client's settings:
// it names one, and gives it no input of its own.
func callsHook(args []string) bool {
	line := strings.Join(args, " ")
	words := strings.Fields(line)
	names := slices.ContainsFunc(words, func(w string) bool {
		w = strings.Trim(w, `"'`)
		return w == "stop-hook" || w == "hook"
	}) && slices.ContainsFunc(words, func(w string) bool {
		base := path.Base(filepath.ToSlash(strings.Trim(w, `"'`)))
		return base == "gauntlet" || base == "gauntlet.exe" || base == "gauntlet.js"
	})
	// What the installation writes around it, for two shells at once.
	line = strings.NewReplacer("||", "", "' | out-null;", "").Replace(line)
	return names && !strings.ContainsAny(line, "<|\n") && !strings.Contains(line, "eval ")
}

// Sender says why an event of a session cannot come from its client; "" if it may. It is
// certain: the client has called a hook plainly before, and this one is called by something
// else that runs below it, or by something that was left behind. session is that of the client.
func (s *Site) Sender(sessionID string, stdin io.Reader) (session, why string) {
	was := Client{Session: sessionID}
	st, err := s.Everywhere().Load(sessionID)
	known := err == nil && st.Get(clientSection, &was)
	if known && !was.Plain {
		return "", ""
	}
	line := proc.Lineage()
	client, plain := above(line)
	if !known { // an agent can make up a session, too
		all := Sessions(s.Everywhere())
		i := slices.IndexFunc(all, func(c Client) bool { return c.Plain && c.same(client) })
		if i < 0 {
			return "", ""
		}
		was = all[i]
	}
	switch {
	case client.PID == 0 && proc.LeftBehind(was.At):
		return was.Session, "a process that was left behind called it"
	case !was.same(client):
		return "", "" // the session goes on in another process
	case !plain:
		return was.Session, "a command of the agent called it"
	}
	if f, ok := stdin.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return was.Session, "its input is a file"
		}
	}
	return "", ""
}

// same reports whether two clients are one process.
func (c Client) same(other Client) bool {
	return other.PID > 0 && c.Is(proc.Process{PID: other.PID, Started: other.Started})
}

// KeepForged remembers an event that did not come from the client.
func (s *Site) KeepForged(ctx context.Context, sessionID string, f Forged) error {
	return s.Everywhere().Update(ctx, sessionID, func(st *session.State) bool {
		var all []Forged
		st.Get(forgedSection, &all)
		all = append(all, f)
		return st.Set(forgedSection, all[max(0, len(all)-maxForged):]) == nil
	})
}

// ForgedIn lists the events of a session that did not come from its client.
func (s *Site) ForgedIn(sessionID string) (all []Forged) {
	if st, err := s.Everywhere().Load(sessionID); err == nil {
		st.Get(forgedSection, &all)
	}
	return all
}
