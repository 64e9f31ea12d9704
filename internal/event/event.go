package event

import "time"

// GuardVar is set to 1 in the environment of every child that Gauntlet starts.
// A hook that finds it set does nothing: an agent started by a gate, a reviewer
// or a git hook must not be judged inside the stop that started it.
const GuardVar = "GAUNTLET_STOP_HOOK_ACTIVE"

// Kind is what happened in the agent, named independently of the agent.
type Kind string

// The kinds of event that Gauntlet acts on; every other one is Other.
const (
	Stop         Kind = "stop"
	SubagentStop Kind = "subagent_stop"
	Prompt       Kind = "prompt"
	SessionStart Kind = "session_start"
	SessionEnd   Kind = "session_end"
	// ToolStart and ToolEnd are one tool call, before and after it ran.
	ToolStart Kind = "tool_start"
	ToolEnd   Kind = "tool_end"
	// TaskStop is the end of one task, or of a team-mate's work.
	TaskStop Kind = "task_stop"
	Other    Kind = "other"
)

// Event is one hook call of an agent after decoding. Everything in it is
// untrusted text from outside.
type Event struct {
	Agent     string // name of the adapter that decoded it
	Kind      Kind
	SessionID string
	// TurnID is the agent's own id of the human turn ("" when it sends none).
	TurnID         string
	Cwd            string
	TranscriptPath string
	// StopHookActive: according to the agent it is already continuing because of a stop hook.
	StopHookActive bool
	// NoReentryFlag: the agent sends no reliable flag, so only Gauntlet's own
	// count bounds its blocks.
	NoReentryFlag  bool
	LastMessage    string
	Prompt         string // the human's prompt, if the event contains it
	Model          string
	Client         string // the agent's version, if the event contains it
	PermissionMode string

	SubagentID         string
	SubagentType       string
	SubagentTranscript string

	// BackgroundAgents counts sub-agents that are still at work.
	BackgroundAgents int

	Context *ContextUse // context window figures, when the event carries them

	// Tool is the call of a tool event, with what is known of the call's end
	// (ToolEnd).
	Tool *ToolCall

	// At is the time of the event if the agent sends it: the same for
	// every hook that it calls for one stop.
	At time.Time
	// TranscriptLag is how long after the event the agent may still be recording
	// what led to it; 0 when its transcript is complete by then.
	TranscriptLag time.Duration
	// ReplyInTranscript: the agent records its last reply before it sends the
	// event. If the transcript does not contain it, more will be written.
	ReplyInTranscript bool
	// SubagentsUnmarked: a sub-agent's stop looks like any stop; only the start of its
	// session and the first line of its transcript show who called it.
	SubagentsUnmarked bool
	// BackgroundUnmarked: the event does not list which sub-agents are still at
	// work; only the transcript does.
	BackgroundUnmarked bool
}

// PlanMode is the permission mode in which an agent plans and edits nothing.
const PlanMode = "plan"

// Planning reports whether the agent may not edit, so that there is nothing it
// could be sent back to fix.
func (e Event) Planning() bool { return e.PermissionMode == PlanMode }

// ContextUse is how full the model's context window is.
type ContextUse struct {
	Tokens int
	Window int
}

// Percent is the share used, rounded down; 0 when the window is unknown.
func (c ContextUse) Percent() int {
	if c.Window <= 0 || c.Tokens <= 0 {
		return 0
	}
	return int(int64(c.Tokens) * 100 / int64(c.Window))
}

// ToolKind is what a tool call does, named independently of the agent.
type ToolKind string

// Tool kinds.
const (
	ToolShell  ToolKind = "shell"
	ToolRead   ToolKind = "read"
	ToolEdit   ToolKind = "edit"  // changes existing content
	ToolWrite  ToolKind = "write" // creates or replaces a whole file
	ToolSearch ToolKind = "search"
	ToolAgent  ToolKind = "agent" // launches a sub-agent
	ToolOther  ToolKind = "other"
)

// CallOutcome is what the transcript proves about a call. Unknown proves nothing.
type CallOutcome string

// Outcomes of a call.
const (
	Unknown CallOutcome = "unknown"
	Success CallOutcome = "success"
	Failure CallOutcome = "failure"
)

// ToolCall is one tool call of a turn, paired with its result.
type ToolCall struct {
	ID      string
	Kind    ToolKind
	Name    string   // the agent's own tool name
	Command string   // shell calls: the command line
	Dir     string   // shell calls: the directory, if the transcript shows it
	Paths   []string // files the call names, as written there
	Outcome CallOutcome
	// ExitCode is the command's exit status; valid only with HasExit.
	ExitCode int
	HasExit  bool
	// Rejected: the call never ran (the person or the harness refused it).
	Rejected bool
	// Background: the call was started and had not ended when its result was written.
	Background bool
	// Ended: the call returned with an unknown status; only its output can show
	// how it ended. Outcome is Unknown then.
	Ended bool
	// Output is the result's text, bounded to its head and tail.
	Output string
	At     time.Time
	// End is when its result was written; zero when unknown or still at work.
	End time.Time
	// Subagent names the sub-agent that made the call ("" for the main agent).
	Subagent string
}
