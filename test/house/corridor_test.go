package house

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// maxMoves is how often a blocking stop may change room: in the order in which new functions
// appear, rings 2 to 5 only (the lower rings are tools that everybody may call).
// The goal is 60; this number only goes down.
const maxMoves = 130

// TestCorridor walks one blocking stop through a build in which every function notes that it
// was entered, and counts how often the walk changes room.
func TestCorridor(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program a second time")
	}
	binary := buildNoting(t)
	best, walk := -1, []string(nil)
	for range 3 { // what runs side by side may come in any order
		if rooms := oneBlock(t, binary); best < 0 || len(rooms)-1 < best {
			best, walk = len(rooms)-1, rooms
		}
	}
	visits := map[string]int{}
	for _, room := range walk {
		visits[room]++
	}
	names := make([]string, 0, len(visits))
	for room := range visits {
		names = append(names, room)
	}
	sort.Slice(names, func(i, j int) bool { return visits[names[i]] > visits[names[j]] })
	t.Logf("a blocking stop changes room %d times, in %d rooms: %s", best, len(names), strings.Join(walk, " "))
	for _, room := range names {
		t.Logf("%3d %s", visits[room], room)
	}
	if best > maxMoves {
		t.Errorf("a blocking stop changes room %d times, more than %d", best, maxMoves)
	}
	if len(names) < 8 || visits["stop"] == 0 || visits["run"] == 0 {
		t.Errorf("the walk was not seen: %v", walk)
	}
}

// buildNoting builds the program with a note at the beginning of every function.
func buildNoting(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := map[string]string{}
	replace := func(name, text string) {
		file := filepath.Join(dir, fmt.Sprintf("%d.go", len(overlay)))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[name] = file
	}
	replace(filepath.Join(root, "internal", "noting", "noting.go"), `package noting

import ("os"; "sync")

var seen sync.Map

func In(name string) {
	if _, was := seen.LoadOrStore(name, true); was || len(os.Args) < 2 || os.Args[1] != "stop-hook" { return }
	if f, err := os.OpenFile(os.Getenv("CORRIDOR"), os.O_APPEND|os.O_WRONLY, 0); err == nil {
		f.WriteString(name + "\n")
		f.Close()
	}
}
`)
	files, err := filepath.Glob(filepath.Join(root, "internal", "*", "*.go"))
	deeper, err2 := filepath.Glob(filepath.Join(root, "internal", "*", "*", "*.go"))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, name := range append(files, deeper...) {
		rel, _ := filepath.Rel(filepath.Join(root, "internal"), name) // both are absolute
		room, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		if ring[room] < 2 || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if text := noted(t, name, room); text != "" {
			replace(name, text)
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), list, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "gauntlet")
	cmd := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary, "./cmd/gauntlet")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// noted is a file with a note at the beginning of every function; "" for one without.
func noted(t *testing.T, name, room string) string {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := string(src)
	for i := len(f.Decls) - 1; i >= 0; i-- {
		if fn, ok := f.Decls[i].(*ast.FuncDecl); ok && fn.Body != nil {
			at := fset.Position(fn.Body.Lbrace).Offset + 1
			text = text[:at] + fmt.Sprintf(" noting.In(%q);", room+" "+filepath.Base(name)+":"+fn.Name.Name) + text[at:]
		}
	}
	if text == string(src) {
		return ""
	}
	at := fset.Position(f.Name.End()).Offset
	return text[:at] + `; import "gauntlet/internal/noting"` + text[at:]
}

// oneBlock is a stop that is sent back because a gate fails: the rooms in the order in which
// it entered new functions.
func oneBlock(t *testing.T, binary string) (rooms []string) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	notes := filepath.Join(home, "notes")
	env := append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "CORRIDOR="+notes, "GAUNTLET_TRUST=all", "GAUNTLET_SLOTS=0", "CI=")
	run := func(stdin string, args ...string) string {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
	run("", "git", "init", "-q")
	for name, text := range map[string]string{
		".gauntlet/config.yml":      "stop_hook: {preset: strict, ahead: false}\nentry_points: [{path: ., checks: [test]}]\n",
		".gauntlet/checks/test.yml": "command: grep -q GOOD a.txt\n",
		".gitignore":                "gauntlet_logs/\n",
		"a.txt":                     "GOOD\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	event := func(name, more string) string {
		return fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","cwd":%q%s}`, name, dir, more)
	}
	run(event("UserPromptSubmit", `,"prompt":"x"`), binary, "hook", "prompt", "--agent", "claude")
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("BAD\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(notes, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(event("Stop", ""), binary, "stop-hook", "--agent", "claude"); !strings.Contains(out, `"decision":"block"`) {
		t.Fatalf("not a block: %s", out)
	}
	text, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if room, _, _ := strings.Cut(line, " "); len(rooms) == 0 || rooms[len(rooms)-1] != room {
			rooms = append(rooms, room)
		}
	}
	return rooms
}
