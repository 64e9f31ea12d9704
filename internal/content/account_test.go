package content

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/git"
)

// base is a repository with a commit.
func base(t *testing.T) *world {
	w := newWorld(t)
	w.sh(`echo GOOD > a.txt; mkdir d; echo x > d/x; printf 'ignored\n*.log\n' > .gitignore; git add -A; git commit -qm base`)
	return w
}

// Nothing that git could be told hides a change.
func TestNothingHidesAChange(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED LOUDLY: the changes are written in shell")
	}
	for _, tt := range []struct{ name, script, path string }{
		{"assume-unchanged", `echo BAD > a.txt; git update-index --assume-unchanged a.txt`, "a.txt"},
		{"a split index", `echo BAD > a.txt; git update-index --split-index; git update-index --skip-worktree a.txt`, "a.txt"},
		{"times put back", `touch -r a.txt ../r; echo BAAD > a.txt; touch -r ../r a.txt`, "a.txt"},
		{"fileMode", `git config core.fileMode false; chmod +x a.txt`, "a.txt"},
		{"ignoreCase", `git config core.ignoreCase true; echo BAD > A.TXT`, "A.TXT"},
		{"symlinks", `git config core.symlinks false; rm a.txt; ln -s d/x a.txt`, "a.txt"},
		{"autocrlf", `git config core.autocrlf input; printf 'GOOD\r\n' > a.txt`, "a.txt"},
		{"ident", `echo '*.txt ident' > .git/info/attributes; printf '$Id: bad$\n' > a.txt`, "a.txt"},
		{"a filter", `git config filter.l.clean 'echo GOOD'; echo '*.txt filter=l' > .git/info/attributes; echo BAD > a.txt`, "a.txt"},
		{"committed with an old date", `echo BAD > a.txt; GIT_COMMITTER_DATE=2020-01-01T00:00:00Z git commit -qam x`, "a.txt"},
		{"an exclude", `echo bad > bad.txt; echo bad.txt >> .git/info/exclude`, "bad.txt"},
		{"an ignore rule", `echo bad > bad.txt; echo bad.txt >> .gitignore`, "bad.txt"},
		{"a rule of its own directory", `mkdir n; echo '*' > n/.gitignore; echo bad > n/bad.txt`, "n/bad.txt"},
		{"a directory that came to be ignored", `mkdir n; echo n/ >> .git/info/exclude; echo bad > n/bad.txt`, "n/bad.txt"},
		{"taken out of the index and ignored", `git rm -q --cached a.txt; echo a.txt >> .git/info/exclude; echo BAD > a.txt`, "a.txt"},
		{"no index", `rm .git/index; echo BAD > a.txt`, "a.txt"},
		{"another work tree", `git config core.worktree /tmp; echo BAD > a.txt`, "a.txt"},
		{"reset to an older commit", `echo NEW > n; git add n; git commit -qm n; git reset -q --hard HEAD~1; rm d/x`, "d/x"},
		{"a pipe", `mkfifo p`, "p"},
		{"a pipe as an ignore list", `rm .gitignore; mkfifo .gitignore; echo x > b.log`, "b.log"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := base(t)
			before := w.take(nil)
			w.sh(tt.script)
			if got := Diff(before, w.take(before)); !slices.Contains(got, tt.path) {
				t.Errorf("%v, want %s", got, tt.path)
			}
		})
	}
}

// What changes no content is no change.
func TestWhatIsNoChange(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED LOUDLY: the changes are written in shell")
	}
	for name, script := range map[string]string{
		"touched":                 `touch a.txt d/x`,
		"written again":           `cp a.txt b; rm a.txt; cp b a.txt; rm b`,
		"away and back":           `git checkout -q -b o; echo y > d/x; git commit -qam y; git checkout -q main`,
		"staged":                  `git update-index --chmod=+x a.txt`,
		"committed":               `git commit -q --allow-empty -m x`,
		"an ignored file":         `echo x > b.log; mkdir ignored; echo y > ignored/y`,
		"a log of Gauntlet's own": `mkdir logs; echo x > logs/check.log`,
		"bytecode":                `mkdir __pycache__; echo x > __pycache__/a.cpython-312.pyc`,
		"its own work trees":      `git worktree add -q inner`,
	} {
		t.Run(name, func(t *testing.T) {
			w := base(t)
			before := w.take(nil)
			w.sh(script)
			q := w.question(before)
			q.Leave = func(p string) bool { return strings.HasPrefix(p, "logs/") }
			now, err := Take(t.Context(), q)
			if got := Diff(before, now); err != nil || len(got) > 0 {
				t.Errorf("%v %v", got, err)
			}
		})
	}
}

