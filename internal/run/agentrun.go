package run

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
	"gauntlet/internal/shell"
	"gauntlet/internal/site"
)

// AgentCall is a shell call of an agent, before or after it ran.
type AgentCall struct {
	Event event.Event
	// Memory is where the call is recorded between the two.
	Memory session.Store
}

// pendingCall is what is known of a call before it ran.
type pendingCall struct {
	At   time.Time         `json:"at"`
	Line string            `json:"line"`
	Keys map[string]string `json:"keys"` // by gate id
}

const (
	pendingDir     = "calls"
	pendingPurpose = "agent call"
	pendingAge     = 24 * time.Hour
	maxPending     = 1 << 20
)

// file is where the call is recorded: ids are untrusted text.
func (c AgentCall) file() string {
	if c.Memory.Dir == "" {
		return ""
	}
	t := c.Event.Tool
	id := cmp.Or(t.ID, t.Dir+"\x00"+t.Command)
	return filepath.Join(c.Memory.Dir, pendingDir, session.Key(c.Event.SessionID+"\x00"+id))
}

// Pending reports whether the call was recognised before it ran.
func (c AgentCall) Pending() bool {
	_, err := os.Lstat(c.file())
	return c.file() != "" && err == nil
}

// Forget removes the record of a call that proves nothing.
func (c AgentCall) Forget() {
	if c.file() != "" {
		_ = os.Remove(c.file())
	}
}

// MayBeGate reports whether a shell line can contain the command of a check, from nothing
// but the bytes of the checks' files: for nearly every call it decides that there is
// nothing to do.
func MayBeGate(root, line string) bool {
	dir := filepath.Join(root, config.Dir, config.ChecksDir)
	files, _ := safefile.ReadDir(root, dir, -1)
	for _, f := range files {
		if ext := filepath.Ext(f.Name()); ext != ".yml" && ext != ".yaml" {
			continue
		}
		text, err := safefile.Read(root, filepath.Join(dir, f.Name()), maxPending)
		if err != nil {
			continue
		}
		command, known := commandOf(string(text))
		if !known || command != "" && mayContain(line, command) {
			return true
		}
	}
	return false
}

