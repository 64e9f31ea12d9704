package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gauntlet/internal/beside"
	"gauntlet/internal/safefile"
)

// In a large work tree whose content is known the status is found by comparing it with
// the index here, beside a git that compares the index with HEAD. What is certain is
// decided here: a file is as the index has it. Everything else is for git to judge, path by
// path; and where the index holds anything out of the ordinary, git is asked for the whole.

const (
	// largeIndex is the size of an index from which on that is faster: about five
	// thousand files.
	largeIndex = 512 << 10
	// maxAsked is how many paths git is asked about one by one.
	maxAsked = 200
)

// Large reports whether the work tree is so large that its status is found faster from its
// content. Where there are submodules git looks into them, which nothing else can.
func (r Repo) Large() bool {
	size, ok := indexSize(r)
	return ok && size >= largeIndex && !safefile.Exists(filepath.Join(r.Root, ".gitmodules"))
}

// Seen is a work tree whose content is known.
type Seen struct {
	Files []File // sorted
	// Index is the list of tracked files; nil: it is read now.
	Index *Index
	// Ignored are those of the files that the rules of now ignore.
	Ignored []string
	// Tree is the content of HEAD, as AskTree found it beside the look; nil: it is asked now.
	Tree func() (head, tree string)
	// User is whose settings git reads.
	User User

	foldsCase bool // names may differ and be the same to git
}

// plain reports whether git surely takes the bytes of every file as they are. Where the file
// of the whole machine is elsewhere, nothing is sure.
func (r Repo) plain(u User) bool {
	words := []string{"autocrlf", "attributesfile", "include"}
	mentions := func(file string) bool {
		b, err := safefile.ReadLinked(file, maxConfig)
		b = bytes.ToLower(b)
		return err != nil && !errors.Is(err, fs.ErrNotExist) || slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(b, []byte(w)) })
	}
	return runtime.GOOS == "linux" && u.System == "/etc/gitconfig" && !slices.ContainsFunc(words, r.mentions) && !slices.ContainsFunc(append(u.Configs, u.System), mentions) &&
		!safefile.Exists("/etc/gitattributes") && !safefile.Exists(filepath.Join(filepath.Dir(u.Ignore), "attributes")) && !safefile.Exists(filepath.Join(r.CommonDir, "info", "attributes"))
}

// AskTree starts to ask git for the id of what HEAD contains, in binary.
func (r Repo) AskTree(ctx context.Context) (wait func() (head, tree string)) {
	var head, tree string
	asked := beside.Start(func() {
		head, _, _ = r.headFromFiles()
		if tree = r.looseTree(head); tree != "" {
			return
		}
		if out, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", head+"^{tree}"); err == nil {
			id, _ := hex.DecodeString(strings.TrimSpace(string(out)))
			tree = string(id)
		}
	})
	return func() (string, string) { asked.Wait(); return head, tree }
}

// looseTree is the content of a commit that is a file of its own, as new ones are; "" if it
// is not.
func (r Repo) looseTree(commit string) string {
	if len(commit) < 3 {
		return ""
	}
	b, err := r.readCommon("objects/"+commit[:2]+"/"+commit[2:], maxPointer)
	if err != nil {
		return ""
	}
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return ""
	}
	b, _ = io.ReadAll(io.LimitReader(z, maxPointer)) // its first line is enough
	kind, text, _ := bytes.Cut(b, []byte{0})
	line, _, _ := bytes.Cut(text, []byte("\n"))
	id, ok := bytes.CutPrefix(line, []byte("tree "))
	if sum := objectID(newHash(len(commit)/2), "commit", text); !ok || !bytes.HasPrefix(kind, []byte("commit ")) || hex.EncodeToString(sum) != commit {
		return ""
	}
	tree, _ := hex.DecodeString(string(id))
	return string(tree)
}

// StatusOf is Status for a work tree whose content is known.
func (r Repo) StatusOf(ctx context.Context, seen Seen) (Status, error) {
	if r.Large() {
		if s, ok := r.Compared(ctx, seen); ok {
			return s, nil
		}
	}
	return r.Status(ctx)
}

