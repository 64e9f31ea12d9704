package report

import (
	"bytes"
	"io"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
)

// Summary writes how the run ended; its last lines are `Status: …` and the counts. It is the text of
// console.N.log, with colours if they are wanted.
func Summary(w io.Writer, res run.Result, t Terminal) error {
	var b bytes.Buffer
	run.Summary(&b, res)
	text := redact.Strip(redact.String(b.String()))
	if !t.Colour {
		_, err := io.WriteString(w, text)
		return err
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(text, "--- FAIL"):
			text = t.paint(bold+";"+red, text)
		case strings.HasPrefix(text, "--- ERROR"), strings.HasPrefix(text, "--- WARN"), strings.HasPrefix(text, "Warning: "):
			text = t.paint(yellow, text)
		case strings.HasPrefix(text, "Log: "), strings.HasPrefix(text, "Command: "):
			text = t.paint(dim, text)
		case text == "Status: "+res.Headline():
			text = t.paint(bold+";"+verdictColour(res.Status), text)
		}
		out.WriteString(text + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func verdictColour(s event.Status) string {
	switch run.ExitCode(s) {
	case 0:
		return green
	case 1:
		return red
	}
	return yellow
}
