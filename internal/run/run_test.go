package run

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/event/eventtest"
	"gauntlet/internal/gate"
	"gauntlet/internal/site"
)

// project is a repository with a configuration, everything committed.
func project(t *testing.T, cfg string, checks, files map[string]string) *config.Loaded {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{".gauntlet/config.yml": cfg, ".gitignore": "gauntlet_logs\n"}
	for name, c := range checks {
		all[".gauntlet/checks/"+name+".yml"] = c
	}
	for name, c := range files {
		all[name] = c
	}
	put(t, dir, all)
	runGit(t, dir, "init", "-q", "-b", "main")
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "base")
	put(t, dir, map[string]string{"change": "1"})
	return load(t, dir)
}

func load(t *testing.T, dir string) *config.Loaded {
	t.Helper()
	l, err := config.Load(dir, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func noEnv(string) string { return "" }

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=d", "-c", "user.email=d@e"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func options(cfg *config.Loaded) Options {
	getenv := func(name string) string {
		if name == "XDG_STATE_HOME" {
			return cfg.Root + ".state"
		}
		return ""
	}
	return Options{Site: site.Find(cfg.Root, getenv), Config: cfg, Getenv: getenv, Environ: os.Environ(), Now: time.Now}
}

func TestConclude(t *testing.T) {
	pass, fail, broken := gate.Result{Status: gate.Pass}, gate.Result{Status: gate.Fail, Name: "f"}, gate.Result{Status: gate.Error, Name: "e"}
	reused := gate.Result{Status: gate.Pass, Cached: true}
	waived := gate.Result{Status: gate.Pass, SkippedOnes: 2}
	for _, tt := range []struct {
		name     string
		gates    []gate.Result
		executed int
		attempts int
		want     event.Status
		left     int
	}{
		{"all pass", []gate.Result{pass, pass}, 2, 4, event.Passed, 3},
		{"all reused", []gate.Result{reused}, 0, 4, event.Passed, 4},
		{"one fails", []gate.Result{pass, fail}, 2, 4, event.Failed, 3},
		{"fails from the record", []gate.Result{fail}, 0, 1, event.Failed, 1},
		{"the last attempt fails", []gate.Result{fail}, 1, 1, event.RetryLimitExceeded, 0},
		{"the last attempt passes", []gate.Result{pass}, 1, 1, event.Passed, 0},
		{"the last attempt could not judge", []gate.Result{broken}, 1, 1, event.InfrastructureErr, 0},
		{"errors alone", []gate.Result{broken, broken}, 2, 4, event.InfrastructureErr, 3},
		{"an error beside a pass", []gate.Result{pass, broken}, 2, 4, event.PassedWithWarnings, 3},
		{"a failure beside an error", []gate.Result{broken, fail}, 2, 4, event.Failed, 3},
		{"waived findings", []gate.Result{waived, pass}, 2, 4, event.PassedWithWarnings, 3},
		{"waived beside a failure", []gate.Result{waived, fail}, 2, 4, event.Failed, 3},
		{"waived beside an error", []gate.Result{waived, broken}, 2, 4, event.PassedWithWarnings, 3},
	} {
		e := &execution{opts: Options{Turn: "t"}, res: Result{Gates: tt.gates, Executed: tt.executed}}
		e.conclude(tt.attempts)
		if e.res.Status != tt.want || e.res.AttemptsLeft != tt.left || e.res.Message == "" {
			t.Errorf("%s: %+v", tt.name, e.res)
		}
	}
}

func TestExitCode(t *testing.T) {
	want := map[event.Status]int{
		event.Passed: 0, event.PassedWithWarnings: 0, event.NoApplicableGates: 0, event.NoChanges: 0,
		event.Failed: 1, event.RetryLimitExceeded: 1, event.KnownFailures: 1,
	}
	for _, s := range eventtest.Statuses() {
		code, ok := want[s]
		if !ok {
			code = 2
		}
		if got := ExitCode(s); got != code {
			t.Errorf("%s: %d, want %d", s, got, code)
		}
	}
}

// At most limit parallel tasks at a time, the others one after another, each alone.
func TestScheduleKeepsItsLimits(t *testing.T) {
	var parallel, serial, most atomic.Int32
	work := func(count *atomic.Int32, bound int32) func(context.Context) gate.Result {
		return func(context.Context) gate.Result {
			n := count.Add(1)
			defer count.Add(-1)
			if n > bound {
				t.Errorf("%d at a time, at most %d", n, bound)
			}
			for {
				m := most.Load()
				if n <= m || most.CompareAndSwap(m, n) {
					break
				}
			}
			time.Sleep(5 * time.Millisecond)
			return gate.Result{Status: gate.Pass}
		}
	}
	var tasks []task
	for i := range 12 {
		p := i%4 != 0
		j := gate.Job{ID: fmt.Sprint(i), Check: &config.Check{Parallel: p}}
		alone := work(&serial, 1)
		do := func(ctx context.Context) gate.Result {
			if n := parallel.Load(); n > 0 {
				t.Errorf("%d run beside one that runs alone", n)
			}
			return alone(ctx)
		}
		if p {
			do = work(&parallel, 3)
		}
		tasks = append(tasks, task{job: j, index: i, do: do})
	}
	schedule(t.Context(), tasks, plan{parallel: true, limit: 3})
	if most.Load() != 3 {
		t.Errorf("at most %d ran at a time, three could", most.Load())
	}
	for i := range tasks {
		tasks[i].do = work(&serial, 1)
	}
	schedule(t.Context(), tasks, plan{parallel: false, limit: 3})
}

func TestScheduleStops(t *testing.T) {
	var ran []string
	var mu sync.Mutex
	ends := func(name string, s gate.Status, fast bool) task {
		return task{job: gate.Job{ID: name, Name: name, Check: &config.Check{FailFast: fast}}, do: func(context.Context) gate.Result {
			mu.Lock()
			defer mu.Unlock()
			ran = append(ran, name)
			if s == "" {
				panic("boom")
			}
			return gate.Result{ID: name, Status: s}
		}}
	}
	run := func(ctx context.Context, p plan, tasks ...task) []gate.Result {
		ran = nil
		for i := range tasks {
			tasks[i].index = i
		}
		results, _ := schedule(ctx, tasks, p)
		return results
	}
	got := run(t.Context(), plan{limit: 1}, ends("a", gate.Fail, false), ends("b", gate.Error, true), ends("c", gate.Fail, true), ends("d", gate.Pass, false))
	if fmt.Sprint(ran) != "[a b c]" || got[3].Status != gate.Skipped || !strings.Contains(got[3].Message, "c failed") {
		t.Errorf("%v %+v", ran, got[3])
	}
	got = run(t.Context(), plan{limit: 1}, ends("a", "", false), ends("b", gate.Pass, false))
	if got[0].Status != gate.Error || !strings.Contains(got[0].Message, "boom") || got[1].Status != gate.Pass {
		t.Errorf("a bug of Gauntlet in one gate: %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got = run(ctx, plan{limit: 1}, ends("a", gate.Pass, false)); ran != nil || got[0].Status != gate.Error {
		t.Errorf("%v %+v", ran, got)
	}
}

// An interrupted run has no verdict, and the interval does not begin.
func TestInterrupted(t *testing.T) {
	cfg := project(t, `{"entry_points":[{"path":".","checks":["slow"]}]}`, map[string]string{"slow": `{"command":"touch ../started; sleep 30"}`}, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(filepath.Dir(cfg.Root), "started")); err == nil || ctx.Err() != nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		cancel(fmt.Errorf("enough"))
	}()
	res := Execute(ctx, options(cfg))
	if res.Status != event.InfrastructureErr || !strings.Contains(res.Message, "enough") {
		t.Errorf("%+v", res)
	}
	if _, ok := readState(cfg.Settings.LogDir); ok {
		t.Error("an interrupted run counts as completed")
	}
	if _, err := os.Stat(filepath.Join(cfg.Settings.LogDir, lockName)); err == nil {
		t.Error("the lock is still there")
	}
}

// One model of a project's life: the run agrees with it after any edit, commit, clean or
// branch switch.
func TestLifeFollowsTheModel(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { life(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

func life(t *testing.T, rnd *rand.Rand) {
	const retries = 2
	cfg := project(t, fmt.Sprintf(`{"max_retries":%d,"base_branch":"main","entry_points":[{"path":".","checks":["t"]}]}`, retries),
		map[string]string{"t": `{"command":"grep -q good change"}`}, nil)
	dir, branches, turn := cfg.Root, 0, 1
	runGit(t, dir, "checkout", "-q", "-b", "f")
	content := 1             // every third is good
	failed := 0              // failed runs of this turn's stops
	passed := map[int]bool{} // what passed once
	for range 40 {
		byHand := false
		switch act := rnd.IntN(12); {
		case act < 5:
			content = rnd.IntN(9)
		case act == 5:
			runGit(t, dir, "add", "-A")
			runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "work")
		case act == 6:
			if _, err := CleanLocked(cfg.Root, cfg.Settings.LogDir, time.Now()); err != nil {
				t.Fatal(err)
			}
			failed = 0
		case act == 7:
			branches++
			runGit(t, dir, "checkout", "-q", "-b", fmt.Sprint("b", branches))
			failed = 0
		case act == 8:
			turn++
			failed = 0
		case act > 9:
			byHand = true
		}
		good := content%3 == 0
		put(t, dir, map[string]string{"change": fmt.Sprint(content, map[bool]string{true: " good", false: " bad"}[good])})
		opts := options(cfg)
		if !byHand {
			opts.Turn = fmt.Sprint("turn ", turn)
		}
		res := Execute(t.Context(), opts)
		over := !byHand && failed > retries
		want := event.Passed
		switch {
		case over, !good && !byHand && failed == retries:
			want = event.RetryLimitExceeded
		case !good:
			want = event.Failed
		}
		if res.Status != want {
			t.Fatalf("content %d, by hand %v, %d failed runs before: %s, want %s", content, byHand, failed, res.Status, want)
		}
		if over {
			continue // nothing runs any more in this turn
		}
		if (res.Executed > 0) == (good && passed[content]) {
			t.Fatalf("content %d: executed %d, passed before: %v", content, res.Executed, passed[content])
		}
		switch {
		case good:
			passed[content] = true
			failed = 0
		case !byHand:
			failed++
		}
		if want == event.Failed && !byHand && res.AttemptsLeft != retries+1-failed {
			t.Fatalf("%d attempts left after %d failed runs", res.AttemptsLeft, failed)
		}
	}
}

// The JSON that other tools read.
func TestResultAsJSON(t *testing.T) {
	cfg := project(t, `{"entry_points":[{"path":".","checks":["t"]}]}`, map[string]string{"t": `{"command":"false"}`}, nil)
	b, err := json.Marshal(Execute(t.Context(), options(cfg)))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"status", "message", "consoleLogPath", "errorMessage", "gates"} {
		if _, ok := got[k]; !ok {
			t.Errorf("no %s in %s", k, b)
		}
	}
	g := got["gates"].([]any)[0].(map[string]any)
	for _, k := range []string{"id", "kind", "status", "durationMs", "cached", "logPath"} {
		if _, ok := g[k]; !ok {
			t.Errorf("no %s in %v", k, g)
		}
	}
}

// The content of repositories within is part of what is judged.
func TestContentOfRepositoriesWithin(t *testing.T) {
	cfg := project(t, `{"base_branch":"main","entry_points":[{"path":".","checks":["t"]}]}`, map[string]string{"t": `{"command":"true"}`}, nil)
	put(t, cfg.Root, map[string]string{"inner/x": "1"})
	runGit(t, filepath.Join(cfg.Root, "inner"), "init", "-q")
	for i, want := range []int{1, 0, 1, 0} {
		if i == 2 {
			put(t, cfg.Root, map[string]string{"inner/x": "2"})
		}
		if res := Execute(t.Context(), options(cfg)); res.Status != event.Passed || res.Executed != want {
			t.Fatalf("%d: %+v", i, res)
		}
	}
}

// What no account can contain may have changed: nothing is reused then. What it contains is
// reused and noticed, wherever it is.
func TestUnseenContentIsNotReused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED LOUDLY: there are no pipes in directories")
	}
	for name, hide := range map[string]func(t *testing.T, dir string){
		"a pipe": func(t *testing.T, dir string) {
			if out, err := exec.Command("mkfifo", filepath.Join(dir, "pipe")).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
		},
		"a link to a device": func(t *testing.T, dir string) {
			if err := os.Symlink("/dev/null", filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := project(t, `{"base_branch":"main","entry_points":[{"path":".","checks":["t"]}]}`, map[string]string{"t": `{"command":"true"}`}, nil)
			for range 2 {
				if res := Execute(t.Context(), options(cfg)); res.Status != event.Passed {
					t.Fatalf("%+v", res)
				} else if res.Executed > 0 == res.Gates[0].Cached {
					t.Fatalf("%+v", res)
				}
			}
			hide(t, cfg.Root)
			for range 2 {
				if res := Execute(t.Context(), options(cfg)); res.Status != event.Passed || res.Executed != 1 {
					t.Fatalf("%+v", res)
				}
			}
		})
	}
}
