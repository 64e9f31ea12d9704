package content

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gauntlet/internal/git"
)

// sh runs a script in a directory and returns what it prints.
func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	return strings.TrimSpace(string(out))
}

// newRepo is a repository with a commit.
func newRepo(t *testing.T) git.Repo {
	t.Helper()
	w := newWorld(t)
	sh(t, w.root, "echo one > tracked; git add -A; git commit -q -m one")
	return w.question(nil).Repo
}

func files(t *testing.T, r git.Repo, leave string) []git.File {
	t.Helper()
	a, err := Take(t.Context(), Question{Repo: r, Leave: func(p string) bool { return leave != "" && strings.HasPrefix(p, leave+"/") }})
	if err != nil {
		t.Fatal(err)
	}
	return a.Files
}

// agrees compares the status found by comparing with the one of git; found is
// false where it was left to git.
func agrees(t *testing.T, r git.Repo) (found bool) {
	t.Helper()
	want, err := r.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, ok := r.Compared(t.Context(), git.Seen{Files: files(t, r, ""), User: git.User{System: "/etc/gitconfig"}})
	if !ok {
		return false
	}
	byPath := cmpopts.SortSlices(func(a, b git.Change) bool {
		return a.Path < b.Path || a.Path == b.Path && a.Untracked && !b.Untracked
	})
	if d := cmp.Diff(want, got, byPath, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("git and the comparison differ (-git +compared):\n%s", d)
	}
	return true
}

// What is found by comparing is what git says, whatever was done to the tree.
func TestComparedAgreesWithGit(t *testing.T) {
	found, rounds := 0, 40
	if testing.Short() {
		rounds = 15
	}
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRepo(t)
			w := &worker{t: t, root: r.Root, rand: rand.New(rand.NewPCG(uint64(seed), 0))}
			for range 25 {
				w.write(w.name())
			}
			sh(t, r.Root, "git add -A . && git commit -q -m more")
			if w.rand.IntN(3) > 0 { // else everything is racy
				past := time.Now().Add(-time.Hour)
				for _, f := range w.files() {
					if info, err := os.Lstat(f); err == nil && info.Mode().IsRegular() {
						_ = os.Chtimes(f, past, past)
					}
				}
				sh(t, r.Root, "git status > /dev/null")
			}
			for range 1 + w.rand.IntN(8) {
				w.change()
			}
			if agrees(t, r) {
				found++
			}
		})
	}
	if found < rounds/2 {
		t.Errorf("only %d of %d trees were compared", found, rounds)
	}
}

// worker changes a work tree at random.
type worker struct {
	t    *testing.T
	root string
	rand *rand.Rand
	n    int
}

// name is a path that may or may not be there.
func (w *worker) name() string {
	dirs := []string{"", "", "a/", "a/b/", "a.d/", "a-b/", "deep/er/and/", "ü/", ".github/"}
	names := []string{"x", "y", "a", "b", "x.log", "x.o", "Makefile", "sp ace", "-dash", ":colon", "new\nline", "st*r", "é", "out", ".gitattributes2", "Ab"}
	return dirs[w.rand.IntN(len(dirs))] + names[w.rand.IntN(len(names))]
}

func (w *worker) write(name string) {
	w.n++
	path := filepath.Join(w.root, name)
	_ = os.MkdirAll(filepath.Dir(path), 0o755) // a file may be in its way
	_ = os.WriteFile(path, []byte(fmt.Sprintln("content", w.n%5)), 0o644)
}

// files are all files outside the git directory.
func (w *worker) files() (out []string) {
	_ = filepath.WalkDir(w.root, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && !e.IsDir() {
			out = append(out, path)
		}
		return nil
	})
	return out
}

// change does one thing that people and programs do.
func (w *worker) change() {
	files := w.files()
	if len(files) == 0 {
		return
	}
	file := files[w.rand.IntN(len(files))]
	quoted := "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
	git := func(args string) { sh(w.t, w.root, "git "+args+" > /dev/null 2>&1 || true") }
	switch w.rand.IntN(20) {
	case 0, 1, 2:
		w.write(w.name())
	case 3:
		info, err := os.Stat(file)
		if err == nil && info.Mode().IsRegular() { // the same size; with the same time, too, git may not see it
			b, _ := os.ReadFile(file)
			_ = os.WriteFile(file, []byte(strings.ToUpper(string(b))), 0o644)
			_ = os.Chtimes(file, info.ModTime(), info.ModTime().Add(2*time.Second))
		}
	case 4:
		_ = os.Remove(file)
	case 5:
		_ = os.RemoveAll(filepath.Dir(file) + "/b")
	case 6:
		_ = os.Chmod(file, 0o755)
	case 7:
		now := time.Now()
		_ = os.Chtimes(file, now, now)
	case 8:
		_ = os.Remove(file)
		_ = os.Symlink("nowhere", file)
	case 9:
		_ = os.Remove(file)
		_ = os.MkdirAll(filepath.Join(file, "d"), 0o755)
		w.write(strings.TrimPrefix(file, w.root+"/") + "/d/x")
	case 10:
		git("add -- " + quoted)
	case 11:
		git("add -A")
	case 12:
		git("rm -q --cached -- " + quoted)
	case 13:
		git("mv -- " + quoted + " moved" + fmt.Sprint(w.n))
	case 14:
		rules := []string{"*.log", "*.o", "/out", "out", "out/", "a/x", "/a/b/", "!x.log", "b", "# no", "\\#x", "d?", "y "}
		dirs := []string{"", "a/", "a/b/"}
		list := filepath.Join(w.root, dirs[w.rand.IntN(len(dirs))], ".gitignore")
		var text string
		for range 1 + w.rand.IntN(3) {
			text += rules[w.rand.IntN(len(rules))] + []string{"\n", "\r\n"}[w.rand.IntN(2)]
		}
		_ = os.WriteFile(list, []byte(text), 0o644)
	case 15:
		_ = os.MkdirAll(filepath.Join(w.root, "empty", "er"), 0o755)
	case 16:
		_ = os.MkdirAll(filepath.Join(w.root, "out", "er"), 0o755)
		w.write("out/er/x")
	case 17:
		git("commit -q -m some")
	case 18:
		git("init -q inner" + fmt.Sprint(w.n))
	case 19:
		_ = os.WriteFile(filepath.Join(w.root, ".git", "info", "exclude"), []byte("!out\n*.o\n"), 0o644)
	}
}

