package workflow

import (
	"slices"
	"strings"

	"gauntlet/internal/shape"
)

// Version is the schema of the records this package writes.
const Version = 1

// Progress is a whole record. The struct is its schema: new records, the
// order of keys and the generated documents all come from it.
type Progress struct {
	Version     int              `json:"version" ts:"1" required:"true" doc:"schema of the file; any other version is refused"`
	Command     string           `json:"command" ts:"Command" required:"true" doc:"which workflow command owns the record"`
	Feature     *string          `json:"feature" required:"true" doc:"what the command works on; null when it has no feature"`
	HeadCommit  *string          `json:"head_commit" required:"true" doc:"HEAD when the record was last written; null when there is none"`
	StartedAt   string           `json:"started_at" required:"true" doc:"ISO 8601, UTC, milliseconds"`
	UpdatedAt   string           `json:"updated_at" required:"true" doc:"stamped at every write"`
	CompletedAt *string          `json:"completed_at" doc:"null or missing while there is work left"`
	State       State            `json:"state" required:"true" doc:"where the command stands"`
	Phases      map[string]Phase `json:"phases" required:"true" doc:"what is known of each phase"`
	Gate        *Gate            `json:"gate,omitempty" doc:"whether this commit may ship"`
}

// State is the progress of a command.
type State struct {
	CurrentPhase    *string  `json:"current_phase" required:"true" doc:"the phase at work"`
	CompletedPhases []string `json:"completed_phases" required:"true" doc:"in the order of completion"`
	PendingPhases   []string `json:"pending_phases" required:"true" doc:"in the order they will be worked on"`
	CurrentTask     *string  `json:"current_task" doc:"the task within the current phase"`
}

// Phase is what is known of one phase.
type Phase struct {
	Status         string   `json:"status" ts:"PhaseStatus" required:"true" doc:"where the phase stands"`
	StartedAt      *string  `json:"started_at" doc:"when work on it began"`
	UpdatedAt      string   `json:"updated_at" doc:"stamped at every update"`
	ContextSummary *string  `json:"context_summary,omitempty" doc:"what the next agent has to know, within the limits"`
	FilesCreated   []string `json:"files_created,omitempty" doc:"paths from the root of the work tree"`
	FilesModified  []string `json:"files_modified,omitempty" doc:"paths from the root of the work tree"`
	Error          *string  `json:"error,omitempty" doc:"why it failed"`
}

// Gate is whether a commit may ship.
type Gate struct {
	ShipAllowed bool     `json:"ship_allowed" required:"true" doc:"true only if nothing blocks"`
	Blockers    []string `json:"blockers" required:"true" doc:"what has to be done first"`
	HeadCommit  *string  `json:"head_commit" required:"true" doc:"the commit that was judged; stale once HEAD moves"`
}

// The statuses of a phase.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Complete   = "complete"
	Failed     = "failed"
	Skipped    = "skipped"
)

// PhaseStatuses lists the statuses of a phase.
func PhaseStatuses() []string { return []string{Pending, InProgress, Complete, Failed, Skipped} }

// Command is a workflow command and the phases it goes through.
type Command struct {
	Name   string
	Phases []string
	Fields []string // the optional parts of the record that it uses
}

// numbered stands for phase-1, phase-2 and so on.
const numbered = "phase-N"

// Commands lists the seven workflow commands.
func Commands() []Command {
	return []Command{
		{"start", []string{"validate", "setup", "verify"}, []string{"files_created"}},
		{"design", []string{"research", "write", "validate"}, []string{"feature", "context_summary", "files_created"}},
		{"reconcile", []string{"analyze", "plan"}, []string{"feature", "context_summary", "files_modified"}},
		{"research", []string{"investigate"}, []string{"feature", "context_summary", "files_created"}},
		{"implement", []string{numbered}, []string{"feature", "current_task", "context_summary", "files_created", "files_modified", "error"}},
		{"ship", []string{"gate", "preview", "commit", "push", "pr", "monitor"}, []string{"feature", "gate", "error"}},
		{"review", []string{"L1-T1", "L1-T2", "L2", "L3", "L4"}, []string{"feature", "gate", "context_summary", "error"}},
	}
}

// KnownCommand reports whether name is one of the seven.
func KnownCommand(name string) bool {
	return slices.ContainsFunc(Commands(), func(c Command) bool { return c.Name == name })
}

// KnownStatus reports whether s is a status of a phase.
func KnownStatus(s string) bool { return slices.Contains(PhaseStatuses(), s) }

// KnownPhase reports whether the command goes through the phase.
func KnownPhase(command, phase string) bool {
	for _, c := range Commands() {
		if c.Name != command {
			continue
		}
		return slices.ContainsFunc(c.Phases, func(p string) bool {
			if p == numbered {
				return isNumbered(phase)
			}
			return p == phase
		})
	}
	return false
}

func isNumbered(phase string) bool {
	n, ok := strings.CutPrefix(phase, "phase-")
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// The order in which keys are written where a record lacks them.
func recordOrder() []string { return shape.Keys(Progress{}) }
func stateOrder() []string  { return shape.Keys(State{}) }
func phaseOrder() []string  { return shape.Keys(Phase{}) }
