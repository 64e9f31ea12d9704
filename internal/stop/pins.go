package stop

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/session"
	"gauntlet/internal/shell"
	"gauntlet/internal/site"
	"gauntlet/internal/turn"
)

// announceLater shows a text to the person, whatever the verdict is.
func (s *stopping) announceLater(format string, args ...any) {
	s.Notices = append(s.Notices, fmt.Sprintf(format, args...))
}

// announceOnce shows a text to the person once in the session.
func (s *stopping) announceOnce(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(s.seen.Ledger.Announced, func(a turn.Announcement) bool { return a.Text == text }) {
		s.Notices = append(s.Notices, text)
	}
}

// atPrompt is the site to judge: it stays the allowed project that the session's prompt
// saw, wherever the agent went. Another work tree of the same repository is judged too
// (elsewhere).
func (s *stopping) atPrompt(here *site.Site) *site.Site {
	pin, _, err := here.Pinned(s.Event.SessionID)
	if err != nil {
		s.announceLater("the record of this session's prompt was replaced: %v", err)
	}
	s.pin = pin
	at := here.At(pin)
	switch {
	case at == nil:
		if !here.IsProject() && here.Foreign == "" {
			s.policyGone(here)
		}
		return here
	case here.IsProject() && here.SameRepository(at):
		s.also = append(s.also, at)
		return here
	case here.Root != "":
		s.announceLater("the agent stopped in %s; the project judged is %s, where the session began", redact.Line(here.Root, 200), redact.Line(at.Root, 200))
	}
	return at
}

// policyGone announces that this session was judged here although the project no longer
// exists.
func (s *stopping) policyGone(here *site.Site) {
	root := ""
	if c := s.pin.Consent; c.Policy != "" || c.All != "" {
		root = s.pin.Root
	}
	if root == "" && s.Event.SessionID != "" && here.InRepo {
		_, ledger, err := s.questionAt(here).Remembered()
		if ledger.Prompt.Count > 0 || errors.Is(err, session.ErrForged) {
			root = here.Repo.Root
		}
	}
	if root != "" {
		s.announceLater("this session was judged in %s before, and both its policy and the record of what was allowed are gone", redact.Line(root, 200))
	}
}

// comparePins announces what changed since the prompt without the person seeing it: the
// program that answers as git, and off switches that `gauntlet off` did not write.
func (s *stopping) comparePins() {
	if err := s.site.ForgedSwitch(s.Event.SessionID, s.Facts.Now); err != nil {
		s.announceLater("off switch %v", err)
	}
	if s.pin.Root == "" || s.pin.Root != s.site.Root {
		return
	}
	s.current = s.site.See(s.Event.Agent)
	pin, now := s.pin, s.current
	switch {
	case pin.Git != "" && !s.site.InRepo:
		s.announceLater("the git directory of %s is gone since the prompt, and with it what was allowed there", redact.Line(pin.Root, 200))
	case pin.Git != now.Git:
		s.announceLater("another program answers as git since the prompt: %s, before %s", redact.Line(now.Git, 200), redact.Line(pin.Git, 200))
	}
}

// lookBehind reports to the person what the account of the tree shows and no gate judges: paths
// that cannot be read, rules that hide files, commits that were made and left.
func (s *stopping) lookBehind(ctx context.Context) {
	if s.seen.Now == nil {
		return
	}
	if hidden := s.seen.Now.NotSeen; len(hidden) > 0 {
		s.announceOnce("not seen, so nothing that depends on it is proved by an earlier run: %s", some(hidden))
	}
	if head := s.pin.Head; s.current.Root != "" && head != "" && head != s.seen.Status.Head && !s.site.Repo.HasCommit(ctx, head) {
		s.announceLater("the commit that this turn began on (%.12s) can no longer be found", head)
	}
	content.Either(s.seen.Difference(),
		func(k content.Known) struct{} { s.tellRules(k); s.tellRefs(ctx, k); return struct{}{} },
		func(content.Assumed) struct{} { return struct{}{} }) // the whole tree is judged, and reported
}

// tellRules reports which ignore rules outside the work tree came since the prompt: a person
// sees the others in the diff. They hide nothing in this turn.
func (s *stopping) tellRules(k content.Known) {
	var outside []string
	for _, line := range k.Now.Rules.Changed(k.Before.Rules) {
		if !strings.HasSuffix(line, ".gitignore)") {
			outside = append(outside, line)
		}
	}
	if len(outside) > 0 {
		s.announceLater("the list of ignored files outside the work tree was changed since the prompt: +%s", some(outside))
	}
}

// tellRefs reports which references are new or were moved since the prompt and have content
// that was not judged.
func (s *stopping) tellRefs(ctx context.Context, k content.Known) {
	var names []string
	for _, ref := range content.NewRefs(k.Before, k.Now) {
		if len(names) < maxRefsTold && s.site.Repo.Elsewhere(ctx, ref.Name, ref.ID, k.Now.Files) {
			names = append(names, strings.TrimPrefix(strings.TrimPrefix(ref.Name, "refs/heads/"), "refs/"))
		}
	}
	if len(names) > 0 {
		s.announceOnce("made in this session, not what is checked out here, so not judged: %s", redact.Line(strings.Join(names, ", "), 300))
	}
}

// maxRefsTold is how many references are named.
const maxRefsTold = 3

