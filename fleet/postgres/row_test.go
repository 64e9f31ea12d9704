package postgres

import (
	"math"
	"testing"
)

// A number that is not finite is 0: JSON cannot say it.
func TestRowsHaveFiniteNumbers(t *testing.T) {
	for i, v := range []any{math.NaN(), math.Inf(1), math.Inf(-1), "NaN", "Infinity", "x"} {
		if got := (row{v}).Float(0); got != 0 {
			t.Errorf("%d: %v", i, got)
		}
	}
	if got := (row{1.5}).Float(0); got != 1.5 {
		t.Error(got)
	}
}
