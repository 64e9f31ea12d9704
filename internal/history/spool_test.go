package history

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/internal/event"
)

func TestAppendIsOneLinePerRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "gauntlet", "history")
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("x", 3600))
	id := NewID(at)
	v := FromVerdict(id, at, event.Verdict{Status: event.Failed, Message: "1 of 2 gates failed", Reason: "fix\nit"})
	v.Steps = []Step{{Name: "config", MS: 0.4}, {Name: "gates", MS: 1200.5}}
	if err := Append(dir, v, Record{Type: Gate, ID: id, Time: at, Gate: "check:.:lint", Status: "fail", DurationMS: 12}); err != nil {
		t.Fatal(err)
	}
	recs := readSpool(t, dir)
	if len(recs) != 2 {
		t.Fatalf("got %d records, want 2", len(recs))
	}
	if recs[0].Decision != "block" || recs[0].Reason != "fix\nit" || len(recs[0].Steps) != 2 || recs[0].ID != recs[1].ID {
		t.Errorf("verdict came back as %+v", recs[0])
	}
	if !recs[0].Time.Equal(at) || recs[0].Time.Location() != time.UTC {
		t.Errorf("time came back as %v", recs[0].Time)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, segmentName(1)): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v; want %v", path, info.Mode().Perm(), err, want)
			}
		}
	}
}

func TestAppendRedactsAndBounds(t *testing.T) {
	dir := t.TempDir()
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	rec := Record{
		Type: Verdict, ID: "x", Message: "token " + secret, Reason: strings.Repeat("ä", 100_000),
		Session: strings.Repeat("s", 5000), Steps: make([]Step, 500),
	}
	rec.Steps[0].Note = secret
	if err := Append(dir, rec); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, segmentName(1)))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), secret) {
		t.Error("the secret reached the spool")
	}
	if len(data) > 64<<10 {
		t.Errorf("one record is %d bytes long", len(data))
	}
	if got := readSpool(t, dir); len(got) != 1 || !strings.HasSuffix(got[0].Reason, "… (cut)") {
		t.Errorf("record came back as %d records", len(got))
	}
	if rec.Steps[0].Note != secret {
		t.Error("the caller's own steps were changed")
	}
}

