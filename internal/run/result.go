package run

import (
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
)

// Result is what a run came to.
type Result struct {
	Status         event.Status  `json:"status"`
	Message        string        `json:"message"`
	ConsoleLogPath string        `json:"consoleLogPath"`
	ErrorMessage   string        `json:"errorMessage"`
	Gates          []gate.Result `json:"gates"`

	// RunNumber is N of the logs; 0 when nothing was executed.
	RunNumber int `json:"runNumber,omitempty"`
	// AttemptsLeft is how many more runs may fail before the retry limit.
	AttemptsLeft int      `json:"attemptsLeft"`
	Warnings     []string `json:"warnings,omitempty"`
	// Executed counts the gates that really ran.
	Executed int `json:"executed"`
	// Tree names the content that was judged.
	Tree string `json:"-"`
}

// Failed lists the gates that said no.
func (r Result) Failed() []gate.Result { return r.with(gate.Fail) }

// Errored lists the gates that could not judge.
func (r Result) Errored() []gate.Result { return r.with(gate.Error) }

func (r Result) with(s gate.Status) []gate.Result {
	var out []gate.Result
	for _, g := range r.Gates {
		if g.Status == s {
			out = append(out, g)
		}
	}
	return out
}
