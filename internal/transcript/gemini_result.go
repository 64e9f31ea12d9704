package transcript

import (
	"strconv"
	"strings"

	"gauntlet/internal/event"
)

// geminiResult reads the outcome of a call. Its status is "success" for a command that
// failed, so a command's end is read from the text's last lines.
func geminiResult(call *event.ToolCall, status string, raw []byte) *result {
	r := &result{outcome: event.Unknown}
	failed := false
	r.output, failed = geminiResponse(raw)
	switch {
	case status == "cancelled":
		r.outcome, r.rejected = event.Failure, true
	case status == "error" || failed:
		r.outcome = event.Failure
		r.rejected = geminiRefusal(r.output)
	case status != "success" && status != "":
		// still at work when it was written
	case call.Kind == event.ToolShell:
		shellTrailer(r)
	case raw != nil:
		r.outcome = event.Success
	}
	return r
}

// geminiResponse reads the text of a functionResponse, and whether it is an error.
func geminiResponse(raw []byte) (out string, failed bool) {
	if isString(raw) {
		return excerpt(raw), false
	}
	for part := range elements(raw, all) {
		response := path(part, "functionResponse", "response")
		if e := field(response, "error"); isString(e) {
			return excerpt(e), true
		} else if e != nil {
			return excerpt(field(e, "message")), true
		}
		if out == "" {
			out = excerpt(field(response, "output"))
		}
	}
	return out, false
}

// geminiRefusal reports whether the call never ran, by the client's message.
func geminiRefusal(out string) bool {
	return strings.HasPrefix(out, "params must ") || strings.HasPrefix(out, "Tool \"") && strings.Contains(out, "not found") ||
		strings.HasPrefix(out, "Tool execution blocked") || strings.Contains(out, "denied by policy") ||
		strings.HasPrefix(out, "User denied") || strings.Contains(out, "Command injection detected") || strings.HasPrefix(out, "Command rejected") || refused(out)
}

// shellTrailer reads how a command ended: the lines that the client put after its output,
// from the last one up. No exit code there means 0.
func shellTrailer(r *result) {
	s := strings.TrimSpace(r.output)
	s = strings.TrimSpace(strings.TrimSuffix(s, "</untrusted_context>"))
	body := s
	if i := strings.Index(s, "<untrusted_context>"); i >= 0 {
		body = strings.TrimSpace(s[i+len("<untrusted_context>"):])
	}
	switch {
	case strings.HasPrefix(body, "Command moved to background"):
		r.background = true
		return
	case strings.Contains(body, "Command injection detected"):
		r.outcome, r.rejected = event.Failure, true
		return
	case strings.HasPrefix(body, "Command was automatically cancelled"), strings.HasPrefix(body, "Command timed out"):
		r.outcome = event.Failure
		return
	case strings.HasPrefix(body, "Command was cancelled"):
		r.outcome, r.rejected = event.Failure, true
		return
	case !strings.HasPrefix(body, "Output:") && !strings.HasPrefix(body, "Command:") && !strings.HasPrefix(body, "Directory:"):
		return
	}
	code, rest := trailer(body)
	if b, ok := strings.CutPrefix(rest, "Output: "); ok {
		rest = b
	}
	if rest == "(empty)" {
		rest = ""
	}
	r.output = rest
	r.finish(code)
}

// ShellExit reads the exit status from a shell tool's text as Gemini CLI gives it to its
// hooks; ok is false when the text does not show how it ended.
func ShellExit(text string) (code int, ok bool) {
	r := &result{outcome: event.Unknown, output: text}
	shellTrailer(r)
	return r.exit, r.hasExit
}

// trailer splits the client's lines off the end of a command's text and reads the exit
// status from them.
func trailer(body string) (code int, rest string) {
	for {
		i := strings.LastIndexByte(body, '\n')
		key, value, ok := strings.Cut(strings.TrimSpace(body[i+1:]), ": ")
		if !ok || i < 0 {
			return code, body
		}
		n, err := strconv.Atoi(value)
		switch key {
		case "Process Group PGID", "Background PIDs":
		case "Exit Code":
			// The first line that the client writes: everything above is output.
			if err == nil {
				code = n
			}
			return code, body[:i]
		case "Signal":
			switch {
			case err == nil && n > 0:
				code = 128 + n
			case value != "(none)":
				code = 128
			}
		case "Error":
			if value != "(none)" {
				code = 1
			}
		default:
			return code, body
		}
		body = body[:i]
	}
}
