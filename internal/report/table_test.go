package report

import (
	"bytes"
	"strings"
	"testing"

	"gauntlet/internal/replay"
)

func printed(t *testing.T, table Table, columns int) []string {
	t.Helper()
	terminal := Terminal{}
	if columns > 0 {
		terminal.Size = func() (int, int) { return columns, 24 }
	}
	var b bytes.Buffer
	if err := table.Print(&b, terminal, func(_ int, line string) string { return line }); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for _, line := range lines {
		if columns > 0 && wide(line) >= columns {
			t.Errorf("%d columns: %q needs %d", columns, line, wide(line))
		}
	}
	return lines
}

func TestTableLeavesOutWholeColumns(t *testing.T) {
	text := Table{
		Head:  []string{"WHEN", "WHO", "WHAT"},
		Rows:  [][]string{{"11-15 22:45", "日本語", "a message that goes on"}, {"11-15 22:46", "me", "short"}},
		Spare: []string{"WHO", "WHEN"},
		Least: 10,
	}
	for columns, want := range map[int]string{
		0:  "11-15 22:45  日本語  a message that goes on",
		50: "11-15 22:45  日本語  a message that goes on",
		34: "11-15 22:45  日本語  a message",
		30: "11-15 22:45  a message that",
		20: "a message that goes",
		11: "a message",
	} {
		if got := printed(t, text, columns)[1]; got != want {
			t.Errorf("%d columns: %q, not %q", columns, got, want)
		}
	}
	figures := Table{
		Head:    []string{"GATE", "RUNS", "FAILED", "LIMIT"},
		Rows:    [][]string{{"a-rather-long-name-of-a-gate", "1234", "5", "5m00s"}},
		Spare:   []string{"LIMIT", "FAILED"},
		Figures: true,
	}
	for columns, want := range map[int]string{
		0:  "  a-rather-long-name-of-a-gate  1234       5  5m00s",
		52: "  a-rather-long-name-of-a-gate  1234       5  5m00s",
		45: "  a-rather-long-name-o…  1234       5  5m00s",
		36: "  a-rather-long-name…  1234       5",
		26: "  a-rather-long-na…  1234",
	} {
		if got := printed(t, figures, columns)[1]; got != want {
			t.Errorf("%d columns: %q, not %q", columns, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	narrow := Terminal{Size: func() (int, int) { return 30, 24 }}
	for in, want := range map[string]string{
		"":                        "",
		"a few words\tof\ntext":   "a few words of text",
		"a text that is too long": "a text that is too\n    long",
		"see /a/very/long/path/that/stays/whole now": "see\n    /a/very/long/path/that/stays/whole\n    now",
		"\x1b[31mred\x1b[0m":                         "red",
	} {
		if got := narrow.Wrap(in, 4+5); got != strings.ReplaceAll(want, "\n    ", "\n         ") {
			t.Errorf("%q: %q", in, got)
		}
		if got := (Terminal{}).Wrap(in, 4); strings.Contains(got, "\n") {
			t.Errorf("without a terminal %q breaks: %q", in, got)
		}
	}
}

func TestReplayFitsTheTerminal(t *testing.T) {
	r := replay.Report{Rules: []replay.Rule{{Rule: "check:.:a-rather-long-name-of-a-check", Stops: 12, WouldBlock: 3, Right: 2, Wrong: 1}}}
	var b bytes.Buffer
	ruleTable(&errWriter{w: &b}, r, Terminal{Size: func() (int, int) { return 40, 24 }})
	if got, want := b.String(), "\nRules\n  RULE               WOULD BLOCK  WRONG\n  check:.:a-rather…            3      1\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