// commandOf finds the command in a check's file without parsing YAML; known is false if
// only parsing would show it.
func commandOf(text string) (command string, known bool) {
	for line := range strings.Lines(text) {
		value, ok := strings.CutPrefix(strings.TrimSpace(line), "command:")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if value == "" || strings.ContainsAny(value[:1], "|>&*!{[") || strings.Contains(value, `\`) || strings.Contains(value, " #") {
			return "", false
		}
		if q := value[0]; q == '"' || q == '\'' {
			if len(value) < 2 || value[len(value)-1] != q || strings.Contains(value[1:len(value)-1], string(q)) {
				return "", false
			}
			value = value[1 : len(value)-1]
		}
		if _, rest, more := strings.Cut(text, line); more {
			if next := strings.TrimLeft(rest, "\n"); strings.HasPrefix(next, " ") || strings.HasPrefix(next, "\t") {
				return "", false // it continues in the next line
			}
		}
		return value, true
	}
	return "", false
}

// mayContain reports whether the words of a command that are not flags, which may change
// only what is printed, occur in a line in this order.
func mayContain(line, command string) bool {
	line = squeeze(line)
	for word := range strings.FieldsSeq(command) {
		if strings.HasPrefix(word, "-") {
			continue
		}
		_, rest, found := strings.Cut(line, squeeze(word))
		if !found {
			return false
		}
		line = rest
	}
	return true
}

// squeeze removes what may be written in several ways: blanks and quotes.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\n', '"', '\'', '\\':
			return -1
		}
		return r
	}, s)
}

// CallStarts examines a shell call before it runs: which checks it runs, and on what
// content.
func CallStarts(ctx context.Context, opts Options, c AgentCall) error {
	t := c.Event.Tool
	wanted := map[string]bool{}
	for _, j := range Checks(opts) {
		if !j.UsesBase() && c.proves(opts, j) {
			wanted[j.ID] = true
		}
	}
	if len(wanted) == 0 || c.file() == "" {
		return nil
	}
	keys, err := Keys(ctx, opts, func(j gate.Job) bool { return wanted[j.ID] })
	if err != nil || len(keys) == 0 {
		return err
	}
	p := pendingCall{At: opts.Now(), Line: redact.Line(t.Command, 300), Keys: map[string]string{}}
	for id, key := range keys {
		p.Keys[id] = key.ID
	}
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	sealed, err := seal.New(site.StateHome(opts.Getenv)).Seal(pendingPurpose, data)
	if err != nil {
		return err
	}
	dir := filepath.Dir(c.file())
	if err := safefile.MakeDir(dir, 0o700); err != nil {
		return err
	}
	sweepPending(dir, opts.Now())
	return safefile.Put(c.Memory.Dir, c.file(), sealed, 0o600)
}

// proves reports whether the success of the call proves a check.
func (c AgentCall) proves(opts Options, j gate.Job) bool {
	t := c.Event.Tool
	ran := shell.Ran{Line: t.Command, Dir: cmp.Or(t.Dir, c.Event.Cwd), Getenv: opts.Getenv}
	return shell.Exact{Command: j.Check.Command, Dir: j.Dir, Env: j.Check.Env}.ProvedBy(ran)
}

// NearlyProved is what to say about a call that contains the command of a check in a form that
// proves nothing: through a pipe, with more arguments, in another directory. It is said once
// per session; "" otherwise.
func NearlyProved(opts Options, c AgentCall) string {
	if c.Memory.Dir == "" || c.Event.Tool.Outcome == event.Failure {
		return ""
	}
	for _, j := range Checks(opts) {
		if !j.Mode.Blocks() || j.UsesBase() || !mayContain(c.Event.Tool.Command, j.Check.Command) || c.proves(opts, j) {
			continue
		}
		once := filepath.Join(c.Memory.Dir, pendingDir, "nearly-"+session.Key(c.Event.SessionID))
		if safefile.Exists(once) || safefile.MakeDir(filepath.Dir(once), 0o700) != nil || safefile.Put(c.Memory.Dir, once, nil, 0o600) != nil {
			return ""
		}
		where := ""
		if j.Entry != "." {
			where = " in " + redact.Line(j.Entry, 100)
		}
		return "This call does not prove the gate " + redact.Line(j.Name, 80) + ", so the gate runs again when you stop. To prove it yourself, run exactly this" +
			where + ": " + redact.Line(j.Check.Command, 300)
	}
	return ""
}

// sweepPending removes calls that never ended.
func sweepPending(dir string, now time.Time) {
	entries, _ := safefile.ReadDir("", dir, -1)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > pendingAge {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// CallEnded stores a proof for every check that the call ran, if the client reports success
// and nothing the check depends on changed meanwhile.
func CallEnded(ctx context.Context, opts Options, c AgentCall) error {
	defer c.Forget()
	t := c.Event.Tool
	if t.Outcome != event.Success || !t.HasExit || t.ExitCode != 0 || t.Background || t.Rejected {
		return nil
	}
	sealed, err := safefile.Read(c.Memory.Dir, c.file(), maxPending)
	if err != nil {
		return err
	}
	data, ok := seal.New(site.StateHome(opts.Getenv)).Open(pendingPurpose, sealed)
	var p pendingCall
	if !ok || json.Unmarshal(data, &p) != nil {
		return nil // not written by Gauntlet
	}
	now, err := Keys(ctx, opts, func(j gate.Job) bool { return p.Keys[j.ID] != "" })
	if err != nil {
		return err
	}
	ledger, err := LedgerOf(opts)
	if err != nil {
		return err
	}
	zero := 0
	for _, j := range Checks(opts) {
		key, known := now[j.ID]
		if !known || key.ID != p.Keys[j.ID] {
			continue
		}
		rec := proof.Record{
			Key: key.ID, Gate: j.ID, Outcome: proof.Pass, Source: proof.Agent, StartedBy: proof.ByAgent, Where: opts.Config.Root, Session: c.Event.SessionID,
			Agent: c.Event.Agent, At: opts.Now().UTC(), DurationMS: opts.Now().Sub(p.At).Milliseconds(), Command: redact.String(j.Check.Command),
			ExitCode: &zero, Files: key.Files, Parts: key.Parts, Call: p.Line,
		}
		if err := ledger.Put(ctx, rec); err != nil {
			return err
		}
	}
	return nil
}
