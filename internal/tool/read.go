package tool

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"gauntlet/internal/redact"
)

// Said is what a run printed about how it ended. A run that counted or named a failed test
// failed, whatever else it printed.
type Said struct {
	// Passed: tests passed, and nothing in view failed.
	Passed bool
	// Failed: a test is counted or named as failed, or the code could not be built.
	Failed bool
	// Bad: something in view may be a failure, of the tests or of what ran them.
	Bad bool
	// None: it ran no test, or skipped all of them. NoneFails: and it fails for that.
	None, NoneFails bool
	// Whole: one line in view contains both what passed and what failed.
	Whole bool
	// Clean: a linter or a build reports that it found nothing.
	Clean bool
	// Count is how many tests passed, as far as it was counted.
	Count int
	// Names are the tests that failed, as far as they are named.
	Names []string
	// Unbuilt counts what failed because a name or a file that it needs is missing.
	Unbuilt int
	// Unstarted is the message of a runner that never began, or of what should have started
	// it; Missing is the program that was not there, Module the Python module, Package the
	// npm package. All are empty if a test failed.
	Unstarted, Missing, Module, Package string
}

// kind is what a line of output means.
type kind uint8

const (
	saysWhole     kind = iota // tests passed, in one line with what failed
	saysPassed                // tests passed
	saysEnded                 // it ended well; if it says that it ran nothing, that counts
	saysFailed                // tests are counted or named as failed
	saysTrouble               // what ran it reports an error
	saysCounted               // a number of failures, in any text
	saysWords                 // words that mean a failure if no summary is in view
	saysNone                  // it ran nothing
	saysNoneFails             // it ran nothing, and fails for that
	saysUnstarted             // it never began
	saysMissing               // a program was not found
	saysModule                // a Python module was not found
	saysPackage               // an npm package was not found
	saysName                  // the name of a test that failed
	saysClean                 // a linter or build found nothing
	saysUnbuilt               // a name or a file that the code needs is missing
	saysBare                  // progress, rules, and what programs print that only run others
	saysNoise                 // banners, totals and frames of libraries around what failed
)

// line is one thing that a program prints.
type line struct {
	of   int // its record
	kind kind
	// has are texts of which it contains one, with a zero byte between them: most outputs can
	// be kept apart by these alone.
	has string
	is  string
}

// compiled are the expressions of lines, each compiled when it is first needed.
var compiled = sync.OnceValue(func() []atomic.Pointer[regexp.Regexp] { return make([]atomic.Pointer[regexp.Regexp], len(lines)) })

func (l line) expression(at int) *regexp.Regexp {
	cell := &compiled()[at]
	re := cell.Load()
	if re == nil {
		re = regexp.MustCompile("(?m)" + l.is)
		cell.Store(re)
	}
	return re
}

// maxRead bounds how much of an output is read: its end, where runners sum up.
const maxRead = 256 << 10

// Read reads the output of a program, or of whatever a line or a task ran if program is "".
// If a runner that sums up in one line did so, that line decides and not what the code under
// test logged.
func Read(program, output string) Said {
	text := redact.Strip(output[max(0, len(output)-maxRead):])
	all := found(text)
	if i, known := find(program); known && Summary(records[i].summary) == Whole {
		own := slices.DeleteFunc(slices.Clone(all), func(m match) bool { return m.of != i })
		if slices.ContainsFunc(own, func(m match) bool { return m.kind == saysWhole || m.kind == saysFailed }) {
			return sum(own, text)
		}
	}
	return sum(all, text)
}

// match is a line that was found, with what its expression marks in each place.
type match struct {
	line
	hits [][]string
}

// maxHits bounds the places of one expression.
const maxHits = 1000

// found are the lines that a text contains; names are looked for only if it shows a failure.
func found(text string) []match {
	out := foundOf(text, func(k kind) bool { return k != saysName && k < saysBare })
	if slices.ContainsFunc(out, func(m match) bool { return m.kind == saysFailed }) {
		out = append(out, foundOf(text, func(k kind) bool { return k == saysName })...)
	}
	return out
}

func foundOf(text string, of func(kind) bool) []match {
	var out []match
	for i := range lines {
		l := lines[i]
		if !of(l.kind) || l.next(text) < 0 {
			continue
		}
		if hits := l.hits(l.expression(i), text); len(hits) > 0 {
			out = append(out, match{l, hits})
		}
	}
	return out
}

