package setup

import (
	_ "embed" // the table
	"strings"
	"sync"
)

// Kinds of projects, by language. A command without a kind covers all of them.
const (
	Go      = "go"
	Node    = "node"
	Python  = "python"
	Rust    = "rust"
	Java    = "java"
	Ruby    = "ruby"
	PHP     = "php"
	Dotnet  = "dotnet"
	Elixir  = "elixir"
	C       = "c"
	Zig     = "zig"
	Deno    = "deno"
	Shell   = "shell"
	Bazel   = "bazel"
	Swift   = "swift"
	Dart    = "dart"
	Scala   = "scala"
	Haskell = "haskell"
	Docs    = "docs"
)

// tool is what a program is for: itself, or by its sub-command.
type tool struct {
	kind string
	role Role            // of the bare program
	subs map[string]Role // by sub-command; "" is the program without one
}

//go:embed tools.txt
var toolRows string

// toolsByName are the programs that check things, read once.
var toolsByName = sync.OnceValue(func() map[string]tool {
	byName := map[string]tool{}
	for row := range strings.Lines(toolRows) {
		cells := strings.Split(strings.TrimSpace(row), " | ")
		if strings.HasPrefix(row, "#") || len(cells) != 3 {
			continue
		}
		t := tool{kind: strings.TrimPrefix(cells[0], "-")}
		for role := range strings.FieldsSeq(cells[2]) {
			sub, of, bySub := strings.Cut(role, "=")
			switch {
			case !bySub:
				t.role = Role(strings.TrimPrefix(role, "-"))
			case t.subs == nil:
				t.subs = map[string]Role{sub: Role(of)}
			default:
				t.subs[sub] = Role(of)
			}
		}
		for name := range strings.FieldsSeq(cells[1]) {
			if cells[0] == "*" {
				t.kind = strings.ToLower(name)
			}
			byName[name] = t
		}
	}
	return byName
})

// toolOf is what a program is for.
func toolOf(name string) (tool, bool) {
	t, known := toolsByName()[name]
	return t, known
}
