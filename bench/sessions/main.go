// Command sessions replays recorded sessions of coding agents against the
// checkpoint and compares every answer with a simple oracle of its own: was a
// test-like command seen to pass after the last edit of code? It believes no run
// that a later one contradicts, that was not about what changed, or that ran no
// test. It shares the reading of transcripts with the product, and nothing with
// the rules it measures. Wrong blocks are counted per stop with a passing test:
// where nothing was tested, asking for tests cannot be wrong.
//
// The directory it is given holds one directory per project:
//
//	PROJECT/sessions/*.jsonl   the agents' own logs
//	PROJECT/tree               the project, with the .gauntlet that init wrote
//
//	go run ./bench/sessions -samples 5 DIR
//
// Sessions are other people's words: keep them out of the repository.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	samples := flag.Int("samples", 0, "print so many stops of every kind and cause, to be read")
	only := flag.String("only", "", "replay only the projects whose name contains this")
	blind := flag.Int("blind", 0, "print so many random code stops without the checkpoint's answer, then the answers")
	asJSON := flag.Bool("json", false, "print one line of JSON per code stop")
	bare := flag.Bool("bare", false, "hide the project's task files from the checkpoint: only names show what a task runs")
	seed := flag.Int64("seed", 1, "which random stops")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: sessions [-samples N] [-only NAME] [-bare] [-blind N] DIR")
		os.Exit(2)
	}
	projects, err := replayAll(flag.Arg(0), *only, *bare)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sessions:", err)
		os.Exit(1)
	}
	if *asJSON {
		printJSON(os.Stdout, projects)
		return
	}
	if *blind > 0 {
		printBlind(os.Stdout, projects, *blind, *seed)
		return
	}
	printReport(os.Stdout, projects, *samples)
}
