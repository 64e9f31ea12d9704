package replay

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/event"
	"gauntlet/internal/shell"
	"gauntlet/internal/tool"
)

// followedAction decides whether asking for an action would have been right, from the same
// session: it was done already in a form that the rule did not recognise, or was done
// later.
func (j *judge) followedAction(s *session, i int, id string) (o Outcome, because, unseen string) {
	a := j.actions[id]
	t := &s.turns[i]
	if a.test {
		for _, c := range slices.Backward(t.read.Calls[min(t.last+1, len(t.read.Calls)):]) {
			if c.Kind != event.ToolShell || !passedVisibly(c) {
				continue
			}
			if word := essence(c.Command); word != "" {
				return Wrong, "tests had passed already: " + word, word
			}
		}
	}
	if o, because := followedByHuman(s, i); o == Right {
		return o, because, ""
	}
	edited := false
	for k := i + 1; k < len(s.turns); k++ {
		later := &s.turns[k]
		for n, c := range later.read.Calls {
			if o, because, decided := a.shownBy(c, edited, " later"); decided {
				return o, because, ""
			}
			edited = edited || n <= later.last && len(writtenInside(s, c)) > 0
		}
	}
	return Unknown, "", ""
}

// by names a command if that is useful.
func by(command string) string {
	if word := essence(command); word != "" {
		return ": " + word
	}
	return ""
}

func writtenInside(s *session, c event.ToolCall) []string {
	var out []string
	for _, name := range written(c) {
		if rel, ok := inside(s.root, c.Dir, name); ok {
			out = append(out, rel)
		}
	}
	return out
}

// shownBy reports whether it was right to ask for the action, if a call that was made
// afterwards does it: it failed, or passed. An edit in between may have broken or fixed it.
func (a action) shownBy(c event.ToolCall, edited bool, later string) (o Outcome, because string, decided bool) {
	if c.Kind != event.ToolShell || c.Rejected || !a.names(c.Command) {
		return Unknown, "", false
	}
	failed := c.Outcome == event.Failure || c.HasExit && c.ExitCode != 0 || a.test && tool.Read("", c.Output).Bad
	switch {
	case edited && (failed || c.Outcome == event.Success):
		return Unknown, "", true
	case failed:
		return Right, "it failed when it was run" + later + by(c.Command), true
	case c.Outcome == event.Success:
		return Wrong, "it passed" + later + " without an edit in between" + by(c.Command), true
	}
	return Unknown, "", false
}

// names reports whether a line runs a command that the action asks for.
func (a action) names(line string) bool {
	for _, cmd := range shell.Parse(line).Commands {
		if slices.ContainsFunc(a.patterns, func(p shell.Pattern) bool { return p.Match(cmd) }) {
			return true
		}
	}
	return false
}

// passedVisibly reports whether the output of a call shows that tests passed.
func passedVisibly(c event.ToolCall) bool {
	return !c.Rejected && !c.Background && c.Outcome != event.Failure && tool.Read("", c.Output).Passed
}

// followedByHuman decides whether a complaint came next.
func followedByHuman(s *session, i int) (Outcome, string) {
	if i+1 < len(s.turns) && complains(s.turns[i+1].HumanText) {
		return Right, "the human reported a failure next"
	}
	return Unknown, ""
}

// complaint matches what a person writes who found something broken. It is narrow
// on purpose: a task that mentions errors is not a complaint.
var complaint = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + strings.Join([]string{
		`\b(tests?|build|ci|lint|checks?|pipeline|it|this|that)\b[^.\n]{0,40}\b(fails?|failed|failing|is broken|are broken|broke|breaks|crash(es|ed)?)\b`,
		`\b(doesn'?t|does not|don'?t|won'?t|still not|isn'?t|not) (work(ing)?|compile|build|pass(ing)?|start)\b`,
		`\byou broke\b`, `--- FAIL`, `Traceback \(most recent call last\)`, `error\[E\d+\]`, `\berror TS\d+`, `\bpanic: `, `\bnpm ERR!`, `exit code [1-9]`,
		`^\s*(FAIL|FAILED)\b`,
	}, "|"))
})

const maxComplaint = 4000

func complains(text string) bool {
	return complaint().MatchString(text[:min(len(text), maxComplaint)])
}

// essence is the core of a command line: the command that tests, checks or builds, without
// its options and file names; "" when none does.
func essence(command string) string {
	best, rank := []string(nil), 0
	for _, c := range shell.Parse(command).Commands {
		if len(c.Views) == 0 || showsOnly(c.Name()) {
			continue
		}
		words := c.Views[0]
		if len(words) > 1 && !tool.Known(tool.Base(words[0])) && showsOnly(words[1]) { // after a wrapper
			continue
		}
		if slices.ContainsFunc(c.Filters, func(f []string) bool { return len(f) > 0 && f[0] == "head" }) {
			continue // what came after the first lines is unknown
		}
		n := 1
		switch text := strings.Join(words, " "); {
		case c.TestRun():
			n = 4
		case strings.Contains(text, "test"):
			n = 3
		case strings.Contains(text, "check") || strings.Contains(text, "verify"):
			n = 2
		case tool.Of(c.Argv()).Checks():
			continue // it would have printed something
		}
		if n >= rank {
			best, rank = words, n
		}
	}
	var out []string
	for i, w := range best {
		if i > 0 && (strings.HasPrefix(w, "-") || strings.ContainsAny(w, "/.=*$\n") || len(w) > 40) {
			break
		}
		if out = append(out, w); len(out) == 4 {
			break
		}
	}
	return strings.Join(out, " ")
}

// showsOnly reports whether a program shows text, which may be of tests that ran elsewhere.
func showsOnly(name string) bool {
	return name == "" || tool.Known(name) && !tool.Of([]string{name}).Checks()
}
