// Command slots measures how agents that stop at the same time share a machine: how long
// they wait, whether a test that depends on time fails for want of it, and what a slot costs
// when nothing else wants one. Its figures are ratios, so that one run is enough.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/slots"
)

func main() {
	runs := flag.Int("runs", 200, "how many `N` stops judge a test that depends on time, under load")
	flag.Parse()
	dir, err := os.MkdirTemp("", "gauntlet-slots-*")
	if err == nil {
		err = measure(dir, *runs)
		_ = os.RemoveAll(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "slots:", err)
		os.Exit(1)
	}
}

func measure(dir string, runs int) error {
	uncontended(dir)
	w := world{dir: dir, gauntlet: filepath.Join(dir, "gauntlet")}
	if out, err := exec.Command("go", "build", "-o", w.gauntlet, "./cmd/gauntlet").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %s", out)
	}
	if err := w.atOnce(8); err != nil {
		return err
	}
	return w.underLoad(runs)
}

// uncontended measures a slot that nothing else wants.
func uncontended(dir string) {
	m := slots.Machine{Dir: filepath.Join(dir, "slots"), Count: 1}
	took := make([]time.Duration, 1000)
	for i := range took {
		start := time.Now()
		m.Take(context.Background(), slots.Who{Repo: "a", What: "test"}, time.Minute, nil).Release()
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	fmt.Printf("uncontended slot: %.3f ms in the median (goal 0.3)\n", float64(took[len(took)/2].Microseconds())/1000)
}

// world is where the stops happen.
type world struct{ dir, gauntlet string }

// busy is a gate that uses one processor for a while.
func busy(steps int) string {
	return fmt.Sprintf("i=0; while [ $i -lt %d ]; do i=$((i+1)); done", steps)
}

// repo makes a repository with one gate.
func (w world) repo(name, command string) (string, error) {
	root := filepath.Join(w.dir, name)
	for file, text := range map[string]string{
		".gauntlet/config.yml": "base_branch: main\nstop_hook: {run_interval_minutes: 0}\nentry_points: [{path: ., checks: [t]}]\n", ".gauntlet/checks/t.yml": "command: |\n  " + command + "\n",
		".gitignore": "gauntlet_logs\n", "x.txt": "0\n",
	} {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-q", "-m", "base"}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("git: %s", out)
		}
	}
	return root, nil
}

// stop changes a file, stops once, and returns how long that took and what was answered.
func (w world) stop(root string, n int) (time.Duration, string, error) {
	if err := os.WriteFile(filepath.Join(root, "x.txt"), fmt.Appendf(nil, "%d\n", n), 0o600); err != nil {
		return 0, "", err
	}
	args := []string{w.gauntlet, "stop-hook", "--agent", "claude"}
	if two, err := exec.LookPath("taskset"); err == nil && runtime.NumCPU() > 2 {
		args = append([]string{two, "-c", "0,1"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "HOME="+w.dir, "XDG_STATE_HOME="+w.dir+"/state", "XDG_CACHE_HOME="+w.dir+"/cache", "XDG_CONFIG_HOME="+w.dir+"/config", "GAUNTLET_TRUST=all", "GAUNTLET_SLOTS=1", "CI=")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"s%d","cwd":%q,"hook_event_name":"Stop","stop_hook_active":false}`, n, root))
	start := time.Now()
	out, err := cmd.Output()
	if err == nil && !strings.Contains(string(out), `"status"`) {
		err = fmt.Errorf("the stop answered %q", out)
	}
	return time.Since(start), string(out), err
}

// atOnce lets agents stop at the same time.
func (w world) atOnce(agents int) error {
	took := make([]time.Duration, agents)
	var errs [16]error
	var all sync.WaitGroup
	var sum time.Duration
	for i := range agents {
		root, err := w.repo(fmt.Sprint("agent", i), busy(400_000))
		if err != nil {
			return err
		}
		alone, _, err := w.stop(root, 1)
		if err != nil {
			return err
		}
		sum += alone
	}
	for i := range agents {
		all.Go(func() { took[i], _, errs[i] = w.stop(filepath.Join(w.dir, fmt.Sprint("agent", i)), 2) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	slices.Sort(took)
	p95 := took[(len(took)*95+99)/100-1]
	fmt.Printf("%d stops at once: p95 %.2f× the sum of their gates (goal 1.2)\n", agents, float64(p95)/float64(sum))
	return nil
}

// underLoad stops again and again with a test that fails when it gets too little of the
// machine, while other agents use it.
func (w world) underLoad(runs int) error {
	var over atomic.Bool
	var all sync.WaitGroup
	defer all.Wait()
	defer over.Store(true)
	for i := range 3 {
		other, err := w.repo(fmt.Sprint("load", i), busy(60_000))
		if err != nil {
			return err
		}
		all.Go(func() {
			for n := 10; !over.Load(); n++ {
				_, _, _ = w.stop(other, n)
			}
		})
	}
	root, err := w.repo("timing", "s=$(date +%s%N); i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; e=$(date +%s%N); echo $(((e-s)/1000000)) ms; test $(((e-s)/1000000)) -lt 250")
	if err != nil {
		return err
	}
	red, again := 0, 0
	for n := range runs {
		_, out, err := w.stop(root, n+100)
		switch {
		case err != nil:
			return err
		case strings.Contains(out, `"decision":"block"`):
			red++
		case strings.Contains(out, "machine was busy"):
			again++
		}
	}
	fmt.Printf("%d runs of a test that depends on time, under load: %d wrong reds (goal 0), %d run again alone\n", runs, red, again)
	return nil
}
