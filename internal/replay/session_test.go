package replay

import "testing"

// A log may come from another system.
func TestInside(t *testing.T) {
	for _, tt := range []struct{ root, dir, name, want string }{
		{"/repo", "/repo/a", "b.go", "a/b.go"},
		{"/repo", "", "/repo/a/b.go", "a/b.go"},
		{"/repo", "", "/other/b.go", ""},
		{"/repo", "", "/repo/.git/config", ""},
		{`D:\repo`, `D:\repo`, `D:\repo\a\b.go`, "a/b.go"},
		{`D:\repo`, `d:\repo\a`, `b\c.go`, "a/b/c.go"},
		{`D:\repo`, "", `D:\x\b.go`, ""},
	} {
		got, ok := inside(tt.root, tt.dir, tt.name)
		if !ok {
			got = ""
		}
		if got != tt.want {
			t.Errorf("inside(%q, %q, %q) = %q, want %q", tt.root, tt.dir, tt.name, got, tt.want)
		}
	}
}
