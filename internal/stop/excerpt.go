package stop

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/finding"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/text"
	"gauntlet/internal/tokens"
)

// maxLine bounds one line of an excerpt, in characters.
const maxLine = 160

// excerpt is what an agent has to see of one failing gate.
type excerpt struct {
	title, command, end string // which gate, what it runs, how it ended
	tests               []string
	lines               []string // what is worth showing, in order
	rank                []int    // of lines: the higher, the more it says
	filler              []string // lines that say little, for a share of evidence
	printed             int      // lines that the gate printed
	log                 string
	after               []string // lines that always follow: how to answer, what the project says
}

// excerptOf selects what to show of a gate. Paths are relative to root.
func excerptOf(g gate.Result, root string) excerpt {
	near := func(s string) string { return relative(s, root) }
	e := excerpt{title: shortTitle(g), command: near(redact.Line(g.Command, maxLine)), end: ended(g)}
	if g.LogPath != "" && g.Tail != "" {
		e.log = near(g.LogPath)
	}
	output := strings.Split(near(redact.Strip(g.Tail)), "\n")
	for _, l := range output {
		if strings.TrimSpace(l) != "" {
			e.printed++
		}
	}
	e.tests = testsOf(g, root)
	if found := findingLines(g); len(found) > 0 {
		e.lines = found
	} else {
		e.lines, e.filler = withoutNoise(output)
		slices.SortStableFunc(e.filler, func(a, b string) int { return cmp.Compare(dense(b), dense(a)) })
		e.unindent()
	}
	if g.FixInstructions != "" {
		e.after = append(e.after, "fix: "+near(redact.Line(g.FixInstructions, 300)))
	}
	if g.Fix != nil {
		e.after = append(e.after, offered(*g.Fix, maxPatchShown))
	}
	e.rankLines()
	return e
}

// maxPatchShown bounds the patch in a brief reason, in bytes.
const maxPatchShown = 500

// offered is what a fix command would change: the patch, fenced, if it is small.
func offered(p gate.Patch, most int) string {
	line := "fix: " + p.Summary()
	if !p.Whole || p.Text == "" || len(p.Text) > most {
		return line
	}
	return line + "\n" + redact.Fence(p.Text)
}

// relative makes paths in a text relative to a project. Text may name it with and without a
// slash at its end, as a URL, and by the name behind a symbolic link of the system.
func relative(s, root string) string {
	if root == "" || root == "/" || !strings.Contains(s, root) {
		return s
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, root)
		if !found {
			b.WriteString(s)
			return b.String()
		}
		before = strings.TrimSuffix(strings.TrimSuffix(before, "/private"), "file://")
		begins := before == "" || !isPath(before[len(before)-1])
		switch {
		case begins && after != "" && (after[0] == '/' || after[0] == filepath.Separator):
			b.WriteString(before)
			after = after[1:]
		case begins && (after == "" || !isPath(after[0])):
			b.WriteString(before + ".")
		default: // another path that contains this one
			b.WriteString(s[:len(s)-len(after)])
		}
		s = after
	}
}

