package event

// CheckpointHeader opens every checkpoint message: a prompt that begins with it is
// Gauntlet's.
const CheckpointHeader = "Context-aware checkpoint"

// AskLine closes every block for failed gates or something owed, where a person may be asked.
const AskLine = "If a test is wrong, or a person must decide: gauntlet ask \"why\", then stop.\n"

// Verdict is the answer to one stop. Whether it blocks follows from its status
// alone.
type Verdict struct {
	Status  Status
	Message string // one line for a person
	// Reason is the agent's next prompt; only blocking verdicts have one.
	Reason string
	// SystemMessage is shown in the agent's terminal when a person should know.
	SystemMessage string
	// Context is for the agent and does not block; a client that cannot take it shows it to
	// the person.
	Context string
	// WouldBlock: something failed or is owed, and only its mode lets the agent
	// stop. Owed are the ids of what a checkpoint asked for. Both are for the
	// history, not for the agent.
	WouldBlock bool
	Owed       []string
	// FailedEarlier: gates failed earlier in the turn and were not run again.
	// GatesPassed counts the gates that passed. With the status, these decide the
	// outcome; Badges are what a person should see beside it.
	FailedEarlier bool
	GatesPassed   int
	Badges        []Badge
	// Autonomous reports what autonomy did (context_checkpoint only).
	Autonomous *AutonomousExecution
}

// Blocks reports whether the verdict keeps the agent at work.
func (v Verdict) Blocks() bool { return v.Status.Blocks() }

// AutonomousExecution is the autonomous_execution object of the wire format.
type AutonomousExecution struct {
	Enabled          bool           `json:"enabled"`
	Skill            string         `json:"skill"`
	Reason           string         `json:"reason"`
	ExecutedDirectly bool           `json:"executed_directly"`
	Router           RouterDecision `json:"router_decision"`
	Committed        bool           `json:"committed"`
	Commit           *string        `json:"commit"`
	Pushed           string         `json:"pushed"`
	SkippedReason    *string        `json:"skipped_reason"`
}

// RouterDecision is why the checkpoint was made.
type RouterDecision struct {
	ExecuteSkill string `json:"execute_skill"`
	Reason       string `json:"reason"`
	Autonomous   bool   `json:"autonomous"`
}
