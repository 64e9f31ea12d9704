package review

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gauntlet/internal/config"
)

const testDiff = `diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -1,3 +1,4 @@
 one
+two
 three
 four
`

// bench is a project with fake reviewers, programs of the test in PATH.
type bench struct {
	t   *testing.T
	dir string
	job Job
}

func newBench(t *testing.T) *bench {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED LOUDLY: the fake reviewers are shell scripts, reviews were not run")
	}
	dir := t.TempDir()
	for _, d := range []string{"bin", "logs"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &bench{t: t, dir: dir, job: Job{
		Review:     &config.Review{Name: "quality", Prompt: "Look for bugs.", NumReviews: 1},
		Entry:      ".",
		Dir:        dir,
		Diff:       []byte(testDiff),
		LogDir:     filepath.Join(dir, "logs"),
		RunNumber:  1,
		Threshold:  "high",
		Preference: []string{"claude"},
		Env:        []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin", "FAKE=" + dir},
	}}
}

// fake installs a reviewer; every call of it is counted in calls-<name>.
func (b *bench) fake(name, script string) {
	b.t.Helper()
	text := "#!/bin/sh\necho \"$@\" >> \"$FAKE/calls-" + name + "\"\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(b.dir, "bin", name), []byte(text), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// says installs a reviewer that answers with these findings, or passes.
func (b *bench) says(name string, findings ...Finding) {
	b.t.Helper()
	status := "pass"
	if len(findings) > 0 {
		status = "fail"
	}
	data, err := json.Marshal(map[string]any{"status": status, "message": "as asked", "violations": findings})
	if err != nil {
		b.t.Fatal(err)
	}
	answer := filepath.Join(b.dir, "answer-"+name)
	if err := os.WriteFile(answer, data, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.fake(name, "cat > \"$FAKE/stdin-"+name+"\"; cat '"+answer+"'")
}

func (b *bench) calls(name string) int {
	data, _ := os.ReadFile(filepath.Join(b.dir, "calls-"+name))
	return strings.Count(string(data), "\n")
}

func (b *bench) read(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// answer marks every finding of a result file.
func (b *bench) answer(path, status string) {
	b.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), `"status": "new"`, `"status": "`+status+`"`)
	text = strings.ReplaceAll(text, `"result": null`, `"result": "done"`)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) run() Result {
	b.t.Helper()
	res := Run(b.t.Context(), b.job)
	b.job.RunNumber++
	b.job.Rerun = true
	return res
}

func bug(issue, priority string) Finding {
	return Finding{File: "a.go", Line: 2, Issue: issue, Priority: priority}
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
