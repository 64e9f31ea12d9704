package gate

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/git"
)

func job(t *testing.T, c config.Check) (Job, Env) {
	t.Helper()
	dir := t.TempDir()
	c.Name = "c"
	j := Job{ID: "check:.:c", Kind: KindCheck, Name: "c", Entry: ".", Dir: dir, LogBase: "check_._c", Check: &c}
	return j, Env{LogDir: dir, RunNumber: 1, BaseBranch: "origin/main", Environ: os.Environ(), Now: time.Now}
}

func TestRunCheck(t *testing.T) {
	short := 0.2
	tests := []struct {
		name    string
		check   config.Check
		status  Status
		message string
		tail    string
	}{
		{"pass", config.Check{Command: "true"}, Pass, "", ""},
		{"fail", config.Check{Command: "echo oh no; exit 3"}, Fail, "exit code 3", "oh no"},
		{"stderr is output too", config.Check{Command: "echo bad >&2; exit 1"}, Fail, "exit code 1", "bad"},
		{"timeout", config.Check{Command: "echo slow; sleep 60", Timeout: &short}, Fail, "timed out after 200ms", "slow"},
		{"signal", config.Check{Command: "kill -9 $$"}, Fail, "ended by signal: killed", ""},
		{"command not found", config.Check{Command: "gauntlet-no-such-command"}, Error, "gauntlet-no-such-command is not installed (command not found, exit code 127)", ""},
		{"not executable", config.Check{Command: "/"}, Error, "command cannot be executed, exit code 126", ""},
		{"base branch", config.Check{Command: "test '${BASE_BRANCH}' = origin/main"}, Pass, "", ""},
		{"environment", config.Check{Command: `test "$X" = "a b"`, Env: map[string]string{"X": "a b"}}, Pass, "", ""},
		{"stdin is empty", config.Check{Command: "test -z \"$(cat)\""}, Pass, "", ""},
		{"secrets do not get out", config.Check{Command: "echo API_TOKEN=abcd1234efgh5678; exit 1"}, Fail, "exit code 1", "API_TOKEN=[redacted]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j, env := job(t, tt.check)
			r := RunCheck(t.Context(), j, env)
			if r.Status != tt.status || r.Message != tt.message {
				t.Fatalf("%s %q, want %s %q", r.Status, r.Message, tt.status, tt.message)
			}
			if !strings.Contains(r.Tail, tt.tail) {
				t.Errorf("tail %q lacks %q", r.Tail, tt.tail)
			}
			log, err := os.ReadFile(r.LogPath)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"Start: ", "Command: ", "Directory: " + j.Dir, "\nResult: " + string(tt.status)} {
				if !strings.Contains(string(log), want) {
					t.Errorf("log lacks %q:\n%s", want, log)
				}
			}
			if st, _ := os.Stat(r.LogPath); st.Mode().Perm() != 0o600 {
				t.Errorf("log mode %v", st.Mode())
			}
		})
	}
}

func TestBadWorkingDirectoryIsAnError(t *testing.T) {
	j, env := job(t, config.Check{Command: "true"})
	j.Dir = filepath.Join(j.Dir, "gone")
	if r := RunCheck(t.Context(), j, env); r.Status != Error || !strings.Contains(r.Message, j.Dir) {
		t.Errorf("%+v", r)
	}
}

func TestFixInstructionsAreInTheLog(t *testing.T) {
	j, env := job(t, config.Check{Command: "false", FixText: "run make fix"})
	r := RunCheck(t.Context(), j, env)
	log, _ := os.ReadFile(r.LogPath)
	if r.FixInstructions != "run make fix" || !bytes.Contains(log, []byte("run make fix")) {
		t.Errorf("%+v\n%s", r, log)
	}
}

