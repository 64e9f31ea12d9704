package autonomy

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/markdown"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

const (
	sectionTitle = "Last Session"
	// maxNotes is the size above which a file does not count as notes.
	maxNotes = 64 << 20
	// scrapPrefix begins the name of Gauntlet's temporary files.
	scrapPrefix = ".gauntlet-notes-"
)

// notes is CLAUDE.md: where it really is, and what was in it.
type notes struct {
	path    string // the file itself, links followed
	rel     string // the same, relative to the root, with slashes
	linked  bool
	outside bool // the link leads out of the repository: not touched
	existed bool
	found   bool // it has the section already
	mode    fs.FileMode
	before  []byte
	after   []byte
}

var (
	errReadOnly = errors.New("is read-only")
	errNoText   = errors.New("is not a text file")
	errTooLarge = errors.New("is too large")
)

// openNotes finds and reads the notes of a repository.
func openNotes(root string) (*notes, error) {
	n := &notes{path: filepath.Join(root, notesFile), rel: notesFile, mode: 0o644}
	st, err := os.Lstat(n.path)
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", notesFile, err)
	}
	if st.Mode()&fs.ModeSymlink != 0 {
		n.linked = true
		if err := n.follow(root); err != nil || n.outside {
			return n, err
		}
		if st, err = os.Stat(n.path); errors.Is(err, fs.ErrNotExist) {
			return n, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", notesFile, err)
		}
	}
	switch {
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s %w", n.rel, errNoText)
	case st.Mode().Perm()&0o200 == 0:
		return nil, fmt.Errorf("%s %w", n.rel, errReadOnly)
	case st.Size() > maxNotes:
		return nil, fmt.Errorf("%s %w (%d MB)", n.rel, errTooLarge, st.Size()>>20)
	}
	n.existed, n.mode = true, st.Mode().Perm()
	if n.before, err = safefile.Read("", n.path, maxNotes); err != nil {
		return nil, fmt.Errorf("%s: %w", notesFile, err)
	}
	if bytes.IndexByte(n.before, 0) >= 0 {
		return nil, fmt.Errorf("%s %w", n.rel, errNoText)
	}
	return n, nil
}

// follow resolves the link. A repository is untrusted: a link out of it could name any file
// of the user.
func (n *notes) follow(root string) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return fmt.Errorf("%s: %w", notesFile, err)
	}
	target, err := filepath.EvalSymlinks(n.path)
	if errors.Is(err, fs.ErrNotExist) {
		// It leads to a file that is still to be made.
		if target, err = os.Readlink(n.path); err == nil {
			if !filepath.IsAbs(target) {
				target = filepath.Join(root, target)
			}
			var dir string
			if dir, err = filepath.EvalSymlinks(filepath.Dir(target)); err == nil {
				target = filepath.Join(dir, filepath.Base(target))
				if safefile.Exists(target) {
					err = errors.New("a link to a link that leads nowhere")
				}
			}
		}
	}
	if err != nil {
		return fmt.Errorf("%s is a link that cannot be followed: %w", notesFile, err)
	}
	rel, err := filepath.Rel(real, target)
	if err == nil && filepath.IsLocal(rel) && !inOtherRepository(real, rel) {
		n.path, n.rel = filepath.Join(root, rel), filepath.ToSlash(rel)
		return nil
	}
	n.outside = true
	return nil
}

// inOtherRepository reports whether a path below root belongs to git itself, a
// submodule or a nested repository.
func inOtherRepository(root, rel string) bool {
	dir := root
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for i, p := range parts {
		if strings.EqualFold(p, ".git") {
			return true
		}
		if i == len(parts)-1 {
			return false
		}
		dir = filepath.Join(dir, p)
		if safefile.Exists(filepath.Join(dir, ".git")) {
			return true
		}
	}
	return false
}

// progress is what is written into the notes.
type progress struct {
	project, summary string
	build            Build
	now              time.Time
}

// apply puts the summary into a version of the notes; an empty one becomes a minimal
// document. sections are the lines of all sections of that title; only the first is changed.
func (n *notes) apply(doc []byte, existed bool, p progress) (out []byte, sections []int) {
	if !existed {
		focus, next := "Not noted yet.", "- Not noted yet."
		if p.build.Active() {
			focus = "Build: " + p.build.describe(redact.CodeSpan)
		}
		if p.build.Next != "" {
			next = "- " + redact.CodeSpan(p.build.Next)
		}
		doc = fmt.Appendf(nil, "# %s\n\n## Current Focus\n\n%s\n\n## %s\n\n## Next Steps\n\n%s\n", p.project, focus, sectionTitle, next)
	}
	res := markdown.ReplaceSection(doc, sectionTitle, p.summary)
	start, end := res.Heading[0], res.Heading[1]
	return slices.Concat(res.Doc[:start], redate(res.Doc[start:end], p.now), res.Doc[end:]), res.Lines
}

