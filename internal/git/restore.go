package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/safefile"
)

// Nested are untracked repositories inside this one: git can only record that they exist,
// not their content.
func (s Status) Nested() []string {
	var out []string
	for _, c := range s.Changes {
		if c.Untracked && strings.HasSuffix(c.Path, "/") {
			out = append(out, c.Path)
		}
	}
	return out
}

// Restore is what has to happen for the work tree to get a snapshot's files.
type Restore struct {
	Commit string   `json:"commit"`
	Write  []string `json:"write"`
	Remove []string `json:"remove"`
	// Dirty are those of them that have uncommitted work now.
	Dirty []string `json:"dirty"`
	// InTheWay are files that git ignores or does not know, where the snapshot has
	// something else: nothing would save them.
	InTheWay []string `json:"in_the_way"`
}

// PlanRestore compares a snapshot with the work tree; nothing is changed.
func (r Repo) PlanRestore(ctx context.Context, commit string) (Restore, error) {
	p := Restore{Commit: commit}
	st, err := r.Status(ctx)
	if err != nil {
		return p, err
	}
	tree, err := r.SnapshotTree(ctx, st.Nested())
	if err != nil {
		return p, err
	}
	out, err := r.Run(ctx, "diff-tree", "-r", "-z", "--no-renames", tree, commit+"^{tree}")
	if err != nil {
		return p, err
	}
	tracked, err := r.tracked(ctx)
	if err != nil {
		return p, err
	}
	// What can be removed because git has it, and what could be because a snapshot of the
	// current work tree would contain it.
	removed, savable, added := map[string]bool{}, map[string]bool{}, map[string]bool{}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		meta, path := strings.Fields(strings.TrimPrefix(fields[i], ":")), fields[i+1]
		if len(meta) != 5 || meta[0] == "160000" || meta[1] == "160000" {
			continue // another repository's content is not restored
		}
		switch {
		case meta[4] != "D":
			p.Write = append(p.Write, path)
			added[path] = meta[4] == "A"
		case tracked[path]:
			p.Remove = append(p.Remove, path)
			removed[path] = true
		default:
			savable[path] = true
		}
	}
	for _, path := range p.Write {
		for _, block := range r.blocking(path, added[path]) {
			switch {
			case removed[block]:
			case savable[block]:
				p.Remove = append(p.Remove, block)
				removed[block] = true
			default:
				p.InTheWay = append(p.InTheWay, block)
			}
		}
	}
	p.Dirty = p.touches(st.Paths())
	return p, nil
}

// touches lists those of the paths that would be written or removed.
func (p Restore) touches(paths []string) (out []string) {
	touched := map[string]bool{}
	for _, path := range slices.Concat(p.Write, p.Remove) {
		touched[path] = true
	}
	for _, path := range paths {
		if touched[path] {
			out = append(out, path)
		}
	}
	return out
}

func (r Repo) path(rel string) string { return filepath.Join(r.Root, filepath.FromSlash(rel)) }

// tracked are all paths of the user's index.
func (r Repo) tracked(ctx context.Context) (map[string]bool, error) {
	out, err := r.Run(ctx, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for p := range strings.SplitSeq(string(out), "\x00") {
		set[p] = true
	}
	return set, nil
}

// blocking lists the files at the place of path: a parent that is not a directory, those in
// a directory of that name, or, if git saw none there, a file.
func (r Repo) blocking(path string, none bool) []string {
	for i, c := range path {
		if c != '/' {
			continue
		}
		if st, err := os.Lstat(r.path(path[:i])); err == nil && !st.IsDir() {
			return []string{path[:i]} // perhaps a link: its target is left alone
		}
	}
	st, err := os.Lstat(r.path(path))
	if err != nil {
		return nil
	}
	if !st.IsDir() {
		if none {
			return []string{path}
		}
		return nil
	}
	var files []string
	_ = fs.WalkDir(safefile.FS(r.Root), path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			files = append(files, path) // it cannot be read
			return fs.SkipAll
		case !d.IsDir():
			files = append(files, p)
		}
		return nil
	})
	return files
}

// ErrInTheWay means that a restore would overwrite what could not be restored.
var ErrInTheWay = errors.New("files in the way")

// ApplyRestore executes a plan. The index is not touched.
func (r Repo) ApplyRestore(ctx context.Context, p Restore) error {
	if len(p.InTheWay) > 0 {
		return fmt.Errorf("restore: %w: %q", ErrInTheWay, p.InTheWay)
	}
	dir, remove, err := safefile.TempDir(r.GitDir, tempIndex+"*")
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer remove()
	o := Opts{IndexFile: filepath.Join(dir, "index"), Locks: true}
	if _, err := r.RunWith(ctx, o, "read-tree", p.Commit); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	for _, path := range p.Remove {
		if err := os.Remove(r.path(path)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("restore: %w", err)
		}
		// Directories that are empty now are removed too; the first that is not ends it.
		for parent := filepath.Dir(r.path(path)); parent != r.Root && os.Remove(parent) == nil; {
			parent = filepath.Dir(parent)
		}
	}
	for _, path := range p.Write {
		if st, err := os.Lstat(r.path(path)); err != nil || !st.IsDir() {
			continue
		}
		// Only empty directories are left here, and git does not remove them itself.
		if err := removeEmpty(r.path(path)); err != nil {
			return fmt.Errorf("restore: %w: %w", ErrInTheWay, err)
		}
	}
	if len(p.Write) == 0 {
		return nil
	}
	o.Stdin = strings.NewReader(strings.Join(p.Write, "\x00") + "\x00")
	if _, err := r.RunWith(ctx, o, "checkout-index", "--force", "-z", "--stdin"); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

// removeEmpty removes a directory that contains nothing but directories.
func removeEmpty(dir string) error {
	entries, err := safefile.ReadDir("", dir, -1)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return fmt.Errorf("%s is not empty", dir)
		}
		if err := removeEmpty(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(dir)
}
