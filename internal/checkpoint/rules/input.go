package rules

import (
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/shell"
	"gauntlet/internal/transcript"
	"gauntlet/internal/weaken"
)

// Input is everything that a decision may depend on.
type Input struct {
	// Config is the checkpoint section; nil means its defaults.
	Config *config.Checkpoint
	// Roots are the spellings of the project root (as given, symlinks resolved):
	// names in the transcript below any of them are names in the project.
	Roots []string
	// Changed lists the changed files, relative to the root, with slashes.
	Changed []Change
	// GitFailed: it is unknown what changed.
	GitFailed bool
	// Turn is what the agent did.
	Turn Turn
	// Tasks returns the commands that a call of a task runner ends up running, by the
	// project's own files; false when those do not define it. nil: none could be read.
	Tasks func(c shell.Command, dir string) ([]shell.Command, bool)
	// Members returns the names that the manifest in a folder gives to what is in it. nil: none
	// could be read.
	Members func(dir string) []string
	// Gates are the project's gates that were judged on the current content.
	Gates []Gate
	// Weakened is where tests or linters check less than when the turn began.
	Weakened []weaken.Weakening
	// Unfinished are the files to which the turn added a TODO or a placeholder; they are looked
	// for only if the last message says that the work is complete.
	Unfinished []string
	// Plan is the work item the agent should be working on, if it is known.
	Plan *Plan
	// Tests is the result of the configured test command, when it was run.
	Tests *TestRun
	// TurnStart is the later of the last human message and Gauntlet's last block; zero when
	// unknown.
	TurnStart time.Time
	Now       time.Time
	// Brief: a block is one sentence per action, without headings. Ask: it names how to ask a
	// person.
	Brief, Ask bool
}

// Gate is what is known of one gate for the current content, from this stop or from before.
type Gate struct {
	Name    string
	Command string
	// Dir is where it runs, relative to the root; "" is the root.
	Dir    string
	Passed bool
	// CouldNotRun: it neither passed nor failed, because its tool is missing here.
	CouldNotRun bool
	At          time.Time
}

// Change is one changed file.
type Change struct {
	Path string
	// ModTime is when it was last written; zero when unknown (or deleted). It
	// is consulted only where the transcript shows a command that may have
	// rewritten files without naming them.
	ModTime time.Time
}

// Turn is the current turn of the transcript.
type Turn struct {
	// Readable: the transcript was found, understood and read.
	Readable bool
	// Truncated: the turn began before the part that was read.
	Truncated bool
	// Torn: the newest part of the transcript is missing.
	Torn bool
	// Whole: Earlier reaches back to the start of the conversation, as far as it
	// is about files that the turn edits.
	Whole bool
	// ReadsFirst: the client itself refuses to edit a file that was not read.
	ReadsFirst bool
	// Calls are the turn's tool calls in call order, those of its sub-agents
	// included.
	Calls []event.ToolCall
	// Earlier are the calls of earlier turns, as far as they were read. They only ever show
	// that a file was seen before it was edited.
	Earlier []event.ToolCall
	// LastMessage is what the agent said last.
	LastMessage string
}

// TurnOf is the turn as the checkpoint sees it.
func TurnOf(t transcript.Turn) Turn {
	return Turn{Readable: t.Readable, Truncated: t.Truncated, Torn: t.Torn, Whole: t.Whole, ReadsFirst: t.ReadsFirst, Calls: t.Calls, Earlier: t.Earlier, LastMessage: t.LastMessage}
}

// Plan is the "Files to Change" table of a work item; see ParsePlan.
type Plan struct {
	Slug  string
	Files []string
}

// TestRun is one run of the configured test command.
type TestRun struct {
	Command  string
	Passed   bool
	TimedOut bool
	// Err is why it could not be run at all ("" when it ran).
	Err      string
	Output   string
	Duration time.Duration
}