// redate writes a new date into a heading that has one: it is that of the section's text.
func redate(heading []byte, now time.Time) []byte {
	return regexp.MustCompile(`\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?`).ReplaceAllFunc(heading, func(was []byte) []byte {
		layout := []byte("2006-01-02T15:04:05")[:len(was)]
		if len(was) > len(time.DateOnly) {
			layout[len(time.DateOnly)] = was[len(time.DateOnly)]
		}
		return []byte(now.UTC().Format(string(layout)))
	})
}

var errChanged = errors.New("was changed by another process at the same moment")

// keep links the present file: restoring it later needs no space on the disk and loses
// nothing, not even the time of its last change.
func (n *notes) keep(work string) error {
	kept := beforePath(work)
	_ = os.Remove(kept)
	if !n.existed {
		return nil
	}
	if err := os.Link(n.path, kept); err != nil {
		// Another file system, or one without links.
		if err := safefile.Put(work, kept, n.before, 0o600); err != nil {
			return fmt.Errorf("keep the old %s: %w", n.rel, err)
		}
	}
	return nil
}

// place writes the new content. The temporary file is made in work, a directory inside the
// git directory: whatever happens, no temporary file is left in the work tree.
func (n *notes) place(work string) error {
	if n.existed {
		if now, err := safefile.Read("", n.path, maxNotes); err != nil || !bytes.Equal(now, n.before) {
			return fmt.Errorf("%s %w", n.rel, errors.Join(errChanged, err))
		}
	} else if safefile.Exists(n.path) {
		return fmt.Errorf("%s %w", n.rel, errChanged)
	}
	return n.write(work, n.after, n.mode)
}

// restore restores the previous content.
func (n *notes) restore(work string) error {
	if !n.existed {
		if err := os.Remove(n.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", n.rel, err)
		}
		return nil
	}
	if now, err := safefile.Read("", n.path, maxNotes); err == nil && bytes.Equal(now, n.before) {
		return nil
	}
	// The kept file itself, if there is one: a copy would have other permissions.
	kept := beforePath(work)
	if st, err := os.Lstat(kept); err == nil && st.Mode().IsRegular() && st.Mode().Perm() == n.mode && hashFile(kept) == hash(n.before) {
		if os.Rename(kept, n.path) == nil {
			return nil
		}
	}
	return n.write(work, n.before, n.mode)
}

func (n *notes) write(work string, content []byte, mode fs.FileMode) error {
	tmp, err := stage(work, content, mode)
	if err != nil {
		return fmt.Errorf("%s: %w", n.rel, err)
	}
	err = os.Rename(tmp, n.path)
	if errors.Is(err, errCrossDevice) {
		// The git directory is on another file system: beside the file, then.
		_ = os.Remove(tmp)
		if tmp, err = stage(filepath.Dir(n.path), content, mode); err == nil {
			err = os.Rename(tmp, n.path)
		}
	}
	if err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("%s: %w", n.rel, err)
	}
	return nil
}

// stage writes content to a new temporary file, on disk when it returns.
func stage(dir string, content []byte, mode fs.FileMode) (path string, err error) {
	path = filepath.Join(dir, scrapPrefix+rand.Text())
	if err := safefile.WriteIn(dir, path, content, mode); err != nil {
		return "", err
	}
	return path, nil
}

// summarize is the body of the section: a list, and a paragraph that ends it. It contains
// the number, so that no two saves of a session are equal.
func (x *execution) summarize(st git.Status) string {
	var s strings.Builder
	line := func(name, value string) { s.WriteString("- " + name + ": " + value + "\n") }
	line("Time", x.in.Now().UTC().Format("2006-01-02 15:04:05")+" UTC")
	line("Context", figures(x.use))
	if id := x.in.Event.SessionID; id != "" {
		line("Session", fmt.Sprintf("%s, checkpoint %d", redact.CodeSpan(cut(id, 100)), x.number))
	}
	line("Branch", branchName(st, redact.CodeSpan))
	line("Changed", describeChanges(st))
	build, next := "none recorded", "no open item in "+guideFile
	if x.build.Known() {
		build = x.build.describe(redact.CodeSpan)
	}
	if x.build.Next != "" {
		next = redact.CodeSpan(x.build.Next)
	}
	line("Build", build)
	line("Next", next)
	return s.String() + "\nWritten by gauntlet when the context window reached its threshold."
}

func branchName(st git.Status, quote func(string) string) string {
	switch {
	case st.Branch != "":
		return quote(cut(st.Branch, 100))
	case len(st.Head) >= 7:
		return "detached at " + st.Head[:7]
	}
	return "none"
}

func describeChanges(st git.Status) string {
	const shown = 10
	paths := st.Paths()
	names := slices.Clone(paths)
	for i, p := range paths[:min(shown, len(paths))] {
		names[i] = redact.CodeSpan(cut(p, 100))
	}
	return text.Count(len(paths), "file") + ": " + text.Some(names, shown)
}
