package ui

import (
	"fmt"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/replay"
	"gauntlet/internal/text"
)

// advice is what to do about a gate, in one sentence.
type advice struct {
	Text, Class, Why string
	rank             int // what needs attention comes first
}

// Thresholds of the advice.
const (
	enoughRuns = 10  // before "never failed" says something
	nearLimit  = 0.8 // of the time limit
)

// advise looks at what a gate did, worst first. whyNot is why it could not run the last time.
func advise(r row, whyNot string) advice {
	g := r.Gate
	switch {
	case r.Now.Canary == event.CannotFail:
		return advice{"cannot fail", "bad", "it passed with every file that was broken on purpose: " + r.Now.Why, 0}
	case g.Error > 0 && g.Error*4 >= g.Error+g.Pass+g.Fail:
		return advice{fmt.Sprintf("could not run %d×: %s", g.Error, remedy(whyNot)), "bad", "it judged nothing at these stops", 1}
	case g.Flakes > 0:
		return advice{"flaky: retries 1", "warn", fmt.Sprintf("it passed and failed on the same content %d×", g.Flakes), 2}
	case g.Wrong+g.WouldWrong >= 2 && g.Wrong+g.WouldWrong > g.Right+g.WouldRight:
		return advice{fmt.Sprintf("wrong %d of %d times: observe it", g.Wrong+g.WouldWrong, g.Wrong+g.WouldWrong+g.Right+g.WouldRight), "warn", "more often wrong than right", 3}
	case g.RanNoTest > 0:
		return advice{fmt.Sprintf("ran no test %d×", g.RanNoTest), "warn", "its runner said that it ran no test, or tests were weakened", 4}
	case g.Error > 0:
		return advice{fmt.Sprintf("could not run %d×: %s", g.Error, remedy(whyNot)), "warn", "it judged nothing at these stops", 5}
	case g.P95MS != nil && g.LimitMS != nil && *g.P95MS > nearLimit**g.LimitMS:
		return advice{fmt.Sprintf("takes %.0f %% of its time limit", 100**g.P95MS / *g.LimitMS), "warn", "at the limit it is stopped and counts as could not run", 6}
	case g.Kind == ask.Checkpoint:
		return advice{caught(g), "quiet", "a checkpoint asks for what was not done, and runs nothing", 9}
	case g.Fail == 0 && g.Runs >= enoughRuns:
		return advice{"never failed, " + duration(*g.MedianMS), "quiet", fmt.Sprintf("in %s", text.Count(g.Runs, "run")), 8}
	case g.Fail == 0:
		return advice{"too few runs to say", "quiet", text.Count(g.Runs, "run"), 10}
	case r.Now.Mode == "observe" || r.Now.Mode == "warn":
		return safeToEnforce(g)
	}
	return advice{caught(g), "quiet", "failures that the agent then fixed, by what followed", 7}
}

// caught is what a gate found.
func caught(g ask.Gate) string {
	if n := g.Right + g.WouldRight; n > 0 {
		return fmt.Sprintf("caught %d", n)
	}
	return fmt.Sprintf("failed %d×, outcome unknown", max(g.Fail, g.Blocked+g.WouldBlock))
}

// remedy is what to do about a gate that could not run.
func remedy(why string) string {
	if name, _, ok := strings.Cut(why, " is not installed"); ok && name != "" && !strings.ContainsAny(name, " \n") {
		return "install " + name
	}
	if why == "" {
		return "no reason was recorded"
	}
	return text.Cut(strings.Join(strings.Fields(why), " "), 60)
}

// safeToEnforce estimates how reliably a gate that only observes would block rightly.
func safeToEnforce(g ask.Gate) advice {
	right := g.Right + g.WouldRight
	known := right + g.Wrong + g.WouldWrong
	i := replay.Wilson(right, known)
	switch {
	case i == nil:
		return advice{fmt.Sprintf("too early to enforce (%d of %d)", known, replay.MinSamples), "quiet", "it takes 20 failures of which it is known whether they were right", 7}
	case i.Low >= 0.8:
		return advice{"safe to enforce: right " + interval(i), "good", "95 % sure that at least this share of its failures is right", 6}
	}
	return advice{"not safe to enforce: right " + interval(i), "warn", "95 % interval of right among right and wrong", 6}
}
