package content

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gauntlet/internal/git"
)

// A snapshot is stored separately: the repository does not grow, no ref shows it.
func TestKeep(t *testing.T) {
	for name, format := range map[string]string{"sha1": "", "sha256": "--object-format=sha256"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			sh(t, dir, "git init -q "+format)
			r, ok := git.At(dir)
			if !ok {
				t.Fatal("no repository")
			}
			judged := func() git.Judged {
				st, err := r.Status(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return git.Judged{Files: files(t, r, "logs"), Status: st, Leave: []string{"logs"}}
			}
			for i, script := range []string{
				`echo a > a; echo b > 'sp ace'; mkdir -p d/e f f-g logs/old; for x in d/e/x d/y f/z f-g/z f.txt logs/old/l; do echo $x > $x; done`, // no commit yet
				`git add -A; git commit -q -m one; echo 2 > a; rm 'sp ace'; echo n > "$(printf 'n\nl"')"; ln -s x l; chmod +x a; git mv a c`,
				`head -c 11000000 /dev/zero > big; head -c 200000 /dev/urandom > middle; head -c 5000000 /dev/urandom > large; cp large same; : > empty; git init -q inner; mkdir -p logs; echo l > logs/l; echo 2 > d/y; mkdir d/e/n; echo n > d/e/n/n`,
				`git add -A . ':!inner' ':!big'; echo 3 > f/z; rm d/e/n/n`,
			} {
				sh(t, dir, script)
				c := judged()
				objects, refs := sh(t, dir, "find .git/objects | sort"), sh(t, dir, "git for-each-ref; git log --all --format=%H 2>/dev/null || true")
				k, err := r.Keep(t.Context(), c, "msg\n", time.Unix(1700000000, 0))
				if err != nil {
					t.Fatal(i, err)
				}
				if sh(t, dir, "find .git/objects | sort") != objects || sh(t, dir, "git for-each-ref; git log --all --format=%H 2>/dev/null || true") != refs {
					t.Error("the repository changed")
				}
				out := sh(t, dir, k.Env()[0]+" git ls-tree -r --full-tree -z "+k.Commit+" | tr '\\0' '|'")
				var want strings.Builder
				for _, f := range c.Files {
					if f.Path != "big" && f.Mode != Repository {
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
			if _, err := r.Keep(t.Context(), judged(), "msg\n", time.Unix(1700000000, 0)); err != nil {
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
