package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
	"gauntlet/internal/workflow/handoff"
)

// maxProblems bounds what one correction lists.
const maxProblems = 20

// subagentStopHook checks the structured reply of a sub-agent and asks for one correction
// at most. A valid reply, or one that is not a hand-off, is answered by silence, which
// every agent treats as approval.
func (app *App) subagentStopHook(ctx context.Context, args []string) {
	adapter, ev, at, _ := app.hookEvent(args, hookPatience) // an unreadable event is ignored
	app.beat(at, ev, event.SubagentStop)
	text, found := handoff.FindReply(ev.LastMessage)
	if ev.Kind != event.SubagentStop || isFork(ev) || !found {
		return
	}
	report := handoff.ValidateText(handoff.ResponseKind, text, slices.Contains(args, "--warn"))
	var verdict event.Verdict
	switch {
	case report.Valid && len(report.Warnings) == 0:
		return
	case report.Valid:
		verdict = event.Verdict{Status: event.Subagent, Message: "hand-off accepted with warnings", SystemMessage: "Gauntlet: hand-off of a sub-agent: " + problems(report.Warnings, "; ")}
	case ev.StopHookActive || !app.mayAsk(ctx, at, ev):
		return
	default:
		verdict = event.Verdict{
			Status: event.Failed, Message: "the hand-off of a sub-agent is not in order",
			Reason: "Your reply is a hand-off, but it does not follow the protocol:\n- " + problems(report.Errors, "\n- ") +
				"\nSend the whole reply again, corrected, as one JSON object. Change nothing else: the work itself is not in question.",
			SystemMessage: "Gauntlet asked a sub-agent to correct its hand-off, once. To switch this off: gauntlet off",
		}
	}
	if out := adapter.Encode(ev, verdict); len(out) > 0 {
		_, _ = app.Out.Write(out)
	}
}

// isFork distinguishes an agent's internal helper (compaction is one) from a sub-agent with
// a task: the helper has an id but no type.
func isFork(ev event.Event) bool { return ev.SubagentID != "" && ev.SubagentType == "" }

// mayAsk reports whether this sub-agent may still be asked in this turn.
func (app *App) mayAsk(ctx context.Context, at *site.Site, ev event.Event) bool {
	_, off := at.Off(ev.SessionID, app.Now())
	return !off && handoff.AskOnce(ctx, at.Memory, ev)
}

func problems(list []handoff.Problem, separator string) string {
	var lines []string
	for _, p := range list[:min(len(list), maxProblems)] {
		lines = append(lines, redact.Line(p.Path+": "+p.Message, 300))
	}
	if more := len(list) - maxProblems; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, separator)
}

func (app *App) subagentStopCmd() *cobra.Command {
	cmd := app.hookHelp("subagent-stop", "Check the hand-off in a sub-agent's last message",
		`Read a sub-agent's stop event on stdin. If its last message contains a hand-off
response that is not valid, ask for a correction, in the agent's own dialect and
once per sub-agent and turn; otherwise say nothing. Always exits 0.`,
		`  gauntlet hook subagent-stop --agent claude < event.json`)
	cmd.Flags().Bool("warn", false, "do not ask when only a summary is over its limit")
	cmd.Flags().Bool("strict", false, "the default")
	return cmd
}
