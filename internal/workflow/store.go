package workflow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/jsontree"
	"gauntlet/internal/safefile"
)

const (
	stateDir = ".claude/state"
	lockName = ".lock"
	// maxFile bounds the cost of a hostile or runaway file.
	maxFile = 64 << 20
	// lockWait is for a hundred writers on a slow disk, not for one that hangs.
	lockWait = time.Minute
	gitWait  = 5 * time.Second
)

// Store is the state of one work tree.
type Store struct {
	root  string
	repo  git.Repo
	inGit bool
	names names
	now   func() time.Time
	log   func(line string)
}

// Open is the state of the work tree that dir is in; outside git it is under dir itself.
// Nothing is created. log gets one line per problem.
func Open(dir string, now func() time.Time, log func(line string)) *Store {
	s := &Store{root: dir, names: systemNames(), now: now, log: log}
	if repo, err := git.Find(dir); err == nil {
		s.root, s.repo, s.inGit = repo.Root, repo, true
	} else if abs, err := filepath.Abs(dir); err == nil {
		s.root = abs
	}
	return s
}

// Root is the root of the work tree.
func (s *Store) Root() string { return s.root }

// Dir is the directory of the state files.
func (s *Store) Dir() string { return filepath.Join(s.root, filepath.FromSlash(stateDir)) }

// Head is the commit that HEAD points at, "" when there is none. The files usually show it;
// only other ref formats need a git process.
func (s *Store) Head(ctx context.Context) string {
	if !s.inGit {
		return ""
	}
	if b, err := safefile.Read(s.repo.GitDir, filepath.Join(s.repo.GitDir, "HEAD"), 1<<16); err == nil {
		line := strings.TrimSpace(string(b))
		if ref, symbolic := strings.CutPrefix(line, "ref: "); !symbolic {
			if isCommit(line) {
				return line
			}
		} else if oid, ok := s.repo.ReadRef(ref); ok {
			return oid
		}
	}
	out, err := s.repo.RunWith(ctx, git.Opts{Timeout: gitWait}, "rev-parse", "--verify", "--quiet", "HEAD")
	if oid := strings.TrimSpace(string(out)); err == nil && isCommit(oid) {
		return oid
	}
	return ""
}

func isCommit(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// checkDirs refuses a state directory that a symbolic link leads away from.
func (s *Store) checkDirs() error {
	dir := s.root
	for _, name := range strings.Split(stateDir, "/") {
		dir = filepath.Join(dir, name)
		st, err := os.Lstat(dir)
		switch {
		case err != nil:
			return err
		case st.Mode()&os.ModeSymlink != 0:
			return &refusedError{dir, "is a symbolic link"}
		case !st.IsDir():
			return &refusedError{dir, "is not a directory"}
		}
	}
	return nil
}

// locate is the path of a record: of the file that holds it, whatever tool wrote it, else
// of the first name that no other feature's record has.
func (s *Store) locate(command, feature string) string {
	list, made := s.names.candidates(command, feature)
	path := func(name string) string { return filepath.Join(s.Dir(), filepath.FromSlash(name)) }
	for _, name := range list {
		if s.reachable(name) && (feature == "" || s.holds(path(name), feature)) {
			return path(name)
		}
	}
	for _, name := range list[:made] {
		if _, err := os.Lstat(path(name)); err != nil {
			return path(name)
		}
	}
	return path(list[made-1])
}

// holds reports whether the file is the record of a feature: the record names its feature.
// One that names none, or cannot be read, belongs to whom its name fits.
func (s *Store) holds(path, feature string) bool {
	doc, err := s.read(path)
	if err != nil {
		return true
	}
	if own, ok := doc.Get("feature").Text(); ok && own != "" {
		return own == feature
	}
	name := filepath.Base(path)
	_, of, hashed, ok := s.names.parse(name)
	// Not the escaped name of another one, nor that of the record without a feature.
	return !ok || hashed || of == feature || of != "" && !strings.Contains(name, "%")
}

// reachable reports whether every part of the path to a legacy name is a real entry of its
// directory, in exactly this spelling, and not a link.
func (s *Store) reachable(rel string) bool {
	dir := s.Dir()
	steps := strings.Split(rel, "/")
	for i, step := range steps {
		path := filepath.Join(dir, step)
		st, err := os.Lstat(path)
		if err != nil || i < len(steps)-1 && !st.IsDir() {
			return false
		}
		if s.names.foldCase && !spelledSo(dir, step) {
			return false
		}
		dir = path
	}
	return true
}

func spelledSo(dir, name string) bool {
	entries, err := safefile.ReadDir(dir, dir, -1)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name })
}

