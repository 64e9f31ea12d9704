// Command ahead measures how long agents wait at their stops when gates are proved ahead: on
// time lines of turns, with a simulated clock around the product's own decisions. Nothing is
// run, so that hundreds of turns take seconds.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"
)

func main() {
	file := flag.String("timelines", "bench/ahead/testdata/timelines.json", "`FILE` with the time lines: a list of turns with edits, tools, tests and stop, in seconds since the prompt")
	most := flag.Int("turns", 0, "use only the first `N` turns (0: all)")
	flag.Parse()
	turns, err := read(*file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ahead:", err)
		os.Exit(2)
	}
	if *most > 0 {
		turns = turns[:min(*most, len(turns))]
	}
	fmt.Print(measure(turns))
}

// turn is one human turn of an agent: seconds since the prompt.
type turn struct {
	Edits []float64    `json:"edits"` // an edit of a source file was done
	Tools [][2]float64 `json:"tools"` // a call that may change something, from when to when
	Tests [][2]float64 `json:"tests"` // those of them that run tests
	Stop  float64      `json:"stop"`
}

func read(file string) ([]turn, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var turns []turn
	if err := json.Unmarshal(data, &turns); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i, t := range turns {
		if t.Stop <= 0 || len(t.Edits) == 0 {
			return nil, fmt.Errorf("%s: turn %d has no edit or no stop", file, i)
		}
	}
	if len(turns) == 0 {
		return nil, fmt.Errorf("%s: no turns found", file)
	}
	return turns, nil
}

// results are what the turns of a bench came to.
type results struct {
	turns                int
	gate, median         time.Duration
	meanWait, cpu        float64 // as shares of what they are without
	proved, joined, late int
}

func (r results) String() string {
	return fmt.Sprintf("%d turns, gates of %.1f s in the median: %d proved before the stop, %d joined, %d run at the stop\nmean wait: %.0f %%\nmedian wait: %.1f s\nCPU: %.2f×\n",
		r.turns, r.gate.Seconds(), r.proved, r.joined, r.late, 100*r.meanWait, r.median.Seconds(), r.cpu)
}

// measure simulates every turn with a gate that takes as long as the turn's own test runs in
// the median. A turn without one has a gate of the median of all.
func measure(turns []turn) results {
	var all []time.Duration
	for _, t := range turns {
		all = append(all, t.runs()...)
	}
	usual := 5 * time.Second
	if len(all) > 0 {
		usual = middle(all)
	}
	r := results{turns: len(turns)}
	var waits, gates []time.Duration
	var wait, spent, without time.Duration
	for _, t := range turns {
		gate := usual
		if runs := t.runs(); len(runs) > 0 {
			gate = middle(runs)
		}
		end := simulate(t, gate)
		switch {
		case end.wait == 0:
			r.proved++
		case end.wait < gate:
			r.joined++
		default:
			r.late++
		}
		waits, gates = append(waits, end.wait), append(gates, gate)
		wait, spent, without = wait+end.wait, spent+end.spent, without+gate
	}
	r.gate, r.median = middle(gates), middle(waits)
	r.meanWait, r.cpu = float64(wait)/float64(without), float64(spent)/float64(without)
	return r
}

// runs are how long the test runs of a turn took.
func (t turn) runs() (out []time.Duration) {
	for _, run := range t.Tests {
		out = append(out, max(100*time.Millisecond, seconds(run[1]-run[0])))
	}
	return out
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func middle(list []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
