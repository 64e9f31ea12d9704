package rules

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/shell"
)

// The corpus: situations as text, with what a stop has to say about each. A
// case begins with "== title"; files that many cases share stand in lines
// before the first one.
//
//	config: {preset: go}        the checkpoint section
//	files: a b                  what changed
//	read|edit|write|search F    a tool call; edit! failed, edit? has no result, edit# was refused
//	$ command                   a shell call that succeeded; \n is a line break
//	$! command, $2! command     … that failed, with status 1 or 2
//	$1 command                  … whose status 1 the client does not take for a failure
//	$? $& $# command            … without a result, still in the background, refused
//	> line                      a line of the last call's output
//	@ dir                       the last call's directory
//	earlier F, earlier$ command what was seen before this turn
//	unreadable, truncated, gitfailed, age 5m, written F 3 (the third call wrote F)
//	task CALL = COMMAND          what a task runs, by the project's files; several lines add up
//	member DIR = NAME            the name that the manifest in a folder gives it
//	gate NAME passed|missing COMMAND  a gate, judged on the content as it is now
//	$~ command                  a shell call that came back without a status
//	says TEXT                   the agent's last message; unfinished F… got a TODO
//	plan slug F…                the work item
//	tests pass|fail|broken text the configured test run
//	= outcome ids…              expected outcome and actions (without commit)
//	~ ids…                      expected to be proved
//	- kind detail               expected observation
//	message text                the message contains it; message! does not
type situation struct {
	file, title string
	in          Input
	outcome     string
	actions     []string
	proved      []string
	observed    []string
	says, not   []string
	tasks       map[string][]string
	formats     bool // can be written as a transcript
}

const corpusRoot = "/repo"

var corpusStart = time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)

func loadCorpus(t *testing.T) []situation {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "corpus", "*.txt"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	var all []situation
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parseCorpus(t, filepath.Base(name), string(text))...)
	}
	return all
}

func parseCorpus(t *testing.T, file, text string) []situation {
	t.Helper()
	head, rest, _ := strings.Cut(text, "\n== ")
	var out []situation
	for block := range strings.SplitSeq(rest, "\n== ") {
		title, body, _ := strings.Cut(block, "\n")
		s := situation{file: file, title: title, formats: true}
		s.in.Roots = []string{corpusRoot}
		s.in.Now = corpusStart.Add(90 * time.Second)
		s.in.TurnStart = corpusStart
		s.in.Turn.Readable, s.in.Turn.Whole = true, true
		for n, line := range strings.Split(head+"\n"+body, "\n") {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if !s.line(t, line) {
				t.Fatalf("%s: %s: line %d not understood: %s", file, title, n, line)
			}
		}
		if s.outcome == "" {
			t.Fatalf("%s: %s: nothing expected", file, title)
		}
		out = append(out, s)
	}
	return out
}

func (s *situation) line(t *testing.T, line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	in := &s.in
	switch word {
	case "config:":
		cfg := &config.Checkpoint{}
		if err := yaml.Unmarshal([]byte(rest), cfg); err != nil {
			t.Fatalf("%s: %v", s.title, err)
		}
		in.Config = cfg
	case "files:":
		in.Changed = nil
		for _, f := range strings.Fields(rest) {
			in.Changed = append(in.Changed, Change{Path: f})
		}
	case "says":
		in.Turn.LastMessage, s.formats = strings.ReplaceAll(rest, `\n`, "\n"), false
	case "unfinished":
		in.Unfinished = strings.Fields(rest)
	case "unreadable":
		in.Turn.Readable, s.formats = false, false
	case "truncated":
		in.Turn.Truncated, s.formats = true, false
	case "gitfailed":
		in.GitFailed = true
	case "age":
		age, err := time.ParseDuration(rest)
		if err != nil {
			t.Fatal(err)
		}
		in.Now = in.TurnStart.Add(age)
	case "written":
		name, nth, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(nth)
		for i := range in.Changed {
			if in.Changed[i].Path == name {
				in.Changed[i].ModTime = callTime(n - 1).Add(300 * time.Millisecond)
			}
		}
	case "task":
		name, command, _ := strings.Cut(rest, " = ")
		if s.tasks == nil {
			s.tasks = map[string][]string{}
			in.Tasks = s.runs
		}
		s.tasks[name] = append(s.tasks[name], command)
	case "member":
		dir, name, _ := strings.Cut(rest, " = ")
		in.Members = func(of string) []string { return map[string][]string{dir: {name}}[of] }
	case "gate":
		words := strings.SplitN(rest, " ", 3)
		in.Gates = append(in.Gates, Gate{Name: words[0], Passed: words[1] == "passed", CouldNotRun: words[1] == "missing", Command: words[2]})
	case "plan":
		words := strings.Fields(rest)
		in.Plan = &Plan{Slug: words[0], Files: words[1:]}
	case "tests":
		how, output, _ := strings.Cut(rest, " ")
		in.Tests = &TestRun{Command: "pytest tests/unit/ -x -q", Passed: how == "pass", Output: output, Duration: 3200 * time.Millisecond}
		if how == "broken" {
			in.Tests.Err, in.Tests.Output = output, ""
		}
	case "earlier":
		in.Turn.Earlier = append(in.Turn.Earlier, event.ToolCall{Kind: event.ToolRead, Paths: []string{rest}, Outcome: event.Success})
	case "earlier$":
		in.Turn.Earlier = append(in.Turn.Earlier, event.ToolCall{Kind: event.ToolShell, Command: rest, Outcome: event.Success})
	case ">":
		c := &in.Turn.Calls[len(in.Turn.Calls)-1]
		s.formats = s.formats && !c.Background // a poll is another call in every format
		c.Output += strings.ReplaceAll(rest, `\t`, "\t") + "\n"
	case "@":
		in.Turn.Calls[len(in.Turn.Calls)-1].Dir = rest
	case "=":
		words := strings.Fields(rest)
		s.outcome, s.actions = words[0], words[1:]
	case "~":
		s.proved = strings.Fields(rest)
	case "-":
		s.observed = append(s.observed, rest)
	case "message":
		s.says = append(s.says, rest)
	case "message!":
		s.not = append(s.not, rest)
	default:
		return s.call(word, rest)
	}
	return true
}