// The paths are in order, as git has them, so that each is found.
func TestOrder(t *testing.T) {
	w := newWorld(t)
	for _, p := range []string{"f/z", "f-g/z", "f.txt", "a/b/c", "a/b-c/d", "a/b.c", "a0", "ü/x", "f0/x", "f-g/-/x"} {
		w.write(p, p)
	}
	a := w.take(nil)
	if !slices.IsSortedFunc(a.Files, func(x, y git.File) int { return strings.Compare(x.Path, y.Path) }) || len(a.Files) != 10 {
		t.Errorf("%v", a.Files)
	}
	for _, f := range a.Files {
		if _, ok := a.Find(f.Path); !ok {
			t.Errorf("%s is not found", f.Path)
		}
	}
}

// Repositories within are content, by their own rules.
func TestRepositoriesWithin(t *testing.T) {
	w := base(t)
	w.sh(`git init -q in; echo s > in/s; printf 'skip\n' > in/.gitignore; echo y > in/skip; echo l > in/l.log; git -C in add s; git -C in commit -qm s`)
	before := w.take(nil)
	var paths []string
	for _, f := range before.Files {
		if strings.HasPrefix(f.Path, "in/") {
			paths = append(paths, fmt.Sprintf("%s %o", f.Path, f.Mode))
		}
	}
	want := []string{"in/.git 160000", "in/.gitignore 100644", "in/l.log 100644", "in/s 100644"}
	if !slices.Equal(paths, want) {
		t.Errorf("%q", paths)
	}
	w.sh(`echo bad > in/s; git -C in update-index --assume-unchanged s; echo new > in/n; echo n >> in/.git/info/exclude; echo z > in/skip`)
	if got := Diff(before, w.take(before)); !slices.Equal(got, []string{"in/n", "in/s"}) {
		t.Errorf("%q", got)
	}
}

// A link is its text, and what it leads to outside.
func TestLinks(t *testing.T) {
	w := base(t)
	w.sh(`mkdir ../out; echo 1 > ../out/f; ln -s ../out dir; ln -s ../out/f file; ln -s a.txt inside; ln -s nowhere dangling; mkdir ignored; echo 1 > ignored/f; ln -s ignored hid`)
	before := w.take(nil)
	if len(before.NotSeen) > 0 {
		t.Error(before.NotSeen)
	}
	w.sh(`echo 2 > ../out/f; echo 2 > ignored/f`)
	if got := Diff(before, w.take(before)); !slices.Equal(got, []string{"dir", "file", "hid"}) {
		t.Errorf("%q", got)
	}
	w.sh(`ln -sf d/x inside; i=0; while [ $i -lt 1001 ]; do : > ../out/$i; i=$((i+1)); done`)
	now := w.take(before)
	if got := Diff(before, now); !slices.Contains(got, "inside") || !slices.Equal(now.NotSeen, []string{"dir"}) {
		t.Errorf("%q %q", got, now.NotSeen)
	}
}

