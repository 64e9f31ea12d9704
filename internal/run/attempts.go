package run

import (
	"slices"

	"gauntlet/internal/config"
)

// attempt counts the failed runs of one human turn.
type attempt struct {
	Turn string `json:"turn"`
	Runs int    `json:"runs"`
}

// maxTurns is how many turns are remembered.
const maxTurns = 20

// runsIn is how many runs of a turn failed.
func (s state) runsIn(turn string) int {
	for _, a := range s.Attempts {
		if a.Turn == turn {
			return a.Runs
		}
	}
	return 0
}

// withFailure returns the attempts after one more failed run of a turn.
func (s state) withFailure(turn string) []attempt {
	runs := s.runsIn(turn) + 1
	others := slices.DeleteFunc(slices.Clone(s.Attempts), func(a attempt) bool { return a.Turn == turn })
	return append(others[max(0, len(others)-maxTurns+1):], attempt{turn, runs})
}

// AttemptsLeft is how many more runs the failing gates have in the last turn
// that ran any; failing is false when none fails. It only reads the logs.
func AttemptsLeft(cfg *config.Loaded) (left int, failing bool) {
	logs := scanLogs(cfg.Settings.LogDir)
	st, _ := readState(cfg.Settings.LogDir)
	used := 0
	if n := len(st.Attempts); n > 0 {
		used = st.Attempts[n-1].Runs
	}
	return max(0, cfg.Settings.MaxRetries+1-used), len(logs.failing) > 0
}
