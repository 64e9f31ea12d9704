package transcript

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/safefile"
)

// Bounds of what is read for sub-agents.
const (
	maxSubagents = 64
	maxDepth     = 4
	maxDirNames  = 4096
)

// family finds and reads the files of the sub-agents of one session.
type family struct {
	path   string // of the main transcript
	format string
	start  time.Time
	budget int64 // bytes left for all of them together
	read   map[string]bool
	cut    bool
}

// addSubagents merges the work of sub-agents that the turn launched into it.
func (c *collector) addSubagents(path string, t *Turn) {
	if !slices.ContainsFunc(t.Calls, func(call event.ToolCall) bool { return call.Kind == event.ToolAgent }) {
		return
	}
	f := &family{path: path, format: c.format, start: t.Start, budget: c.opts.MaxBytes, read: map[string]bool{}}
	t.Calls = f.join(pair(c.forward(0)), 0)
	t.Truncated = t.Truncated || f.cut
}

// join merges the calls of the sub-agents that w launched into its own.
func (f *family) join(w worked, depth int) []event.ToolCall {
	calls := w.calls
	for i, call := range w.calls {
		if call.Kind != event.ToolAgent || call.Rejected || depth >= maxDepth {
			continue
		}
		for _, file := range f.files(call, w.launched[i]) {
			if f.read[file] || len(f.read) >= maxSubagents {
				continue
			}
			f.read[file] = true
			calls = merge(calls, f.calls(file, call.At, depth))
		}
	}
	return calls
}

// calls reads everything one sub-agent did.
func (f *family) calls(file string, launched time.Time, depth int) []event.ToolCall {
	if f.budget <= 0 {
		f.cut = true
		return nil
	}
	var groups [][]entry
	sub, err := scan(file, Options{MaxBytes: f.budget}, func(c *collector, group []entry) bool {
		groups = append(groups, group)
		return true
	})
	if err != nil {
		return nil // not written yet, or gone: it is unknown what it did
	}
	f.budget -= min(f.budget, sub.size)
	f.cut = f.cut || sub.cut
	sub.groups = groups
	out := f.join(pair(sub.forward(0)), depth+1)
	name := agentName(file)
	for i := range out {
		if out[i].Subagent == "" || out[i].Subagent == "sidechain" {
			out[i].Subagent = name
		}
		if out[i].At.IsZero() {
			out[i].At = launched
		}
	}
	return out
}

// agentName is the agent's id from its file's name.
func agentName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
	if id, ok := strings.CutPrefix(name, "agent-"); ok {
		return id
	}
	// rollout-2026-11-15T01-30-26-<id>
	if strings.HasPrefix(name, "rollout-") && len(name) > len("rollout-2026-11-15T01-30-26-") {
		return name[len("rollout-2026-11-15T01-30-26-"):]
	}
	return name
}

// files lists the transcripts of the sub-agent that call launched. Ids come from the
// transcript and never form a path unchecked.
func (f *family) files(call event.ToolCall, agent string) []string {
	if agent != "" && !isPlainID(agent) {
		return nil
	}
	switch f.format {
	case FormatClaude:
		return f.claude(call.ID, agent)
	case FormatCodex:
		return f.codex(agent, call.At)
	case FormatGemini:
		return f.gemini()
	case FormatQwen:
		return f.qwen(call.ID)
	case FormatDroid:
		if agent != "" {
			return []string{filepath.Join(filepath.Dir(f.path), agent+".jsonl")}
		}
	}
	return nil
}

// qwen finds projects/<dir>/subagents/<session>/agent-<type>-<call>.jsonl, the main file
// being projects/<dir>/chats/<session>.jsonl.
func (f *family) qwen(callID string) []string {
	session := strings.TrimSuffix(filepath.Base(f.path), ".jsonl")
	if !isPlainID(callID) || !isPlainID(session) {
		return nil
	}
	dir := filepath.Join(filepath.Dir(filepath.Dir(f.path)), "subagents", session)
	for _, name := range names(dir) {
		if strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, "-"+callID+".jsonl") {
			return []string{filepath.Join(dir, name)}
		}
	}
	return nil
}

func isPlainID(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

// claude finds <session>/subagents/agent-<id>.jsonl beside the main file; an agent still at
// work has no id in the main file, but a record of the call it serves.
func (f *family) claude(callID, agent string) []string {
	dir := filepath.Join(strings.TrimSuffix(f.path, ".jsonl"), "subagents")
	if agent != "" {
		return []string{filepath.Join(dir, "agent-"+agent+".jsonl")}
	}
	for _, name := range names(dir) {
		base, ok := strings.CutSuffix(name, ".meta.json")
		if !ok || callID == "" {
			continue
		}
		meta := head(filepath.Join(dir, name))
		if text(field(meta, "toolUseId")) == callID {
			return []string{filepath.Join(dir, base+".jsonl")}
		}
	}
	return nil
}

// codex finds rollout-<time>-<thread id>.jsonl in the directory of the day on which the
// thread began.
func (f *family) codex(agent string, at time.Time) []string {
	if agent == "" {
		return nil
	}
	day := filepath.Dir(f.path)
	dirs := []string{day}
	if sessions := filepath.Dir(filepath.Dir(filepath.Dir(day))); !at.IsZero() {
		// The directory is named by local time, the entry by UTC.
		for _, d := range []int{-1, 0, 1} {
			dirs = append(dirs, filepath.Join(sessions, at.AddDate(0, 0, d).Format("2006/01/02")))
		}
	}
	for _, dir := range dirs {
		if file := rollout(dir, agent); file != "" {
			return []string{file}
		}
	}
	return nil
}

// rollout is the file of a thread in the directory of a day; "" when it is not there.
func rollout(day, thread string) string {
	for _, name := range names(day) {
		if strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, "-"+thread+".jsonl") {
			return filepath.Join(day, name)
		}
	}
	return ""
}

// gemini finds <session id>/<agent id>.jsonl beside the main file; the log does not show
// which call made which, so every one that began within the turn counts.
func (f *family) gemini() []string {
	id := text(field(head(f.path), "sessionId"))
	if !isPlainID(id) || f.start.IsZero() {
		return nil
	}
	dir := filepath.Join(filepath.Dir(f.path), id)
	var out []string
	for _, name := range names(dir) {
		file := filepath.Join(dir, name)
		if !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		if began := stamp(field(head(file), "startTime")); !began.IsZero() && !began.Before(f.start) {
			out = append(out, file)
		}
	}
	return out
}

// names lists a directory, bounded.
func names(dir string) []string {
	entries, err := safefile.ReadDir(dir, dir, maxDirNames)
	if err != nil {
		return nil
	}
	list := make([]string, 0, len(entries))
	for _, e := range entries {
		list = append(list, e.Name())
	}
	slices.Sort(list)
	return list
}

// head returns the first line of a file, up to 64 KiB.
func head(file string) []byte {
	f, size, err := open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	buf := make([]byte, min(size, 64<<10))
	n, _ := f.ReadAt(buf, 0)
	first, _, _ := bytes.Cut(buf[:n], []byte("\n"))
	return first
}
