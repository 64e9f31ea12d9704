package content

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
)

const (
	maxRefFiles  = 20_000
	maxPackedRef = 16 << 20
)

// refs lists the references of a repository, read from its files.
func refs(ctx context.Context, repo git.Repo) string {
	if safefile.Exists(filepath.Join(repo.CommonDir, "reftable")) {
		out, err := repo.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)")
		if err != nil {
			return ""
		}
		return sortedRefs(strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"))
	}
	byName := map[string]string{}
	packed, _ := safefile.Read(repo.CommonDir, filepath.Join(repo.CommonDir, "packed-refs"), maxPackedRef) // a young repository has none
	for line := range strings.Lines(string(packed)) {
		if id, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && line[0] != '#' && line[0] != '^' {
			byName[name] = id
		}
	}
	left := maxRefFiles
	looseRefs(repo, "refs", &left, byName)
	var lines []string
	for name, id := range byName {
		if !isOwnRef(name) {
			lines = append(lines, id+" "+name)
		}
	}
	return sortedRefs(lines)
}

func sortedRefs(lines []string) string {
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(nameOf(a), nameOf(b)) })
	return strings.Join(lines, "\n")
}

func nameOf(line string) string {
	_, name, _ := strings.Cut(line, " ")
	return name
}

// isOwnRef reports whether a reference is of this work tree alone, or no commit that anybody
// gets.
func isOwnRef(name string) bool {
	for _, prefix := range []string{"refs/stash", "refs/gauntlet/", "refs/worktree/", "refs/bisect/", "refs/rewritten/"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func looseRefs(repo git.Repo, dir string, left *int, into map[string]string) {
	entries, err := safefile.ReadDir(repo.CommonDir, filepath.Join(repo.CommonDir, filepath.FromSlash(dir)), maxRefFiles)
	if err != nil {
		return
	}
	for _, e := range entries {
		if *left--; *left < 0 {
			return
		}
		name := dir + "/" + e.Name()
		if e.IsDir() {
			looseRefs(repo, name, left, into)
		} else if id, ok := repo.ReadRef(name); ok {
			into[name] = id
		}
	}
}

// Ref is a reference that is new, or was moved.
type Ref struct{ Name, ID string }

// NewRefs lists the references that came, or were moved, between two accounts.
func NewRefs(before, now *Account) (out []Ref) {
	was := map[string]string{}
	if before.Refs == now.Refs {
		return nil
	}
	for line := range strings.SplitSeq(before.Refs, "\n") {
		was[nameOf(line)] = line
	}
	for line := range strings.SplitSeq(now.Refs, "\n") {
		if id, name, ok := strings.Cut(line, " "); ok && was[name] != line {
			out = append(out, Ref{name, id})
		}
	}
	return out
}

// Commits are the ids of all references.
func (a *Account) Commits() (ids []string) {
	for line := range strings.SplitSeq(a.Refs, "\n") {
		id, _, _ := strings.Cut(line, " ")
		ids = append(ids, id)
	}
	return ids
}
