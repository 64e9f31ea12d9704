package event

import (
	"github.com/spf13/cobra" // breaks: imports
)

type Event struct{ Agent, SessionID string }

var Command = cobra.Command{}

const GuardVar = "GUARD"

type Status string

const (
	Passed Status = "passed"
	Failed Status = "failed"
)

type Verdict struct{ Status Status }
