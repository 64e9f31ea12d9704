package run

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
)

const debugFile = ".debug.log"

// Debug adds a line to the debug log, if the project wants one. It is written
// in one piece, so that processes at the same time do not mix, and rotated
// once. It never fails anything.
func Debug(cfg *config.Loaded, now time.Time, format string, args ...any) {
	if cfg == nil || !cfg.Settings.DebugLog {
		return
	}
	path := filepath.Join(cfg.Settings.LogDir, debugFile)
	if info, err := os.Lstat(path); err == nil && info.Size() >= cfg.Settings.DebugLogMaxBytes {
		_ = os.Rename(path, path+".1")
	}
	f, err := safefile.Append("", path, 0o600)
	if err != nil {
		return // a log for people who look for trouble must not make any
	}
	defer f.Close()
	line := redact.Line(fmt.Sprintf(format, args...), 4000)
	_, _ = f.WriteString(now.UTC().Format("2006-01-02T15:04:05.000Z") + " " + line + "\n")
}
