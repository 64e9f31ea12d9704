package setup

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// finding is the classification of one step.
type finding struct {
	role Role
	kind string
	// head is the tool with its sub-command: what proves that it was run.
	head string
	// operands are its arguments that are not flags.
	operands []string
	// more are further roles of the same command: turbo run lint test.
	more []Role
	call tool.Call
}

// classify looks through the wrappers of a step, the innermost command first.
func classify(step tasks.Step) (finding, bool) {
	for i, argv := range slices.Backward(step.Views) {
		c := tool.Of(argv)
		if c.Program == "" || c.Guessed() || c.Role() == tool.NoRole || c.HasAny("--version", "--help") {
			continue
		}
		f := finding{role: c.Role(), kind: c.Language, head: strings.TrimSpace(c.Name + " " + c.Sub()), operands: plainWords(argv[1:]), more: c.Roles()[1:], call: c}
		for _, word := range strings.Fields(c.Sub()) {
			if at := slices.Index(f.operands, word); at >= 0 {
				f.operands = slices.Delete(f.operands, at, at+1)
			}
		}
		if i > 0 && (strings.HasPrefix(argv[0], "exe/") || path.Ext(c.Name) != "") {
			// A gem's own program, or Django's, which no one calls by its bare name.
			f.head = strings.TrimRight(tool.Base(step.Views[i-1][0]), "0123456789.") + " " + strings.TrimSpace(argv[0]+" "+c.Sub())
		}
		return f, f.role != Test || !c.Lists()
	}
	return finding{}, false
}

// hazard is why a command must not run at a stop; "" if there is no objection.
func hazard(step tasks.Step) string {
	for _, argv := range step.Views {
		if effect, how := tool.Of(argv).Effect(); effect != tool.NoEffect {
			return effectReason(effect) + " (" + how + ")"
		}
	}
	return ""
}

func effectReason(e tool.Effect) string {
	switch e {
	case tool.Install:
		return "downloads or needs the network"
	case tool.Publish:
		return "publishes or deploys"
	case tool.Endless:
		return neverEnds
	case tool.Rights:
		return "needs another user's rights"
	case tool.Container:
		return "needs a container or a machine"
	case tool.Environment:
		return "needs an environment of its own"
	case tool.Terminal:
		return "needs a terminal or a desktop"
	case tool.Compare:
		return "compares with the last commit, so any uncommitted change fails it"
	case tool.Repository:
		return "changes the repository"
	case tool.Outside:
		return "writes outside the work tree"
	case tool.Leave:
		return "leaves a program in the work tree"
	case tool.Write, tool.NoEffect:
	}
	return "rewrites files"
}

// isFetch reports whether a package manager only installs what a project depends on.
func isFetch(argv []string) bool {
	c := tool.Of(argv)
	effect, _ := c.Effect()
	return effect == tool.Install && c.Is("packages")
}

// plainWords are the arguments that are not flags.
func plainWords(args []string) []string {
	var out []string
	for _, a := range args {
		if a != "" && a[0] != '-' && a[0] != '+' {
			out = append(out, a)
		}
	}
	return out
}