// Compared is the status as far as it can be found by comparing; ok is false
// where git has to be asked for the whole.
func (r Repo) Compared(ctx context.Context, seen Seen) (s Status, ok bool) {
	if s.Head, s.Branch, ok = r.headFromFiles(); !ok {
		return s, false
	}
	index := seen.Index
	if index == nil {
		index, _ = r.seeIndex() // one that cannot be read is not ordinary
	}
	if !index.ordinary() {
		return s, false
	}
	if seen.Tree == nil {
		seen.Tree = r.AskTree(ctx)
	}
	seen.foldsCase = r.mentions("ignorecase") || r.mentions("precompose")
	d := index.doubts(seen)
	if len(d.ask)+len(d.hash) > maxAsked || slices.ContainsFunc(d.ask, isWithin) {
		return s, false
	}
	var judged Status
	var err error
	asked := beside.Start(func() {
		if err = r.rehash(ctx, &d, seen.User); err == nil && len(d.ask) > 0 {
			judged, err = r.gitStatus(ctx, Opts{Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, append([]string{"--no-renames", "--"}, d.ask...)...)
			judged.Changes = slices.DeleteFunc(judged.Changes, func(c Change) bool { return c.Untracked && !seen.foldsCase }) // known already
		}
	})
	var stagedErr error
	if head, tree := seen.Tree(); head != s.Head || tree == "" || tree != rootTree(index.trees, r.IDSize()) {
		s.Changes, stagedErr = r.staged(ctx, s.Head)
	}
	asked.Wait()
	if err != nil || stagedErr != nil || len(d.ask) > 0 && judged.Head != s.Head || !s.add(append(judged.Changes, d.known...)) {
		return s, false
	}
	return s, true
}

// doubts are the paths that are not as the index has them: what git calls the known ones is
// certain, of hash it depends on the id that git gives to the file, about ask git is asked.
type doubts struct {
	known []Change
	hash  []File
	ask   []string
	// attributes: some may apply to the files.
	attributes bool
}

// rehash decides about the files that differ from the index. If git gives the very same id to
// them, they differ for git too; filters and line endings are for git to judge.
func (r Repo) rehash(ctx context.Context, d *doubts, u User) error {
	if !d.attributes && len(d.hash) > 0 && r.plain(u) {
		for _, f := range d.hash {
			d.known = append(d.known, Change{Path: f.Path, Index: '.', Worktree: 'M'})
		}
		return nil
	}
	if len(d.hash) == 0 {
		return nil
	}
	var in strings.Builder
	for _, e := range d.hash {
		in.WriteString(e.Path + "\n")
	}
	out, err := r.RunWith(ctx, Opts{Stdin: strings.NewReader(in.String())}, "hash-object", "--stdin-paths")
	if err != nil {
		return err
	}
	ids := strings.Fields(string(out))
	if len(ids) != len(d.hash) {
		return errors.New("git hash-object: the answer is not complete")
	}
	for i, f := range d.hash {
		if ids[i] == hexID(f.ID) {
			d.known = append(d.known, Change{Path: f.Path, Index: '.', Worktree: 'M'})
		} else {
			d.ask = append(d.ask, f.Path)
		}
	}
	return nil
}

// isWithin reports whether a path marks a repository within, which git has words of its own
// for.
func isWithin(path string) bool { return strings.HasSuffix(path, "/.git") }

// doubts lists the paths that are not as the index has them.
func (x *Index) doubts(seen Seen) (d doubts) {
	files := seen.Files
	untracked := func(p string) {
		d.attributes = d.attributes || strings.HasSuffix(p, ".gitattributes")
		switch {
		case isWithin(p) || seen.foldsCase:
			d.ask = append(d.ask, p)
		case !slices.Contains(seen.Ignored, p) && !IsBytecode(p):
			d.known = append(d.known, Change{Path: p, Index: '.', Worktree: '?', Untracked: true})
		}
	}
	for i := range x.entries {
		e := &x.entries[i]
		d.attributes = d.attributes || strings.HasSuffix(e.path, ".gitattributes")
		for len(files) > 0 && files[0].Path < e.path {
			untracked(files[0].Path)
			files = files[1:]
		}
		if len(files) == 0 || files[0].Path != e.path {
			d.ask = append(d.ask, e.path)
			continue
		}
		switch f := &files[0]; {
		case f.Mode != e.mode || f.Mode == modeLink && f.ID != e.oid || strings.Contains(e.path, "\n"):
			if f.Mode != e.mode || f.ID != e.oid {
				d.ask = append(d.ask, e.path)
			}
		case f.ID != e.oid:
			d.hash = append(d.hash, *f)
		}
		files = files[1:]
	}
	for _, f := range files {
		untracked(f.Path)
	}
	return d
}

// add adds what git said of some paths to what is staged. ok is false for what
// should not be there.
func (s *Status) add(judged []Change) (ok bool) {
	for _, j := range judged {
		i := slices.IndexFunc(s.Changes, func(c Change) bool { return c.Path == j.Path && !c.Untracked })
		switch {
		case j.Unmerged || j.Submodule:
			return false
		case j.Untracked:
			s.Changes = append(s.Changes, j)
		case j.Worktree == '.': // staged, as is known already
		case i >= 0:
			s.Changes[i].Worktree = j.Worktree
		default:
			j.Index = '.'
			s.Changes = append(s.Changes, j)
		}
	}
	slices.SortStableFunc(s.Changes, func(a, b Change) int {
		if a.Untracked != b.Untracked {
			return map[bool]int{true: 1, false: -1}[a.Untracked]
		}
		return strings.Compare(a.Path, b.Path)
	})
	return true
}

// staged lists what differs between HEAD and the index.
func (r Repo) staged(ctx context.Context, head string) ([]Change, error) {
	out, err := r.Run(ctx, "diff-index", "--cached", "--raw", "-z", "--find-renames", "--exit-code", head)
	var ge *Error
	differs := errors.As(err, &ge) && ge.ExitCode == 1
	if err != nil && !differs {
		return nil, err
	}
	if differs != (len(out) > 0) {
		return nil, errors.New("git diff-index: the answer is not complete")
	}
	var list []Change
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; differs && i < len(fields); i++ {
		f := strings.Fields(fields[i]) // modes, ids, letter
		if len(f) != 5 || i+1 >= len(fields) || f[0] == ":160000" || f[1] == "160000" {
			return nil, fmt.Errorf("git diff-index: unexpected line %q", fields[i])
		}
		i++
		c := Change{Path: fields[i], Index: f[4][0], Worktree: '.'}
		if c.Index == 'R' || c.Index == 'C' {
			if i++; i >= len(fields) {
				return nil, fmt.Errorf("git diff-index: rename without new name %q", c.Path)
			}
			c.Orig, c.Path = c.Path, fields[i]
		}
		list = append(list, c)
	}
	return list, nil
}

// headFromFiles is the commit and the branch that are checked out; ok is false
// where only git knows.
func (r Repo) headFromFiles() (oid, branch string, ok bool) {
	b, err := r.readOwn("HEAD", maxPointer)
	if err != nil {
		return "", "", false
	}
	line := strings.TrimSpace(string(b))
	ref, symbolic := strings.CutPrefix(line, "ref: ")
	if !symbolic {
		return line, "", isOID(line)
	}
	branch, ok = strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		return "", "", false
	}
	oid, ok = r.ReadRef(ref)
	return oid, branch, ok
}

// ordinary reports whether an index holds nothing but files that git looks at:
// no conflict, no submodule, nothing hidden or outside a sparse checkout. Beside a
// file system monitor git is faster than any comparison.
func (x *Index) ordinary() bool {
	return x != nil && !x.monitored && !slices.ContainsFunc(x.entries, func(e indexEntry) bool {
		return e.stage != 0 || e.hidden || e.intended || e.mode == modeSubmodule
	})
}