// isPath reports whether a character may be part of a path.
func isPath(c byte) bool {
	return c == '/' || c == '.' || c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// ended is how a gate ended: its exit code, or the time limit in its place.
func ended(g gate.Result) string {
	took := fmt.Sprintf(", %.1f s", float64(g.DurationMS)/1000)
	if g.Cached {
		took = ", unchanged since it last ran"
	}
	switch {
	case g.TimedOut:
		return fmt.Sprintf("timed out after %g s", float64(g.LimitMS)/1000)
	case g.Kind == gate.KindCheck && g.ExitCode != nil && *g.ExitCode != 0:
		return fmt.Sprintf("exit %d", *g.ExitCode) + took
	}
	return redact.Line(g.Message, 200) + took
}

// testsOf names the failed tests, as far as they can be read.
func testsOf(g gate.Result, root string) []string {
	var out []string
	add := func(test string) {
		if name := shortTest(test); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, name := range g.NewFailures { // those of this session first
		if slices.ContainsFunc(g.Findings, func(f gate.Finding) bool { return f.Test == name }) || g.Failure != nil && slices.ContainsFunc(g.Failure.Findings, func(f finding.Finding) bool { return f.Test == name }) {
			add(name)
		}
	}
	for _, f := range g.Findings {
		add(f.Test)
	}
	if len(out) > 0 || g.Kind != gate.KindCheck || g.Tail == "" {
		return out
	}
	if g.Failure != nil {
		for _, f := range g.Failure.Findings {
			add(f.Test)
		}
		return out
	}
	report, err := finding.Parse([]byte(g.Tail), finding.Source{Format: "auto", Command: g.Command, Root: root, Text: func(string) []byte { return nil }})
	if err != nil {
		return nil
	}
	for _, f := range report.Findings {
		add(f.Test)
	}
	return out
}

// shortTest is the name of a test without the package or file before it and the class
// behind it.
func shortTest(test string) string {
	if first, rest, ok := strings.Cut(test, " "); ok && (strings.ContainsAny(first, "/.") || strings.HasPrefix(rest, "Test")) {
		test = rest
	}
	if i := strings.LastIndex(test, "::"); i >= 0 && !strings.Contains(test, " ") {
		test = test[i+2:]
	}
	test, _, _ = strings.Cut(test, " (")
	return redact.Line(test, 60)
}

// findingLines are the findings of a gate, one line each; those that are not from this work
// are left out.
func findingLines(g gate.Result) []string {
	var out []string
	for _, f := range g.Findings {
		if f.State == gate.StateUnchanged || f.Test != "" {
			continue
		}
		line := redact.Line(f.Place(), 160)
		if kind := cmp.Or(f.Rule, f.Priority); kind != "" {
			line += " [" + redact.Line(kind, 40) + "]"
		}
		line = strings.TrimSpace(line + " " + redact.Line(f.Issue, 300))
		if f.Fix != "" {
			line = sentence(line) + " Fix: " + sentence(redact.Line(f.Fix, 200))
		}
		out = append(out, line)
	}
	return out
}

func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// unindent removes white space that says nothing: what all lines begin with, more than a
// level of the rest, and more than one blank between words.
func (e *excerpt) unindent() {
	least := -1
	for _, l := range e.lines {
		if n := indent(l); least < 0 || n < least {
			least = n
		}
	}
	for i, l := range e.lines {
		deep := strings.Repeat(" ", min(indent(l)-least, 4))
		e.lines[i] = text.CutRunes(deep+strings.Join(strings.Fields(l), " "), maxLine)
	}
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// rankLines finds the lines that say most.
func (e *excerpt) rankLines() {
	place, words, mark := telling()
	e.rank = make([]int, len(e.lines))
	for i, l := range e.lines {
		if place.MatchString(l) {
			e.rank[i] += 2
		}
		if words.MatchString(l) {
			e.rank[i] += 2
		}
		if mark.MatchString(l) {
			e.rank[i]++
		}
		// The file above its findings is a part of each.
		if i > 0 && e.rank[i] > 0 && e.rank[i-1] == 0 && indent(e.lines[i-1]) < indent(l) && len(strings.Fields(e.lines[i-1])) == 1 {
			e.rank[i-1] = 1
		}
	}
}

// order lists the lines in the order in which they are worth showing: those that say
// something as they come, then the others, nearest to the first of them first. Without any
// the last lines come first.
func (e excerpt) order() []int {
	all := make([]int, len(e.lines))
	first := len(e.lines) - 1
	for i := range all {
		all[i] = i
		if e.rank[i] > 0 && e.rank[first] == 0 {
			first = i
		}
	}
	slices.SortStableFunc(all, func(a, b int) int {
		if (e.rank[a] > 0) != (e.rank[b] > 0) {
			return cmp.Compare(e.rank[b], e.rank[a])
		}
		if e.rank[a] > 0 {
			return 0
		}
		return cmp.Compare(max(a-first, first-a), max(b-first, first-b))
	})
	return all
}

// best lists the lines by how much they say.
func (e excerpt) best() []int {
	all := e.order()
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(e.rank[b], e.rank[a]) })
	return all
}

// head is the line about the gate.
func (e excerpt) head() string {
	if e.command == "" {
		return e.title + ": " + e.end + "\n"
	}
	return e.title + ": " + e.command + " (" + e.end + ")\n"
}

// body shows lines in their order until enough reports that the bytes and words suffice
// without a line of a rank.
func (e excerpt) body(order []int, shown map[string]bool, enough func(bytes, words, rank int) bool) string {
	var chosen []int
	size, words, before := 0, 0, 0
	for _, i := range order {
		if enough(size, words, e.rank[i]) {
			break
		}
		if e.rank[i] == 0 && len(e.filler) > 0 && len(chosen) > 0 && dense(e.filler[0]) > dense(e.lines[i]) {
			continue // it says no more than a total, in more bytes
		}
		if shown[strings.TrimSpace(e.lines[i])] {
			before++
			continue
		}
		chosen = append(chosen, i)
		size, words = size+len(e.lines[i])+3, words+tokens.Count(e.lines[i])
	}
	var b strings.Builder
	slices.Sort(chosen)
	fill := ""
	for _, l := range e.filler {
		if len(chosen) == 0 || enough(size, words, 0) {
			break
		}
		l = text.CutRunes(strings.Join(strings.Fields(l), " "), maxLine/2)
		fill += "  " + l + "\n"
		size, words = size+len(l)+3, words+tokens.Count(l)
	}
	if names := e.names(chosen); names != "" {
		b.WriteString("  " + names + "\n")
	}
	for _, i := range chosen {
		b.WriteString("  " + e.lines[i] + "\n")
	}
	for _, i := range chosen {
		shown[strings.TrimSpace(e.lines[i])] = true
	}
	b.WriteString(fill)
	if before > 0 && len(chosen) == 0 {
		b.WriteString("  the same as above\n")
	}
	return b.String()
}

// dense is how many words a line has for its bytes.
func dense(s string) float64 { return float64(tokens.Count(s)) / float64(len(s)+3) }

// names lists the failed tests, unless the chosen lines name all of them.
func (e excerpt) names(chosen []int) string {
	missing := slices.DeleteFunc(slices.Clone(e.tests), func(name string) bool {
		return slices.ContainsFunc(chosen, func(i int) bool { return strings.Contains(e.lines[i], name) })
	})
	if len(missing) == 0 {
		return ""
	}
	most, size := 0, 0
	for most < min(len(e.tests), 5) && (most == 0 || size+len(e.tests[most]) <= maxNames) {
		size += len(e.tests[most]) + 2
		most++
	}
	return few(e.tests, most)
}

// maxNames bounds the line of failed tests, in bytes.
const maxNames = 100

// few lists some of many names.
func few(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
}

// whatFailed names the gates that failed, with their tests, and those that could not run,
// for a person.
func whatFailed(res run.Result, root string) string {
	var out []string
	for _, g := range res.Failed() {
		name := shortTitle(g)
		if tests := testsOf(g, root); len(tests) > 0 {
			name += " (" + few(tests, 2) + ")"
		}
		out = append(out, name)
	}
	said := few(out, 3)
	if unable := titles(res.Errored()); len(unable) > 0 {
		said += "; " + few(unable, 2) + " could not run"
	}
	return said
}
