package git

import "testing"

func TestPatch(t *testing.T) {
	for _, tt := range []struct{ before, after, want string }{
		{"a\nb\n", "a\nb\n", ""},
		{"a\nb\nc\n", "a\nc\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@\n a\n-b\n c\n"},
		{"1\n2\n3\n4\n5\n", "1\n2\n3\n4\nFIVE\n", "--- a/f\n+++ b/f\n@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+FIVE\n"},
		{"x\n1\n2\n3\n4\n5\n6\n7\ny\n", "X\n1\n2\n3\n4\n5\n6\n7\nY\n", "--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n-x\n+X\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-y\n+Y\n"},
	} {
		if got := Patch("f", []byte(tt.before), []byte(tt.after)); got != tt.want {
			t.Errorf("%q → %q:\n%s\nwant\n%s", tt.before, tt.after, got, tt.want)
		}
	}
	if got := Patch("f", nil, []byte("a\n")); got != "--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n" {
		t.Error(got)
	}
	if got := Patch("f", []byte("a\n"), nil); got != "--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n" {
		t.Error(got)
	}
}
