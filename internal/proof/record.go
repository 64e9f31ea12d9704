package proof

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// Source is who proved it.
type Source string

// The sources. A record never contains worktree: that is what `run` becomes when it is read
// in another work tree than the one that ran it.
const (
	Run      Source = "run"
	Worktree Source = "worktree"
	Agent    Source = "agent"
	Remote   Source = "remote"
)

// Starter is who started a run.
type Starter string

// The starters.
const (
	ByStop   Starter = "stop"   // the hook of an agent's stop
	ByPerson Starter = "person" // a command that no agent called
	ByCI     Starter = "ci"
	ByAgent  Starter = "agent" // a command that an agent called, or one that it left behind
	ByAhead  Starter = "ahead" // between two stops
	ByRemote Starter = "remote"
)

// Outcome is how the gate ended. A gate that could not judge leaves no record.
type Outcome string

// The outcomes.
const (
	Pass Outcome = "pass"
	Fail Outcome = "fail"
)

// Record is one proof, or one failure: failures are kept to recognise known red gates,
// missing progress and flakes, and never replace a run.
type Record struct {
	Key     string  `json:"key"`
	Gate    string  `json:"gate"` // id: kind:entry:name
	Outcome Outcome `json:"outcome"`
	Source  Source  `json:"source"`
	// StartedBy is who started the run. What an agent started is a claim: it counts at the
	// stops of its own session and nowhere else.
	StartedBy Starter `json:"startedBy"`
	// Environment identifies the variables of a run that an agent started.
	Environment string `json:"environment,omitempty"`
	// Where it ran: the root of the work tree, or the name of a remote machine.
	Where   string `json:"where,omitempty"`
	Worker  string `json:"worker,omitempty"` // the machine of a runner that is not this one
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"` // "" for a run by hand
	// Signer is the fingerprint of the key that signed a remote proof, Platform and Tools
	// what it ran with.
	Signer   string    `json:"signer,omitempty"`
	Platform string    `json:"platform,omitempty"`
	Tools    []string  `json:"tools,omitempty"`
	At       time.Time `json:"at"`
	// Tree names the whole content that was judged.
	Tree       string            `json:"tree,omitempty"`
	DurationMS int64             `json:"durationMs"`
	Command    string            `json:"command,omitempty"`
	ExitCode   *int              `json:"exitCode,omitempty"`
	LogPath    string            `json:"logPath,omitempty"`
	Warning    string            `json:"warning,omitempty"` // a pass with a reservation
	Flaky      bool              `json:"flaky,omitempty"`
	Files      int               `json:"files"`
	Parts      map[string]string `json:"parts,omitempty"`
	// Failure identifies the output of a failure that names no test and no finding.
	Failure  string `json:"failure,omitempty"`
	TimedOut bool   `json:"timedOut,omitempty"`
	// Own: a stop judged that the session itself broke it.
	Own bool `json:"own,omitempty"`
	// Call is the agent's own command line.
	Call string `json:"call,omitempty"`
	// Turn names the human turn of the stop that ran it; "" by hand.
	Turn string `json:"turn,omitempty"`
	// Findings are the findings of its report, as the finding package writes them, Tool the
	// tool and version that it named, and Unread what it said about failures besides them;
	// nil when no report was read.
	Findings json.RawMessage `json:"findings,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Unread   json.RawMessage `json:"unread,omitempty"`
}

// claim reports whether an agent started the run: it chose when, and in which environment.
func (r Record) claim() bool { return r.StartedBy == ByAgent || r.Source == Agent }

// Origin is where a reused result comes from, as results show it.
type Origin struct {
	Source    Source    `json:"source"`
	StartedBy Starter   `json:"startedBy"`
	By        string    `json:"by"`
	At        time.Time `json:"at"`
	Where     string    `json:"where"`
	Worker    string    `json:"worker,omitempty"`
	Files     int       `json:"files,omitempty"`
	Call      string    `json:"call,omitempty"`
	// With is what a remote proof ran with: the platform, and the tools that its
	// check names.
	With []string `json:"with,omitempty"`
}

// Origin returns the record's origin, seen from the work tree at here.
func (r Record) Origin(here string) Origin {
	o := Origin{Source: r.Source, StartedBy: r.StartedBy, By: r.Agent, At: r.At, Where: r.Where, Worker: r.Worker, Files: r.Files, Call: r.Call}
	if o.Source == Run && r.Where != here {
		o.Source = Worktree
	}
	o.By = cmp.Or(o.By, "gauntlet run")
	if r.Platform != "" {
		o.With = append([]string{r.Platform}, r.Tools...)
	}
	return o
}

// Describe says where a reused result comes from, seen from the project at here: "passed
// 12 min ago in work tree ../fix-login (claude), same 214 files".
func (o Origin) Describe(here string, now time.Time) string {
	said := "passed " + text.Ago(now.Sub(o.At))
	switch o.Source {
	case Run:
		said += " here"
		if o.StartedBy == ByAhead {
			said += ", ahead of a stop"
		}
	case Worktree:
		where := o.Where
		if rel, err := filepath.Rel(here, where); err == nil && len(rel) < len(where) {
			where = rel
		}
		said += " in work tree " + where
	case Agent:
		said += " in the agent's own run"
		if o.Call != "" {
			said += " `" + o.Call + "`"
		}
	case Remote:
		said += " on " + o.Where
	}
	if o.Worker != "" {
		said = strings.TrimSuffix(said, " here") + " on " + o.Worker
	}
	said += " (" + o.By + ")"
	for _, w := range o.With {
		said += ", " + w
	}
	if o.Files > 0 {
		said += ", same " + text.Count(o.Files, "file")
	}
	return redact.Line(said, 300)
}

// BeforeStop says of a result that was proved ahead how long before a stop that was.
func (o Origin) BeforeStop(stop time.Time) string {
	switch ago := stop.Sub(o.At).Round(time.Second); {
	case ago <= 0:
		return "proved ahead, as you stopped"
	case ago < time.Minute:
		return fmt.Sprintf("proved ahead, %d s before you stopped", ago/time.Second)
	default:
		return "proved ahead, " + strings.TrimSuffix(text.Ago(ago), "ago") + "before you stopped"
	}
}

// Again reports whether a pass that an agent claims is one of the one in twenty that are
// run anyway. The key's own bits decide, so that it can be tested.
func Again(key string) bool {
	if len(key) < 8 {
		return true
	}
	n, err := strconv.ParseUint(key[:8], 16, 64)
	return err != nil || n%20 == 0
}
