//go:build !windows

package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gauntlet/internal/jsontree"
)

// child is what this test binary does when a test starts it as a process of its
// own: real processes are what locks and atomic writes are for.
func child(job string, args []string) int {
	ctx := context.Background()
	s := Open(args[0], time.Now, func(line string) { fmt.Fprintln(os.Stderr, line) })
	result := func(ok bool) int {
		if ok {
			return 0
		}
		return 1
	}
	switch job {
	case "phase":
		return result(s.UpdatePhase(ctx, "implement", args[1], Update{Status: Complete, Summary: &args[1]}, ""))
	case "save":
		if len(args) > 2 {
			signal.Ignore(syscall.SIGXFSZ) // as the program itself does
		}
		return result(s.SaveProgress(ctx, "implement", bigRecord(args[1]), ""))
	case "loop":
		fmt.Println("ready")
		for {
			for _, mark := range []string{"a", "b"} {
				if !s.SaveProgress(ctx, "implement", bigRecord(mark), "") {
					return 1
				}
			}
		}
	}
	return 2
}

// bigRecord is 2 MB in which every part carries the mark.
func bigRecord(mark string) *jsontree.Value {
	v := jsontree.NewObject()
	parts := jsontree.NewArray()
	part := strings.Repeat(mark, 1<<10)
	for range 2 << 10 {
		parts.Append(jsontree.NewString(part))
	}
	v.Set("version", jsontree.NewInt(1))
	v.Set("mark", jsontree.NewString(mark))
	v.Set("parts", parts)
	return v
}

func start(job string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "WORKFLOW_CHILD="+job)
	return cmd
}

func TestHundredProcessesLoseNothing(t *testing.T) {
	f := inRepo(t)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if out, err := start("phase", f.dir, fmt.Sprintf("phase-%d", i)).CombinedOutput(); err != nil {
				t.Errorf("phase-%d: %v\n%s", i, err, out)
			}
		})
	}
	wg.Wait()
	d := f.LoadProgress(t.Context(), "implement", "")
	if n := len(d.Get("phases").Members()); n != 100 {
		t.Errorf("%d phases", n)
	}
	if n := len(d.Get("state", "completed_phases").Strings()); n != 100 {
		t.Errorf("%d completed", n)
	}
	for _, m := range d.Get("phases").Members() {
		if s, _ := m.Value.Get("context_summary").Text(); s != m.Key {
			t.Errorf("%s has the summary %q", m.Key, s)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(f.dir, ".gitignore")); string(got) != ".claude/state/\n" {
		t.Errorf(".gitignore: %q", got)
	}
	if got := gitRun(t, f.dir, "status", "--porcelain"); got != "?? .gitignore" {
		t.Errorf("git sees %q", got)
	}
	onlyRecordAndLock(t, f)
}

// intact fails unless the file is one whole version.
func intact(t *testing.T, data []byte) {
	t.Helper()
	var r struct {
		Mark  string
		Parts []string
	}
	if err := json.Unmarshal(data, &r); err != nil || len(r.Parts) != 2<<10 {
		t.Fatalf("torn: %d bytes, %v", len(data), err)
	}
	want := strings.Repeat(r.Mark, 1<<10)
	for _, p := range r.Parts {
		if p != want {
			t.Fatalf("mixed: %.20s in a record of %s", p, r.Mark)
		}
	}
}

func TestReaderNeverSeesATornFile(t *testing.T) {
	f := outside(t)
	if !f.SaveProgress(t.Context(), "implement", bigRecord("a"), "") {
		t.Fatal(f.said())
	}
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		defer done.Store(true)
		for i := range 24 {
			if out, err := start("save", f.dir, string(rune('a'+i))).CombinedOutput(); err != nil {
				t.Errorf("writer: %v\n%s", err, out)
			}
		}
	})
	reads := 0
	for ; !done.Load(); reads++ {
		data, err := os.ReadFile(f.path("implement-checkpoint.json"))
		if err != nil {
			t.Fatal(err)
		}
		if reads%4 == 0 {
			intact(t, data)
		} else if !strings.HasSuffix(string(data), "\n}") {
			t.Fatalf("torn: %d bytes", len(data))
		}
	}
	wg.Wait()
	t.Logf("%d reads", reads)
}

func TestKilledWritersLeaveACompleteFile(t *testing.T) {
	f := outside(t)
	if !f.SaveProgress(t.Context(), "implement", bigRecord("a"), "") {
		t.Fatal(f.said())
	}
	kills := 200
	if testing.Short() {
		kills = 30
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i := range kills {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			cmd := start("loop", f.dir)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Error(err)
				return
			}
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			_, _ = out.Read(make([]byte, 8)) // it is about to write
			time.Sleep(time.Duration(i%50) * time.Millisecond)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		if i%10 == 9 {
			intact(t, []byte(f.content("implement-checkpoint.json")))
		}
	}
	wg.Wait()
	intact(t, []byte(f.content("implement-checkpoint.json")))
	if !f.SaveProgress(t.Context(), "implement", bigRecord("z"), "") {
		t.Fatalf("after the kills: %s", f.said())
	}
	onlyRecordAndLock(t, f) // the files of the dead are swept
}

func TestFullDiskLeavesTheOldFile(t *testing.T) {
	f := outside(t)
	if !f.SaveProgress(t.Context(), "implement", doc(t, `{"mark":"old"}`), "") {
		t.Fatal(f.said())
	}
	old := f.content("implement-checkpoint.json")
	cmd := exec.Command("bash", "-c", `ulimit -f 64; exec "$0" "$@"`, os.Args[0], f.dir, "x", "ignore the signal")
	cmd.Env = append(os.Environ(), "WORKFLOW_CHILD=save")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "file too large") {
		t.Errorf("child: %v\n%s", err, out)
	}
	if f.content("implement-checkpoint.json") != old {
		t.Error("the old file is gone")
	}
	onlyRecordAndLock(t, f)
}

func TestReadOnlyDirectory(t *testing.T) {
	base, err := os.MkdirTemp("", "readonly")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = os.Chmod(filepath.Join(base, ".claude", "state"), 0o755)
		_ = os.RemoveAll(base)
	})
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, base)
	f.update("implement", "phase-1", Update{Status: InProgress})
	old := f.content("implement-checkpoint.json")
	if err := os.Chmod(f.Dir(), 0o555); err != nil {
		t.Fatal(err)
	}
	cmd := start("phase", base, "phase-2")
	if os.Getuid() == 0 { // root may write anywhere: use the user nobody
		self := filepath.Join(base, "self")
		data, err := os.ReadFile(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(self, data, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.Path = self
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "permission denied") {
		t.Errorf("child: %v\n%s", err, out)
	}
	if f.content("implement-checkpoint.json") != old {
		t.Error("the old file has changed")
	}
}

func onlyRecordAndLock(t *testing.T, f *fixture) {
	t.Helper()
	entries, err := os.ReadDir(f.Dir())
	if err != nil || len(entries) != 2 {
		t.Errorf("state directory: %v %v", entries, err)
	}
}
