package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// newRepo makes a real repository with one commit, away from the machine's
// own configuration.
func newRepo(t *testing.T) Repo {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, k := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+k+"_NAME", "dev")
		t.Setenv("GIT_"+k+"_EMAIL", "dev@example.com")
	}
	root := filepath.Join(dir, "repo")
	sh(t, dir, "git init -q -b main repo")
	sh(t, root, "echo one > tracked && git add tracked && git commit -q -m first")
	r, err := Find(root)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=d", "GIT_AUTHOR_EMAIL=d@example.com", "GIT_COMMITTER_NAME=d", "GIT_COMMITTER_EMAIL=d@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestFind(t *testing.T) {
	r := newRepo(t)
	sub := filepath.Join(r.Root, "a", "b")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := Find(sub)
	if err != nil || got != r {
		t.Errorf("from below: %+v %v", got, err)
	}
	sh(t, r.Root, "git worktree add -q ../linked -b other")
	wt, err := Find(filepath.Join(filepath.Dir(r.Root), "linked"))
	if err != nil || wt.CommonDir != r.GitDir || wt.GitDir != filepath.Join(r.GitDir, "worktrees", "linked") {
		t.Errorf("linked work tree: %+v %v", wt, err)
	}
	sh(t, filepath.Dir(r.Root), "git clone -q --bare repo bare.git && git -c protocol.file.allow=always clone -q repo outer && cd outer && git -c protocol.file.allow=always submodule add -q ../repo inner")
	if bare, err := Find(filepath.Join(filepath.Dir(r.Root), "bare.git")); !errors.Is(err, ErrBare) || bare != (Repo{}) {
		t.Errorf("bare: %+v %v", bare, err)
	}
	// Any clone can contain this: a directory that looks like a repository.
	sh(t, r.Root, "mkdir -p docs/objects docs/refs docs/deep && echo 1111111111111111111111111111111111111111 > docs/HEAD")
	for _, dir := range []string{"docs", "docs/deep", ".git"} {
		if got, err := Find(filepath.Join(r.Root, dir)); err != nil || got != r {
			t.Errorf("%s: %+v %v", dir, got, err)
		}
	}
	inner, err := Find(filepath.Join(filepath.Dir(r.Root), "outer", "inner"))
	if err != nil || !strings.HasSuffix(inner.Root, "inner") || !strings.Contains(inner.GitDir, "modules") {
		t.Errorf("submodule: %+v %v", inner, err)
	}
	if _, err := Find(os.TempDir()); !errors.Is(err, ErrNoRepo) {
		t.Errorf("no repository: %v", err)
	}
	// A .git that is not a repository does not count.
	fake := filepath.Join(r.Root, "fake")
	if err := os.MkdirAll(filepath.Join(fake, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, _ := Find(fake); got.Root != r.Root {
		t.Errorf("empty .git taken for a repository: %+v", got)
	}
}

var hostile = []string{"a b", "new\nline", `qu"ote'`, "ünïcode-日本", "-dash", "tab\t", "star*", "back\\slash", "emoji👍"}

func TestStatusReadsAnyName(t *testing.T) {
	r := newRepo(t)
	for _, n := range hostile {
		if err := os.WriteFile(filepath.Join(r.Root, n), []byte(n), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	st, err := r.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, c := range st.Changes {
		got[c.Path] = c.Untracked
	}
	for _, n := range hostile {
		if !got[n] {
			t.Errorf("%q not seen", n)
		}
	}
	if st.Branch != "main" || len(st.Head) != 40 {
		t.Errorf("%+v", st)
	}
}

func TestStatusKinds(t *testing.T) {
	r := newRepo(t)
	sh(t, r.Root, `seq 100 > moved; echo x > gone; echo x > staged; git add -A; git commit -q -m more
git mv moved renamed; rm gone; echo y > staged; git add staged; echo z >> tracked; mkdir d; echo u > d/untracked`)
	st, err := r.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"d/untracked", "gone", "moved", "renamed", "staged", "tracked"}, st.Paths()); d != "" {
		t.Error(d)
	}
	for _, c := range st.Changes {
		if c.Deleted() != (c.Path == "gone") {
			t.Errorf("%+v", c)
		}
	}
}

func TestStatusOfUnbornDetachedAndMerging(t *testing.T) {
	r := newRepo(t)
	sh(t, filepath.Dir(r.Root), "git init -q -b trunk unborn && echo x > unborn/f")
	u, err := Find(filepath.Join(filepath.Dir(r.Root), "unborn"))
	if err != nil {
		t.Fatal(err)
	}
	st, err := u.Status(t.Context())
	if err != nil || st.Head != "" || st.Branch != "trunk" || len(st.Changes) != 1 {
		t.Errorf("unborn: %+v %v", st, err)
	}
	sh(t, r.Root, `git checkout -q -b side; echo side > tracked; git commit -qam side; git checkout -q main; echo main > tracked; git commit -qam main; git merge -q side || true`)
	st, err = r.Status(t.Context())
	if err != nil || !st.Unmerged() || r.InProgress() != "merge" {
		t.Errorf("merge: %+v %v %s", st, err, r.InProgress())
	}
	sh(t, r.Root, "git merge --abort; git checkout -q --detach")
	st, err = r.Status(t.Context())
	if err != nil || st.Branch != "" || st.Head == "" || r.InProgress() != "" {
		t.Errorf("detached: %+v %v", st, err)
	}
}

func TestBase(t *testing.T) {
	r := newRepo(t)
	base := func(name string) string {
		b, err := r.Base(t.Context(), name)
		if err != nil {
			return err.Error()
		}
		return b
	}
	if got := base(""); got != "main" {
		t.Errorf("no remote: %q", got)
	}
	if _, err := r.Base(t.Context(), "origin/nope"); !errors.Is(err, ErrNoBase) {
		t.Errorf("a named base must exist: %v", err)
	}
	if _, err := r.Base(t.Context(), "--upload-pack=x"); !errors.Is(err, ErrBadRef) {
		t.Errorf("an option as base: %v", err)
	}
	sh(t, r.Root, "git branch -m master")
	if got := base(""); got != "master" {
		t.Errorf("master: %q", got)
	}
	sh(t, filepath.Dir(r.Root), "git clone -q repo clone")
	c, err := Find(filepath.Join(filepath.Dir(r.Root), "clone"))
	if err != nil {
		t.Fatal(err)
	}
	r = c
	if got := base(""); got != "origin/master" {
		t.Errorf("remote's default branch: %q", got)
	}
	if got := base("HEAD"); got != "HEAD" {
		t.Errorf("any revision: %q", got)
	}
	sh(t, r.Root, "git pack-refs --all")
	if got := base("origin/master"); got != "origin/master" {
		t.Errorf("packed: %q", got)
	}
	sh(t, r.Root, "git checkout -q --detach && git branch -D master && git remote remove origin && git branch dev")
	if _, err := r.Base(t.Context(), ""); !errors.Is(err, ErrNoBase) {
		t.Errorf("nothing to compare with: %v", err)
	}
}

// A snapshot contains everything and touches nothing.
func TestSnapshot(t *testing.T) {
	r := newRepo(t)
	sh(t, r.Root, `echo ignored > .gitignore; echo staged > s; git add s .gitignore; echo more >> s; echo u > 'un tracked'; echo x > ignored; mkdir logs; echo l > logs/l; rm tracked
echo stash > st; git add st; git stash push -q -- st`)
	before := userState(t, r)
	tree, err := r.SnapshotTree(t.Context(), []string{"logs"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, userState(t, r)); d != "" {
		t.Errorf("the user's state changed: %s", d)
	}
	if got := sh(t, r.Root, "git ls-tree -r --name-only "+tree); got != ".gitignore\ns\nun tracked" {
		t.Errorf("snapshot contains %q", got)
	}
	if got := sh(t, r.Root, "git show "+tree+":s"); got != "staged\nmore" {
		t.Errorf("content %q", got)
	}
	files, err := r.ListTree(t.Context(), tree)
	if err != nil || len(files) != 3 || files[2].Path != "un tracked" {
		t.Errorf("%v %v", files, err)
	}
	left, _ := filepath.Glob(filepath.Join(r.GitDir, "gauntlet-index-*"))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSnapshotOfUnborn(t *testing.T) {
	r := newRepo(t)
	sh(t, filepath.Dir(r.Root), "git init -q -b trunk unborn && echo x > unborn/f")
	u, err := Find(filepath.Join(filepath.Dir(r.Root), "unborn"))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := u.SnapshotTree(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := sh(t, u.Root, "git ls-tree -r --name-only "+tree); got != "f" {
		t.Errorf("%q", got)
	}
}

func userState(t *testing.T, r Repo) string {
	t.Helper()
	return sh(t, r.Root, "git status --porcelain=v2 --untracked-files=all; git ls-files -s; git stash list; git rev-parse HEAD; git branch -a; cat s")
}

func TestInheritedVariablesDoNotRedirect(t *testing.T) {
	r := newRepo(t)
	other := filepath.Join(filepath.Dir(r.Root), "other")
	sh(t, filepath.Dir(r.Root), "git init -q other")
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other, "index"))
	out, err := r.Run(t.Context(), "rev-parse", "--show-toplevel")
	if err != nil || strings.TrimSpace(string(out)) != r.Root {
		t.Errorf("%q %v", out, err)
	}
}

func TestErrors(t *testing.T) {
	r := newRepo(t)
	_, err := r.Run(t.Context(), "rev-parse", "--verify", "nope")
	var ge *Error
	if !errors.As(err, &ge) || ge.ExitCode != 128 || strings.Contains(err.Error(), "fatal: ") {
		t.Errorf("%v", err)
	}
	_, err = r.RunWith(t.Context(), Opts{Timeout: time.Millisecond}, "-c", "alias.slow=!sleep 30", "slow")
	if !errors.As(err, &ge) || !ge.TimedOut {
		t.Errorf("timeout: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Run(ctx, "status"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := r.Run(t.Context(), "status"); !errors.Is(err, ErrMissing) {
		t.Errorf("no git: %v", err)
	}
}

func TestCommitNames(t *testing.T) {
	r := newRepo(t)
	names, err := r.CommitNames(t.Context(), "HEAD")
	if err != nil || cmp.Diff([]string{"tracked"}, names) != "" {
		t.Errorf("first commit: %v %v", names, err)
	}
	sh(t, r.Root, "seq 50 > a; git add a; git commit -qm a; git mv a b; git commit -qm b")
	names, err = r.CommitNames(t.Context(), "HEAD")
	if err != nil || cmp.Diff([]string{"a", "b"}, names) != "" {
		t.Errorf("rename: %v %v", names, err)
	}
	names, err = r.DiffNames(t.Context(), "HEAD~2...HEAD")
	if err != nil || cmp.Diff([]string{"b"}, names) != "" {
		t.Errorf("range: %v %v", names, err)
	}
	if _, err := r.CommitNames(t.Context(), "-p"); !errors.Is(err, ErrBadRef) {
		t.Errorf("option as commit: %v", err)
	}
}

func TestCommitNamesOfOneCommitOnly(t *testing.T) {
	r := newRepo(t)
	sh(t, r.Root, "touch more; git add more; git commit -q -m more; git tag -a -m v v1")
	for _, name := range []string{"HEAD", "v1", ":/more", "@"} {
		if names, err := r.CommitNames(t.Context(), name); err != nil || cmp.Diff([]string{"more"}, names) != "" {
			t.Errorf("%s: %q %v", name, names, err)
		}
	}
	for _, name := range []string{"HEAD~1..HEAD", "HEAD...v1", "^HEAD", "HEAD:more", "HEAD^{tree}", "nope"} {
		if names, err := r.CommitNames(t.Context(), name); err == nil || !strings.Contains(err.Error(), "no commit") {
			t.Errorf("%s is taken for a commit: %q %v", name, names, err)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("# branch.oid (initial)\x00# branch.head main\x00? a\x00"))
	f.Add([]byte("# branch.oid 1\x002 R. N... 100644 100644 100644 a b R100 new\x00old\x00u UU N... 1 2 3 4 a b c x\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		s, err := parseStatus(out)
		if err == nil {
			_ = s.Paths()
			_ = s.Unmerged()
		}
	})
}
