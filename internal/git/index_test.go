package git

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Entries read from the index are what git lists, in every format; unknown formats are left
// to git.
func TestReadIndexAgreesWithGit(t *testing.T) {
	tests := []struct {
		name  string
		init  []string
		setup func(t *testing.T, git func(...string))
	}{
		{"version 2", nil, nil},
		{"version 3", nil, func(_ *testing.T, git func(...string)) { git("update-index", "--skip-worktree", "a/two") }},
		{"version 4", nil, func(_ *testing.T, git func(...string)) { git("update-index", "--index-version", "4") }},
		{"sha256", []string{"--object-format=sha256"}, nil},
		{"no index yet", nil, func(t *testing.T, _ func(...string)) {
			if err := os.Remove(".git/index"); err != nil {
				t.Fatal(err)
			}
		}},
		{"split index", nil, func(t *testing.T, git func(...string)) {
			git("update-index", "--split-index")
			b, err := os.ReadFile(".git/index")
			if _, ok := readIndex(string(b), 20); err != nil || ok {
				t.Errorf("half an index taken for a whole one (%v)", err)
			}
		}},
		{"intended", nil, func(_ *testing.T, git func(...string)) { git("add", "-N", "untracked") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			git := func(args ...string) {
				t.Helper()
				cmd := exec.Command("git", append([]string{"-c", "user.name=d", "-c", "user.email=d@e"}, args...)...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
			}
			git(append([]string{"init", "-q"}, tt.init...)...)
			for _, f := range []string{"a/one", "a/two", "a/two.d/three", "-dash", "new\nline", "quo\"te", "日本", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/b"} {
				write(t, f, f)
			}
			if err := os.Symlink("nowhere", "link"); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod("a/two", 0o755); err != nil {
				t.Fatal(err)
			}
			git("add", "-A")
			git("commit", "-q", "-m", "base")
			write(t, "untracked", "x")
			write(t, "a/one", "changed")
			if tt.setup != nil {
				tt.setup(t, git)
			}
			r, err := Find(dir)
			if err != nil {
				t.Fatal(err)
			}
			x, err := r.Index(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, e := range x.entries {
				fmt.Fprintf(&got, "%o %s %d\t%s\x00", e.mode, hexID(e.oid), e.stage, e.path)
				if !x.Tracks(e.path) || !x.Has(File{Path: e.path, ID: e.oid}) || x.Has(File{Path: e.path, ID: "x"}) {
					t.Errorf("%s is not found", e.path)
				}
			}
			want, err := exec.Command("git", "ls-files", "--stage", "-z").Output()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Error(diff)
			}
			if below := x.TracksBelow("a"); below != (tt.name != "no index yet") || x.TracksBelow("b") || x.Tracks("nothing") {
				t.Error("what is below a directory")
			}
		})
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// An index is read from disk and may be torn: never a panic, never more entries than it
// contains.
func FuzzReadIndex(f *testing.F) {
	dir := f.TempDir()
	cmd := exec.Command("sh", "-c", "git init -q . && echo x > a && mkdir b && echo y > b/c && git add -A")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		f.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, 20)
	f.Add(b[:len(b)/2], 32)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		if size != 20 {
			size = 32
		}
		if entries, ok := readIndex(string(b), size); ok && len(entries) > len(b) {
			t.Errorf("%d entries in %d bytes", len(entries), len(b))
		}
		if trees := cachedTrees(string(b), size); len(trees) > len(b) {
			t.Errorf("%d directories in %d bytes", len(trees), len(b))
		}
	})
}

// An index that somebody wrote by hand may name what lies outside the work tree:
// nothing is read there, and nothing waits for ever.
func TestIndexWithPathsThatLeadOutside(t *testing.T) {
	for _, name := range []string{"/aa/bb", "../../b", "aa//bbb", "./aa/bb", "aa/../b", "aa/b/..", "aa/bbb/"} {
		r := newRepo(t)
		sh(t, r.Root, "mkdir aa; echo x > aa/bbbb; git add aa; git commit -q -m x")
		file := filepath.Join(r.GitDir, "index")
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b = bytes.Replace(b, []byte("aa/bbbb"), []byte(name), 1)
		if _, ok := scanIndex(string(b), 20); ok {
			t.Errorf("%s was taken for a path", name)
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := r.Compared(t.Context(), Seen{}); ok {
			t.Errorf("%s was compared", name)
		}
		if x, err := r.Index(t.Context()); err == nil && x.Tracks(name) {
			t.Errorf("%s is tracked", name)
		}
	}
}

func TestKilledSnapshotsAreSwept(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	old, fresh := filepath.Join(r.GitDir, tempIndex+"old"), filepath.Join(r.GitDir, tempIndex+"fresh")
	write(t, filepath.Join(old, "index"), "x")
	write(t, filepath.Join(fresh, "index"), "x")
	past := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	if _, err := r.SnapshotTree(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Error("the old one is still there")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("the fresh one is in use")
	}
}

// Excluded paths are left out, whether git ignores them or not, and cause no error.
func TestSnapshotLeavesOut(t *testing.T) {
	for _, ignored := range []bool{true, false} {
		dir := t.TempDir()
		t.Chdir(dir)
		for _, args := range [][]string{{"init", "-q"}, {"init", "-q", "nested"}} {
			if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		for _, f := range []string{"logs/a/b", "logs2/x", "we[i]rd*/x", "weird/x", "nested/x", "file", "é/x"} {
			write(t, f, "x")
		}
		if ignored {
			write(t, ".git/info/exclude", "logs\n")
		}
		r, err := Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := r.SnapshotTree(t.Context(), []string{"logs", "we[i]rd*", "nested/", "file", "é"})
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.ListTree(t.Context(), tree)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files {
			got = append(got, f.Path)
		}
		if diff := cmp.Diff([]string{"logs2/x", "weird/x"}, got); diff != "" {
			t.Error(diff)
		}
	}
}
