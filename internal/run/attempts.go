package run

import "gauntlet/internal/config"

// AttemptsLeft is how many more runs the failing gates of a project have;
// failing is false when none fails. It only reads the logs.
func AttemptsLeft(cfg *config.Loaded) (left int, failing bool) {
	logs := scanLogs(cfg.Settings.LogDir)
	st, _ := readState(cfg.Settings.LogDir)
	used := max(0, logs.judged-st.RetryBase)
	return max(0, cfg.Settings.MaxRetries+1-used), len(logs.failing) > 0
}
