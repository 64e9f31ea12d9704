package stop

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
)

// What an agent reads about one failing gate is short and mostly evidence, over the outputs
// that the benchmark has. The benchmark measures the same through the hook.
func TestTheReasonsOfTheCorpus(t *testing.T) {
	files, err := filepath.Glob("../../bench/reasons/*.txt")
	if err != nil || len(files) < 40 {
		t.Fatal(len(files), err)
	}
	root, one := "/home/me/project", 1
	var tokens, repeats []int
	var long, short []float64
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		command, output, _ := strings.Cut(string(data), "\n")
		output = strings.ReplaceAll(output, "{{ROOT}}", root)
		g := gate.Result{
			ID: "check:.:test", Kind: gate.KindCheck, Name: "test", Entry: ".", Status: gate.Fail, Message: "exit code 1", ExitCode: &one, DurationMS: 20,
			Command: command, LogPath: root + "/gauntlet_logs/check_._test.1.log", Tail: gate.LastLines(redact.String(output), 3000),
		}
		r := reason{res: run.Result{Gates: []gate.Result{g}}, verified: true, left: 2, strict: true, ask: true, root: root}
		first := r.String()
		r.repeat = true
		again := r.String()
		share := evidenceOf(first)
		lines := 0
		for l := range strings.Lines(output) {
			if strings.TrimSpace(l) != "" {
				lines++
			}
		}
		tokens, repeats = append(tokens, tokensOf(first)), append(repeats, tokensOf(again))
		least := 0.4
		if lines <= 2 {
			least = 0.35 // all of it is shown
		}
		if lines >= 10 {
			least = 0.6
			long = append(long, share)
		} else if lines > 0 {
			short = append(short, share)
		}
		if lines > 0 && share < least {
			t.Errorf("%s: %.0f %% evidence\n%s", filepath.Base(f), 100*share, first)
		}
		if lines == 0 && tokensOf(first) > 75 || tokensOf(first) > 400 {
			t.Errorf("%s: %d tokens", filepath.Base(f), tokensOf(first))
		}
		if os.Getenv("SHOW") != "" {
			t.Logf("%s: %d tokens, %d words, %.0f %%, repeat %d, lines %d\n%s\n----\n%s", filepath.Base(f), tokensOf(first), len(strings.Fields(first)), 100*share, tokensOf(again), lines, first, again)
		}
	}
	slices.Sort(tokens)
	slices.Sort(repeats)
	t.Logf("median %d, most %d; repeats %d; least evidence %.2f %.2f", tokens[len(tokens)/2], tokens[len(tokens)-1], repeats[len(repeats)/2], slices.Min(long), slices.Min(short))
	if m := tokens[len(tokens)/2]; m > 110 {
		t.Errorf("one failing gate: %d tokens in the median", m)
	}
	if m := repeats[len(repeats)/2]; m > 40 {
		t.Errorf("a repeat: %d tokens in the median", m)
	}
}

func tokensOf(s string) int { return max(len(strings.Fields(s)), len(s)/4) }

// evidenceOf is the share of words that say what failed: the indented lines, and in the
// others the gate, its command, its log and the command of the way out.
func evidenceOf(s string) float64 {
	words := 0
	for line := range strings.Lines(s) {
		switch {
		case strings.HasPrefix(line, "  "), strings.HasPrefix(line, "test: "):
			words += len(strings.Fields(line))
		case strings.HasPrefix(line, "log: "):
			words++
		case strings.Contains(line, `gauntlet ask "why"`):
			words += 3
		}
	}
	return float64(words) / float64(len(strings.Fields(s)))
}
