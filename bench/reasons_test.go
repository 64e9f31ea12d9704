package main

import (
	"os"
	"testing"
)

// What the benchmark promises about reasons holds: it is counted, so that it is the same on
// every machine.
func TestTheAgentReadsMostlyEvidence(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED LOUDLY: eighty stops take most of a minute")
	}
	if err := os.Chdir(".."); err != nil { // as `make bench` is called
		t.Fatal(err)
	}
	b := &bench{ctx: t.Context(), scale: 1, dir: t.TempDir()}
	if err := b.prepare(); err != nil {
		t.Fatal(err)
	}
	table := b.newTable(theReason)
	if err := theReason.measure(b, table); err != nil {
		t.Fatal(err)
	}
	for _, bar := range table.bars {
		t.Logf("%s: %s", bar.promise, bar.measured)
		if !bar.kept {
			t.Errorf("missed: %s: %s", bar.promise, bar.measured)
		}
	}
}
