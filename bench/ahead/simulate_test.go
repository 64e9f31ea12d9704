package main

import (
	"testing"
	"time"
)

func TestSimulate(t *testing.T) {
	for name, tt := range map[string]struct {
		turn        turn
		gate        time.Duration
		wait, spent time.Duration
	}{
		"proved before the stop":              {turn{Edits: []float64{10}, Tools: [][2]float64{{10, 10}, {11, 12}}, Stop: 60}, 5 * time.Second, 0, 5 * time.Second},
		"joined at the stop":                  {turn{Edits: []float64{10}, Tools: [][2]float64{{10, 10}, {11, 12}}, Stop: 16}, 5 * time.Second, 4 * time.Second, 5 * time.Second},
		"stopped before a quiet moment":       {turn{Edits: []float64{10}, Tools: [][2]float64{{10, 10}, {11, 12}}, Stop: 14}, 5 * time.Second, 5 * time.Second, 5 * time.Second},
		"only edits, and no time":             {turn{Edits: []float64{10}, Tools: [][2]float64{{10, 10}}, Stop: 20}, 5 * time.Second, 5 * time.Second, 5 * time.Second},
		"given up for another edit":           {turn{Edits: []float64{10, 20}, Tools: [][2]float64{{11, 12}, {21, 22}}, Stop: 90}, 20 * time.Second, 0, 25 * time.Second},
		"an older content was proved in vain": {turn{Edits: []float64{10, 40}, Tools: [][2]float64{{11, 12}, {41, 42}}, Stop: 90}, 5 * time.Second, 0, 10 * time.Second},
		"no more than half as much again":     {turn{Edits: []float64{10, 40, 70}, Tools: [][2]float64{{11, 12}, {41, 42}, {71, 72}}, Stop: 120}, 5 * time.Second, 5 * time.Second, 15 * time.Second},
		"a gate that takes a second":          {turn{Edits: []float64{10}, Tools: [][2]float64{{11, 12}}, Stop: 16}, time.Second, 0, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			if got := simulate(tt.turn, tt.gate); got.wait != tt.wait || got.spent != tt.spent {
				t.Errorf("waited %s, spent %s; want %s, %s", got.wait, got.spent, tt.wait, tt.spent)
			}
		})
	}
}

func TestSample(t *testing.T) {
	turns, err := read("testdata/timelines.json")
	if err != nil {
		t.Fatal(err)
	}
	r := measure(turns)
	if r.turns != 8 || r.proved+r.joined+r.late != 8 || r.meanWait > 0.5 || r.cpu < 1 || r.cpu > 1.6 || r.median > 100*time.Millisecond {
		t.Errorf("%s", r)
	}
	if _, err := read("testdata/none.json"); err == nil {
		t.Error("a missing file was read")
	}
}
