package tool

import "testing"

// Two texts are the same program if they differ in comments and layout only.
func TestCode(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		same       bool
	}{
		{"a.py", "x = 1\n", "# new\n\nx = 1  # noqa: C901\n", true},
		{"a.py", "def f():\n    return 1\n", "def f():\n    \"\"\"Text.\n\n    More.\n    \"\"\"\n    return 1\n", true},
		{"a.py", "x = 1\n", "  x = 1\n", false}, // layout has a meaning
		{"a.py", "x = \"a # b\"\n", "x = \"a # c\"\n", false},
		{"a.py", "x = \"\"\"\na\n\"\"\"\ny = 1\n", "x = \"\"\"\nb\n\"\"\"\ny = 1\n", false},
		{"a.py", "x = \"\"\"\na\n\"\"\"\ny = 1\n", "x = \"\"\"\na\n\"\"\"\ny = 2\n", false},
		{"a.go", "package a\nvar x = 1\n", "package a\n\n// Doc.\n/* more\nlines */\nvar x   = 1 // why\n", true},
		{"a.go", "var u = \"http://a\"\n", "var u = \"http://b\"\n", false},
		{"a.js", "f(1);\n", "f(2);\n", false},
		{"a.rb", "x = 1\n", "x = 1 # why\n", true},
	} {
		if got := Code(tt.name, tt.a) == Code(tt.name, tt.b); got != tt.same {
			t.Errorf("%s: %q and %q: %v, want %v\n%q\n%q", tt.name, tt.a, tt.b, got, tt.same, Code(tt.name, tt.a), Code(tt.name, tt.b))
		}
	}
	if !HasTestsWithin("a.rs", "fn f() {}\n#[cfg(test)]\nmod tests {}\n") || HasTestsWithin("a.rs", "fn f() {}\n") || HasTestsWithin("a.go", "package a\n") {
		t.Error("tests within code")
	}
}
