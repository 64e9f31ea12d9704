package wire

import (
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/jsontree"
)

// Scope selects the settings that a hook is written to.
type Scope string

// Scopes.
const (
	User    Scope = "user"    // every project of this person
	Project Scope = "project" // everybody in this project
	Local   Scope = "local"   // this person in this project
)

// Shape is the form in which a client's settings hold hooks.
type Shape int

// Shapes.
const (
	// Grouped: {"hooks":{"Stop":[{"hooks":[{"type":"command",…}]}]}}
	Grouped Shape = iota
	// Flat: {"version":1,"hooks":{"stop":[{"command":…}]}}
	Flat
	// Whole: the file contains nothing but Gauntlet's hooks; Setup.Content is its content.
	Whole
)

// Hook is one entry that Gauntlet writes.
type Hook struct {
	Event string     // the client's name for it
	Kind  event.Kind // Gauntlet's kind
	Args  string     // what follows "gauntlet "
	// Matcher chooses the tools of a tool event; "" for all.
	Matcher string
}

// Dirs are the places that a client's files are relative to.
type Dirs struct {
	Home    string
	Project string
	// Getenv reads the variables by which clients move their directories.
	Getenv func(string) string
	// System is the directory that absolute paths of the system are below; "" is /.
	System string
}

// Setup describes a client's hook files.
type Setup struct {
	// Label is the client's name for people.
	Label string
	// Programs are the client's binaries, and Marks the paths (relative to HOME
	// or to the project) that show that it is used here.
	Programs []string
	Marks    []string
	Shape    Shape
	// Skills is the directory of a project from which the client loads skills; "" for none.
	Skills string
	// Path is the settings file of a scope; "" where the client has none.
	Path func(Scope, Dirs) string
	// Instead is a file that the client reads only while Path does not exist:
	// when it contains hooks, a new Path would hide them, so Gauntlet writes to it.
	// Its events are under "hooks".
	Instead func(Scope, Dirs) string
	// Root is the key of the object that contains the events; "" when the file
	// itself is that object.
	Root string
	// Version is a "version" member the file must have; 0 for none.
	Version int
	// Unit is the unit of the timeout, TimeoutKey its key.
	Unit       time.Duration
	TimeoutKey string
	// CommandKey is the key of the command: "command" for nearly every client.
	CommandKey string
	// Typed: an entry has "type":"command". Named: it has a "name".
	Typed, Named bool
	// PowerShell: on Windows the client may run the command with PowerShell. WindowsKey is
	// the key of a second command, for there; "" for none.
	PowerShell bool
	WindowsKey string
	// Extra are further members of the stop entry.
	Extra []Member
	// Quiet: the client reads stderr, so the command sends it to /dev/null.
	Quiet bool
	// Hooks are the events that Gauntlet subscribes to.
	Hooks []Hook
	// TaskHooks are added for projects that want tasks judged: builds that do not
	// know these events ignore the whole file.
	TaskHooks []Hook
	// Content is the whole file (Shape Whole); Mark is how its first line begins.
	Content func() string
	Mark    string
	// Notes are printed after an install, ProjectNotes after one into a project.
	Notes, ProjectNotes []string
	// StatusLine is the member that holds the client's status line command; "" for none.
	StatusLine string
	// Pitfalls finds settings that prevent Gauntlet's hooks from running. Merged:
	// they do so in any of the client's settings files.
	Pitfalls func(Payload) []string
	Merged   bool
	// Elsewhere are settings that Gauntlet never writes and that can switch its hooks off.
	Elsewhere []Elsewhere
	// ClientKeys are members that the client itself writes into the file.
	ClientKeys []string
	// Folder is set where project hooks run only in a trusted directory.
	Folder *FolderTrust
	// AlsoRuns names the agents whose settings this client runs hooks from too.
	AlsoRuns []string
	// Trust is set where hooks run only after they were trusted.
	Trust *Trust
}

// Elsewhere is a settings file of a client that is not Gauntlet's to edit.
type Elsewhere struct {
	File     func(Dirs) string
	Pitfalls func(text []byte) []string
}

// Trust is a client's list of trusted hooks: a TOML table per hook with a hash.
type Trust struct {
	File func(Dirs) string
	// Table is the header of the table for one hook.
	Table func(file, event string, group, handler int) string
	// Hash is the hash of one hook.
	Hash func(event, command string, timeout int64) string
	// How describes how a person trusts the hook in the client itself.
	How string
}

// Member is one literal JSON member.
type Member struct{ Key, JSON string }

// HookTimeout is how long a client lets Gauntlet run. It is above the deadline at
// which Gauntlet stops itself (280 s by default).
const HookTimeout = 300 * time.Second

// Timeout is HookTimeout in the client's unit.
func (s Setup) Timeout() int64 { return int64(HookTimeout / s.Unit) }

// Judges reports whether the hook runs the gates.
func (h Hook) Judges() bool { return strings.HasPrefix(h.Args, "stop-hook") }

// TimeoutOf is the timeout of one hook in the client's unit: hooks that run the
// gates get the whole time, the others a short one.
func (s Setup) TimeoutOf(h Hook) int64 {
	if h.Judges() {
		return s.Timeout()
	}
	return int64(30 * time.Second / s.Unit)
}

// InHome is the Path of scope User for a file with a fixed place below HOME.
func InHome(elem ...string) func(Dirs) string {
	return func(d Dirs) string { return Join(d.Home, elem...) }
}

// UserAndProject is the Path of a client that has no settings of scope Local.
func UserAndProject(user func(Dirs) string, project ...string) func(Scope, Dirs) string {
	return func(s Scope, d Dirs) string {
		switch s {
		case User:
			return user(d)
		case Project:
			return Join(d.Project, project...)
		case Local:
		}
		return ""
	}
}

// EnvDir is the directory an environment variable names, else the default
// below HOME.
func EnvDir(d Dirs, env, def string) string {
	if env != "" && d.Getenv != nil {
		if v := d.Getenv(env); filepath.IsAbs(v) {
			return v
		}
	}
	if d.Home == "" {
		return ""
	}
	return filepath.Join(d.Home, def)
}

// AllHooksOff is the pitfall of clients with one switch for all hooks.
func AllHooksOff(settings Payload) []string {
	if settings.Bool("disableAllHooks") {
		return []string{`"disableAllHooks" is true: no hook runs; remove it`}
	}
	return nil
}

// Settings reads a settings file that people edit: comments and trailing commas are allowed.
func Settings(text []byte) Payload {
	if keys := Keys(text); keys != nil {
		return keys
	}
	tree, err := jsontree.ParseRelaxed(text)
	if err != nil {
		return nil
	}
	return Keys(tree.Compact())
}
