package finding

import "testing"

// A runner whose lines are only in the catalogue names its failed tests, too.
func TestTestsAreNamedFromTheCatalogue(t *testing.T) {
	for output, want := range map[string]string{
		"test/cart.js  • ✘ •   (2 / 3)\n\n   FAIL  \"rounds cents\"\n    Expected values to be strictly equal:  (is)\n\n  Total:     3\n  Passed:    2\n  Skipped:   0\n  Duration:  1.33ms\n": "rounds cents",
		"  ✘ [fail]: rounds cents\n  1 test failed\n": "rounds cents",
	} {
		r, err := Parse([]byte(output), Source{Format: "auto", Command: "npm test", Text: func(string) []byte { return nil }})
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Test != want {
			t.Errorf("%q: %+v (%v)", output, r.Findings, err)
		}
	}
}

// A test of a random value is the same test each time; one of another number is another.
func TestNamesOfRandomValues(t *testing.T) {
	for name, want := range map[string]string{
		"is a number 0.7263548219384 should be": "is a number 0.# should be", "adds 12 and 345": "adds 12 and 345", "1234567890": "#", "": "", "x": "x",
	} {
		if got := withoutRandom(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