// What is remembered of files that were read costs time if it is gone or forged, and never
// the truth.
func TestTheCacheNeverLies(t *testing.T) {
	w := newWorld(t)
	for i := range 100 {
		w.write(fmt.Sprintf("f%d", i), fmt.Sprint(i))
	}
	old := time.Now().Add(-time.Hour)
	first := w.take(nil)
	files, _ := filepath.Glob(filepath.Join(w.home, "gauntlet", "content", "*"))
	if len(files) != 1 {
		t.Fatal("nothing was remembered")
	}
	cached := func() (files int) {
		c := openCache(w.question(nil).Sealer, w.question(nil).Repo.GitDir, 20)
		d, e := decoder{rest: c.dir("").entries}, remembered{}
		for d.entry(&e, 20) {
			if e.kind == aFile {
				files++
			}
		}
		return files
	}
	if cached() > 0 {
		t.Error("files that were written just now are remembered")
	}
	// As if time had passed.
	q := w.question(nil)
	q.settled = true
	if _, err := Take(t.Context(), q); err != nil || cached() != 100 {
		t.Fatalf("%d files are remembered, %v", cached(), err)
	}
	if got := Diff(first, w.take(nil)); len(got) > 0 {
		t.Errorf("%q", got)
	}
	w.write("f1", "x")
	if err := os.Chtimes(filepath.Join(w.root, "f1"), old, old); err != nil {
		t.Fatal(err)
	}
	if got := Diff(first, w.take(nil)); !slices.Equal(got, []string{"f1"}) {
		t.Errorf("%q", got)
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, forged := range [][]byte{nil, good[:len(good)/2], append(slices.Clone(good[:len(good)-1]), good[len(good)-1]^1)} {
		if err := os.WriteFile(files[0], forged, 0o600); err != nil {
			t.Fatal(err)
		}
		if cached() > 0 {
			t.Error("a forged cache is used")
		}
		if got := Diff(first, w.take(nil)); !slices.Equal(got, []string{"f1"}) {
			t.Errorf("%q", got)
		}
	}
}

// An account that was kept can be read again, whatever became of the files.
func TestKeptAndReadAgain(t *testing.T) {
	w := base(t)
	w.sh(`echo dirty > a.txt; echo new > n.sh; chmod +x n.sh; ln -s d/x l; echo gone-from-git > d/g`)
	a, s := w.take(nil), w.store()
	name, err := s.Put(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.KeepBlobs(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	w.sh(`rm -rf a.txt n.sh l d; git rm -q --cached -r d`)
	got, err := s.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := Diff(a, got); len(d) > 0 || got.Refs != a.Refs || fmt.Sprint(got.Rules) != fmt.Sprint(a.Rules) {
		t.Errorf("another account came back: %q", d)
	}
	read := map[string]string{}
	keep := func(f git.File, data []byte) error { read[f.Path] = string(data); return nil }
	if err := s.Each(t.Context(), got.Files, keep); err != nil {
		t.Fatal(err)
	}
	if read["a.txt"] != "dirty\n" || read["n.sh"] != "new\n" || read["l"] != "d/x" || read["d/g"] != "gone-from-git\n" || len(read) != len(got.Files) {
		t.Errorf("read %q", read)
	}
	if f, _ := got.Find("a.txt"); true {
		if _, err := s.FromTree(f); err == nil {
			t.Error("the work tree does not have it any more")
		}
	}
}

// An account that is not the one that was kept is none.
func TestAForgedAccountIsNone(t *testing.T) {
	w := base(t)
	s := w.store()
	name, err := s.Put(w.take(nil))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Dir, accountsDir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, forged := range [][]byte{nil, data[1:], append(slices.Clone(data), 0)} {
		if err := os.WriteFile(path, forged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(name); err == nil {
			t.Errorf("%d: a forged account is used", i)
		}
	}
	for _, name := range []string{"", "../x", strings.Repeat("a", 64), name[:63]} {
		if _, err := s.Get(name); err == nil {
			t.Errorf("%q: an account that is not there", name)
		}
	}
	for i := range len(data) {
		_, _ = decode(string(data[:i])) // whatever is cut off, it does not panic
	}
}

// A file that is touched while it is judged has moved, even if its content is what it was.
func TestMoved(t *testing.T) {
	w := base(t)
	a := w.take(nil)
	if got, _, err := a.Moved(t.Context()); err != nil || len(got) > 0 {
		t.Errorf("%q %v", got, err)
	}
	w.sh(`cp -p a.txt ../keep; echo BAD > a.txt; cp -p ../keep a.txt; touch -r ../keep a.txt; echo n > new; rm d/x; echo x > x.log`)
	if got, _, err := a.Moved(t.Context()); err != nil || !slices.Equal(got, []string{"a.txt", "d/x", "new"}) {
		t.Errorf("%q %v", got, err)
	}
}

func TestNewRefs(t *testing.T) {
	w := base(t)
	before := w.take(nil)
	w.sh(`git commit -q --allow-empty -m x; git branch other; git tag t HEAD~1; git stash list; git update-ref refs/gauntlet/x HEAD; git pack-refs --all`)
	var got []string
	for _, r := range NewRefs(before, w.take(before)) {
		got = append(got, r.Name)
	}
	if want := []string{"refs/heads/main", "refs/heads/other", "refs/tags/t"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A tree that cannot be read in time has no account, and the error says why.
func TestPatience(t *testing.T) {
	w := base(t)
	q := w.question(nil)
	q.Patience = time.Nanosecond
	if _, err := Take(t.Context(), q); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("%v", err)
	}
}
