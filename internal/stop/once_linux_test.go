package stop

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/site"
	"gauntlet/internal/trust"
	"gauntlet/internal/turn"
)

// watched counts what happens to one file or directory.
func watched(t *testing.T, path string, mask uint32) func() (names []string) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if _, err := unix.InotifyAddWatch(fd, path, mask); err != nil {
		t.Fatal(err)
	}
	return func() (names []string) {
		buf := make([]byte, 64<<10)
		n, _ := unix.Read(fd, buf)
		for at := 0; at+unix.SizeofInotifyEvent <= n; {
			size := int(uint32(buf[at+12]) | uint32(buf[at+13])<<8 | uint32(buf[at+14])<<16 | uint32(buf[at+15])<<24)
			names = append(names, strings.TrimRight(string(buf[at+unix.SizeofInotifyEvent:at+unix.SizeofInotifyEvent+size]), "\x00"))
			at += unix.SizeofInotifyEvent + size
		}
		return names
	}
}

// opened counts how often a file is opened. The kernel merges events that are alike, so each
// close is watched too.
func opened(t *testing.T, path string) func() int {
	t.Helper()
	events := watched(t, path, unix.IN_OPEN|unix.IN_CLOSE)
	return func() int { return len(events()) / 2 }
}

// A stop with gates and a checkpoint runs git status once, reads the transcript once and
// writes its memory once.
func TestOneLookOneWrite(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	h := newHooked(t, `
stop_hook: {preset: strict}
entry_points: [{path: ., checks: [t]}]
checkpoint: {min_turn_seconds: 0, categories: [{name: code, paths: ["**"], actions: [{id: tests, run: make test, evidence: [make test]}]}]}
`, map[string]string{"t": "command: test ! -e bad\n"})
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "git.log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >> %s\nexec %s \"$@\"\n", log, real)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	transcript := filepath.Join(t.TempDir(), "t.jsonl")
	line := `{"type":"user","uuid":"u1","sessionId":"s","timestamp":%q,"message":{"role":"user","content":"go"}}` + "\n"
	if err := os.WriteFile(transcript, fmt.Appendf(nil, line, h.now.Add(-time.Hour).Format(time.RFC3339)), 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Minute)
	if err := os.Chtimes(transcript, past, past); err != nil {
		t.Fatal(err)
	}
	stop := func(turn string) answer {
		return h.raw(fmt.Appendf(nil, `{"hook_event_name":"Stop","session_id":"s","prompt_id":%q,"cwd":%q,"transcript_path":%q}`, turn, h.dir, transcript))
	}
	prompt := func() {
		at := site.Find(h.dir, func(k string) string { return h.env[k] })
		cfg, err := at.Config()
		if err != nil {
			t.Fatal(err)
		}
		asked := at.Content(cfg)
		_, err = turn.Prompted{
			Memory: at.Memory, Repo: at.Repo, InRepo: true, Content: &asked, Now: h.now, Seen: turn.Seen{Session: "s", Transcript: transcript},
		}.Record(t.Context())
		if err != nil {
			t.Fatal(err)
		}
	}
	prompt() // makes the directories that are watched
	if err := os.MkdirAll(filepath.Join(h.dir, "gauntlet_logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, c := range []struct{ file, status string }{
		{"code", string(event.Checkpoint)}, // gates pass, the checkpoint blocks
		{"bad", string(event.Failed)},
	} {
		prompt()
		_ = os.Remove(log)
		h.write(c.file, "x")
		time.Sleep(50 * time.Millisecond) // a file that was just written is read again
		read := opened(t, transcript)
		written := watched(t, filepath.Join(h.dir, ".git", "gauntlet", "sessions"), unix.IN_MOVED_TO|unix.IN_CLOSE_WRITE)
		if a := stop("p-" + c.file); a.Status != c.status {
			t.Fatalf("%+v, want %s", a, c.status)
		}
		asked, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(asked), "status --porcelain"); n != 1 {
			t.Errorf("%s: git status ran %d times:\n%s", c.status, n, asked)
		}
		if n := read(); n != 1 {
			t.Errorf("%s: the transcript was opened %d times", c.status, n)
		}
		memory := map[string]bool{}
		writes := 0
		for _, name := range written() {
			if strings.HasSuffix(name, ".json") {
				memory[name] = true
				writes++
			}
		}
		if writes != 1 || len(memory) != 1 {
			t.Errorf("%s: the memory was written %d times: %v", c.status, writes, memory)
		}
	}
}

// The second stop of a turn has to be quick: it reads the key of the memory once, and once
// it has been reported it writes nothing but its line in the history.
func TestSecondStopIsLight(t *testing.T) {
	h := newHooked(t, "entry_points: [{path: ., checks: [t]}]\n", map[string]string{"t": "command: \"false\"\n"})
	stop := func(active bool) answer {
		return h.raw(fmt.Appendf(nil, `{"hook_event_name":"Stop","session_id":"s","prompt_id":"p","cwd":%q,"stop_hook_active":%v}`, h.dir, active))
	}
	delete(h.env, "GAUNTLET_TRUST")
	at := site.Find(h.dir, func(k string) string { return h.env[k] })
	if err := errors.Join(at.Allowed().Allow(t.Context(), config.ReadPolicy(at.Root), trust.Act{At: h.now, By: trust.Terminal}), at.Pin(t.Context(), event.Event{Agent: "claude", SessionID: "s"}, nil, h.now)); err != nil {
		t.Fatal(err)
	}
	h.write("code", "x")
	if a := stop(false); a.Status != string(event.Failed) {
		t.Fatalf("first stop: %+v", a)
	}
	stop(true) // reported to the person, and remembered
	key := opened(t, filepath.Join(at.StateHome, "gauntlet", "key"))
	line := watched(t, filepath.Join(at.StateHome, "gauntlet", "history"), unix.IN_CLOSE_WRITE)
	own := filepath.Join(h.dir, ".git", "gauntlet")
	var quiet []func() []string
	for _, dir := range []string{own, filepath.Join(own, "sessions"), filepath.Join(own, "heartbeats")} {
		quiet = append(quiet, watched(t, dir, unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_CLOSE_WRITE))
	}
	if a := stop(true); a.Status != string(event.StopHookActive) {
		t.Fatalf("second stop: %+v", a)
	}
	if n := key(); n != 1 {
		t.Errorf("the key was opened %d times", n)
	}
	if n := len(line()); n != 1 {
		t.Errorf("the history was written %d times", n)
	}
	for _, written := range quiet {
		if names := written(); len(names) > 0 {
			t.Errorf("written: %v", names)
		}
	}
}
