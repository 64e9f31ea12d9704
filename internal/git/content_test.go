package git

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// look reads the content of a repository, and what git itself would add.
func look(t *testing.T, r Repo, leave ...string) (*Content, []TreeEntry) {
	t.Helper()
	st, err := r.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Content(t.Context(), st, leave)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.SnapshotTree(t.Context(), append(st.Nested(), leave...))
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.ListTree(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	return c, want
}

func listed(c *Content) []TreeEntry {
	var out []TreeEntry
	for _, f := range c.Files {
		out = append(out, TreeEntry{Path: f.Path, Mode: strconv.FormatUint(uint64(f.Mode), 8), OID: hex.EncodeToString([]byte(f.ID))})
	}
	return out
}

// Content read from index and status is what git would add, in every state.
func TestContentAgreesWithGit(t *testing.T) {
	for name, script := range map[string]string{
		"clean":                    ``,
		"edited":                   `echo 2 > tracked; echo 3 > dir/b; chmod +x dir/c`,
		"deleted":                  `rm tracked; git rm -q dir/b`,
		"staged and more":          `echo 2 > tracked; git add tracked; echo 3 > tracked; git mv dir/b moved; rm dir/c`,
		"untracked":                `mkdir new; echo n > new/n; echo x > 'a b'; printf x > "$(printf 'new\nline')"; ln -s nowhere link; ln -sf x dir/link`,
		"ignored":                  `echo logs > .gitignore; mkdir logs; echo l > logs/l`,
		"intended":                 `echo n > n; git add -N n`,
		"replaced":                 `rm tracked; mkdir tracked; echo x > tracked/x`,
		"link instead":             `rm tracked; ln -s dir/b tracked`,
		"line endings":             `echo '* text=auto' > .gitattributes; printf 'a\r\nb\r\n' > crlf; printf 'a\r\n' > tracked`,
		"late line ending":         `git config core.autocrlf input; { head -c 100000 /dev/zero | tr '\0' x; printf '\r\n'; } > crlf`,
		"binary":                   `git config core.autocrlf true; echo '* text=auto eol=lf' > .gitattributes; printf 'a\r\n\0' > b.bin`,
		"late NUL":                 `git config core.autocrlf true; { printf '\r\n'; head -c 100000 /dev/zero | tr '\0' x; printf '\0'; } > b.bin`,
		"binary that is text":      `echo '*.bin text' > .gitattributes; printf 'a\r\n\0' > b.bin`,
		"text by its ending":       `echo '*.bin eol=lf' > .gitattributes; printf 'a\r\n\0' > b.bin`,
		"not text":                 `echo '*.bin -text' > .gitattributes; printf 'a\r\n' > b.bin`,
		"a filter":                 `git config filter.up.clean 'tr a-z A-Z'; echo '*.up filter=up' > .gitattributes; echo abc > x.up`,
		"conflict":                 `git checkout -q -b o; echo o > tracked; git commit -qam o; git checkout -q main; echo m > tracked; git commit -qam m; git merge -q o || true`,
		"version 4":                `git update-index --index-version 4; echo 2 > dir/b; echo n > new`,
		"split index":              `git update-index --split-index; echo 2 > dir/b; echo n > new`,
		"sparse":                   `git sparse-checkout set --cone dir; echo 2 > dir/b`,
		"sparse index":             `git sparse-checkout set --cone --sparse-index dir; echo 2 > dir/b`,
		"another work tree inside": `git worktree add -q .claude/worktrees/w; echo '.claude' >> .git/info/exclude`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			sh(t, r.Root, `mkdir dir; echo b > dir/b; echo c > dir/c; git add -A; git commit -q -m more; `+script)
			c, want := look(t, r)
			if strings.HasPrefix(name, "sparse") { // what is not checked out is not there
				want = slices.DeleteFunc(want, func(e TreeEntry) bool {
					_, err := os.Lstat(filepath.Join(r.Root, e.Path))
					return err != nil
				})
			}
			if d := cmp.Diff(want, listed(c)); d != "" {
				t.Error(d)
			}
			if len(c.Unknown) > 0 || len(c.Hidden) > 0 {
				t.Errorf("unknown %v, hidden %v", c.Unknown, c.Hidden)
			}
			if changed, err := c.ChangedSince(t.Context()); err != nil || len(changed) > 0 {
				t.Errorf("untouched, but %v %v", changed, err)
			}
		})
	}
}