// next is where one of the line's texts is first; -1 if none is there.
func (l line) next(text string) int {
	first := -1
	for has := range strings.SplitSeq(l.has, "\x00") {
		if at := strings.Index(text, has); at >= 0 && (first < 0 || at < first) {
			if first, text = at, text[:min(len(text), at+len(has))]; at == 0 {
				break
			}
		}
	}
	return first
}

// hits looks where the text of the line is: an expression is slow, and hardly any line of an
// output is worth it.
func (l line) hits(re *regexp.Regexp, text string) (out [][]string) {
	if l.has == "" || strings.Contains(l.is, `\n`) || strings.HasSuffix(l.is, `\z`) {
		return re.FindAllStringSubmatch(text, maxHits)
	}
	for len(out) < maxHits {
		at := l.next(text)
		if at < 0 {
			break
		}
		begin, end := strings.LastIndexByte(text[:at], '\n')+1, len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		out = append(out, re.FindAllStringSubmatch(text[begin:end], maxHits)...)
		text = text[min(len(text), end+1):]
	}
	return out
}

// sum decides what the lines mean together.
func sum(found []match, text string) Said {
	seen := map[kind]bool{}
	var s Said
	for _, m := range found {
		if seen[m.kind] = true; m.kind == saysName {
			for _, name := range m.hits {
				if !slices.Contains(s.Names, name[1]) {
					s.Names = append(s.Names, name[1])
				}
			}
		}
		if m.kind == saysUnbuilt {
			s.Unbuilt += len(m.hits)
		}
		if m.kind <= saysEnded {
			s.Count = max(s.Count, m.count())
		}
	}
	sure := seen[saysWhole] || seen[saysPassed]
	s.Failed, s.Whole, s.Clean = seen[saysFailed], seen[saysWhole], seen[saysClean]
	s.None = (seen[saysNone] || seen[saysNoneFails]) && !sure && !s.Failed
	s.NoneFails = s.None && seen[saysNoneFails]
	s.Bad = s.Failed || seen[saysTrouble] || (seen[saysCounted] || seen[saysWords] || inPart(text)) && !sure
	s.Passed = (sure || seen[saysEnded] && !s.None) && !s.Bad
	if s.Failed || seen[saysCounted] {
		s.Failed = s.Failed || !sure
		return s
	}
	for _, m := range found {
		switch m.kind {
		case saysUnstarted:
			s.Unstarted = cmp.Or(s.Unstarted, m.message())
		case saysMissing:
			s.Missing = cmp.Or(s.Missing, m.message())
		case saysModule:
			s.Module = cmp.Or(s.Module, m.message())
		case saysPackage:
			s.Package = cmp.Or(s.Package, m.message())
		default:
		}
	}
	return s
}

// message is what a line says: its marked parts, or all of it.
func (m match) message() string {
	last := m.hits[len(m.hits)-1]
	if len(last) > 1 {
		return strings.Join(last[1:], "")
	}
	return strings.TrimSpace(last[0])
}

// count is how many tests a line counts: the sum of its parts, of which a runner that sums up
// in one line has one.
func (m match) count() int {
	n := 0
	for _, found := range m.hits {
		one := 0
		if len(found) > 1 {
			one, _ = strconv.Atoi(found[1])
		} else if m.kind == saysPassed && strings.Contains(m.is, "PASS:") {
			one = 1
		}
		if n += one; m.kind != saysPassed {
			n = one
		}
	}
	return n
}

// inPart reports whether fewer passed than there were: 2/3 passed.
func inPart(text string) bool {
	some := line{has: " pass"}
	return some.next(text) >= 0 && slices.ContainsFunc(some.hits(partly(), text), func(m []string) bool { return m[1] != m[2] })
}

var partly = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(\d+)(?:/| of | out of )(\d+) (?:\w+ )?pass(?:ed|ing)?\b`)
})

// Noise reports whether a line of output says nothing about what failed. bare: not even how
// much of it there was.
func Noise(s string) (noise, bare bool) {
	for i := range lines {
		if l := lines[i]; l.kind >= saysBare && !(noise && l.kind == saysNoise) && l.next(s) >= 0 && l.expression(i).MatchString(s) {
			if l.kind == saysBare {
				return true, true
			}
			noise = true
		}
	}
	return noise, false
}
