package turn

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/session"
)

// reply is one line of a Claude Code transcript.
func reply(id, text string, tokens int) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":"u-%s","isSidechain":false,"timestamp":"2026-03-04T05:06:00.000Z","message":{"id":%q,"type":"message","role":"assistant",`+
		`"model":"claude-sonnet-4-5","content":[{"type":"text","text":%q}],"usage":{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":5}}}`+"\n", id, id, text, tokens)
}

// appendTo appends as clients do: earlier lines stay unchanged.
func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func TestLastReplyIsWaitedFor(t *testing.T) {
	const human = `{"type":"user","uuid":"u-0","isSidechain":false,"timestamp":"2026-03-04T05:05:00.000Z","message":{"role":"user","content":"Go."}}` + "\n"
	// The lag is an hour: a test that waits for nothing would hang.
	tests := []struct {
		name   string
		late   string // appended after a while
		said   string // the last message according to the event
		age    time.Duration
		lag    time.Duration
		tokens int
	}{
		{"written late", reply("m2", "Done.", 100_000), "Done.", 0, time.Hour, 100_000},
		{"never written", "", "Done.", 0, 300 * time.Millisecond, 1_000},
		{"there already", "", "Working.", 0, time.Hour, 1_000},
		{"all texts of the turn", "", "Reading.\nWorking.", 0, time.Hour, 1_000},
		{"an old file", "", "Done.", 2 * time.Hour, time.Hour, 1_000},
		{"no last message", "", "", 0, time.Hour, 1_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.jsonl")
			if err := os.WriteFile(path, []byte(human+reply("m1", "Working.", 1_000)), 0o600); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if err := os.Chtimes(path, start, start.Add(-tt.age)); err != nil {
				t.Fatal(err)
			}
			if tt.late != "" {
				done := make(chan error, 1)
				time.AfterFunc(80*time.Millisecond, func() {
					done <- appendTo(path, tt.late)
				})
				defer func() {
					if err := <-done; err != nil {
						t.Error(err)
					}
				}()
			}
			q := Question{
				Event: event.Event{Kind: event.Stop, SessionID: "s", TranscriptPath: path, LastMessage: tt.said, TranscriptLag: tt.lag},
				Now:   time.Now, Transcript: true, Reply: func(*session.State) bool { return true },
			}
			seen := q.Ask(t.Context())
			if u := seen.Turn.Usage; seen.TurnErr != nil || u == nil || u.Tokens != tt.tokens {
				t.Errorf("usage %+v, %v; want %d tokens", u, seen.TurnErr, tt.tokens)
			}
		})
	}
}

// A client that writes its reply before it calls the hook, on a machine under load: the
// file ends with a call that has its result, and the calls after it are not written yet.
func TestCallsBeforeTheReplyAreWaitedFor(t *testing.T) {
	const (
		line  = `{"uuid":"%s","sessionId":"s","timestamp":"2026-03-04T05:05:0%d.000Z","type":"%s","provenance":"real_user","message":{"role":"x","parts":[%s]}%s}` + "\n"
		shell = `{"functionCall":{"id":"%s","name":"run_shell_command","args":{"command":"%s"}}}`
	)
	call := func(n int, id, command string) string {
		return fmt.Sprintf(line, id, n, "assistant", fmt.Sprintf(shell, id, command), "") +
			fmt.Sprintf(line, id+"r", n, "tool_result", `{"functionResponse":{"id":"`+id+`","name":"run_shell_command","response":{"output":"ok"}}}`,
				`,"toolCallResult":{"callId":"`+id+`","status":"success","resultDisplay":{"exitCode":0}}`)
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	begin := fmt.Sprintf(line, "h", 0, "user", `{"text":"Go."}`, "") + call(1, "a", "echo more >> f")
	late := call(2, "b", "verify app") + fmt.Sprintf(line, "d", 3, "assistant", `{"text":"Done."}`, "")
	if err := os.WriteFile(path, []byte(begin), 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	time.AfterFunc(50*time.Millisecond, func() { written <- appendTo(path, late) })
	q := Question{
		Event: event.Event{Kind: event.Stop, SessionID: "s", TranscriptPath: path, LastMessage: "Done.", TranscriptLag: time.Minute, ReplyInTranscript: true},
		Now:   time.Now, Transcript: true,
	}
	seen := q.Ask(t.Context())
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if n := len(seen.Turn.Calls); seen.TurnErr != nil || n != 2 || seen.Turn.Calls[1].Command != "verify app" {
		t.Errorf("%d calls, %v: %+v", n, seen.TurnErr, seen.Turn.Calls)
	}
}

// A client that records its last call while git is still at work: what was read before that
// is read again, once, and however late it is.
func TestTranscriptWrittenDuringGitStatus(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	const line = `{"type":"%s","uuid":"%s","sessionId":"s","timestamp":"2026-03-04T05:05:0%d.000Z","message":{"id":"%[2]s","role":"%[1]s","content":%[4]s}}` + "\n"
	dir, bin := t.TempDir(), t.TempDir()
	path, late := filepath.Join(bin, "s.jsonl"), filepath.Join(bin, "late")
	shim := fmt.Sprintf("#!/bin/sh\nsleep 0.3; cat '%s' >> '%s'; exec '%s' \"$@\"\n", late, path, real)
	call := `[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make test"}}]`
	if out, err := exec.CommandContext(t.Context(), real, "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := errors.Join(
		os.WriteFile(path, fmt.Appendf(nil, line, "user", "u1", 1, `"go"`), 0o600), os.WriteFile(late, fmt.Appendf(nil, line, "assistant", "a1", 2, call), 0o600),
		os.WriteFile(filepath.Join(bin, "git"), []byte(shim), 0o755), os.WriteFile(filepath.Join(dir, "edited"), []byte("x"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	repo, err := git.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	q := Question{
		Event: event.Event{Kind: event.Stop, SessionID: "s", TranscriptPath: path}, Repo: repo, InRepo: true, Content: &content.Question{Repo: repo}, Transcript: true, Now: time.Now,
	}
	seen := q.Ask(t.Context())
	if seen.TurnErr != nil || seen.StatusErr != nil || len(seen.Turn.Calls) != 1 {
		t.Errorf("%d calls, %v, %v", len(seen.Turn.Calls), seen.TurnErr, seen.StatusErr)
	}
}
