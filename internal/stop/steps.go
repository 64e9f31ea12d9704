package stop

import "context"

// step is one row of the table: look gathers facts, decide returns a verdict if they
// suffice.
type step struct {
	number int // as numbered in docs/architecture.md and docs/stop.md
	name   string
	look   func(*stopping, context.Context)
	decide func(Facts) (Decision, bool)
}

// configStep is the first step that opens files of the project: from here on
// signals are listened for, which costs more than the steps before it.
const configStep = 4

// lookStep is the first step that may take long: from here on the deadline applies.
const lookStep = 5

// table is the pipeline. The last step always decides.
func table() []step {
	return []step{
		{1, "guard", nil, inside},
		{2, "input", (*stopping).receive, unreadable},
		{3, "site", (*stopping).locate, guards},
		{4, "config", (*stopping).configure, project},
		{5, "look", (*stopping).look, secondStop},
		{6, "autonomy", (*stopping).askAutonomy, autonomous},
		{6, "work", nil, nothingToJudge},
		{7, "gates", (*stopping).runGates, failing},
		{7, "meaning", (*stopping).askMeaning, unnoticed},
		{8, "checkpoint", (*stopping).askCheckpoint, conclude},
	}
}
