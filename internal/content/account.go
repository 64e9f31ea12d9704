package content

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
)

// Modes of a path in an account, as git has them.
const (
	File       = 0o100644
	Executable = 0o100755
	Link       = 0o120000
	// Repository is the .git of a repository within.
	Repository = 0o160000
)

// Account is the content of a work tree at one moment.
type Account struct {
	// Files are its paths in order, with the ids that git gives to the raw bytes. The id of
	// a link is that of its text; where it leads to content outside the account, the
	// digest of that content follows.
	Files []git.File
	// NotSeen are paths whose content is not known: pipes, sockets, devices, what cannot be
	// read, links to too much.
	NotSeen []string
	// Rules are the ignore rules that stood.
	Rules Rules
	// Refs are the references, one line each: the id, a blank, the name; in order.
	Refs string

	marks []uint64 // of the files, in the same order
	dirs  []*node  // the directories that were listed
	young []string
	// ignored are paths beside them that are not content, without what is below each.
	ignored []string
	counted []string
	tracked func() *git.Index
	seed    maphash.Seed
	asked   Question
}

// Question is which work tree to look at, and what is known already.
type Question struct {
	Repo git.Repo
	// User is where the user's own settings of git are: one of them names an ignore list.
	User git.User
	// Sealer authenticates what is remembered of files that were read; it is in its home.
	Sealer seal.Sealer
	// Leave reports whether a path is a file of Gauntlet's own, which is not content; nil
	// for none.
	Leave func(path string) bool
	// Before is the account of the prompt: what its rules do not ignore is not ignored now,
	// and neither is what it has. nil: there is none.
	Before *Account
	// Earlier are the rules of the session's first prompt: what they do not ignore is not
	// ignored now. nil: those of Before.
	Earlier Rules
	// Patience is the longest time to take; 0: no bound but the context's.
	Patience time.Duration
	// Cache is what is remembered of the work tree; nil: it is read now.
	Cache *Cache

	settled bool // for tests: nothing changed just now
}

// maxFiles bounds an account.
const maxFiles = 1_000_000

// ErrTooLarge means that a work tree has too many files, or takes too long to read.
var ErrTooLarge = errors.New("the work tree is too large")

// Recall reads what is remembered of the work tree.
func (q Question) Recall() *Cache { return openCache(q.Sealer, q.Repo.GitDir, q.Repo.IDSize()) }

// Take makes the account of a work tree.
func Take(ctx context.Context, q Question) (*Account, error) {
	if q.Patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, q.Patience, fmt.Errorf("%w: reading it takes longer than %s", ErrTooLarge, q.Patience))
		defer cancel()
	}
	root, err := safefile.OpenDir(q.Repo.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // read only
	w := newWalker(ctx, q, root, false)
	w.run()
	a := &Account{Rules: w.rules, asked: q, seed: w.seed, tracked: w.top.tree.tracked}
	w.cache.keep(w.top, w.missed.Load()) // also what was read before time ran out
	a.gather(w)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case len(a.Files) > maxFiles:
		return nil, fmt.Errorf("%w: more than %d files", ErrTooLarge, maxFiles)
	}
	a.follow(w)
	a.Refs = refs(ctx, q.Repo)
	return a, ctx.Err()
}

// Seen is the account as git compares it; tree is what HEAD contains, nil to ask for it.
func (a *Account) Seen(tree func() (head, tree string)) git.Seen {
	return git.Seen{Files: a.Files, Index: a.Tracked(), Ignored: a.counted, Tree: tree, User: a.asked.User}
}

// Tracked is the list of tracked files, read once; nil if it cannot be read.
func (a *Account) Tracked() *git.Index {
	if a.tracked == nil {
		return nil
	}
	return a.tracked()
}