// some names the first paths of a list.
func some(list []string) string {
	const most = 3
	out := redact.Line(strings.Join(list[:min(len(list), most)], ", "), 300)
	if len(list) > most {
		out += fmt.Sprintf(" and %d more", len(list)-most)
	}
	return out
}

// difference is the first new line, else the first removed one.
func difference(old, now string) string {
	was, is := strings.Split(old, "\n"), strings.Split(now, "\n")
	for _, line := range is {
		if line != "" && !slices.Contains(was, line) {
			return "+" + line
		}
	}
	for _, line := range was {
		if line != "" && !slices.Contains(is, line) {
			return "-" + line
		}
	}
	return "order"
}

// calledItself announces that the agent sent events to Gauntlet's hooks itself.
func (s *stopping) calledItself() {
	for _, c := range s.seen.Turn.Calls {
		if c.Kind != event.ToolShell || c.Rejected || !strings.Contains(c.Command, "gauntlet") || !strings.Contains(c.Command, "hook") {
			continue
		}
		for _, run := range shell.Parse(c.Command).Commands {
			if args := run.Views[len(run.Views)-1]; run.Name() == "gauntlet" && len(args) > 1 && (args[1] == "stop-hook" || args[1] == "hook") {
				s.announceLater("the agent itself ran `gauntlet %s` in this turn, so some events did not come from its client", args[1])
				return
			}
		}
	}
}

// fromClient finds out whether the client sent this stop.
func (s *stopping) fromClient(ctx context.Context) {
	session, why := s.site.Sender(s.Event.SessionID, s.Stdin)
	if s.Forged = why; why == "" {
		return
	}
	if err := s.site.KeepForged(ctx, session, site.Forged{What: "stop-hook", Why: s.Forged, At: s.Facts.Now}); err != nil {
		s.complain(err)
	}
}

// tellForged announces which events the client did not send.
func (s *stopping) tellForged() {
	for _, f := range s.site.ForgedIn(s.Event.SessionID) {
		s.announceOnce("`gauntlet %s` was run at %s and not by the client (%s): it did not count", f.What, f.At.Local().Format("15:04:05"), f.Why)
	}
}

// wroteTranscript announces that the agent wrote to the log that its client keeps: what
// that log shows of this turn may never have happened.
func (s *stopping) wroteTranscript() {
	file := s.Event.TranscriptPath
	if file != "" && slices.ContainsFunc(s.seen.Turn.Calls, func(c event.ToolCall) bool { return mayWrite(c, file) }) {
		s.announceLater("the agent wrote to its own transcript in this turn, so what the transcript shows may be forged")
	}
}

// mayWrite reports whether a call names the file and does more than read it.
func mayWrite(c event.ToolCall, file string) bool {
	name := filepath.Base(file)
	switch {
	case c.Rejected:
		return false
	case c.Kind == event.ToolEdit || c.Kind == event.ToolWrite:
		return slices.Contains(c.Paths, file)
	case c.Kind != event.ToolShell || !strings.Contains(c.Command, name):
		return false
	}
	line := shell.Parse(c.Command)
	is := func(f shell.File) bool { return filepath.Base(f.Path) == name }
	looks := slices.ContainsFunc(line.Commands, func(run shell.Command) bool {
		switch run.Name() {
		case "cat", "head", "tail", "less", "more", "bat", "tac", "nl", "sed", "awk", "cut", "sort", "strings", "ls", "stat", "wc", "jq", "du", "grep", "rg", "file", "sha256sum":
			return slices.ContainsFunc(run.Argv(), func(arg string) bool { return filepath.Base(arg) == name })
		}
		return false
	})
	return slices.ContainsFunc(line.Written, is) || !looks
}

// forgedMemory announces a memory that Gauntlet did not write. It counts as missing.
func (s *stopping) forgedMemory(err error) {
	if errors.Is(err, session.ErrForged) {
		s.announceLater("%v", err)
	}
}

// workTreesOf are the other work trees of this repository in which the agent edited files
// in this turn, as its own transcript shows.
func (s *stopping) workTreesOf(calls []event.ToolCall) []*site.Site {
	if !s.site.InRepo || s.cfg == nil {
		return nil
	}
	var out []*site.Site
	for _, root := range s.site.Repo.WorkTrees() {
		if root == s.site.Repo.Root || !slices.ContainsFunc(calls, func(c event.ToolCall) bool { return worksIn(c, root) }) {
			continue
		}
		at := site.Here(root, s.Getenv)
		if at.IsProject() && at.Foreign == "" && at.SameRepository(s.site) {
			out = append(out, at)
		}
	}
	return out
}

// worksIn reports whether a call of the main agent wrote below a directory, or ran
// a command there.
func worksIn(c event.ToolCall, root string) bool {
	root = filepath.ToSlash(root)
	below := func(p string) bool {
		return filepath.ToSlash(p) == root || strings.HasPrefix(filepath.ToSlash(p), root+"/")
	}
	switch c.Kind {
	case event.ToolEdit, event.ToolWrite:
		return c.Subagent == "" && !c.Rejected && slices.ContainsFunc(c.Paths, below)
	case event.ToolShell:
		return c.Subagent == "" && !c.Rejected && (below(c.Dir) || strings.Contains(c.Command, root+"/") || strings.Contains(c.Command, "cd "+root))
	case event.ToolRead, event.ToolSearch, event.ToolAgent, event.ToolOther:
	}
	return false
}
