package autonomy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/autonomy/commit"
	"gauntlet/internal/beside"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
)

// Budgets. The total stays under 20 s, including the grace period for processes that have
// to be killed.
const (
	total       = 17500 * time.Millisecond
	lookTime    = 4 * time.Second
	commitTime  = 8 * time.Second
	aloneTime   = 12 * time.Second // for the commit when nothing will be pushed
	pushTime    = 10 * time.Second
	pushTries   = 3
	pushBackoff = 300 * time.Millisecond
)

// Why a save, or a part of it, was not made. Other tools read these.
const (
	noRepository  = "no_repository"
	bareRepo      = "bare_repository"
	homeDirectory = "home_directory"
	unmerged      = "unmerged_entries"
	gitFailed     = "git_failed"
	notesFailed   = "notes_failed"
	commitFailed  = "commit_failed"
	commitTimeout = "commit_timeout"
	secretsFound  = "secrets_found"
	nothingToSave = "no_changes"
	notesOutside  = "claude_md_outside_repository"
	notesIgnored  = "claude_md_ignored"
	notesSame     = "claude_md_unchanged"
	pushDisabled  = "push_disabled"
	protectedName = "protected_branch"
)

// outcome is what really happened.
type outcome struct {
	// Failed: nothing was done, and everything is unchanged.
	Failed   bool
	Skipped  string // one of the reasons above, "" when nothing was skipped
	Detail   string // the same for a person
	Branch   string
	Commit   string // "" when there is none
	Files    []string
	Work     bool // the commit contains the work itself
	Snapshot *git.Snapshot
	// Unsaved is why there is no snapshot although there was work.
	Unsaved  string
	Pushed   string
	PushNote string
	Notes    bool // CLAUDE.md was written
	// LeftOut are files that are neither committed nor saved, because their names suggest
	// secrets; Nested are repositories of their own, which git cannot save.
	LeftOut  []string
	Nested   []string
	Warnings []string
}

func failed(reason, format string, args ...any) outcome {
	return outcome{Failed: true, Skipped: reason, Detail: redact.Line(fmt.Sprintf(format, args...), 300), Pushed: pushedNo}
}

// execution is one direct save.
type execution struct {
	in        Input
	mode      Mode
	repo      git.Repo
	use       event.ContextUse
	threshold int // in percent
	build     Build
	// number of this save in its session
	number int
	work   string // Gauntlet's directory in the git directory
	held   *safefile.Lock
	log    logFile
	start  time.Time
}

// refusal names what forbids a commit here, before git runs.
func refusal(repo git.Repo, home string) (reason, detail string) {
	if home != "" && safefile.Same(repo.Root, home) {
		return homeDirectory, "the repository is the home directory itself"
	}
	if op := repo.InProgress(); op != "" {
		return strings.NewReplacer("-", "_", " ", "_").Replace(op) + "_in_progress", "a " + op + " is in progress"
	}
	return "", ""
}

// seen is what git reports before anything is done.
type seen struct {
	status  git.Status
	entries map[string]git.TreeEntry
	remotes git.Remotes
}

// look runs three git commands concurrently.
func (x *execution) look(ctx context.Context, paths ...string) (seen, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var s seen
	var err, entriesErr, remotesErr error
	others := beside.Start(func() { s.entries, entriesErr = x.repo.IndexEntries(ctx, paths...) })
	others.Go(func() { s.remotes, remotesErr = x.repo.Remotes(ctx) })
	s.status, err = x.repo.Status(ctx)
	others.Wait()
	return s, cmp.Or(err, entriesErr, remotesErr) // one cause is enough: they are mostly the same
}

// run makes the save.
func (x *execution) run(ctx context.Context) outcome {
	n, err := openNotes(x.repo.Root)
	if err != nil {
		return failed(notesFailed, "%v", err)
	}
	s, err := x.look(ctx, n.rel, guideFile)
	if err != nil {
		return failed(gitFailed, "%s", gitMessage(err))
	}
	s.status.Changes = x.withoutLogs(s.status.Changes)
	if s.status.Unmerged() {
		return failed(unmerged, "there are unmerged entries")
	}
	if len(s.status.Changes) == 0 {
		x.log.printf("Nothing to save: the work tree is clean")
		return outcome{Skipped: nothingToSave, Detail: "nothing to save, the work tree is clean", Pushed: pushedNo, Branch: s.status.Branch}
	}
	out := outcome{Branch: s.status.Branch, Pushed: pushedNo, LeftOut: secretFiles(s.status), Nested: s.status.Nested()}
	c, err := x.plan(ctx, &out, n, s)
	if err != nil {
		return failed(gitFailed, "%s", gitMessage(err))
	}
	if res := x.commit(ctx, &out, c, n, s); res.Failed {
		return res
	}
	x.saveAndPush(ctx, &out, s)
	return out
}