func callTime(i int) time.Time { return corpusStart.Add(time.Duration(i+1) * time.Second) }

func (s *situation) call(word, rest string) bool {
	i := len(s.in.Turn.Calls)
	c := event.ToolCall{ID: "call-" + strconv.Itoa(i), Outcome: event.Success, At: callTime(i)}
	kind := strings.TrimRight(word, "!?#&")
	switch {
	case strings.HasPrefix(word, "$"):
		c.Kind, c.Name = event.ToolShell, "Bash"
		c.Command = strings.ReplaceAll(rest, `\n`, "\n")
		c.HasExit = true
		if n, err := strconv.Atoi(strings.Trim(word, "$!")); err == nil {
			c.ExitCode = n
		}
	case kind == "read" || kind == "edit" || kind == "write" || kind == "search":
		c.Kind, c.Name = event.ToolKind(kind), strings.ToUpper(kind[:1])+kind[1:]
		for _, f := range strings.Fields(rest) {
			if !strings.HasPrefix(f, "/") {
				f = corpusRoot + "/" + f
			}
			c.Paths = append(c.Paths, f)
		}
	default:
		return false
	}
	switch {
	case strings.HasSuffix(word, "!"):
		c.Outcome = event.Failure
		if c.HasExit && c.ExitCode == 0 {
			c.ExitCode = 1
		}
	case strings.HasSuffix(word, "?"):
		c.Outcome, c.HasExit = event.Unknown, false
	case strings.HasSuffix(word, "~"):
		c.Outcome, c.HasExit, c.Ended = event.Unknown, false, true
	case strings.HasSuffix(word, "&"):
		c.Outcome, c.HasExit, c.Background = event.Unknown, false, true
	case strings.HasSuffix(word, "#"):
		c.Outcome, c.HasExit, c.Rejected = event.Failure, false, true
	}
	s.in.Turn.Calls = append(s.in.Turn.Calls, c)
	return true
}

// runs is Input.Tasks for the tasks of a situation.
func (s *situation) runs(c shell.Command, _ string) ([]shell.Command, bool) {
	var out []shell.Command
	for _, argv := range c.Views {
		for _, text := range s.tasks[strings.Join(argv, " ")] {
			out = append(out, shell.Parse(text).Commands...)
		}
	}
	return out, len(out) > 0
}

// score compares the actual answer with the expected one.
type score struct{ falseNudges, missedGaps int }

func (sc *score) compare(t *testing.T, what string, s situation, got Result) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s (%s): "+format, append([]any{s.file, s.title, what}, args...)...)
	}
	if string(got.Outcome) != s.outcome {
		fail("outcome %s, want %s", got.Outcome, s.outcome)
	}
	var actions, proved, observed []string
	for _, a := range got.Actions {
		if a.ID != "commit" {
			actions = append(actions, a.ID)
		}
	}
	for _, p := range got.Suppressed {
		proved = append(proved, p.ID)
	}
	for _, o := range got.Observations {
		observed = append(observed, strings.TrimSpace(string(o.Kind)+" "+o.Category+o.Error))
	}
	extra, missing := difference(actions, s.actions)
	sc.falseNudges += len(extra)
	sc.missedGaps += len(missing)
	if !slices.Equal(actions, s.actions) {
		fail("actions %v, want %v", actions, s.actions)
	}
	if s.proved != nil && !slices.Equal(sorted(proved), sorted(s.proved)) {
		fail("proved %v, want %v", proved, s.proved)
	}
	extra, missing = difference(observed, s.observed)
	sc.falseNudges += len(extra)
	sc.missedGaps += len(missing)
	if len(extra)+len(missing) > 0 {
		fail("observed %q, want %q", observed, s.observed)
	}
	for _, text := range s.says {
		if !strings.Contains(got.Message, text) {
			fail("message lacks %q:\n%s", text, got.Message)
		}
	}
	for _, text := range s.not {
		if strings.Contains(got.Message, text) {
			fail("message has %q:\n%s", text, got.Message)
		}
	}
	if len(got.Message) >= 2000 {
		fail("message of %d bytes", len(got.Message))
	}
	if got.Outcome == Owed != got.Blocks() {
		fail("blocks: %v", got.Blocks())
	}
}

func difference(got, want []string) (extra, missing []string) {
	for _, g := range got {
		if !slices.Contains(want, g) {
			extra = append(extra, g)
		}
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			missing = append(missing, w)
		}
	}
	return extra, missing
}

func sorted(list []string) []string {
	out := slices.Clone(list)
	sort.Strings(out)
	return out
}

func TestCorpus(t *testing.T) {
	all := loadCorpus(t)
	if len(all) < 150 {
		t.Errorf("only %d situations", len(all))
	}
	var sc score
	for _, s := range all {
		sc.compare(t, "values", s, Decide(s.in))
	}
	t.Logf("%d situations: %d false nudges, %d missed gaps", len(all), sc.falseNudges, sc.missedGaps)
}
