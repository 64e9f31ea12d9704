package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed reasons/*.txt
var reasonCorpus embed.FS

// reason is one failure of a gate: what it ran and printed, and what the agent read.
type reason struct {
	name, command, output string
	first, again          string
}

var theReason = section{
	title: "What the agent reads",
	method: "Forty outputs of ten kinds of gates (`bench/reasons`), each judged by `gauntlet stop-hook` with preset `strict`, then once more after an unrelated edit. " +
		"Tokens are the larger of the words and a quarter of the bytes (the rule of `gauntlet tokens --estimate`). " +
		"Evidence is the share of words that are output, names, commands (the way out included) and paths.",
	measure: func(b *bench, t *table) error {
		all, err := b.reasons()
		if err != nil {
			return err
		}
		var tokens, repeats, quiet []int
		var long, short []float64
		for _, r := range all {
			tokens, repeats = append(tokens, estimate(r.first)), append(repeats, estimate(r.again))
			switch lines := len(strings.Fields(strings.ReplaceAll(strings.ReplaceAll(r.output, " ", ""), "\t", ""))); {
			case lines == 0:
				quiet = append(quiet, estimate(r.first))
			case lines >= 10:
				long = append(long, evidence(r.first))
			default:
				short = append(short, evidence(r.first))
			}
			if estimate(r.first) > 400 || len([]rune(r.first)) > 4000 {
				return fmt.Errorf("%s: %d tokens", r.name, estimate(r.first))
			}
		}
		b.promise(t, middle(tokens) <= 110, "one failing gate: at most 110 tokens in the median", "%d; most %d, of %d reasons", middle(tokens), slices.Max(tokens), len(all))
		b.promise(t, middle(repeats) <= 40, "the same failure again: at most 40 tokens in the median", "%d; most %d", middle(repeats), slices.Max(repeats))
		b.promise(t, slices.Max(quiet) <= 75, "a gate that printed nothing: at most 75 tokens", "%d", slices.Max(quiet))
		b.promise(t, middle(long) >= 0.6, "ten lines or more: at least 60 % evidence in the median", "%.0f %%; least %.0f %%", 100*middle(long), 100*slices.Min(long))
		b.promise(t, middle(short) >= 0.4, "fewer lines: at least 40 % evidence in the median", "%.0f %%; least %.0f %%", 100*middle(short), 100*slices.Min(short))
		return nil
	},
}

// reasons makes the product judge every output of the corpus.
func (b *bench) reasons() ([]reason, error) {
	files, err := reasonCorpus.ReadDir("reasons")
	if err != nil {
		return nil, err
	}
	dir, err := b.repository("reasons", 3, map[string]string{
		".gitignore": "gauntlet_logs/\n", ".gauntlet/checks/test.yml": "command: \"true\"\n",
		".gauntlet/config.yml": "base_branch: main\nentry_points: [{path: ., checks: [test]}]\nstop_hook: {preset: strict, max_blocks: 9}\n",
	})
	if err != nil {
		return nil, err
	}
	var all []reason
	for i, f := range files {
		text, err := reasonCorpus.ReadFile("reasons/" + f.Name())
		if err != nil {
			return nil, err
		}
		command, output, _ := strings.Cut(string(text), "\n")
		r := reason{name: f.Name(), command: command, output: strings.ReplaceAll(output, "{{ROOT}}", dir)}
		check, _ := json.Marshal(command)
		tool := strings.Fields(command)[0] // a program of this name prints what was recorded
		for file, content := range map[string]string{
			".gauntlet/checks/test.yml": "command: " + string(check) + "\n", "gauntlet_logs/said": r.output, "src/work.txt": f.Name() + "\n",
			"gauntlet_logs/bin/" + tool: "#!/bin/sh\ncat " + dir + "/gauntlet_logs/said\nexit 1\n",
		} {
			if err := write(dir, file, content); err != nil {
				return nil, err
			}
		}
		if err := os.Chmod(filepath.Join(dir, "gauntlet_logs/bin", tool), 0o755); err != nil {
			return nil, err
		}
		if r.first, err = b.reasonAt(dir, i); err == nil {
			if err = write(dir, "src/more.txt", f.Name()+"\n"); err == nil {
				r.again, err = b.reasonAt(dir, i)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		all = append(all, r)
	}
	return all, nil
}

func (b *bench) reasonAt(dir string, session int) (string, error) {
	out, err := b.hook(dir, event(dir, "/nowhere.jsonl", session, ""), "PATH="+filepath.Join(dir, "gauntlet_logs/bin")+":"+os.Getenv("PATH")).Output()
	var verdict struct{ Decision, Reason string }
	if err == nil {
		err = json.Unmarshal(out, &verdict)
	}
	if err != nil || verdict.Decision != "block" {
		return "", fmt.Errorf("not blocked: %s (%w)", out, err)
	}
	return verdict.Reason, nil
}

func estimate(s string) int { return max(len(strings.Fields(s)), len(s)/4) }

// evidence is the share of words that say what failed: the indented lines, and in the others
// the gate, its command, its log and the command of the way out.
func evidence(s string) float64 {
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

func middle[T int | float64](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}