// A large file is not held in memory, and git is not asked about one that it would store as
// it is.
func TestLargeBinaryIsHashedHere(t *testing.T) {
	r := newRepo(t)
	sh(t, r.Root, `git config core.autocrlf true; head -c 30000000 /dev/urandom > big`)
	c, _ := look(t, r)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, filtered, err := c.hashFile("big", "* text=auto\n")
	runtime.ReadMemStats(&after)
	if err != nil || filtered {
		t.Errorf("filtered %v, %v", filtered, err)
	}
	if i, found := slices.BinarySearchFunc(c.Files, "big", byPath); !found || c.Files[i] != f {
		t.Error("the id differs from git's")
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes allocated", took)
	}
}

// Files whose changes git ignores are checked anyway.
func TestContentShowsWhatIsHidden(t *testing.T) {
	r := newRepo(t)
	sh(t, r.Root, `echo b > b; echo c > c; echo d > d; git add -A; git commit -q -m more
git update-index --assume-unchanged tracked c; git update-index --skip-worktree b d; echo 2 > tracked; echo 2 > b; rm c`)
	c, _ := look(t, r)
	if d := cmp.Diff([]string{"b", "c", "tracked"}, c.Hidden); d != "" {
		t.Error(d)
	}
}

// Unknown content is listed.
func TestContentListsUnknownFiles(t *testing.T) {
	r := newRepo(t)
	sh(t, r.Root, `mkdir inner; git -C inner init -q; git worktree add -q ours; mkdir logs; git -C logs init -q`)
	c, _ := look(t, r, "logs")
	if d := cmp.Diff([]string{"inner"}, c.Unknown); d != "" {
		t.Error(d)
	}
	if c.Digest() != "" {
		t.Error("a digest of what is not known")
	}
	first, again := c.Sight(), c.Sight()
	sh(t, r.Root, `echo 1 > inner/x`)
	if then := c.Sight(); first == "" || first != again || first == then {
		t.Errorf("seen %q, %q, after a change %q", first, again, then)
	}
}

