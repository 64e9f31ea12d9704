package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/safefile"
)

const previousDir = "previous"

// gateLogs is what the log directory shows about earlier runs.
type gateLogs struct {
	// highest run number of any file, archived ones included: a verdict names its logs, so
	// their names are not used again.
	highest int
	judged  map[int]bool // the runs in which a gate was judged
	// failing are the log bases of jobs whose newest log reports a failure.
	failing map[string]bool
	present bool
}

// scanLogs reads the log directory.
func scanLogs(dir string) gateLogs {
	g := gateLogs{failing: map[string]bool{}, judged: map[int]bool{}}
	type verdict struct {
		n      int
		job    string
		failed bool
	}
	newest := map[string]verdict{} // by job; reviews by slot, whichever reviewer used it
	archived, _ := safefile.ReadDir(dir, filepath.Join(dir, previousDir), -1)
	for _, e := range archived {
		if _, n, _, ok := splitLogName(e.Name()); ok {
			g.highest = max(g.highest, n)
		}
	}
	entries, err := safefile.ReadDir(dir, dir, -1)
	if err != nil {
		return g
	}
	for _, e := range entries {
		base, n, ending, ok := splitLogName(e.Name())
		if !ok || e.IsDir() {
			continue
		}
		g.highest = max(g.highest, n)
		if strings.HasPrefix(base, "console") {
			continue
		}
		g.present = true
		var status string
		key := base
		switch {
		case strings.HasPrefix(base, "check_") && ending == "log":
			status = lastResult(filepath.Join(dir, e.Name()))
		case strings.HasPrefix(base, "review_") && ending == "json":
			status = reviewStatus(filepath.Join(dir, e.Name()))
			job := reviewJob(base)
			_, slot, _ := cutLast(base, "@")
			base, key = job, job+"@"+slot
		default:
			continue
		}
		if status == "pass" || status == "fail" {
			g.judged[n] = true
		}
		if n >= newest[key].n {
			newest[key] = verdict{n, base, status == "fail"}
		}
	}
	for _, v := range newest {
		if v.failed {
			g.failing[v.job] = true
		}
	}
	return g
}

// judgedAfter counts the runs after a number in which a gate was judged.
func (g gateLogs) judgedAfter(base int) (runs int) {
	for n := range g.judged {
		if n > base {
			runs++
		}
	}
	return runs
}

// sweepTemps removes temporary files that killed runs left in the log directory.
func sweepTemps(dir string, now time.Time) {
	entries, err := safefile.ReadDir(dir, dir, -1)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		pid, _ := strconv.Atoi(strings.TrimPrefix(name, waitPrefix))
		own := strings.HasPrefix(name, lockTemp) || strings.HasPrefix(name, probeTemp) || strings.HasPrefix(name, waitPrefix) && !proc.Alive(pid) ||
			strings.HasPrefix(name, ".") && strings.Contains(name, ".tmp-")
		if !own || e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > time.Minute {
			_ = os.Remove(filepath.Join(dir, name))
		}
	}
}

// The prefixes of the temporary files of the lock and of the write probe.
const (
	lockTemp  = ".lock-"
	probeTemp = ".probe-"
)

// maxRunNumber bounds the number in a file name: the next number must still be valid.
const maxRunNumber = 1_000_000_000

