package rules

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/text"
	"gauntlet/internal/weaken"
)

// observeWeakened adds one sentence about tests and linters that check less than when the
// turn began. It never blocks alone.
func (d *decision) observeWeakened() {
	if !d.set.weakened {
		return
	}
	if text := weakenedText(d.in.Weakened, d.timeline.unverified()); text != "" {
		d.res.Observations = append(d.res.Observations, Observation{Kind: Weakened, Text: text})
	}
}

// ChecksWeakening reports whether the configuration asks for it.
func ChecksWeakening(cfg *config.Checkpoint) bool {
	e := cfg.Effective()
	return *e.Weakened && e.Observations != "off"
}

// WeakenedText is the sentence about what was weakened, "" for nothing: as in the decision,
// or for a turn about which nothing was decided.
func WeakenedText(in Input, decided Result) string {
	if decided.Outcome == "" && !in.GitFailed {
		d := &decision{in: in, set: resolve(in.Config), res: &decided}
		d.read()
		d.observeWeakened()
	}
	for _, o := range decided.Observations {
		if o.Kind == Weakened {
			return o.Text
		}
	}
	return ""
}

// weakenedText names the files, each with what and how many.
func weakenedText(list []weaken.Weakening, unverified int) string {
	const show = 4
	var parts []string
	if unverified > 0 {
		parts = append(parts, fmt.Sprintf("%s with `--no-verify`", text.Count(unverified, "git command")))
	}
	for i, w := range list {
		if i == show {
			parts = append(parts, fmt.Sprintf("and %d more", len(list)-show))
			break
		}
		parts = append(parts, code(text.Cut(w.Path, 60))+": "+w.What)
	}
	if len(parts) == 0 {
		return ""
	}
	return "Tests or linters were weakened this turn: " + strings.Join(parts, ", ")
}

// unverified counts the commands that made git skip its hooks.
func (t *timeline) unverified() int {
	n := 0
	for i := range t.steps {
		s := &t.steps[i]
		if s.Kind != event.ToolShell || s.Rejected || s.Outcome == event.Failure {
			continue
		}
		for _, c := range s.line.Commands {
			if c.Name() == "git" && slices.ContainsFunc(c.Views, skipsHooks) {
				n++
			}
		}
	}
	return n
}

// skipsHooks reports whether the command is like `git commit --no-verify`, `git commit -nm
// x` or `git push --no-verify`.
func skipsHooks(args []string) bool {
	i := slices.IndexFunc(args, func(a string) bool {
		return a == "commit" || a == "push" || a == "merge" || a == "am" || a == "rebase" || a == "cherry-pick"
	})
	if i < 0 || args[0] != "git" {
		return false
	}
	for j, a := range args[i+1:] {
		switch {
		case a == "--":
			return false
		case a == "--no-verify":
			return true
		case args[i] != "commit" || len(a) < 2 || a[0] != '-' || a[1] == '-':
		case j > 0 && takesValue(args[i+j]): // the value of the option before it
		default:
			// -n among short flags, before one that takes the rest as its value
			flags, _, _ := strings.Cut(a[1:], "m")
			if strings.Contains(flags, "n") && !strings.ContainsAny(flags, "FCct") {
				return true
			}
		}
	}
	return false
}

// takesValue reports whether the option of git commit is followed by its value.
func takesValue(option string) bool {
	return slices.Contains([]string{"-m", "-am", "-F", "-C", "-c", "-t", "--message", "--file", "--author", "--date", "--template"}, option)
}
