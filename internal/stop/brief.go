package stop

import (
	"fmt"
	"strings"

	"gauntlet/internal/gate"
	"gauntlet/internal/text"
	"gauntlet/internal/tokens"
)

// Bounds of a brief reason in bytes, four of which are about one token: what it should have
// for one failing gate, for each further one, for a repeat, and what it never exceeds.
// Output is often three bytes a token, so that the last one is 400 tokens of it.
const (
	briefSize  = 424
	briefMore  = 170
	repeatSize = 160
	briefMost  = 1200
)

// manyLines is when output counts as long: evidence then has a larger share of the words.
const manyLines = 10

// brief is the reason of preset strict: mostly what was printed.
func (r reason) brief() string {
	failed := r.res.Failed()
	var all []excerpt
	for _, g := range failed {
		all = append(all, excerptOf(g, r.root))
	}
	head, foot := r.briefHead(all), r.briefFoot()
	if r.repeat {
		return r.briefRepeat(all, foot)
	}
	for _, most := range []int{briefMost, briefSize, briefSize / 2, 0} {
		if s := head + r.briefGates(all, most, len(head)+len(foot)) + foot; len(s) <= briefMost {
			return s
		}
	}
	return head + "\n" + text.CutRunes(few(titles(failed), 12), briefMost-len(head)-len(foot)-8) + "\n" + foot
}

func titles(gates []gate.Result) []string {
	var out []string
	for _, g := range gates {
		out = append(out, shortTitle(g))
	}
	return out
}

// briefHead is how many gates failed and what happens next.
func (r reason) briefHead(failed []excerpt) string {
	it := "it"
	if len(failed) != 1 {
		it = "them"
	}
	count := fmt.Sprintf("%d of %d gates failed. ", len(failed), len(r.res.Gates))
	switch {
	case !r.verified:
		return count + "Fix " + it + " and run the command yourself: nothing is checked again in this turn.\n"
	case r.left <= 0:
		return count + "Fix " + it + ". This was the last attempt.\n"
	}
	return count + "Fix " + it + " and stop again (" + text.Count(r.left, "attempt") + " left).\n"
}

// briefFoot is what closes the reason.
func (r reason) briefFoot() string {
	return r.known() + r.asking()
}

// briefGates describes the failed gates. A cause that two of them report is shown once.
func (r reason) briefGates(all []excerpt, most, frame int) string {
	var b strings.Builder
	shown := map[string]bool{}
	want := (briefSize - frame + briefMore*(len(all)-1)) / len(all)
	prose := tokens.Count(r.briefHead(all)) + tokens.Count(r.briefFoot())
	way := 0 // words of the command that the last line names, which count as evidence
	if r.ask {
		way = 3 // gauntlet ask "why"
	}
	for _, e := range all {
		title := "\n" + e.head()
		tail := ""
		if e.log != "" {
			tail = "log: " + e.log + "\n"
		}
		for _, l := range e.after {
			tail += l + "\n"
		}
		room := want - len(title) - len(tail)
		share := 0.4
		if e.printed >= manyLines {
			share = 0.6
		}
		said := tokens.Count(e.title + " " + e.command + " " + e.end + " " + e.log)
		b.WriteString(title)
		b.WriteString(e.body(e.order(), shown, func(size, words, rank int) bool {
			evidence := float64((said+words)*len(all) + way)
			return (size >= min(room, most) || rank == 0 && size > 0) && evidence >= share*(evidence+float64(prose-way+len(all))) || size >= most
		}))
		b.WriteString(tail)
	}
	return b.String()
}

// briefRepeat is the same failures once more: who fails, the lines that say most, the way
// out.
func (r reason) briefRepeat(all []excerpt, foot string) string {
	var names []string
	for _, e := range all {
		name := e.title
		if len(e.tests) > 0 {
			name += " (" + few(e.tests, 2) + ")"
		}
		names = append(names, name)
	}
	still := " still fails"
	if len(all) != 1 {
		still = " still fail"
	}
	head := text.CutRunes(few(names, 6), briefMost/2) + still
	left := ""
	switch {
	case !r.verified:
		head += "; nothing is checked again in this turn"
	case r.left <= 0:
		head += ". This was the last attempt."
	default:
		left = ", " + text.Count(r.left, "attempt") + " left"
	}
	var b strings.Builder
	shown := map[string]bool{}
	room := max(0, repeatSize-len(head)-len(foot)) + 50*(len(all)-1)
	for _, e := range all {
		if b.Len() > briefMost/2 {
			break
		}
		e.tests, e.filler = nil, nil // tests are in the first line
		for i, l := range e.lines {
			e.lines[i] = text.CutRunes(strings.TrimSpace(l), max(room/len(all)-3, 60))
		}
		b.WriteString(e.body(e.best(), shown, func(size, _, rank int) bool {
			return size > 0 && (rank == 0 || size+30 > room/len(all))
		}))
	}
	if len(head)+len(left)+b.Len()+len(foot) < repeatSize {
		head += left
	}
	if b.Len() > 0 && !strings.HasSuffix(head, ".") {
		head += ":"
	}
	return head + "\n" + b.String() + foot
}
