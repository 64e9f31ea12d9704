package autonomy

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/autonomy/commit"
	"gauntlet/internal/git"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// plan decides what is to be committed, and the new text of the notes.
func (x *execution) plan(ctx context.Context, out *outcome, n *notes, s seen) (commit.Commit, error) {
	c := commit.Commit{
		Head: s.status.Head, Message: commitMessage(x.in.Config, x.use, s.status, x.in.Event.SessionID),
		Timeout: commitTime, Work: x.work, Hold: x.held.File(),
		Hooked: s.remotes.HooksPath != "" || safefile.Exists(filepath.Join(x.repo.CommonDir, "hooks", "pre-commit")),
	}
	if !s.remotes.HasOrigin {
		c.Timeout = aloneTime
	}
	for _, ch := range s.status.Changes {
		c.OthersStaged = c.OthersStaged || (!ch.Untracked && ch.Index != '.')
	}
	if n.outside {
		out.Skipped, out.Detail = notesOutside, notesFile+" is a link that leads out of the repository"
		return c, nil
	}
	p := progress{cut(filepath.Base(x.repo.Root), 80), x.summarize(s.status), x.build, x.in.Now()}
	var sections []int
	n.after, sections = n.apply(n.before, n.existed, p)
	n.found = n.existed && len(sections) > 0
	for _, line := range sections[min(1, len(sections)):] {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s:%d: another section %q was not changed", n.rel, line, "## "+sectionTitle))
	}
	out.Notes = !n.existed || !bytes.Equal(n.after, n.before)
	if x.in.Config != nil && x.in.Config.Commit == "work" {
		out.Work = true
		c.Everything, c.Exclude, c.Check = true, x.leftOut(s.status), x.scan
		return c, nil
	}
	f, ok, err := x.notesFile(ctx, n, s, p)
	if err != nil {
		return c, err
	}
	_, changed := change(s.status, n.rel)
	_, tracked := s.entries[n.rel]
	switch {
	case ok && tracked && !changed && !out.Notes:
		// The same text was written a moment ago: git would refuse an empty commit, and
		// there is nothing to undo.
		out.Skipped, out.Detail = notesSame, n.rel+" is unchanged"
	case ok:
		c.Files = append(c.Files, f)
	default:
		out.Skipped, out.Detail = notesIgnored, n.rel+" is ignored by git"
	}
	if f, ok := x.guide(s); ok && f.Path != n.rel {
		c.Files = append(c.Files, f)
	}
	return c, nil
}

// change finds the status of a path.
func change(st git.Status, path string) (c git.Change, ok bool) {
	for _, c := range st.Changes {
		if c.Path == path || c.Orig == path {
			return c, true
		}
	}
	return git.Change{}, false
}

// notesFile is how the notes are added to the commit; ok is false when git ignores them.
func (x *execution) notesFile(ctx context.Context, n *notes, s seen, p progress) (f commit.File, ok bool, err error) {
	f.Path = n.rel
	ch, changed := change(s.status, n.rel)
	entry, tracked := s.entries[n.rel]
	staged := changed && !ch.Untracked && ch.Index != '.'
	switch {
	case !staged && tracked:
		return f, true, nil
	case !staged:
		if !changed {
			// Not listed and not tracked: there is no file yet, or git ignores it.
			ignored, err := x.repo.Ignored(ctx, n.rel)
			if err != nil || ignored {
				return f, false, err
			}
		}
		f.New = true
		return f, true, nil
	case !tracked:
		// The user has staged its removal: that stays staged.
		f.Content = n.after
		return f, true, nil
	}
	// Part of the file is staged. Committing the current file would commit that part too,
	// and leaving the index alone would stage the removal of the section: so only the
	// section is added to the commit and to the staged version.
	head, inHead, err := x.repo.Blob(ctx, "HEAD:"+n.rel)
	if err != nil {
		return f, false, err
	}
	index, inIndex, err := x.repo.Blob(ctx, entry.OID)
	if err != nil {
		return f, false, err
	}
	f.Content, _ = n.apply(head, inHead, p)
	f.Staged, _ = n.apply(index, inIndex, p)
	f.Mode = entry.Mode
	return f, true, nil
}

// guide is the build guide, if it changed and nothing of it is staged.
func (x *execution) guide(s seen) (commit.File, bool) {
	ch, changed := change(s.status, guideFile)
	st, err := os.Lstat(filepath.Join(x.repo.Root, guideFile))
	if !changed || err != nil || !st.Mode().IsRegular() || (!ch.Untracked && ch.Index != '.') {
		return commit.File{}, false
	}
	return commit.File{Path: guideFile, New: ch.Untracked}, true
}

// secretsError refuses a commit of the work: places, never values.
type secretsError struct{ places []string }

func (e *secretsError) Error() string {
	return "secrets in what would be committed: " + text.Some(e.places, 5)
}

// maxScan is the size above which a file is not committed, because it is not scanned.
const maxScan = 32 << 20

// scan looks for secrets in everything that an index would add to HEAD.
func (x *execution) scan(ctx context.Context, index string) error {
	o := git.Opts{IndexFile: index}
	head := x.head(ctx)
	out, err := x.repo.RunWith(ctx, o, "diff-index", "--cached", "-z", "--no-renames", "--diff-filter=d", head)
	if err != nil {
		return err
	}
	var found secretsError
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		meta := strings.Fields(fields[i])
		if len(meta) != 5 || meta[1] == "160000" {
			continue
		}
		path := fields[i+1]
		name := cut(path, 120)
		file := filepath.Join(x.repo.Root, filepath.FromSlash(path))
		st, err := os.Lstat(file)
		if err != nil || !st.Mode().IsRegular() {
			continue // a link has no text of its own
		}
		if st.Size() > maxScan {
			found.places = append(found.places, name+" (too large to look through)")
			continue
		}
		blob, err := safefile.Read(x.repo.Root, file, maxScan)
		if err != nil {
			return err
		}
		hits := redact.Find(string(blob))
		if len(hits) == 0 {
			continue
		}
		for _, h := range x.fresh(ctx, hits, blob, meta[2]) {
			found.places = append(found.places, fmt.Sprintf("%s:%d (%s)", name, h.Line, h.Kind))
		}
	}
	if len(found.places) > 0 {
		return &found
	}
	return nil
}

// head is what a commit is compared with: for the first one an empty tree.
func (x *execution) head(ctx context.Context) string {
	if head, err := x.repo.Head(ctx); err == nil && head != "" {
		return head
	}
	out, err := x.repo.RunWith(ctx, git.Opts{Stdin: strings.NewReader("")}, "mktree")
	if err != nil {
		return "HEAD"
	}
	return strings.TrimSpace(string(out))
}

// fresh drops findings in lines that the old version of the file has too: they are in the
// history already, and a refusal would not remove them.
func (x *execution) fresh(ctx context.Context, hits []redact.Finding, blob []byte, old string) []redact.Finding {
	before, ok, err := x.repo.Blob(ctx, old)
	if err != nil || !ok {
		return hits
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(before)) {
		known[strings.TrimRight(line, "\r\n")] = true
	}
	lines := strings.Split(string(blob), "\n")
	var out []redact.Finding
	for _, h := range hits {
		if h.Line > len(lines) || !known[strings.TrimRight(lines[h.Line-1], "\r")] {
			out = append(out, h)
		}
	}
	return out
}
