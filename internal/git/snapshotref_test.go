package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func save(t *testing.T, r Repo, session string, at time.Time) Snapshot {
	t.Helper()
	head, err := r.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.SaveSnapshot(t.Context(), Snapshot{Session: session, Base: head, Time: at}, "snapshot: x\n\nbody\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCheckpointsAreNumberedAndNeverOverwritten(t *testing.T) {
	r := newRepo(t)
	at := time.Unix(1_700_000_000, 0)
	sh(t, r.Root, "echo work > new")
	for i := 1; i <= 3; i++ {
		if c := save(t, r, "s", at.Add(time.Duration(i)*time.Second)); c.Seq != i {
			t.Errorf("number %d, want %d", c.Seq, i)
		}
	}
	save(t, r, "other", at)
	sh(t, r.Root, "git pack-refs --all && git update-ref -d refs/gauntlet/checkpoints/s/2")
	if c := save(t, r, "s", at.Add(time.Hour)); c.Seq != 4 {
		t.Errorf("after packing: number %d, want 4", c.Seq)
	}
	sh(t, r.Root, "git update-ref refs/gauntlet/checkpoints/strange HEAD")
	list, err := r.Snapshots(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list {
		got = append(got, strings.TrimPrefix(c.Ref, SnapshotRefs))
		if c.Subject != "snapshot: x" || c.Base == "" || c.N != len(got) {
			t.Errorf("%+v", c)
		}
	}
	if diff := cmp.Diff([]string{"other/1", "s/1", "s/3", "s/4"}, got); diff != "" {
		t.Error(diff)
	}
	if err := r.DeleteSnapshots(t.Context(), list[1:]); err != nil {
		t.Fatal(err)
	}
	if list, _ = r.Snapshots(t.Context()); len(list) != 1 {
		t.Errorf("%d left", len(list))
	}
}

func TestRestore(t *testing.T) {
	const hostile = "-rf 'a\nb'"
	r := newRepo(t)
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(r.Root, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sh(t, r.Root, "mkdir dir && echo a > dir/a && echo gone > gone && git add . && git commit -q -m more")
	write(hostile, "hostile\n")
	sh(t, r.Root, "echo two > tracked && rm gone && ln -s tracked link && echo x > script && chmod +x script && echo u > untracked")
	c := save(t, r, "s", time.Unix(1_700_000_000, 0))
	want := sh(t, r.Root, "ls -A | LC_ALL=C sort; cat tracked; ls -l script link | cut -c1-10")

	sh(t, r.Root, "git clean -qfd && git checkout -q . && echo staged > dir/a && git add dir/a")
	index := sh(t, r.Root, "git ls-files -s; git rev-parse HEAD")
	plan, err := r.PlanRestore(t.Context(), c.Commit)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"dir/a"}, plan.Dirty); diff != "" || len(plan.InTheWay) != 0 {
		t.Errorf("dirty %v, in the way %v", plan.Dirty, plan.InTheWay)
	}
	if diff := cmp.Diff([]string{"gone"}, plan.Remove); diff != "" {
		t.Error(diff)
	}
	if err := r.ApplyRestore(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if got := sh(t, r.Root, "ls -A | LC_ALL=C sort; cat tracked; ls -l script link | cut -c1-10"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := sh(t, r.Root, "git ls-files -s; git rev-parse HEAD"); got != index {
		t.Errorf("the index changed:\n%s", got)
	}
	if b, err := os.ReadFile(filepath.Join(r.Root, hostile)); err != nil || string(b) != "hostile\n" {
		t.Errorf("%q %v", b, err)
	}
}

func TestRestoreRefusesToLoseUnsavedFiles(t *testing.T) {
	for name, script := range map[string]string{
		"an ignored file":                    "rm new && echo new > .git/info/exclude && echo precious > new",
		"a file where a directory was":       "rm -r dir && git rm -q -r --cached dir && echo dir > .git/info/exclude && echo precious > dir",
		"a link where a directory was":       "rm -r dir && git rm -q -r --cached dir && mkdir ../outside && echo dir > .git/info/exclude && ln -s ../outside dir",
		"a directory where a file was":       "rm new && mkdir new && echo 'new/*' > .git/info/exclude && echo precious > new/x",
		"a directory with only ignored ones": "rm new && mkdir -p new/deep && echo 'new/' > .git/info/exclude && echo precious > new/deep/x",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			sh(t, r.Root, "mkdir dir && echo a > dir/a && git add dir && git commit -q -m dir && echo b > dir/a && echo new > new")
			c := save(t, r, "s", time.Now())
			sh(t, r.Root, "git checkout -q dir && "+script)
			before := sh(t, r.Root, "find . ! -path './.git/*' -ls | sed 's/^ *[0-9]* *[0-9]* //'")
			plan, err := r.PlanRestore(t.Context(), c.Commit)
			if err == nil {
				err = r.ApplyRestore(t.Context(), plan)
			}
			if !errors.Is(err, ErrInTheWay) {
				t.Errorf("got %v, plan %+v", err, plan)
			}
			if after := sh(t, r.Root, "find . ! -path './.git/*' -ls | sed 's/^ *[0-9]* *[0-9]* //'"); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(r.Root), "outside", "a")); err == nil {
				t.Error("written through a link to outside")
			}
		})
	}
}

