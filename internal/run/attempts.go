package run

import "gauntlet/internal/config"

// AttemptsLeft is how many more runs the failing gates have in the last turn
// that ran any; failing is false when none fails. It only reads the logs.
func AttemptsLeft(cfg *config.Loaded) (left int, failing bool) {
	logs := scanLogs(cfg.Settings.LogDir)
	st, _ := readState(cfg.Settings.LogDir)
	return max(0, cfg.Settings.MaxRetries+1-st.TurnRuns), len(logs.failing) > 0
}
