package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"gauntlet/internal/safefile"
)

const stateFile = ".execution_state"

// state is .execution_state: when and on what gates were last executed.
type state struct {
	LastRunCompletedAt time.Time `json:"last_run_completed_at"`
	Branch             string    `json:"branch"`
	Commit             string    `json:"commit"`
	WorkingTreeRef     string    `json:"working_tree_ref"`
	// RetryBase is the last run number before the present series of failures: successful
	// runs do not use up the retries of the next failure.
	RetryBase int `json:"retry_base,omitempty"`
	// Attempts are the failed runs of stops since the last pass, by human turn, the
	// newest turn last: the retry limit bounds an agent's loop, and several
	// sessions may stop in one work tree.
	Attempts []attempt `json:"attempts,omitempty"`
	// BaseCommit is the commit of the base branch, "" when that is not a branch. As long as
	// it is unchanged nothing was merged, and what was on it already was not merged now.
	BaseCommit string `json:"base_commit,omitempty"`
	// Cleaned is the commit whose logs were archived because it was merged: once is enough.
	Cleaned string `json:"cleaned_commit,omitempty"`
	// TookMS is how long each check ran the last time, by its id.
	TookMS map[string]int64 `json:"took_ms,omitempty"`
	// Wrote is what each check was seen to write beside the content, by its id.
	Wrote map[string]writes `json:"wrote,omitempty"`
}

// readState reads the record; ok is false when there is no readable one.
func readState(logDir string) (s state, ok bool) {
	b, err := safefile.Read(logDir, filepath.Join(logDir, stateFile), 1<<20)
	if err != nil {
		return state{}, false
	}
	if json.Unmarshal(b, &s) != nil {
		// Keep what is valid: a broken time must not lose the branch.
		var loose struct {
			Branch string `json:"branch"`
			Commit string `json:"commit"`
		}
		if json.Unmarshal(b, &loose) != nil {
			return state{}, false
		}
		s = state{Branch: loose.Branch, Commit: loose.Commit}
	}
	return s, true
}

func writeState(logDir string, s state) error {
	s.LastRunCompletedAt = s.LastRunCompletedAt.UTC().Truncate(time.Millisecond)
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("execution state: %w", err)
	}
	return safefile.Write(filepath.Join(logDir, stateFile), append(b, '\n'), 0o600)
}

// timeLeft is how much of the interval since the last executed run is left. A time in the
// future, or none, counts as elapsed.
func (s state) timeLeft(interval time.Duration, now time.Time) time.Duration {
	since := now.Sub(s.LastRunCompletedAt)
	if s.LastRunCompletedAt.IsZero() || since < 0 || since >= interval {
		return 0
	}
	return interval - since
}

// errLinkOut means that the log directory leads out of the project through a link.
var errLinkOut = errors.New("it is a symbolic link out of the project")

// ensureLogDir makes the directory and checks that it can be written. A directory below the
// project that a link leads elsewhere is refused: a repository may contain such a link, and
// Gauntlet moves and removes files there.
func ensureLogDir(root, dir string) error {
	if err := insideOf(root, dir); err != nil {
		return err
	}
	if err := safefile.MakeDir(dir, 0o755); err != nil {
		return err
	}
	probe := filepath.Join(dir, probeTemp+strconv.Itoa(os.Getpid()))
	f, err := safefile.Replace(dir, probe, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), ignoreMissing(safefile.Remove(dir, probe)))
}

// insideOf checks that a directory written as one below root is one.
func insideOf(root, dir string) error {
	if rel, err := filepath.Rel(root, dir); err != nil || !filepath.IsLocal(rel) {
		return nil //nolint:nilerr // outside by its name: that was written on purpose
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	for d := dir; d != root && d != filepath.Dir(d); d = filepath.Dir(d) {
		target, err := filepath.EvalSymlinks(d)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Lstat(d); err == nil {
				return errLinkOut // a dangling link
			}
			continue // not made yet: its parent decides
		}
		if err != nil {
			return err
		}
		if rel, err := filepath.Rel(realRoot, target); err != nil || !filepath.IsLocal(rel) {
			return errLinkOut
		}
		return nil
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
