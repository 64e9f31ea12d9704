package room

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"gauntlet/internal/proc"
)

// Command is the hidden command by which Gauntlet starts itself inside a room.
const Command = "room-exec"

// mounting is what the process that enters a room has to do, passed to it as JSON.
type mounting struct {
	Tree   string `json:"tree"`   // the room's content
	Root   string `json:"root"`   // the project's own path
	Dir    string `json:"dir"`    // where the command runs, in the project
	Common string `json:"common"` // the shared git directory, shown read-only at Show
	Show   string `json:"show"`
	// Over are directories, relative to both, that are shown copy-on-write; their changes
	// are kept below Upper.
	Over  []string `json:"over,omitempty"`
	Upper string   `json:"upper"`
}

// Run runs a command of the project in the room: c's directory is one of the work tree.
// Paths of the room in its output are shown as the project's.
func (r *Room) Run(ctx context.Context, c proc.Cmd) proc.Result {
	if r.own {
		inside, err := r.entering(c)
		if err != nil {
			return proc.Result{ExitCode: -1, Err: err}
		}
		return proc.Run(ctx, inside)
	}
	c.Dir = r.Path(c.Dir)
	c.Extra = append(c.Extra, "PWD="+c.Dir)
	out, errs := r.outward(c.Stdout), r.outward(c.Stderr)
	c.Stdout, c.Stderr = out, errs
	if errs.w == out.w {
		c.Stderr = out // one pipe, so that the order of lines stays
	}
	res := proc.Run(ctx, c)
	out.flush()
	errs.flush()
	return res
}

// entering is the command that mounts the room at the project's path and then runs c.
func (r *Room) entering(c proc.Cmd) (proc.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return c, err
	}
	m := mounting{
		Tree: r.tree, Root: r.house.Repo.Root, Dir: c.Dir, Common: r.house.Repo.CommonDir,
		Show: filepath.Join(r.dir, "common"), Upper: filepath.Join(r.dir, "over"),
	}
	for _, i := range r.seen {
		if i.dir {
			m.Over = append(m.Over, i.path)
		}
	}
	spec, err := json.Marshal(m)
	if err != nil {
		return c, err
	}
	c.Args = append([]string{self, Command, string(spec), "--"}, c.Args...)
	c.Dir, c.Private = "/", true
	return c, nil
}

// outward shows paths of the room as the project's.
func (r *Room) outward(w io.Writer) *renaming {
	if w == nil {
		w = io.Discard
	}
	return &renaming{w: w, from: []byte(r.tree), to: []byte(r.house.Repo.Root)}
}

// renaming replaces a path in what is written, across writes.
type renaming struct {
	mu       sync.Mutex
	w        io.Writer
	from, to []byte
	rest     []byte // may be the beginning of the path
}

func (n *renaming) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := bytes.ReplaceAll(append(n.rest, p...), n.from, n.to)
	keep := 0
	for k := min(len(all), len(n.from)-1); k > 0; k-- {
		if strings.HasPrefix(string(n.from), string(all[len(all)-k:])) {
			keep = k
			break
		}
	}
	out := all[:len(all)-keep]
	n.rest = bytes.Clone(all[len(all)-keep:])
	if _, err := n.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes what looked like the beginning of the path.
func (n *renaming) flush() {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, _ = n.w.Write(n.rest)
	n.rest = nil
}
