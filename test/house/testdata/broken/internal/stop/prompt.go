package stop

import (
	"fmt"
	"io"

	"gauntlet/internal/event"
	"gauntlet/internal/git"
)

type gate struct{ Name, Tail string }

func reason(g gate) string { return "Output:\n" + g.Tail } // breaks: prompts

func answer(w io.Writer, v event.Verdict) {
	_, _ = fmt.Fprintf(w, "%v\n", v) // breaks: printed
}

func status(r git.Repo) int { return r.Status() } // breaks: status