// splitLogName splits "check_x_y.12.log".
func splitLogName(name string) (base string, n int, ending string, ok bool) {
	rest, ending, ok := cutLast(name, ".")
	if !ok || ending != "log" && ending != "json" {
		return "", 0, "", false
	}
	base, num, ok := cutLast(rest, ".")
	if !ok {
		return "", 0, "", false
	}
	n, err := strconv.Atoi(num)
	if err != nil || n < 1 || n > maxRunNumber {
		return "", 0, "", false
	}
	known := base == "console" || strings.HasPrefix(base, "check_") || strings.HasPrefix(base, "review_")
	return base, n, ending, known
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// reviewJob removes "_<adapter>@<slot>" from a review's file name.
func reviewJob(base string) string {
	before, _, ok := cutLast(base, "@")
	if !ok {
		return base
	}
	job, _, ok := cutLast(before, "_")
	if !ok {
		return base
	}
	return job
}

// lastResult reads the result line at the end of a check log.
func lastResult(path string) string {
	f, err := safefile.Open("", path)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // read only
	const window = 64 << 10
	if info, err := f.Stat(); err == nil && info.Size() > window {
		_, _ = f.Seek(-window, io.SeekEnd)
	}
	b, err := io.ReadAll(io.LimitReader(f, window))
	if err != nil {
		return ""
	}
	b = append([]byte("\n"), b...) // it may be the first line of another tool's log
	i := bytes.LastIndex(b, []byte("\nResult: "))
	if i < 0 {
		return ""
	}
	word, _, _ := strings.Cut(string(b[i+len("\nResult: "):]), "\n")
	word, _, _ = strings.Cut(word, " ")
	return word
}

// maxReview bounds the result file of a review; Gauntlet never writes as much.
const maxReview = 8 << 20

// reviewStatus reads a review's result file. How its findings were answered is evaluated by
// the review at the next run; a file that cannot be read was broken by hand and fails.
func reviewStatus(path string) string {
	b, err := safefile.Read("", path, maxReview)
	if err != nil {
		return ""
	}
	var r struct {
		Status     string            `json:"status"`
		Violations []json.RawMessage `json:"violations"`
	}
	if json.Unmarshal(b, &r) != nil || r.Status == "error" && len(r.Violations) > 0 {
		return "fail" // a failed reviewer resolves no finding
	}
	return r.Status
}

// newestConsole is the newest console log, "" when there is none.
func newestConsole(dir string) string {
	best, path := 0, ""
	entries, _ := safefile.ReadDir("", dir, -1)
	for _, e := range entries {
		if base, n, _, ok := splitLogName(e.Name()); ok && base == "console" && strings.HasSuffix(e.Name(), ".log") && n > best {
			best, path = n, filepath.Join(dir, e.Name())
		}
	}
	return path
}

// runsFile lists the numbers of the runs that wrote logs here, in ranges. A number is used
// only if no file has it yet, so that a file with a number of a run is Gauntlet's: whatever
// else has a name like a log is a person's own, and stays.
const runsFile = ".runs"

// noteRun adds a number before the run with that number writes its first log.
func noteRun(dir string, n int) error {
	ranges := readRuns(dir)
	if last := len(ranges) - 1; last >= 0 && ranges[last][1] == n-1 {
		ranges[last][1] = n
	} else {
		ranges = append(ranges, [2]int{n, n})
	}
	var b strings.Builder
	for _, r := range ranges[max(0, len(ranges)-maxRanges):] {
		fmt.Fprintf(&b, "%d-%d\n", r[0], r[1])
	}
	return safefile.Put(dir, filepath.Join(dir, runsFile), []byte(b.String()), 0o600)
}

// maxRanges bounds the list: the oldest are forgotten, and their logs stay.
const maxRanges = 100

func readRuns(dir string) (ranges [][2]int) {
	text, err := safefile.Read(dir, filepath.Join(dir, runsFile), 64<<10)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		var from, to int
		if _, err := fmt.Sscanf(line, "%d-%d", &from, &to); err == nil && from > 0 && to >= from {
			ranges = append(ranges, [2]int{from, to})
		}
	}
	return ranges
}

// ownLogs reports which files of the log directory, and of previous/ in it, Gauntlet wrote.
func ownLogs(dir string) func(name string) bool {
	ranges := readRuns(dir)
	return func(name string) bool {
		_, n, _, isLog := splitLogName(name)
		return isLog && slices.ContainsFunc(ranges, func(r [2]int) bool { return r[0] <= n && n <= r[1] })
	}
}

// Clean archives by hand: it empties previous/ and moves every log, result and the
// execution state into it. It returns how many files moved.
func Clean(logDir string) (moved int, err error) { return archive(logDir, true) }

// archive moves the files of earlier runs into previous/. The debug log, the lock and files
// that Gauntlet did not write stay.
func archive(logDir string, withState bool) (moved int, err error) {
	entries, err := safefile.ReadDir(logDir, logDir, -1)
	if err != nil {
		return 0, ignoreMissing(err)
	}
	var names []string
	own := ownLogs(logDir)
	for _, e := range entries {
		if !e.IsDir() && (own(e.Name()) || withState && e.Name() == stateFile) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 && !withState {
		return 0, nil
	}
	prev := filepath.Join(logDir, previousDir)
	if err := emptyPrevious(prev, own); err != nil {
		return 0, fmt.Errorf("archive logs: %w", err)
	}
	var errs []error
	for _, n := range names {
		if err := safefile.Rename(logDir, filepath.Join(logDir, n), filepath.Join(prev, n)); err != nil {
			errs = append(errs, err)
			continue
		}
		moved++
	}
	return moved, errors.Join(errs...)
}

// emptyPrevious makes previous/ ready for another run's files: those of earlier runs are
// removed, and nothing else. People keep their own files in directories of that name.
func emptyPrevious(prev string, own func(name string) bool) error {
	if err := os.Mkdir(prev, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	st, err := os.Lstat(prev)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return fmt.Errorf("%s is not a directory: remove it, or set log_dir to another directory", prev)
	}
	entries, err := safefile.ReadDir("", prev, -1)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() && (own(e.Name()) || e.Name() == stateFile) {
			errs = append(errs, ignoreMissing(os.Remove(filepath.Join(prev, e.Name()))))
		}
	}
	return errors.Join(errs...)
}

// CleanLocked is Clean while no run is in progress.
func CleanLocked(root, logDir string, now time.Time) (moved int, err error) {
	if _, err := os.Stat(logDir); errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err := insideOf(root, logDir); err != nil {
		return 0, fmt.Errorf("log directory %s: %w", logDir, err)
	}
	lock, err := claim(logDir, thisProcess(now))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lock.Remove()) }()
	return Clean(logDir)
}
