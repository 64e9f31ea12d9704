package finding

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/redact"
)

// Failure is what failed in one run of a gate: the same again is the same failure, whatever
// else differs between the two runs. The exit code and the last line identify nothing: most
// runners end all their failures in the same way.
type Failure struct {
	// Findings are the failed tests and the findings, if the output names any that explain
	// the failure.
	Findings []Finding
	// Unread is what the output says about failures besides them; nil when unknown.
	Unread *Unread
	// Output identifies the whole output, if it names nothing; "" if a part of it is missing.
	Output string
	// Exit is the exit code; TimedOut: it was stopped at its time limit.
	Exit     int
	TimedOut bool
}

// Identify reads the output of a failed gate, of which nothing is missing if whole is set.
func Identify(output string, whole bool, src Source) Failure {
	var f Failure
	if whole {
		f.Output = steadyPrint(output, src.Root)
	}
	src.Format = "auto"
	if report, err := Parse([]byte(output), src); err == nil && whole {
		f = f.Of(report.Findings, report.Unread)
	}
	return f
}

// Of is the failure with the findings of a report, if they explain it: warnings alone do not.
func (f Failure) Of(list []Finding, unread *Unread) Failure {
	for _, one := range list {
		if one.Test != "" || one.Severity != Warn && one.Severity != Note {
			f.Findings, f.Unread, f.Output = list, unread, ""
			return f
		}
	}
	return f
}

// Print identifies what failed: by name, else by the whole output; "" if that is unknown.
func (f Failure) Print() string {
	if len(f.Findings) == 0 {
		return f.Output
	}
	return hash("failed", f.Names())
}

// Names identifies what failed by name, in any order; "" if nothing has a name.
func (f Failure) Names() string {
	var keys []string
	for _, one := range f.Findings {
		keys = append(keys, one.Key())
	}
	slices.Sort(keys)
	return strings.Join(keys, "\n")
}

// Before is what is known of an earlier failure of the same gate.
type Before struct {
	Known    []Known
	Unread   *Unread
	Output   string
	Exit     int
	TimedOut bool
}

// Remember reduces a failure to what a later one is compared with.
func (f Failure) Remember() Before {
	return Before{Known: Remember(f.Findings), Unread: f.Unread, Output: f.Output, Exit: f.Exit, TimedOut: f.TimedOut}
}

// Since names what failed now and did not before, and what failed before, too. In doubt it is
// new: an output that names nothing is compared as a whole.
func (f Failure) Since(before Before, renamed map[string]string) (fresh, known []string) {
	if len(f.Findings) == 0 {
		if f.Output == "" || f.Output != before.Output || f.TimedOut != before.TimedOut {
			return []string{""}, nil
		}
		return nil, []string{""}
	}
	isNew := New(f.Findings, before.Known, renamed)
	for i, one := range f.Findings {
		if isNew[i] {
			fresh = append(fresh, one.Name())
		} else {
			known = append(known, one.Name())
		}
	}
	if len(fresh) > 0 {
		return fresh, known
	}
	switch {
	case f.TimedOut && !before.TimedOut:
		return []string{"the time limit"}, known
	case before.Exit > 0 && f.Exit > before.Exit: // the tool may have broken off
		return []string{""}, known
	case f.Unread != nil && before.Unread != nil:
		if line := f.Unread.Since(before.Unread, len(f.Findings) == total(before.Known)); line != "" {
			return []string{redact.Line(line, 200)}, known
		}
	}
	return nil, known
}

func total(known []Known) int {
	n := 0
	for _, k := range known {
		n += k.Count
	}
	return n
}

// Name is a finding in a few words: the test, or the file and the message.
func (f Finding) Name() string {
	if f.Test != "" {
		return f.Test
	}
	return strings.TrimSpace(f.Path + " " + cmp.Or(f.Message, f.Rule))
}

// steadyPrint identifies an output without what differs between two equal runs.
func steadyPrint(output, root string) string {
	if root != "" {
		output = strings.ReplaceAll(strings.ReplaceAll(output, root+"/", ""), root, ".")
	}
	var b strings.Builder
	for line := range strings.Lines(redact.Strip(output)) {
		if s := steady(line); s != "" {
			b.WriteString(s + "\n")
		}
	}
	return hash("output", b.String())
}

// steady is a line without times, durations, addresses and temporary paths, and with rules of
// repeated characters squeezed.
func steady(line string) string {
	words := strings.Fields(line)
	var out []string
	for i, w := range words {
		bare := strings.Trim(w, "()[]{},;=\"'`")
		last := ""
		if i > 0 {
			last = words[i-1]
		}
		switch {
		case isTime(bare), isPlainNumber(bare) && (measuresTime(last) || i+1 < len(words) && isTimeUnit(words[i+1])):
			continue
		case strings.HasPrefix(bare, "0x"), strings.Contains(w, "/tmp/"), strings.Contains(w, "/var/folders/"), strings.Contains(w, `\Temp\`):
			continue
		}
		if w = squeezed(w); w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// isTime reports a duration (0.2s, 1m3s, 0:01:03), a clock time or a date.
func isTime(s string) bool {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	if strings.Trim(s, "0123456789.:-+TZ") == "" {
		colons := strings.Count(s, ":")
		return colons >= 2 && colons < 4 && !strings.HasSuffix(s, ":") || strings.Count(s, "-") == 2 && len(s) >= 10
	}
	units := strings.Trim(s, "0123456789.")
	return units != s && strings.Trim(s, "0123456789.hmnsuµ") == "" && s[len(s)-1] != '.' && strings.HasSuffix(s, lastUnit(units))
}

// lastUnit is the unit that a duration ends with; a text that cannot end one if there is none.
func lastUnit(units string) string {
	for _, u := range []string{"ms", "ns", "us", "µs", "s", "m", "h"} {
		if strings.HasSuffix(units, u) {
			return u
		}
	}
	return "\x00"
}

func isPlainNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789.") == "" }

func isTimeUnit(w string) bool {
	switch strings.ToLower(strings.Trim(w, "()[],.;:")) {
	case "s", "ms", "ns", "sec", "secs", "second", "seconds", "milliseconds", "min", "mins", "minute", "minutes":
		return true
	}
	return false
}

// measuresTime reports a word that a duration follows, as in `duration_ms 12`.
func measuresTime(w string) bool {
	w = strings.ToLower(strings.Trim(w, "#()[],.;:="))
	return strings.HasPrefix(w, "duration") || strings.HasPrefix(w, "elapsed") || w == "took" || w == "pid"
}

// squeezed shortens runs of a character that is neither a letter nor a digit to one of it, and
// drops what is nothing else: how wide a rule is depends on the text inside it.
func squeezed(w string) string {
	var b strings.Builder
	var last rune
	plain := true
	for _, r := range w {
		letter := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x2fff
		plain = plain && !letter
		if letter || r != last {
			b.WriteRune(r)
		}
		last = r
	}
	if s := b.String(); !plain || len(w) < 3 || len(s) > 2 {
		return s
	}
	return ""
}
