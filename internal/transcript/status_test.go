package transcript

import "testing"

func TestStatusInWords(t *testing.T) {
	for _, tt := range []struct {
		output string
		one    bool
		rest   string
	}{
		{"", false, ""},
		{"Exit code 1", true, ""},
		{"Exit code 1\nno such file", true, "no such file"},
		{"Exit code 12\nno such file", false, "no such file"},
		{"Output: (empty)\nExit Code: 1", true, ""},
		{"Exit Code: 1\nSignal: 0", true, "Exit Code: 1\nSignal: 0"},
		{"it printed Exit code 1\n", false, "it printed Exit code 1"},
		{" plain \n", false, "plain"},
	} {
		if got := PrintsStatusOne(tt.output); got != tt.one {
			t.Errorf("%q: %v", tt.output, got)
		}
		if got := WithoutStatus(tt.output); got != tt.rest {
			t.Errorf("%q: %q, want %q", tt.output, got, tt.rest)
		}
	}
}