// What git alone understands is left to git, or is found all the same.
func TestComparedLeavesTheRestToGit(t *testing.T) {
	const apart = "the comparison"
	for name, tt := range map[string]struct{ script, by string }{
		"clean":              {``, apart},
		"edited":             {`echo 2 > tracked; echo n > new`, apart},
		"detached":           {`git checkout -q --detach; echo 2 > tracked`, apart},
		"version 4":          {`git update-index --index-version 4; echo 2 > dir/b; echo n > new`, apart},
		"file mode false":    {`git config core.fileMode false; chmod +x tracked; echo 2 > dir/b`, apart},
		"line endings":       {`git config core.autocrlf true; printf 'one\r\n' > tracked; printf 'x\r\n' > dir/b`, apart},
		"no change time":     {`git config core.trustctime false; git config core.checkStat minimal; touch tracked`, apart},
		"ignores case":       {`git config core.ignoreCase true; echo x > TRACKED`, apart},
		"link for a dir":     {`mv dir real; ln -s real dir`, apart},
		"no dir":             {`rm -r dir`, apart},
		"unreadable":         {`mkdir -p dir/secret; echo x > dir/secret/x; git add -A; git commit -q -m s; chmod 0 dir/secret`, ""}, // root reads it
		"repository for dir": {`git init -q dir; echo 2 > dir/b`, "git"},
		"submodule":          {`git -c protocol.file.allow=always clone -q . sub; git add sub 2> /dev/null; echo x > sub/new`, "git"},
		"submodule removed":  {`git -c protocol.file.allow=always clone -q . sub; git add sub 2> /dev/null; git commit -q -m s; git rm -q --cached sub; rm -rf sub`, "git"},
		"assume unchanged":   {`git update-index --assume-unchanged tracked; echo 2 > tracked`, "git"},
		"skip work tree":     {`git update-index --skip-worktree tracked; echo 2 > tracked`, "git"},
		"sparse":             {`git sparse-checkout set --cone dir; echo n > dir/n`, "git"},
		"sparse index":       {`git sparse-checkout set --cone --sparse-index dir; echo 2 > dir/b`, "git"},
		"split index":        {`git update-index --split-index; echo 2 > dir/b`, "git"},
		"monitored":          {`git update-index --fsmonitor 2> /dev/null || git -c core.fsmonitor=true update-index --fsmonitor; echo 2 > dir/b`, "git"},
		"intended":           {`echo n > n; git add -N n`, "git"},
		"conflict":           {`git checkout -q -b o; echo o > tracked; git commit -qam o; git checkout -q main; echo m > tracked; git commit -qam m; git merge -q o || true`, "git"},
		"no commit":          {`git checkout -q --orphan none`, "git"},
		"packed refs":        {`git pack-refs --all; git gc -q; echo 2 > tracked`, apart},
		"rename":             {`seq 100 > long; git add -A; git commit -q -m l; git mv long longer; echo more >> longer; echo x > long`, apart},
		"too many new":       {`mkdir n; i=0; while [ $i -lt 300 ]; do echo > n$i; i=$((i+1)); done`, apart},
		"many in one dir":    {`mkdir n; i=0; while [ $i -lt 300 ]; do echo > n/$i; i=$((i+1)); done`, apart},
		"an index elsewhere": {`git worktree add -q ../other; cp .git/index ../kept; cp ../kept .git/index`, apart},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			sh(t, r.Root, `mkdir dir far; echo b > dir/b; echo c > dir/c; echo d > far/d; touch -t 202001010000 tracked */*; git add -A; git commit -q -m more; `+tt.script)
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(r.Root, "dir", "secret"), 0o700) })
			by := "git"
			if agrees(t, r) {
				by = apart
			}
			if tt.by != "" && by != tt.by {
				t.Errorf("found by %s, want %s", by, tt.by)
			}
		})
	}
	t.Run("sha256", func(t *testing.T) {
		dir := t.TempDir()
		sh(t, dir, `git init -q --object-format=sha256; echo 1 > a; echo 1 > b; git add -A; git commit -q -m one; echo 2 > a; echo n > n`)
		if r, ok := git.At(dir); !ok || !agrees(t, r) {
			t.Error("left to git")
		}
	})
}

// A git that fails or says nothing is not taken for one that found nothing.
func TestComparedNeedsAnAnswer(t *testing.T) {
	r := newRepo(t)
	real := sh(t, r.Root, "command -v git")
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	sh(t, r.Root, "echo n > new; echo 2 > staged; git add staged")
	all := files(t, r, "")
	for _, script := range []string{"exit 1", "exit 128", real + ` "$@" > /dev/null`, real + ` "$@" | tr a-z A-Z`} {
		if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if s, ok := r.Compared(t.Context(), git.Seen{Files: all}); ok {
			t.Errorf("%s: %+v", script, s)
		}
	}
}
