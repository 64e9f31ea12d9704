package run

import "testing"

// Text that attributes call binary is shown to the reviewer, binary files are not.
func TestTextOf(t *testing.T) {
	const text, image = "diff --git a/x b/x\nindex 1..2\n", "diff --git a/i b/i\nindex 1..2\n"
	diff := text + "Binary files a/x and b/x differ\n" + image + "Binary files a/i and b/i differ\n"
	whole := text + "--- a/x\n+++ b/x\n-GOOD\n+BAD\n" + image + "-\x00\n+\x00\x01\n"
	want := text + "--- a/x\n+++ b/x\n-GOOD\n+BAD\n" + image + "Binary files a/i and b/i differ\n"
	if got := string(textOf([]byte(diff), []byte(whole))); got != want {
		t.Errorf("%q", got)
	}
	if got := string(textOf([]byte(diff), []byte(text))); got != diff {
		t.Errorf("%q", got)
	}
}