// commit writes the notes and makes the commit, or undoes both.
func (x *execution) commit(ctx context.Context, out *outcome, c commit.Commit, n *notes, s seen) outcome {
	if len(c.Files) == 0 && !c.Everything {
		return x.onlyNotes(*out, n)
	}
	record := undo{Head: s.status.Head}
	for _, f := range c.Files {
		if f.New {
			record.New = append(record.New, f.Path)
		}
	}
	placed := false
	c.Ready = func() error {
		defer func() { x.log.printf("Staging changes to git...") }()
		if !out.Notes {
			return record.save(x.work, x.in.Memory.Sealer)
		}
		return x.placeNotes(n, &record, &placed)
	}
	c.Pending = func(u commit.IndexUpdate) error {
		record.Pending, record.Index = u, hashFile(filepath.Join(x.repo.GitDir, "index"))
		return record.save(x.work, x.in.Memory.Sealer)
	}
	if out.Notes {
		x.log.printf("Updating %s with session progress", n.rel)
	}
	oid, err := commit.Repo{Repo: x.repo}.Make(ctx, c)
	if oid == "" {
		x.log.printf("Creating git commit")
		return x.takeBack(n, placed, err)
	}
	// Git stages, looks and commits in one process: what it did is known when it ended.
	for _, line := range []string{"Files staged successfully", "Checking for staged changes...", "Staged changes detected", "Creating git commit"} {
		x.log.printf("%s", line)
	}
	if err != nil {
		out.Warnings = append(out.Warnings, redact.Line(err.Error(), 300))
	} else {
		clearUndo(x.work)
	}
	out.Commit = oid
	for _, f := range c.Files {
		out.Files = append(out.Files, f.Path)
	}
	x.log.printf("Git commit successful: %s", oid)
	return outcome{}
}

// placeNotes writes the notes, after what is needed to undo that was recorded.
func (x *execution) placeNotes(n *notes, record *undo, placed *bool) error {
	record.Rel, record.Existed, record.Mode, record.Before, record.After = n.rel, n.existed, n.mode, hash(n.before), hash(n.after)
	if err := n.keep(x.work); err != nil {
		return err
	}
	if err := record.save(x.work, x.in.Memory.Sealer); err != nil {
		return err
	}
	*placed = true
	if err := n.place(x.work); err != nil {
		return err
	}
	x.updated(n)
	return nil
}

// updated logs what was done to the notes.
func (x *execution) updated(n *notes) {
	switch {
	case !n.existed:
		x.log.printf("Created %s", n.rel)
	case n.found:
		x.log.printf("Updated existing %s in %s", sectionTitle, n.rel)
	default:
		x.log.printf("Added %s to %s", sectionTitle, n.rel)
	}
	x.log.printf("%s update complete", n.rel)
}

// onlyNotes writes the notes, if there are any, where nothing is to be committed.
func (x *execution) onlyNotes(out outcome, n *notes) outcome {
	if !out.Notes {
		x.log.printf("No commit: %s", out.Detail)
		return outcome{}
	}
	if err := n.place(x.work); err != nil {
		return failed(notesFailed, "%v", err)
	}
	x.updated(n)
	x.log.printf("Updated %s, which is not committed: %s", n.rel, out.Detail)
	return outcome{}
}

// takeBack restores the notes after a commit that failed; it left the index as it was.
func (x *execution) takeBack(n *notes, placed bool, err error) outcome {
	if placed && !errors.Is(err, errChanged) {
		if rerr := n.restore(x.work); rerr != nil {
			// The note stays: the next stop tries again.
			x.log.printf("%s could not be put back: %v", n.rel, rerr)
			return failed(notesFailed, "no commit, and %s could not be put back (%v): %s", n.rel, rerr, gitMessage(err))
		}
	}
	clearUndo(x.work)
	return x.notCommitted(err)
}

