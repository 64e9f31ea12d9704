package tool

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables and the golden files")

// entry is one record of the catalogue as it is written.
type entry struct {
	file   string
	names  []string
	rec    record
	lang   language
	lines  []line
	calls  []sampleCall
	output []sampleOutput
}

// sampleCall is a call with what it is: `call: gradle lint = lint`.
type sampleCall struct{ line, want string }

// sampleOutput is a recorded output with what it means.
type sampleOutput struct {
	outcome string // passed, failed, none, unstarted
	source  string // how it was made: recorded with gradle 8.5, by hand
	names   []string
	text    string
}

// catalogue reads the records in a directory.
func catalogue(t *testing.T, dir string) []entry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no record in %s (%v)", dir, err)
	}
	var out []entry
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := readEntry(file, string(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		out = append(out, e)
	}
	return out
}

func readEntry(file, text string) (entry, error) {
	e := entry{file: file}
	head, rest, _ := strings.Cut(text, "\n%%% ")
	for n, line := range strings.Split(head, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := cutKey(line)
		if !ok {
			return e, fmt.Errorf("line %d: %q has no key", n+1, line)
		}
		key, arg, _ := strings.Cut(key, " ")
		if err := e.set(key, strings.TrimSpace(arg), value); err != nil {
			return e, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	if len(e.names) == 0 && e.lang.name == "" {
		return e, fmt.Errorf("names neither a program nor a language")
	}
	if rest == "" {
		return e, nil
	}
	for _, part := range strings.Split(rest, "\n%%% ") {
		title, body, _ := strings.Cut(part, "\n")
		s := sampleOutput{text: body}
		for i, cell := range strings.Split(title, "|") {
			cell = strings.TrimSpace(cell)
			if names, ok := strings.CutPrefix(cell, "names:"); ok {
				for _, name := range strings.Split(names, ";") {
					s.names = append(s.names, strings.TrimSpace(name))
				}
			} else if i == 0 {
				s.outcome = cell
			} else {
				s.source = cell
			}
		}
		if !slices.Contains([]string{"passed", "failed", "none", "unstarted"}, s.outcome) || s.source == "" {
			return e, fmt.Errorf("a sample needs an outcome and how it was made: %q", title)
		}
		e.output = append(e.output, s)
	}
	return e, nil
}

// cutKey splits a line at the colon behind its key; a colon within a word, as in -X:test,
// does not count.
func cutKey(line string) (key, value string, ok bool) {
	for i := range line {
		if line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ') {
			return line[:i], strings.TrimSpace(line[i+1:]), true
		}
	}
	return "", "", false
}

// set takes one line of a record. What is said twice is added.
func (e *entry) set(key, arg, value string) error {
	words := map[string]*string{
		"values": &e.rec.values, "prints": &e.rec.prints, "narrows": &e.rec.narrows, "lists": &e.rec.lists, "verbs": &e.rec.verbs, "traits": &e.rec.traits,
		"leaves": &e.rec.leaves, "dirs": &e.rec.dirs, "members": &e.rec.members, "locks": &e.rec.locks, "ignores": &e.rec.ignores, "without": &e.rec.without, "files": &e.lang.files, "tests": &e.lang.tests, "runs": &e.lang.runs, "comment": &e.lang.comment, "within": &e.lang.within,
	}
	if to := words[key]; to != nil && arg == "" {
		*to = strings.TrimSpace(*to + " " + strings.Join(strings.Fields(value), " "))
		return nil
	}
	if k := slices.Index(kinds(), strings.TrimSpace(key+" "+arg)); k >= 0 {
		if kind(k) >= saysBare { // a whole line
			value = "^(?:" + value + `)\s*$`
		}
		re, err := syntax.Parse("(?m)"+value, syntax.Perl)
		if err != nil {
			return err
		}
		e.lines = append(e.lines, line{kind: kind(k), has: strings.Join(required(re), "\x00"), is: value})
		return nil
	}
	return e.setRule(key, arg, value)
}

func (e *entry) setRule(key, arg, value string) error {
	switch key {
	case "program", "programs":
		e.names, e.rec.alike = strings.Fields(value), key == "programs"
		e.rec.name = e.names[0]
	case "language":
		if e.rec.language = value; len(e.names) == 0 {
			e.lang.name = value
		}
	case "break":
		e.lang.spoil = value
	case "role":
		if !slices.Contains([]string{"test", "lint", "format", "typecheck", "build", "check", "none", byNames, byTasks, byEnvironments}, cmp.Or(arg, value)) {
			return fmt.Errorf("no role: %q", cmp.Or(arg, value))
		}
		if arg == "" {
			arg, value = value, ""
		}
		e.rec.roles += arg + " " + value + "\n"
	case "effect":
		effect, how, _ := strings.Cut(arg, " ")
		if !slices.Contains([]Effect{Write, Install, Publish, Leave, Outside, Endless, Rights, Container, Environment, Terminal, Compare, Repository, harmless}, Effect(effect)) {
			return fmt.Errorf("no effect: %q", effect)
		}
		e.rec.effects += effect + "\t" + cmp.Or(strings.Trim(how, "()"), "COMMAND") + "\t" + value + "\n"
	case "offline":
		e.rec.offline += arg + ":" + value + "\n"
	case "ci":
		e.rec.forCI += arg + ":" + value + "\n"
	case "report":
		e.rec.reports += arg + " " + value + "\n"
	case "configures":
		e.rec.configures += value + "\n"
	case "variant":
		e.rec.variants += value + "\n"
	case "summary":
		if !slices.Contains([]Summary{Whole, Parts, Inner}, Summary(value)) {
			return fmt.Errorf("no summary: %q", value)
		}
		e.rec.summary = value
	case "goals":
		e.rec.goals = value
	case "targets":
		if !slices.Contains([]string{"paths", "member", "tasks"}, value) {
			return fmt.Errorf("no targets: %q", value)
		}
		e.rec.targets = value
	case "implies":
		e.rec.implies += arg + " " + value + "\n"
	case "bundled":
		e.rec.bundled = value == "yes"
	case "own":
		n, err := strconv.Atoi(value)
		e.rec.own = n
		return err
	case "passes":
		e.rec.passes += arg + ":" + value + "\n"
	case "tasks":
		e.rec.tasks += arg + ":" + value + "\n"
	case "call":
		line, want, ok := strings.Cut(value, " = ")
		if !ok {
			return fmt.Errorf("a call needs what it is: %q", value)
		}
		e.calls = append(e.calls, sampleCall{line, want})
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	return nil
}

// table writes the records as Go.
func table(t *testing.T, entries []entry) []byte {
	t.Helper()
	var recs, langs, says bytes.Buffer
	byName := map[string]int{}
	n := 0
	for _, e := range entries {
		if e.lang.name != "" {
			fmt.Fprintf(&langs, "\t{name: %q, files: %q, tests: %q, runs: %q, spoil: %q, comment: %q, within: %q},\n", e.lang.name, e.lang.files, e.lang.tests, e.lang.runs, e.lang.spoil, e.lang.comment, e.lang.within)
			continue
		}
		for _, name := range e.names {
			if _, twice := byName[strings.ToLower(name)]; twice {
				t.Errorf("%s: %s has another record", e.file, name)
			}
			byName[strings.ToLower(name)] = n
		}
		for _, l := range e.lines {
			fmt.Fprintf(&says, "\t{%d, %d, %q, %q},\n", n, l.kind, l.has, l.is)
		}
		n++
		fmt.Fprintf(&recs, "\t{%s},\n", fields(e.rec))
	}
	var b bytes.Buffer
	b.WriteString("// Code generated from catalogue/ by go generate; DO NOT EDIT.\n\npackage tool\n\nvar names = [...]named{\n")
	for line := range slices.Chunk(slices.Sorted(maps.Keys(byName)), 10) {
		for _, name := range line {
			fmt.Fprintf(&b, "{%q, %d}, ", name, byName[name])
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "}\n\nvar records = [...]record{\n%s}\n\nvar languages = [...]language{\n%s}\n\n// What the programs print: record, kind, a text that is always in it, the expression.\nvar lines = [...]line{\n%s}\n", recs.Bytes(), langs.Bytes(), says.Bytes())
	out, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func fields(r record) string {
	var b strings.Builder
	add := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %q, ", name, strings.TrimSuffix(value, "\n"))
		}
	}
	add("name", r.name)
	if r.alike {
		b.WriteString("alike: true, ")
	}
	add("language", r.language)
	add("roles", r.roles)
	add("effects", r.effects)
	add("summary", r.summary)
	add("reports", r.reports)
	add("configures", r.configures)
	add("goals", r.goals)
	add("implies", r.implies)
	add("values", r.values)
	add("prints", r.prints)
	add("narrows", r.narrows)
	add("variants", r.variants)
	add("offline", r.offline)
	add("forCI", r.forCI)
	add("lists", r.lists)
	if r.bundled {
		b.WriteString("bundled: true, ")
	}
	if r.own > 0 {
		fmt.Fprintf(&b, "own: %d, ", r.own)
	}
	add("verbs", r.verbs)
	add("passes", r.passes)
	add("tasks", r.tasks)
	add("traits", r.traits)
	add("dirs", r.dirs)
	add("members", r.members)
	add("targets", r.targets)
	add("leaves", r.leaves)
	add("locks", r.locks)
	add("ignores", r.ignores)
	add("without", r.without)
	return strings.TrimSuffix(b.String(), ", ")
}

// The committed tables are those of the catalogue.
func TestTheTableIsCurrent(t *testing.T) {
	want := table(t, catalogue(t, "catalogue"))
	if *update && !t.Failed() {
		if err := os.WriteFile("table.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("table.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		t.Error("the catalogue changed: go generate ./internal/tool")
	}
}

// Every record is held to its own samples: a call is written with its role, and what else
// is true of it.
func TestEveryCallOfTheCatalogueIsWhatItsRecordSays(t *testing.T) {
	for _, e := range catalogue(t, "catalogue") {
		for _, s := range e.calls {
			if got := describe(Of(strings.Fields(s.line))); got != s.want {
				t.Errorf("%s: %s\n got %s\nwant %s", e.file, s.line, got, s.want)
			}
		}
		if len(e.names) > 0 && len(e.calls) == 0 && len(e.output) == 0 && e.names[0] != "*" {
			t.Errorf("%s: no sample", e.file)
		}
	}
}

// describe is what a call is, in the words of a record: role, effect, lists, runs …, tasks ….
func describe(c Call) string {
	out := []string{cmp.Or(string(c.Role()), "none")}
	if e, _ := c.Effect(); e != NoEffect {
		out = append(out, string(e))
	}
	if c.Lists() {
		out = append(out, "lists")
	}
	if c.Narrows() {
		out = append(out, "part")
	}
	if tasks := c.Tasks(); len(tasks) > 0 {
		out = append(out, "tasks "+strings.Join(tasks, " "))
	}
	if inner := c.Inner(); len(inner) > 0 {
		out = append(out, "runs "+strings.Join(inner, " "))
	}
	return strings.Join(out, ", ")
}

// kinds are the keys of the lines that a program prints, in the order of the constants.
func kinds() []string {
	return []string{
		"whole", "passed", "ended", "failed", "error", "counted", "words", "none", "none fails", "unstarted", "missing", "module", "package", "names", "clean", "unbuilt", "bare", "noise",
	}
}

// required are texts of which every match of an expression contains one, none if there are no
// such texts. Of several such lists it is the one whose shortest text is longest.
func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCharClass:
		var out []string
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1] && len(out) < 4; r++ {
				out = append(out, string(r))
			}
		}
		if len(out) < 3 {
			return out
		}
	case syntax.OpConcat:
		var best, run []string
		for _, sub := range re.Sub {
			some := required(sub)
			if sub.Op == syntax.OpLiteral || sub.Op == syntax.OpCharClass || sub.Op == syntax.OpAlternate && exact(sub) {
				run = joined(run, some)
			} else {
				run = nil
			}
			for _, list := range [][]string{some, run} {
				if shortest(list) > shortest(best) {
					best = list
				}
			}
		}
		return best
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			some := required(sub)
			if len(some) == 0 {
				return nil
			}
			out = append(out, some...)
		}
		return out
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	default: // the others contain no text, or any
	}
	return nil
}

// exact reports whether the expression is a choice of plain texts.
func exact(re *syntax.Regexp) bool {
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return sub.Op != syntax.OpLiteral || sub.Flags&syntax.FoldCase != 0 })
}

// joined are all texts that begin with one of a and continue with one of b.
func joined(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > 8 {
		return b
	}
	var out []string
	for _, head := range a {
		for _, tail := range b {
			out = append(out, head+tail)
		}
	}
	return out
}

func shortest(list []string) int {
	n := 0
	for i, s := range list {
		if i == 0 || len(s) < n {
			n = len(s)
		}
	}
	return n
}