func TestRestoreSwapsFilesAndDirectories(t *testing.T) {
	r := newRepo(t)
	sh(t, r.Root, "mkdir a && echo x > a/x && echo b > b && git add . && git commit -q -m first")
	sh(t, r.Root, "rm -r a && echo file > a && rm b && mkdir b && echo y > b/y")
	c := save(t, r, "s", time.Now())
	sh(t, r.Root, "rm a && rm -r b && git checkout -q .")
	plan, err := r.PlanRestore(t.Context(), c.Commit)
	if err == nil {
		err = r.ApplyRestore(t.Context(), plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := sh(t, r.Root, "cat a b/y"); got != "file\ny" {
		t.Errorf("got %q", got)
	}
}

// TestRestoreRemovesSavedFiles: new files and links where the snapshot has something else
// are uncommitted work like any other, and do not block a restore for ever.
func TestRestoreRemovesSavedFiles(t *testing.T) {
	for name, script := range map[string]string{
		"a file where a directory was": "rm -r new && echo mine > new",
		"a link where a directory was": "rm -r new && mkdir -p ../outside/deep && echo theirs > ../outside/deep/x && ln -s ../outside new",
		"a directory where a file was": "rm file && mkdir -p file/deep && echo mine > file/deep/y",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			sh(t, r.Root, "mkdir -p new/deep && echo x > new/deep/x && echo f > file")
			c := save(t, r, "s", time.Now())
			sh(t, r.Root, script)
			plan, err := r.PlanRestore(t.Context(), c.Commit)
			if err != nil || len(plan.InTheWay) != 0 || len(plan.Dirty) != 1 {
				t.Fatalf("%+v %v", plan, err)
			}
			if err := r.ApplyRestore(t.Context(), plan); err != nil {
				t.Fatal(err)
			}
			if got := sh(t, r.Root, "cat new/deep/x file"); got != "x\nf" {
				t.Errorf("got %q", got)
			}
			if b, err := os.ReadFile(filepath.Join(filepath.Dir(r.Root), "outside", "deep", "x")); err == nil && string(b) != "theirs\n" {
				t.Errorf("written through the link: %q", b)
			}
		})
	}
}

func TestBatchSSH(t *testing.T) {
	for _, tc := range []struct{ command, program, configured, want string }{
		{"", "", "", "ssh -oBatchMode=yes"},
		{"ssh -i key", "", "other", "ssh -i key -oBatchMode=yes"},
		{"", "", "ssh -F conf", "ssh -F conf -oBatchMode=yes"},
		{"", "/opt/my ssh's/ssh", "", `'/opt/my ssh'\''s/ssh' -oBatchMode=yes`},
		{"", "", "plink", "plink -batch"},
	} {
		getenv := func(k string) string {
			return map[string]string{"GIT_SSH_COMMAND": tc.command, "GIT_SSH": tc.program}[k]
		}
		if got := batchSSH(getenv, tc.configured); got != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
	}
}

func TestRemotes(t *testing.T) {
	r := newRepo(t)
	if m, err := r.Remotes(t.Context()); err != nil || m.HasOrigin {
		t.Errorf("%+v %v", m, err)
	}
	sh(t, r.Root, "git remote add originx ../x && git config branch.a.b.remote up && git config core.sshCommand 'ssh -v'")
	m, err := r.Remotes(t.Context())
	if err != nil || m.HasOrigin || m.Tracks["a.b"] != "up" || m.SSHCommand != "ssh -v" {
		t.Errorf("%+v %v", m, err)
	}
	sh(t, r.Root, "git remote add origin ../x")
	if m, err = r.Remotes(t.Context()); err != nil || !m.HasOrigin {
		t.Errorf("%+v %v", m, err)
	}
}

func TestIndexEntriesWithAndWithoutGit(t *testing.T) {
	r := newRepo(t)
	sh(t, r.Root, "echo x > x && chmod +x x && git add x")
	for _, prepare := range []string{"true", "git update-index --index-version 4", "git update-index --split-index", "echo n > n && git add -N n"} {
		sh(t, r.Root, prepare)
		got, err := r.IndexEntries(t.Context(), "x", "tracked", "none")
		if err != nil || len(got) != 2 || got["x"].Mode != "100755" || got["x"].OID != sh(t, r.Root, "git rev-parse :x") {
			t.Errorf("%s: %+v %v", prepare, got, err)
		}
	}
}
