package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// repository makes a git repository with n files in directories of 100 and commits it
// together with the files in extra.
func (b *bench) repository(name string, n int, extra map[string]string) (string, error) {
	dir := filepath.Join(b.dir, name)
	for i := range n {
		if err := write(dir, fmt.Sprintf("src/d%03d/f%05d.txt", i/100, i), fmt.Sprintf("file %d\n", i)); err != nil {
			return "", err
		}
	}
	for file, content := range extra {
		if err := write(dir, file, content); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "start"}} {
		if err := b.do(dir, "git", args...); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// project is the same checks written down for gauntlet, lefthook and prek.
func project(parallel bool, commands ...string) map[string]string {
	var names []string
	files := map[string]string{".gitignore": "gauntlet_logs/\n"}
	lefthook, prek := fmt.Sprintf("no_auto_install: true\npre-commit:\n  parallel: %v\n  commands:\n", parallel), "repos:\n  - repo: local\n    hooks:\n"
	for i, command := range commands {
		name := fmt.Sprintf("c%d", i)
		names = append(names, name)
		quoted, _ := json.Marshal(command)
		files[".gauntlet/checks/"+name+".yml"] = fmt.Sprintf("command: %s\nparallel: %v\n", quoted, parallel)
		lefthook += fmt.Sprintf("    %s: {run: %s}\n", name, quoted)
		entry, _ := json.Marshal("sh -c '" + command + "'")
		prek += fmt.Sprintf("      - {id: %s, name: %s, language: system, entry: %s, pass_filenames: false, always_run: true, priority: 1}\n", name, name, entry)
	}
	files[".gauntlet/config.yml"] = "base_branch: main\nentry_points:\n  - path: src\n    checks: [" + strings.Join(names, ", ") + "]\nstop_hook:\n  run_interval_minutes: 0\n"
	files["lefthook.yml"], files[".pre-commit-config.yaml"] = lefthook, prek
	return files
}

// touch changes one file and stages it, because the peers look at staged files.
func (b *bench) touch(dir string) func(int) error {
	return func(int) error {
		b.changes++ // never the same content twice: its result would be reused
		if err := write(dir, "src/d000/f00000.txt", fmt.Sprintf("changed %d\n", b.changes)); err != nil {
			return err
		}
		return b.do(dir, "git", "add", "src/d000/f00000.txt")
	}
}

// event is a Stop event as Claude Code sends it.
func event(dir, transcript string, round int, extra string) string {
	return fmt.Sprintf(`{"session_id":"bench-%d","transcript_path":%q,"cwd":%q,"prompt_id":"p-%d","permission_mode":"default",`+
		`"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"Done."%s,"background_tasks":[],"session_crons":[]}`+"\n",
		round, transcript, dir, round, extra)
}

// transcript writes a session file of about size bytes: many old turns, then
// one in which a file was edited. lineSize is the size of the tool result in
// that last turn; tokens what its last reply reports as used.
func (b *bench) transcript(name, dir string, size int64, lineSize, tokens int) (path string, err error) {
	path = filepath.Join(b.dir, name)
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	w := bufio.NewWriterSize(f, 64<<10)
	id, written := 0, int64(0)
	// body is a long text: it is written piece by piece, because the peak memory of this
	// process is a floor for that of the processes it measures.
	const body = "@BODY@"
	line := func(kind string, message, more map[string]any, times int, text string) {
		id++
		entry := map[string]any{
			"type": kind, "uuid": fmt.Sprintf("u-%d", id), "parentUuid": fmt.Sprintf("u-%d", id-1), "isSidechain": false, "sessionId": "bench",
			"timestamp": "2026-01-01T10:00:00.000Z", "cwd": dir, "version": "2.1.325", "userType": "external", "message": message,
		}
		maps.Copy(entry, more)
		data, _ := json.Marshal(entry)
		head, tail, _ := strings.Cut(string(data), body)
		_, _ = w.WriteString(head)
		for range times {
			_, _ = w.WriteString(text)
		}
		_, _ = w.WriteString(tail + "\n")
		written += int64(len(head) + times*len(text) + len(tail) + 1)
	}
	prompt := func(text string) {
		line("user", map[string]any{"role": "user", "content": text}, map[string]any{"promptId": fmt.Sprintf("p-%d", id), "origin": map[string]any{"kind": "human"}}, 0, "")
	}
	tool := func(name string, input map[string]any, times int, result string) {
		use := fmt.Sprintf("toolu_%d", id)
		line("assistant", map[string]any{
			"id": fmt.Sprintf("msg_%d", id), "role": "assistant", "type": "message", "model": "claude-sonnet-4-5",
			"content": []any{map[string]any{"type": "tool_use", "id": use, "name": name, "input": input}},
			"usage":   map[string]any{"input_tokens": tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 9},
		}, nil, 0, "")
		line("user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": use, "content": body}}}, nil, times, result)
	}
	for written < size {
		prompt("An old request.")
		for range 20 {
			tool("Bash", map[string]any{"command": "cat notes.txt"}, 130, `some output of an old command\n`)
		}
	}
	prompt("Change the file.")
	changed := filepath.Join(dir, "src", "d000", "f00000.txt")
	tool("Read", map[string]any{"file_path": changed}, lineSize/100, strings.Repeat("x", 100))
	tool("Edit", map[string]any{"file_path": changed, "old_string": "a", "new_string": "b"}, 1, "The file was updated.")
	line("assistant", map[string]any{
		"id": "msg_last", "role": "assistant", "type": "message", "model": "claude-sonnet-4-5", "content": []any{map[string]any{"type": "text", "text": "Done."}},
		"usage": map[string]any{"input_tokens": tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 9},
	}, nil, 0, "")
	return path, w.Flush()
}