// A gate that prints without end: the log keeps head and tail and reports the cut.
func TestHugeOutputIsCut(t *testing.T) {
	j, env := job(t, config.Check{Command: "echo FIRST; head -c 20000000 /dev/zero | tr '\\0' 'x'; echo; echo LAST; exit 1"})
	r := RunCheck(t.Context(), j, env)
	log, err := os.ReadFile(r.LogPath)
	if err != nil {
		t.Fatal(err)
	}
	if len(log) > headLimit+tailLimit+1000 {
		t.Errorf("log of %d bytes", len(log))
	}
	for _, want := range []string{"FIRST", "LAST\n", "bytes of output left out here", "Result: fail"} {
		if !bytes.Contains(log, []byte(want)) {
			t.Errorf("log lacks %q", want)
		}
	}
	if !strings.HasSuffix(r.Tail, "LAST") {
		t.Errorf("tail ends in %q", r.Tail[max(0, len(r.Tail)-20):])
	}
}

func TestLogRing(t *testing.T) {
	for _, size := range []int{1, 10, tailLimit - 1, tailLimit, tailLimit + 1, 3*tailLimit + 7} {
		for _, chunk := range []int{1000, 4096, tailLimit, 2 * tailLimit} {
			l, err := createLog(filepath.Join(t.TempDir(), "l"), nil)
			if err != nil {
				t.Fatal(err)
			}
			all := make([]byte, size)
			for i := range all {
				all[i] = byte('a' + i%26)
			}
			for rest := all; len(rest) > 0; {
				n := min(chunk, len(rest))
				_, _ = l.Write(rest[:n])
				rest = rest[n:]
			}
			want := all[max(0, size-tailLimit):]
			if got := l.tail(); !bytes.Equal(got, want) {
				t.Errorf("size %d chunk %d: %d bytes kept, want %d", size, chunk, len(got), len(want))
			}
			_ = l.finish("")
		}
	}
}

// The log does not contain a secret, however it is split into writes.
func TestSecretsStayOutOfTheLog(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabcdef\n-----END RSA PRIVATE KEY-----\n"
	text := "start\nAPI_TOKEN=abcd1234efgh5678\n" + key + "end"
	for size := 1; size <= len(text); size++ {
		path := filepath.Join(t.TempDir(), "l")
		l, err := createLog(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			_, _ = l.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		if err := l.finish("\n"); err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(path)
		if want := "start\nAPI_TOKEN=[redacted]\n[redacted]\nend\n"; string(got) != want {
			t.Fatalf("writes of %d bytes: %q", size, got)
		}
	}
}

func TestObserverSeesLines(t *testing.T) {
	var got []string
	l, err := createLog(filepath.Join(t.TempDir(), "l"), func(s string) { got = append(got, s) })
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"a", "b\n", "c\nd\n", "\n", "e"} {
		_, _ = l.Write([]byte(p))
	}
	_ = l.finish("")
	if strings.Join(got, ",") != "ab,d" {
		t.Errorf("%q", got)
	}
}

// A whole directory is found without checking file by file; the list is the same.
func TestInputsDetermineTheKey(t *testing.T) {
	var tree Tree
	for _, p := range []string{
		".gauntlet.md", ".gauntlet/config.yml", ".gauntlet0", "a", "a-b", "app-x/f", "app.go", "app/.gauntlet/x", "app/a", "app/b/c", "app0", "apple/f", "lib", "z",
	} {
		tree.Files = append(tree.Files, git.File{Path: p})
	}
	for _, entry := range []string{".", "a", "app", "app/b", "lib", ".gauntlet", "missing", "z"} {
		for _, exclude := range [][]string{nil, {"app/b"}} {
			j := Job{Entry: entry, Exclude: exclude, Check: &config.Check{}}
			var want []git.File
			for _, f := range tree.Files {
				if j.DependsOn(f.Path) {
					want = append(want, f)
				}
			}
			if got := j.inputs(tree); !slices.Equal(got, want) {
				t.Errorf("%s without %v: got %v, want %v", entry, exclude, got, want)
			}
		}
	}
}

