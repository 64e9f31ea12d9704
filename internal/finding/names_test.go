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
