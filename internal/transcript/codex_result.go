package transcript

import (
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// addedSuffix marks the second call of a patch that both changes and adds files.
const addedSuffix = "+added"

// touched are the files of a patch: changed ones, whose content should have
// been read before, and others (added, removed, renamed to).
type touched struct{ edited, other []string }

// patchItems makes the calls of a patch, with r as their result if it is known.
func patchItems(id string, t touched, r *result, at time.Time) []entry {
	var out []entry
	add := func(id string, kind event.ToolKind, paths []string) {
		call := &event.ToolCall{ID: id, Name: "apply_patch", Kind: kind, Paths: paths, Outcome: event.Unknown, At: at}
		e := entry{kind: entryCall, id: id, at: at, call: call}
		if r != nil {
			e.kind, e.res = entryItem, r
		}
		out = append(out, e)
	}
	switch {
	case len(t.edited) == 0 && len(t.other) > 0:
		add(id, event.ToolWrite, t.other)
	default:
		add(id, event.ToolEdit, t.edited)
		if len(t.other) > 0 {
			add(id+addedSuffix, event.ToolWrite, t.other)
		}
	}
	return out
}

// patchPaths reads the file names from a patch text.
func patchPaths(patch string) touched {
	var t touched
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		if p, ok := strings.CutPrefix(line, "*** Update File: "); ok {
			t.edited = append(t.edited, p)
			continue
		}
		for _, prefix := range []string{"*** Add File: ", "*** Delete File: ", "*** Move to: "} {
			if p, ok := strings.CutPrefix(line, prefix); ok {
				t.other = append(t.other, p)
			}
		}
	}
	return t
}

// changedPaths reads the changes of a patch that was applied.
func changedPaths(changes []byte) touched {
	var t touched
	for k, v := range members(changes) {
		name := unescape(k)
		if text(field(v, "type")) != "update" {
			t.other = append(t.other, name)
			continue
		}
		t.edited = append(t.edited, name)
		if to := text(field(v, "move_path")); to != "" {
			t.other = append(t.other, to)
		}
	}
	return t
}

// runsPatch reports whether a shell command applies a patch.
func runsPatch(cmd string) bool {
	head, _, ok := strings.Cut(cmd, "*** Begin Patch")
	return ok && strings.Contains(head, "apply_patch")
}

// codexOutput reads the outcome from the text of a result. Only the head that the client
// wrote is trusted, never the command's own output.
func codexOutput(raw []byte) *result {
	r := &result{outcome: event.Unknown}
	if isObject(raw) {
		r.output = resultText(field(raw, "content"))
		if s := field(raw, "success"); len(s) > 0 && !isTrue(s) {
			r.outcome = event.Failure
		}
		return r
	}
	r.output = resultText(raw)
	out := r.output
	if strings.HasPrefix(out, "{") {
		codexJSON(raw, r)
		return r
	}
	for line := range strings.Lines(header(out)) {
		line = strings.TrimRight(line, "\r\n")
		for _, prefix := range []string{"Process exited with code ", "Exit code: "} {
			if rest, ok := strings.CutPrefix(line, prefix); ok {
				if n, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil {
					r.finish(n)
				}
			}
		}
		if rest, ok := strings.CutPrefix(line, "Process running with session ID "); ok {
			r.background, r.task = true, strings.TrimSpace(rest)
		}
	}
	if r.outcome != event.Unknown || r.background {
		if _, body, ok := strings.Cut(out, "\nOutput:\n"); ok {
			r.output = body
		}
		return r
	}
	switch {
	case strings.HasPrefix(out, "apply_patch verification failed"):
		r.outcome = event.Failure
	case codexRefusal(out) || refused(out):
		r.outcome, r.rejected = event.Failure, true
	}
	return r
}

// header is the part of a result that the client wrote before the output.
func header(out string) string {
	i := strings.Index(out, "Wall time: ")
	if i < 0 {
		if strings.HasPrefix(out, "Exit code: ") || strings.HasPrefix(out, "Process ") {
			i = 0
		} else {
			return ""
		}
	}
	if end := strings.Index(out[i:], "\nOutput:"); end >= 0 {
		out = out[:i+end]
	}
	// Older builds quote the command line first: it is not trusted.
	if j := strings.Index(out, "Chunk ID: "); strings.HasPrefix(out, "Command: ") && j > 0 {
		return out[j:]
	}
	return out
}

// codexRefusal reports whether the call never ran, by the client's message.
func codexRefusal(out string) bool {
	return begins(out, "failed to parse function arguments", "unsupported call", "unsupported custom tool call", "write_stdin failed",
		"Command blocked by PreToolUse hook", "exec_command failed", "exec command rejected", "rejected by user", "patch rejected")
}

// codexJSON reads the results that older builds wrote as JSON in a string.
func codexJSON(raw []byte, r *result) {
	if len(raw) > 4<<20 {
		return
	}
	doc := []byte(text(raw))
	for k, v := range members(doc) {
		switch string(k) {
		case "output":
			r.output = excerpt(v)
		case "metadata":
			if n, ok := number(field(v, "exit_code")); ok {
				r.finish(n)
			}
		case "agent_id":
			r.agent = text(v)
		}
	}
}
