package house

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The start-up budget is counted, not timed: what all linked packages allocate before main
// begins.
const (
	maxInitAllocs = 900
	maxInitBytes  = 200 << 10
)

func TestStartUpBudget(t *testing.T) {
	trace := startTrace(t, "../..", "gauntlet/cmd/gauntlet")
	what, over := startCost(trace)
	t.Log(what)
	if over {
		t.Error(what)
	}
	if !startsFirst(trace) {
		t.Error("internal/start is there to be initialised before the packages that need stack, and is not")
	}
}

// TestStartUpBudgetCatchesItsExamples builds programs that do too much before main, each in
// one way.
func TestStartUpBudgetCatchesItsExamples(t *testing.T) {
	for name, source := range map[string]string{
		"too many allocations": "var list = func() (l []*int) { for i := range 901 { l = append(l, new(i)) }; return l }()",
		"too many bytes":       "var block = make([]byte, 201<<10+len(os.Args))",
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{
			"go.mod":  "module heavy\n\ngo 1.26.0\n",
			"main.go": "package main\n\nimport \"os\"\n\n" + source + "\n\nfunc main() { _ = os.Args }\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if what, over := startCost(startTrace(t, dir, "heavy")); !over {
			t.Errorf("%s: not caught: %s", name, what)
		}
	}
	for trace, first := range map[string]bool{
		"init gauntlet/internal/start @0\ninit os @1\n": true,
		"init os @0\ninit gauntlet/internal/start @1\n": false,
		"init os @0\n": false,
	} {
		if startsFirst(trace) != first {
			t.Errorf("startsFirst(%q) = %v", trace, !first)
		}
	}
}

// startTrace builds a program and returns what its runtime reports of its start.
func startTrace(t *testing.T, dir, pkg string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, pkg)
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	cmd := exec.Command(bin, "stop-hook")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return trace.String()
}

// startCost adds up what a start allocates and reports whether that is too much. A trace
// with nothing to count is too much as well: then nothing was measured.
func startCost(trace string) (what string, over bool) {
	line := regexp.MustCompile(`(?m)^init (\S+) .* (\d+) bytes, (\d+) allocs$`)
	allocs, bytes, worst, most := 0, 0, "", 0
	for _, m := range line.FindAllStringSubmatch(trace, -1) {
		b, _ := strconv.Atoi(m[2])
		a, _ := strconv.Atoi(m[3])
		allocs += a
		bytes += b
		if a > most {
			most, worst = a, m[1]
		}
	}
	what = fmt.Sprintf("%d allocations and %d bytes before main, most by %s (%d); the budget is %d and %d", allocs, bytes, worst, most, maxInitAllocs, maxInitBytes)
	return what, allocs == 0 || allocs > maxInitAllocs || bytes > maxInitBytes
}

// startsFirst reports whether internal/start comes before the first package that needs it.
func startsFirst(trace string) bool {
	first := strings.Index(trace, "init gauntlet/internal/start ")
	return first >= 0 && first < strings.Index(trace, "init os ")
}
