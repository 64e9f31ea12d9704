package autonomy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
)

// Names that other tools know.
const (
	ThresholdVar = config.EnvContextThreshold
	LoopVar      = "CLAUDE_LOOP_ACTIVE"
	// DisabledFile, in a project, switches everything off there.
	DisabledFile = ".claude/auto-continue-disabled"

	notesFile     = "CLAUDE.md"
	guideFile     = "buildguide.md"
	buildFile     = ".claude/current-build.local.md"
	iterationFile = ".claude/auto-continue.local.md"
)

// FlagPath is the file that switches autonomous mode on for the user.
func FlagPath(home string) string { return inHome(home, "autonomous-mode.active") }

// LogPath is the log of every step, of all projects.
func LogPath(home string) string { return inHome(home, "auto-continue.log") }

func inHome(home string, elem ...string) string {
	return filepath.Join(append([]string{home, ".claude"}, elem...)...)
}

// between lists the directories from dir up to root; only root when dir is not below it.
func between(root, dir string) []string {
	out := []string{root}
	if dir == "" {
		return out
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return append(out, dir)
	}
	for ; rel != "."; rel = filepath.Dir(rel) {
		out = append(out, filepath.Join(root, rel))
	}
	return out
}

// SwitchesAt reads the switches of a user and of a project, which may be switched off in
// any directory from its root down to the agent's directory: one stat each.
func SwitchesAt(home, root, cwd string, s Switches) Switches {
	s.Flag = home != "" && safefile.Exists(FlagPath(home))
	if !s.asked() {
		return s
	}
	for _, dir := range between(root, cwd) {
		s.Disabled = s.Disabled || safefile.Exists(filepath.Join(dir, filepath.FromSlash(DisabledFile)))
	}
	return s
}

// SetFlag switches autonomous mode on or off for the user and reports whether
// that changed anything.
func SetFlag(home string, on bool, now time.Time) (changed bool, err error) {
	if home == "" {
		return false, errors.New("no home directory: set HOME")
	}
	path := FlagPath(home)
	if !on {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	if safefile.Exists(path) {
		return false, nil
	}
	if err := safefile.MakeDir(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	return true, safefile.Write(path, []byte("on since "+now.UTC().Format(time.RFC3339)+"\n"), 0o600)
}

const maxLog = 10 << 20

// logFile is the log: one line per step, to the user's own file.
type logFile struct {
	path string
	now  func() time.Time
}

// printf appends one line; errors are ignored.
func (l logFile) printf(format string, args ...any) {
	if l.path == "" {
		return
	}
	text := redact.Line(fmt.Sprintf(format, args...), 600)
	line := "[" + l.now().Format("2006-01-02 15:04:05") + "] " + text
	if err := safefile.AppendLine(l.path, line, maxLog); errors.Is(err, fs.ErrNotExist) && safefile.MakeDir(filepath.Dir(l.path), 0o700) == nil {
		_ = safefile.AppendLine(l.path, line, maxLog)
	}
}

// readSmall reads a file of the project to quote it: a plain file, cut to limit bytes; nil
// when there is none.
func readSmall(root, path string, limit int) []byte {
	f, err := safefile.Open(root, path)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // read only
	st, err := f.Stat()
	if err != nil {
		return nil
	}
	b := make([]byte, min(int64(limit), st.Size()))
	n, _ := f.ReadAt(b, 0)
	return b[:n]
}

func cut(s string, limit int) string { return redact.Line(s, limit) }

// figures are how full a context window is.
func figures(use event.ContextUse) string {
	return fmt.Sprintf("%d%% (%s of %s tokens)", use.Percent(), number(use.Tokens), number(use.Window))
}

// number formats n with separators.
func number(n int) string {
	s := fmt.Sprint(n)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
