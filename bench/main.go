// Command bench measures gauntlet beside an empty Go program, git and its
// peers (lefthook and prek, from npm) on the same work in one run, and writes
// the result as bench/RESULTS.md. It drives the built binary only, the way
// an agent or a person would; it imports nothing of the product.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == launchFlag {
		os.Exit(launch(os.Args[2:]))
	}
	out := flag.String("o", filepath.Join("bench", "RESULTS.md"), "where the report goes; - is stdout")
	only := flag.String("only", "", "run only the sections whose title matches this regular expression")
	scale := flag.Float64("scale", 1, "multiplies the number of rounds")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, *only, *scale); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, only string, scale float64) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	b, err := newBench(ctx, scale)
	if err != nil {
		return err
	}
	defer b.close()
	start := time.Now()
	for _, s := range []section{
		fastPaths, oneCheck, tenParallel, unchanged, largeRepository, oneGigabyte,
		checkpointLarge, checkpointTranscripts, autonomousCheckpoint, workflowState, thePage, theReason,
	} {
		if !match.MatchString(s.title) {
			continue
		}
		fmt.Fprintf(os.Stderr, "bench: %s\n", s.title)
		if err := s.measure(b, b.newTable(s)); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
	}
	report := b.report(time.Since(start))
	if out == "-" {
		_, err = os.Stdout.WriteString(report)
		return err
	}
	if err := os.WriteFile(out, []byte(report), 0o644); err != nil {
		return err
	}
	if b.missed > 0 {
		return fmt.Errorf("%d bars missed, see %s", b.missed, out)
	}
	return nil
}