// A disk that was full in the middle of a line loses that line, not the next.
func TestAppendAfterATornLine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, segmentName(1))
	if err := os.WriteFile(path, []byte(`{"type":"verdict","id":"to`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := Append(dir, Record{Type: Verdict, ID: "whole"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var rec Record
	if len(lines) != 2 || json.Unmarshal([]byte(lines[1]), &rec) != nil || rec.ID != "whole" {
		t.Errorf("spool is %q", data)
	}
}

func TestRotation(t *testing.T) {
	dir := t.TempDir()
	full := make([]byte, segmentSize)
	full[len(full)-1] = '\n'
	for n := 1; n <= keepSegments; n++ {
		if err := os.WriteFile(filepath.Join(dir, segmentName(n)), full, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "spool-x.jsonl"), []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Append(dir, Record{Type: Verdict, ID: "new"}); err != nil {
		t.Fatal(err)
	}
	names, err := Segments(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != keepSegments || names[0] != segmentName(2) || names[len(names)-1] != segmentName(keepSegments+1) {
		t.Errorf("segments after rotation: %v", names)
	}
	if _, err := os.Stat(filepath.Join(dir, "spool-x.jsonl")); err != nil {
		t.Errorf("a file that is not a segment was touched: %v", err)
	}
}

func TestAppendManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for w := range 100 {
		wg.Go(func() {
			for i := range 10 {
				if err := Append(dir, Record{Type: Verdict, ID: fmt.Sprintf("%d-%d", w, i), Reason: strings.Repeat("r", 3000)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, r := range readSpool(t, dir) {
		seen[r.ID] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d of 1000 records are in the spool", len(seen))
	}
}

func TestAppendToHostilePlaces(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Append(filepath.Join(file, "history"), Record{ID: "x"}); err == nil {
		t.Error("a directory under a file was accepted")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, segmentName(1)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Append(dir, Record{ID: "x"}); err == nil {
		t.Error("a directory in place of the segment was accepted")
	}
	if err := Append("", Record{ID: "x"}); err != nil {
		t.Errorf("no place for a history: %v", err)
	}
}

func TestDir(t *testing.T) {
	abs := t.TempDir()
	for _, tt := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"state home", map[string]string{"XDG_STATE_HOME": abs, "HOME": "/h"}, filepath.Join(abs, "gauntlet", "history")},
		{"home", map[string]string{"HOME": abs}, filepath.Join(abs, ".local", "state", "gauntlet", "history")},
		{"relative state home counts for nothing", map[string]string{"XDG_STATE_HOME": "state", "HOME": abs}, filepath.Join(abs, ".local", "state", "gauntlet", "history")},
		{"nothing set", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Dir(func(k string) string { return tt.env[k] })
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestNewIDSortsByTime(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a, b := NewID(at), NewID(at.Add(time.Second))
	if a >= b || len(a) != 20 {
		t.Errorf("ids %q, %q", a, b)
	}
}

func BenchmarkAppend(b *testing.B) {
	dir := b.TempDir()
	rec := FromVerdict("x", time.Now(), event.Verdict{Status: event.Failed, Message: "m", Reason: strings.Repeat("line of a reason\n", 300)})
	for b.Loop() {
		if err := Append(dir, rec); err != nil {
			b.Fatal(err)
		}
	}
}

func readSpool(t *testing.T, dir string) []Record {
	t.Helper()
	names, err := Segments(dir)
	if err != nil {
		t.Fatal(err)
	}
	var recs []Record
	for _, name := range names {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			var r Record
			if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			recs = append(recs, r)
		}
		_ = f.Close()
	}
	return recs
}

// What a replay needs is kept, within bounds, and the caller's own values are unchanged.
func TestAppendKeepsWhatAReplayNeeds(t *testing.T) {
	dir := t.TempDir()
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	code := 3
	rec := Record{
		Type: Gate, ID: "x", Key: strings.Repeat("ab", 32), Tree: strings.Repeat("0", 40), Policy: "sha256:" + strings.Repeat("f", 64),
		ExitCode: &code, Attempt: 2, Source: FromAgent, Mode: "observe", WouldBlock: true,
		Transcript: &Transcript{Path: "/t.jsonl", From: 3, To: 9},
		Changed:    make([]string, 1000), Findings: make([]Finding, 1000),
	}
	rec.Changed[0], rec.Findings[0] = "a.go", Finding{Path: "a.go", Line: 7, Rule: "R1", Message: secret, Print: "p", New: true}
	if err := Append(dir, rec); err != nil {
		t.Fatal(err)
	}
	got := readSpool(t, dir)[0]
	if got.Schema != Schema || got.Key != rec.Key || got.Tree != rec.Tree || got.Policy != rec.Policy || *got.ExitCode != 3 ||
		got.Attempt != 2 || got.Source != FromAgent || got.Mode != "observe" || !got.WouldBlock || got.Transcript.To != 9 {
		t.Errorf("came back as %+v", got)
	}
	if len(got.Changed) != maxChanged || got.ChangedTotal != 1000 || len(got.Findings) != maxFindings || got.FindingsTotal != 1000 {
		t.Errorf("%d of %d changed, %d of %d findings", len(got.Changed), got.ChangedTotal, len(got.Findings), got.FindingsTotal)
	}
	if f := got.Findings[0]; strings.Contains(f.Message, secret) || f.Line != 7 || !f.New {
		t.Errorf("finding came back as %+v", f)
	}
	if rec.Findings[0].Message != secret || len(rec.Changed) != 1000 {
		t.Error("the caller's own record was changed")
	}
}
