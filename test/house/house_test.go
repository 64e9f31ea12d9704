// Package house holds the rules of the house as tests: which way imports point,
// what a start costs, what no package may do.
package house

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ring says how far from the leaves a package is. An import points only to a
// lower ring, or to a package of the same family (a room and its own
// sub-packages).
var ring = map[string]int{
	"event": 0, "proc": 0, "safefile": 0, "seal": 0, "redact": 0, "tokens": 0, "buildinfo": 0,
	"git": 1, "transcript": 1, "config": 1, "session": 1, "history": 1, "shellcmd": 1, "markdown": 1, "tasks": 1,
	"agent": 2, "site": 2, "proof": 2,
	"gate": 3, "finding": 3, "review": 3, "checkpoint": 3, "autonomy": 3, "workflow": 3, "install": 3, "setup": 3,
	"stop": 4, "run": 4,
	"cli": 5, "report": 5, "fleet": 5,
}

// sameRing are the imports within one ring that are meant, each with its reason.
var sameRing = map[string]string{
	"proc → event":     "the name of the recursion guard that every child gets",
	"site → agent":     "the variables in which clients name their project directory",
	"stop → run":       "a stop runs the gates by calling the executor",
	"cli → report":     "commands print reports",
	"tasks → shellcmd": "recipes are written in shell",
	"gate → finding":   "a check's output is read as findings",
	"setup → gate":     "the trial judges a command exactly as a run does",
}

type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "gauntlet/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func room(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, "gauntlet/internal/")
	name, _, _ := strings.Cut(rest, "/")
	return name, ok
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range packages(t) {
		from, ok := room(p.ImportPath)
		if !ok {
			continue
		}
		if _, known := ring[from]; !known {
			t.Errorf("%s is on no ring: give it a place in docs/architecture.md and here", p.ImportPath)
		}
		for _, imp := range p.Imports {
			to, ok := room(imp)
			if !ok || to == from {
				continue
			}
			if ring[to] < ring[from] || sameRing[from+" → "+to] != "" {
				continue
			}
			t.Errorf("%s (ring %d) imports %s (ring %d)", p.ImportPath, ring[from], imp, ring[to])
		}
	}
}

// forbidden are imports that would cost every hook call its start, or that
// belong to one package only.
var forbidden = []struct{ imp, only, why string }{
	{"os/exec", "internal/proc", "subprocesses go through proc: own group, deadline, TERM, KILL"},
	{"github.com/ncruces/go-sqlite3", "internal/history/store", "the hook path appends to the spool, it never opens a database"},
	{"net/http", "internal/workflow internal/proof/remote internal/fleet", "the network is for ship check, the remote cache and the fleet only"},
	{"testing", "internal/agent/agenttest", "test helpers do not belong into the binary"},
	{"log", "", "log/slog to a file, or stderr for a person"},
	{"gopkg.in/yaml.v3", "", "goccy/go-yaml has positions"},
	{"github.com/santhosh-tekuri/jsonschema/v6", "", "costs 5 ms at start; tests only"},
}

func TestForbiddenImports(t *testing.T) {
	for _, p := range packages(t) {
		if !strings.HasPrefix(p.ImportPath, "gauntlet/internal/") && !strings.HasPrefix(p.ImportPath, "gauntlet/cmd/") {
			continue
		}
		for _, imp := range p.Imports {
			for _, f := range forbidden {
				if imp == f.imp && !slices.ContainsFunc(strings.Fields(f.only), func(only string) bool {
					return strings.HasPrefix(p.ImportPath, "gauntlet/"+only)
				}) {
					t.Errorf("%s imports %s: %s", p.ImportPath, imp, f.why)
				}
			}
		}
	}
}

var rules = []struct {
	re   *regexp.Regexp
	only string
	why  string
}{
	{regexp.MustCompile(`(?m)^func init\(\)`), "", "no init(): every start would pay for it"},
	{regexp.MustCompile(`context\.(Background|TODO)\(\)`), "/app.go", "contexts come from main"},
	{regexp.MustCompile(`(?m)^var \w+\s*=\s*regexp\.MustCompile`), "", "compiled at every start: use sync.OnceValue"},
	{regexp.MustCompile(`os\.(Getenv|LookupEnv)\(`), "", "the environment is handed in by cli"},
	{regexp.MustCompile(`os\.Exit\(`), "/main.go", "only main ends the process"},
}

func TestSourceRules(t *testing.T) {
	for _, p := range packages(t) {
		if !strings.HasPrefix(p.ImportPath, "gauntlet/internal/") && !strings.HasPrefix(p.ImportPath, "gauntlet/cmd/") {
			continue
		}
		for _, f := range p.GoFiles {
			path := filepath.Join(p.Dir, f)
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rules {
				if r.only != "" && strings.HasSuffix(filepath.ToSlash(path), r.only) {
					continue
				}
				if loc := r.re.FindIndex(src); loc != nil {
					t.Errorf("%s:%d: %s", path, 1+strings.Count(string(src[:loc[0]]), "\n"), r.why)
				}
			}
		}
	}
}

// The start-up budget is counted, not timed: what all linked packages allocate
// before main begins.
const (
	maxInitAllocs = 900
	maxInitBytes  = 200 << 10
)

func TestStartUpBudget(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "gauntlet")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, "gauntlet/cmd/gauntlet")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
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
	line := regexp.MustCompile(`(?m)^init (\S+) .* (\d+) bytes, (\d+) allocs$`)
	allocs, bytes, worst := 0, 0, ""
	most := 0
	for _, m := range line.FindAllStringSubmatch(trace.String(), -1) {
		b, _ := strconv.Atoi(m[2])
		a, _ := strconv.Atoi(m[3])
		allocs += a
		bytes += b
		if a > most {
			most, worst = a, m[1]
		}
	}
	if allocs == 0 {
		t.Fatalf("no trace to count:\n%s", trace.String())
	}
	t.Logf("%d allocations, %d bytes before main; most by %s (%d)", allocs, bytes, worst, most)
	if allocs > maxInitAllocs || bytes > maxInitBytes {
		t.Errorf("%d allocations and %d bytes before main; the budget is %d and %d", allocs, bytes, maxInitAllocs, maxInitBytes)
	}
}