// OfCommit is the content of a commit. Submodules are not part of it.
func OfCommit(ctx context.Context, repo git.Repo, commit string) (*Account, error) {
	entries, err := repo.ListTree(ctx, commit)
	if err != nil {
		return nil, err
	}
	a := &Account{Files: make([]git.File, 0, len(entries))}
	for _, e := range entries {
		mode, err := strconv.ParseUint(e.Mode, 8, 32)
		id, idErr := hex.DecodeString(e.OID)
		if err != nil || idErr != nil || mode == Repository {
			continue
		}
		a.Files = append(a.Files, git.File{Path: e.Path, Mode: uint32(mode), ID: string(id)})
	}
	slices.SortFunc(a.Files, func(x, y git.File) int { return strings.Compare(x.Path, y.Path) })
	return a, nil
}

// gather collects what the directories have, in the order of paths.
func (a *Account) gather(w *walker) {
	a.Files = make([]git.File, 0, w.found.Load())
	a.marks = make([]uint64, 0, w.found.Load())
	a.young, a.ignored, a.counted = w.young, w.ignored, w.counted
	a.NotSeen = w.notSeen
	var add func(n *node)
	add = func(n *node) {
		subs := n.subs
		slices.SortFunc(subs, func(x, y *node) int { return asDirs(x.path, y.path) })
		i := 0
		// A directory comes where its name with a slash does.
		for len(subs) > 0 || i < len(n.files) {
			if len(subs) > 0 && (i == len(n.files) || before(subs[0].path, n.files[i].Path)) {
				add(subs[0])
				subs = subs[1:]
				continue
			}
			a.Files, a.marks = append(a.Files, n.files[i]), append(a.marks, n.marks[i])
			i++
		}
		n.files, n.marks, n.subs, n.listed, n.level, n.tree = nil, nil, nil, "", nil, nil
		a.dirs = append(a.dirs, n)
	}
	add(w.top)
	slices.Sort(a.NotSeen)
}

// asDirs compares two directories in one by where their files come.
func asDirs(x, y string) int {
	n := min(len(x), len(y))
	if c := strings.Compare(x[:n], y[:n]); c != 0 || len(x) == len(y) {
		return c
	}
	if len(x) == n {
		return int('/') - int(y[n])
	}
	return int(x[n]) - int('/')
}

// before reports whether the files of a directory come before a path.
func before(dir, path string) bool {
	n := min(len(dir), len(path))
	if c := strings.Compare(dir[:n], path[:n]); c != 0 {
		return c < 0
	}
	return len(path) > n && '/' < path[n]
}

// Find is a path of the account.
func (a *Account) Find(path string) (git.File, bool) {
	i, ok := a.index(path)
	if !ok {
		return git.File{}, false
	}
	return a.Files[i], true
}

func (a *Account) index(path string) (int, bool) {
	return slices.BinarySearchFunc(a.Files, path, func(f git.File, p string) int { return strings.Compare(f.Path, p) })
}

// below reports whether the account has paths in a directory.
func (a *Account) below(dir string) bool {
	i, _ := a.index(dir + "/")
	return i < len(a.Files) && strings.HasPrefix(a.Files[i].Path, dir+"/")
}

// Diff lists the paths that differ between two accounts, in order. What is not seen in one
// and not listed as such in the other differs.
func Diff(a, b *Account) []string {
	var out []string
	x, y := a.Files, b.Files
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].Path < y[0].Path:
			out, x = append(out, x[0].Path), x[1:]
		case len(x) == 0 || y[0].Path < x[0].Path:
			out, y = append(out, y[0].Path), y[1:]
		default:
			if x[0].Mode != y[0].Mode || x[0].ID != y[0].ID {
				out = append(out, x[0].Path)
			}
			x, y = x[1:], y[1:]
		}
	}
	for _, p := range slices.Concat(a.NotSeen, b.NotSeen) {
		if slices.Contains(a.NotSeen, p) != slices.Contains(b.NotSeen, p) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// State names the content of some paths of the account: another name means that one of
// them is another.
func (a *Account) State(paths []string) string {
	h := sha256.New()
	for _, p := range paths {
		f, _ := a.Find(p)
		fmt.Fprintf(h, "%d:%s%o:%x\x00", len(p), p, f.Mode, f.ID)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Digest names the whole content; "" if a part of it was not seen.
func (a *Account) Digest() string {
	if len(a.NotSeen) > 0 {
		return ""
	}
	return git.DigestFiles(a.Files)
}

// gone reports whether an error means that a path went away meanwhile.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
