package shellcmd

import (
	"path"
	"slices"
	"strings"
)

// TestFile is the test file that the command runs as a program: python3 tests/test_x.py,
// node test/x.test.js; "" for any other command.
func (c Command) TestFile() string { return testFile(c.Argv()) }

func testFile(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	if namesTestFile(argv[0]) { // ./tests/test_x.py, uv run tests/test_x.py
		return argv[0]
	}
	name := base(argv[0])
	var elsewise []string // options with which it does not run the file
	switch {
	case isPython(name):
		elsewise = []string{"-c", "-m"}
	case name == "node" || name == "tsx" || name == "ts-node":
		elsewise = []string{"-c", "--check", "-e", "--eval", "-p", "--print"}
	case name == "ruby":
		elsewise = []string{"-c", "-e", "-n"}
	default:
		return ""
	}
	args := Operands(argv)
	if len(args) == 0 || !namesTestFile(args[0]) {
		return ""
	}
	options := argv[1:slices.Index(argv, args[0])]
	if slices.ContainsFunc(options, func(o string) bool {
		return slices.Contains(elsewise, o) || isCluster(o) && slices.Contains(elsewise, "-"+o[len(o)-1:])
	}) {
		return ""
	}
	return args[0]
}

// namesTestFile reports whether a program is named as the tools of its language name test
// files.
func namesTestFile(file string) bool {
	ext := path.Ext(file)
	stem := strings.TrimSuffix(path.Base(file), ext)
	switch ext {
	case ".py":
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test")
	case ".rb":
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec")
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec")
	}
	return false
}
