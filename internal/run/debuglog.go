package run

import (
	"fmt"
	"path/filepath"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
)

const debugFile = ".debug.log"

// Debug adds a line to the debug log, if the project wants one. It never fails.
func Debug(cfg *config.Loaded, now time.Time, format string, args ...any) {
	if cfg == nil || !cfg.Settings.DebugLog {
		return
	}
	path := filepath.Join(cfg.Settings.LogDir, debugFile)
	line := now.UTC().Format("2006-01-02T15:04:05.000Z") + " " + redact.Line(fmt.Sprintf(format, args...), 4000)
	// A log for finding problems must not cause any.
	_ = safefile.AppendLine(path, line, cfg.Settings.DebugLogMaxBytes)
}