func TestSubject(t *testing.T) {
	root := t.TempDir()
	files := []git.File{{Path: ".gauntlet/x", ID: "0"}, {Path: "app/a", Mode: 0o100644, ID: "1"}, {Path: "go.sum", ID: "s"}, {Path: "lib/b", Mode: 0o100644, ID: "2"}}
	base := Job{Name: "c", ID: "check:app:c", Entry: "app", Dir: filepath.Join(root, "app"), Check: &config.Check{Command: "x"}}
	key := base.Subject(Tree{Root: root, Files: files}).Key().ID
	change := func(name string, want bool, f func(*Job, *config.Check, []git.File)) {
		t.Helper()
		j, c := base, *base.Check
		fs := append([]git.File{}, files...)
		f(&j, &c, fs)
		j.Check = &c
		if got := j.Subject(Tree{Root: root, Files: fs}).Key().ID != key; got != want {
			t.Errorf("%s: key changed %v, want %v", name, got, want)
		}
	}
	change("nothing", false, func(*Job, *config.Check, []git.File) {})
	change("content inside", true, func(_ *Job, _ *config.Check, f []git.File) { f[1].ID = "9" })
	change("mode inside", true, func(_ *Job, _ *config.Check, f []git.File) { f[1].Mode = 0o100755 })
	change("content outside", false, func(_ *Job, _ *config.Check, f []git.File) { f[3].ID = "9" })
	change("lock file", true, func(_ *Job, _ *config.Check, f []git.File) { f[2].ID = "9" })
	change("own configuration", false, func(_ *Job, _ *config.Check, f []git.File) { f[0].ID = "9" })
	change("command", true, func(_ *Job, c *config.Check, _ []git.File) { c.Command = "y" })
	change("directory", true, func(j *Job, _ *config.Check, _ []git.File) { j.Dir = root })
	change("environment", true, func(_ *Job, c *config.Check, _ []git.File) { c.Env = map[string]string{"A": "1"} })
	change("what could not run means", true, func(_ *Job, c *config.Check, _ []git.File) { c.ErrorExitCodes = []int{3} })
	change("instructions", false, func(_ *Job, c *config.Check, _ []git.File) { c.FixText = "z" })
	change("inputs elsewhere", true, func(_ *Job, c *config.Check, _ []git.File) { c.Inputs = []string{"lib/**"} })

	// The same project in another directory has the same keys.
	other := t.TempDir()
	moved := base
	moved.Dir = filepath.Join(other, "app")
	if moved.Subject(Tree{Root: other, Files: files}).Key().ID != key {
		t.Error("the key depends on where the project is")
	}

	named := base
	named.Check = &config.Check{Command: "x", Inputs: []string{"lib/**", ".gauntlet/**"}}
	key = named.Subject(Tree{Root: root, Files: files}).Key().ID
	for i, want := range []bool{true, false, true, true} {
		fs := append([]git.File{}, files...)
		fs[i].ID = "changed"
		if got := named.Subject(Tree{Root: root, Files: fs}).Key().ID != key; got != want {
			t.Errorf("%s as an input: %v, want %v", files[i].Path, got, want)
		}
	}
}

// Inputs that git ignores count by their content, wherever they are named.
func TestIgnoredInputs(t *testing.T) {
	root := t.TempDir()
	put := func(name, content string) {
		t.Helper()
		name = filepath.Join(root, "project", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{".env", "gen/a.txt", "dist/x/y", "app/local.json", "../shared/s", "deps/z.go", "other"} {
		put(f, "1")
	}
	j := Job{ID: "check:app:c", Entry: "app", Check: &config.Check{Command: "x", Inputs: []string{
		".env", "gen/*.txt", "dist", "local.json", "../shared/*", "**/*.go", "missing", "/etc/passwd", ".",
	}}}
	key := func() string { return j.Subject(Tree{Root: filepath.Join(root, "project")}).Key().ID }
	last := key()
	if key() != last {
		t.Fatal("the key of nothing new differs")
	}
	for _, f := range []string{".env", "gen/a.txt", "gen/b.txt", "dist/x/y", "dist/new", "app/local.json", "../shared/s"} {
		put(f, "2")
		if next := key(); next == last {
			t.Errorf("%s does not count", f)
		} else {
			last = next
		}
	}
	for _, f := range []string{"other", "gen/c.log", "deps/z.go"} {
		put(f, "2")
		if key() != last {
			t.Errorf("%s counts", f)
		}
	}
}