// read loads the record at path: os.ErrNotExist when there is none, a
// *recordError when it cannot be used.
func (s *Store) read(path string) (*jsontree.Value, error) {
	if err := s.checkDirs(); err != nil {
		return nil, err
	}
	st, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case st.Mode()&os.ModeSymlink != 0:
		return nil, &refusedError{path, "is a symbolic link"}
	case !st.Mode().IsRegular():
		return nil, &refusedError{path, "is not a regular file"}
	}
	data, err := safefile.Read("", path, maxFile)
	if errors.Is(err, safefile.ErrTooLarge) {
		return nil, &refusedError{path, fmt.Sprintf("is larger than %d MiB", maxFile>>20)}
	}
	if err != nil {
		return nil, err
	}
	doc, err := jsontree.Parse(data)
	if err != nil {
		return nil, &corruptError{path, err}
	}
	if doc.Kind() != jsontree.Object {
		return nil, &corruptError{path, errors.New("not an object")}
	}
	if err := checkVersion(doc); err != nil {
		return doc, err
	}
	return doc, nil
}

// change is one write: lock, read, change, replace. edit gets nil when there is no usable
// record; an unusable one is set aside just before the new record takes its place.
func (s *Store) change(ctx context.Context, command, feature string, edit func(old *jsontree.Value) (*jsontree.Value, error)) error {
	dir := s.Dir()
	if err := s.checkDirs(); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := safefile.MakeDir(dir, 0o755); err != nil {
		return fmt.Errorf("make the state directory: %w", err)
	}
	lock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release() //nolint:errcheck // the kernel releases it with us
	s.sweep(dir)

	path := s.locate(command, feature)
	doc, aside, cause, err := s.edited(path, edit)
	if err != nil {
		return err
	}
	undo := func() {}
	if aside != "" {
		kept, err := s.setAside(path, aside)
		if err != nil {
			return err
		}
		s.log(cause.Error())
		s.log("set aside as " + kept)
		undo = func() { _ = safefile.Rename(dir, kept, path) }
	}
	target := path
	if len(filepath.Base(path)) > maxName { // a legacy name that leaves no space for a temporary file
		target = filepath.Join(dir, s.names.file(command, feature))
	}
	if err := safefile.Write(target, doc.Indented(), permOf(path)); err != nil {
		undo()
		return err
	}
	if target != path {
		_ = os.Remove(path) // the record is at target now, which is read first
	}
	if s.inGit {
		if err := ensureIgnored(s.root, s.repo.CommonDir); err != nil {
			s.log(err.Error())
		}
	}
	return nil
}

// edited is the new content of a record. If the old one is unusable, aside is the word to
// set it aside with, and cause is why.
func (s *Store) edited(path string, edit func(old *jsontree.Value) (*jsontree.Value, error)) (doc *jsontree.Value, aside string, cause, err error) {
	old, cause := s.read(path)
	switch {
	case cause == nil || errors.Is(cause, os.ErrNotExist):
	case is[*corruptError](cause):
		old, aside = nil, "corrupt"
	case is[*versionError](cause):
		old, aside = nil, "unsupported"
	default:
		return nil, "", nil, cause
	}
	doc, err = edit(old)
	if is[*shapeError](err) && old != nil {
		// Valid JSON that is not a record: nothing can be merged into it.
		cause, aside = &corruptError{path, err}, "corrupt"
		doc, err = edit(nil)
	}
	return doc, aside, cause, err
}

// lock makes this process the only writer of the directory, which must exist.
func (s *Store) lock(ctx context.Context) (*safefile.Lock, error) {
	path := filepath.Join(s.Dir(), lockName)
	if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
		return nil, &refusedError{path, "is not a regular file"}
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	return safefile.Acquire(ctx, path)
}

// permOf keeps the permissions of the file that is replaced.
func permOf(path string) os.FileMode {
	if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
		return st.Mode().Perm()
	}
	return 0o644
}

// setAside renames a file that must not be overwritten. The caller holds the lock.
func (s *Store) setAside(path, why string) (string, error) {
	stamp := s.now().UTC().Format("20060102T150405Z")
	dir, base := filepath.Split(path)
	for n := 1; ; n++ {
		kept := fmt.Sprintf("%s.%s-%s", filepath.Join(dir, base[:min(len(base), maxName)]), why, stamp)
		if n > 1 {
			kept += fmt.Sprintf(".%d", n)
		}
		if _, err := os.Lstat(kept); err == nil {
			continue
		}
		if err := safefile.Rename(s.Dir(), path, kept); err != nil {
			return "", fmt.Errorf("set aside: %w", err)
		}
		return kept, nil
	}
}

// isSetAside checks the name; a feature may have a similar one.
func isSetAside(name string) bool {
	return !isRecordName(name) && (strings.Contains(name, extension+".corrupt-") || strings.Contains(name, extension+".unsupported-"))
}

// sweep removes the temporary files of killed writers. The holder of the lock is the only
// writer, so every temporary file belongs to a dead one.
func (s *Store) sweep(dir string) {
	entries, err := safefile.ReadDir(dir, dir, -1)
	if err != nil {
		return
	}
	for _, e := range entries {
		if isTemporary(e.Name()) && e.Type().IsRegular() {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func isTemporary(name string) bool {
	rest, hidden := strings.CutPrefix(name, ".")
	stem, digits, ok := strings.Cut(rest, extension+".tmp-")
	return hidden && ok && stem != "" && digits != "" && strings.Trim(digits, "0123456789") == ""
}
