package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// section is one kind of work, done by several subjects.
type section struct {
	title   string
	method  string
	measure func(b *bench, t *table) error
}

// table is the result of a section.
type table struct {
	section
	rows []result
	base time.Duration // the base of the ratios
	bars []bar
}

// bar is a promise and the measured value.
type bar struct {
	promise, measured string
	kept              bool
}

func (b *bench) newTable(s section) *table {
	t := &table{section: s}
	b.tables = append(b.tables, t)
	return t
}

// add appends rows; the first row ever added is the base of the ratios.
func (t *table) add(rows ...result) {
	if t.base == 0 && len(rows) > 0 {
		t.base = rows[0].median
	}
	t.rows = append(t.rows, rows...)
}

func (b *bench) promise(t *table, kept bool, promise, measured string, args ...any) {
	if !kept {
		b.missed++
	}
	t.bars = append(t.bars, bar{promise, fmt.Sprintf(measured, args...), kept})
}

func (b *bench) report(took time.Duration) string {
	var w strings.Builder
	git, _ := exec.CommandContext(b.ctx, "git", "--version").Output()
	fmt.Fprintf(&w, `# Benchmarks

Written by `+"`make bench`"+` (`+"`go run ./bench`"+`); do not edit. Everything was measured in one run of %s on one machine:
%s/%s, %d cores, %s, %s. Peers, from npm, their native binaries: %s, %s.

How: every program of a table does the same work, in turn, round by round, so that other load falls on all of them alike. The first
round is thrown away. Times are wall clock from start to end of the process, median and least; ratios are between medians and to the first row.
Peak memory is the largest resident set of any single process of the program's tree (one smaller than the small launcher that started it shows as that). Each round is checked to have done the work (status, exit code,
files); one that did not ends the run. gauntlet and the empty Go program are built with the same flags and installed by copying. HOME is empty, nothing is cached between programs.
Not measured: agent-gauntlet 0.6, the nearest relative; npm has no package of that name.

`, took.Round(time.Second), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), strings.TrimSpace(string(git)), runtime.Version(), lefthookPackage, prekPackage)
	if b.peersMissing != "" {
		fmt.Fprintf(&w, "**The peers were not measured in this run:** %s.\n\n", b.peersMissing)
	}
	for _, t := range b.tables {
		fmt.Fprintf(&w, "## %s\n\n%s\n\n| | median | least | ratio | peak memory | rounds |\n| --- | ---: | ---: | ---: | ---: | ---: |\n", t.title, t.method)
		for _, r := range t.rows {
			if r.missing != "" {
				fmt.Fprintf(&w, "| %s | %s | | | | |\n", r.name, r.missing)
				continue
			}
			fmt.Fprintf(&w, "| %s | %s | %s | %.2f× | %.1f MB | %d |\n", r.name, ms(r.median), ms(r.min), float64(r.median)/float64(t.base), r.peakMB, r.rounds)
		}
		w.WriteString("\n")
		for _, bar := range t.bars {
			mark := "holds"
			if !bar.kept {
				mark = "**missed**"
			}
			fmt.Fprintf(&w, "- %s: %s (%s)\n", bar.promise, mark, bar.measured)
		}
		if len(t.bars) > 0 {
			w.WriteString("\n")
		}
	}
	return strings.TrimRight(w.String(), "\n") + "\n"
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