// notCommitted returns why.
func (x *execution) notCommitted(err error) outcome {
	var secrets *secretsError
	var ge *git.Error
	switch {
	case errors.As(err, &secrets):
		return failed(secretsFound, "%v", secrets)
	case errors.As(err, &ge) && ge.TimedOut, errors.Is(err, context.DeadlineExceeded):
		return failed(commitTimeout, "the commit took too long; nothing was changed")
	}
	return failed(commitFailed, "%s; nothing was changed", gitMessage(err))
}

// saveAndPush saves the real work and pushes the branch, concurrently: neither touches what
// the other does.
func (x *execution) saveAndPush(ctx context.Context, out *outcome, s seen) {
	var saved *git.Snapshot
	var err error
	committed := *out
	snapshot := beside.Start(func() { saved, err = x.snapshot(ctx, committed, s.status) })
	x.push(ctx, out, s)
	snapshot.Wait()
	switch {
	case err != nil:
		out.Unsaved = gitMessage(err)
		x.log.printf("No snapshot of the work: %s", out.Unsaved)
	case saved != nil:
		out.Snapshot = saved
		x.log.printf("Work saved as %s", saved.Ref)
	}
}

// snapshot saves everything that the commit does not contain; nil when that is nothing.
func (x *execution) snapshot(ctx context.Context, committed outcome, st git.Status) (*git.Snapshot, error) {
	if committed.Work || !workBeside(st, committed.Files) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, max(time.Second, total-time.Since(x.start)))
	defer cancel()
	parent := cmp.Or(committed.Commit, st.Head)
	message := fmt.Sprintf("snapshot: work at %d%% of the context window\n\nBranch: %s\nSession: %s\n",
		x.use.Percent(), branchName(st, func(s string) string { return s }), cut(x.in.Event.SessionID, 100))
	cp, err := x.repo.SaveSnapshot(ctx, git.Snapshot{Session: safeName(x.in.Event.SessionID), Base: parent, Time: x.in.Now()}, message, x.leftOut(st))
	if err != nil {
		return nil, err
	}
	return &cp, nil
}

// logs is the log directory relative to the root, with slashes; "" when it is
// not below it.
func (x *execution) logs() string {
	rel, err := filepath.Rel(x.repo.Root, x.in.LogDir)
	if x.in.LogDir == "" || err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// withoutLogs drops untracked files of the log directory.
func (x *execution) withoutLogs(changes []git.Change) []git.Change {
	logs := x.logs()
	if logs == "" {
		return changes
	}
	return slices.DeleteFunc(changes, func(c git.Change) bool { return c.Untracked && strings.HasPrefix(c.Path, logs+"/") })
}

// leftOut are the paths that are neither in a snapshot nor in a commit of the work.
func (x *execution) leftOut(st git.Status) []string {
	out := append(st.Nested(), secretFiles(st)...)
	if logs := x.logs(); logs != "" {
		out = append(out, logs)
	}
	return out
}

// secretFiles are changed files whose names suggest secrets.
func secretFiles(st git.Status) []string {
	return slices.DeleteFunc(st.Paths(), func(p string) bool { return !redact.SecretFile(p) })
}

// workBeside reports whether anything changed besides the committed files.
func workBeside(st git.Status, committed []string) bool {
	return slices.ContainsFunc(st.Paths(), func(p string) bool { return !slices.Contains(committed, p) })
}

// gitMessage is an error for a person: git's own message rather than how it was called.
func gitMessage(err error) string {
	var ge *git.Error
	if !errors.As(err, &ge) || ge.TimedOut {
		return redact.Line(err.Error(), 300)
	}
	// What went wrong comes before the advice about it; a hook prints last.
	lines := strings.Split(strings.TrimSpace(redact.Strip(ge.Stderr)), "\n")
	text := strings.TrimSpace(lines[len(lines)-1])
	for _, line := range lines {
		if strings.HasPrefix(line, "error: ") || strings.HasPrefix(line, "fatal: ") {
			text = line
			break
		}
	}
	text = cmp.Or(text, fmt.Sprintf("exit status %d", ge.ExitCode))
	return redact.Line("git said: "+text, 300)
}
