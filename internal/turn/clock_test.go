package turn

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gauntlet/internal/git"
)

// A commit counts by its date, unless the clock was set back since the prompt.
func TestCommittedWhenTheClockJumps(t *testing.T) {
	dir := t.TempDir()
	commit := func(name string, at time.Time) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"add", "-A"}, {"-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-q", "-m", name}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE="+at.Format(time.RFC3339), "GIT_AUTHOR_DATE="+at.Format(time.RFC3339))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
	}
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	now := time.Now()
	commit("old", now.AddDate(-1, 0, 0))
	repo, err := git.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	head, err := repo.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	commit("new", now.AddDate(0, 0, -1))
	for name, tt := range map[string]struct {
		at   time.Time
		want int
	}{
		"before the commit":        {now.AddDate(0, 0, -2), 1},
		"after the commit":         {now.Add(-time.Hour), 0},
		"the clock was set back":   {now.AddDate(2, 0, 0), 1},
		"the clock was set onward": {now.AddDate(-20, 0, 0), 1},
	} {
		files, err := Base{Head: head, At: tt.at}.Committed(t.Context(), repo)
		if err != nil || len(files) != tt.want {
			t.Errorf("%s: %v %v", name, files, err)
		}
	}
}