// Any change to a file between two reads is seen; a file that was only touched is
// unchanged.
func TestChangedSince(t *testing.T) {
	for name, tt := range map[string]struct {
		script string
		want   string
	}{
		"edited":           {"echo other > clean", "clean"},
		"same size":        {"printf 'C\n' > clean", "clean"},
		"same time":        {"touch -r clean ref.ignored; printf 'C\n' > clean; touch -r ref.ignored clean; rm ref.ignored", "clean"},
		"dirty again":      {"echo more > dirty", "dirty"},
		"new":              {"echo n > dir/new", "dir/new"},
		"new below new":    {"mkdir -p n/m; echo n > n/m/x", "n/m/x"},
		"deleted":          {"rm dir/b", "dir/b"},
		"untracked gone":   {"rm untracked", "untracked"},
		"mode":             {"chmod +x clean", "clean"},
		"replaced":         {"echo x > y.ignored; mv y.ignored clean", "clean"},
		"touched":          {"touch clean dirty", ""},
		"rewritten":        {"cp clean c.ignored; cat c.ignored > clean; rm c.ignored", ""},
		"ignored":          {"echo x > dir/x.ignored", ""},
		"committed":        {"git add -A; git commit -q -m all", ""},
		"in the log":       {"mkdir -p logs; echo x > logs/x", ""},
		"nested":           {"git init -q inner", "inner"},
		"to another place": {"mv clean moved", "clean moved"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			sh(t, r.Root, `echo '*.ignored' > .gitignore; mkdir dir; echo b > dir/b; echo c > clean; echo d > dirty; git add -A; git commit -q -m more
echo 2 > dirty; echo u > untracked`)
			c, _ := look(t, r, "logs")
			sh(t, r.Root, tt.script)
			got, err := c.ChangedSince(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

// A file that appears between git's look and the reading of the content is not part
// of it, and must not pass for one that was there.
func TestChangedSinceTheLookBegan(t *testing.T) {
	r := newRepo(t)
	st, err := r.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(r.Root, "new"), "x")
	time.Sleep(2 * clockTick) // the content is read long after
	c, err := r.Content(t.Context(), st, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.ChangedSince(t.Context())
	if err != nil || strings.Join(got, " ") != "new" {
		t.Errorf("changed: %q %v", got, err)
	}
}

// A snapshot is stored separately: the repository does not grow, no ref shows it.
func TestKeep(t *testing.T) {
	for name, format := range map[string]string{"sha1": "", "sha256": "--object-format=sha256"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			sh(t, dir, "git init -q "+format)
			r, err := Find(dir)
			if err != nil {
				t.Fatal(err)
			}
			for i, script := range []string{
				`echo a > a; echo b > 'sp ace'; mkdir -p d/e f f-g logs/old; for x in d/e/x d/y f/z f-g/z f.txt logs/old/l; do echo $x > $x; done`, // no commit yet
				`git add -A; git commit -q -m one; echo 2 > a; rm 'sp ace'; echo n > "$(printf 'n\nl"')"; ln -s x l; chmod +x a; git mv a c`,
				`head -c 11000000 /dev/zero > big; head -c 200000 /dev/urandom > middle; head -c 5000000 /dev/urandom > large; cp large same; : > empty; git init -q inner; mkdir -p logs; echo l > logs/l; echo 2 > d/y; mkdir d/e/n; echo n > d/e/n/n`,
				`git add -A . ':!inner' ':!big'; echo 3 > f/z; rm d/e/n/n`,
			} {
				sh(t, dir, script)
				c, _ := look(t, r, "logs")
				objects, refs := sh(t, dir, "find .git/objects | sort"), sh(t, dir, "git for-each-ref; git log --all --format=%H 2>/dev/null || true")
				k, err := c.Keep(t.Context(), "msg\n", time.Unix(1700000000, 0))
				if err != nil {
					t.Fatal(i, err)
				}
				if sh(t, dir, "find .git/objects | sort") != objects || sh(t, dir, "git for-each-ref; git log --all --format=%H 2>/dev/null || true") != refs {
					t.Error("the repository changed")
				}
				out := sh(t, dir, k.Env()[0]+" git ls-tree -r --full-tree -z "+k.Commit+" | tr '\\0' '|'")
				var want strings.Builder
				for _, f := range c.Files {
					if f.Path != "big" {
						fmt.Fprintf(&want, "%o blob %s\t%s|", f.Mode, hex.EncodeToString([]byte(f.ID)), f.Path)
					}
				}
				if d := cmp.Diff(want.String(), out); d != "" {
					t.Error(i, d)
				}
				if i == 2 && (len(k.Left) != 1 || k.Left[0] != "big") {
					t.Errorf("left out: %v", k.Left)
				}
			}
			if out := sh(t, dir, "git --git-dir=.git/gauntlet/snapshot.git fsck --strict --no-dangling 2>&1"); out != "" {
				t.Error(out)
			}
			// The files of a killed run are removed by the next one, and so is the last
			// snapshot.
			sh(t, dir, "cd .git/gauntlet/snapshot.git; echo x > objects/pack/.pack-x.idx.tmp-1; mkdir objects/ab; echo x > refs/heads/.run.tmp-1; rm ../../../large ../../../same")
			c, _ := look(t, r, "logs")
			if _, err := c.Keep(t.Context(), "msg\n", time.Unix(1700000000, 0)); err != nil {
				t.Fatal(err)
			}
			if left := sh(t, dir, "cd .git/gauntlet/snapshot.git; find . -type f | sed 's/-[0-9a-f]*//' | sort | tr '\\n' ' '"); left != "./HEAD ./config ./objects/info/alternates ./objects/pack/pack.idx ./objects/pack/pack.pack ./refs/heads/run" {
				t.Error(left)
			}
			if n := sh(t, dir, "ls .git/gauntlet | wc -l"); n != "1" {
				t.Errorf("%s snapshots", n)
			}
		})
	}
}
