package setup

import "gauntlet/internal/tool"

// Role is what a command is for.
type Role = tool.Role

// Roles, in the order in which gates are proposed: quick ones first.
const (
	Format    = tool.Format
	Lint      = tool.Lint
	Typecheck = tool.Typecheck
	Check     = tool.Check
	Build     = tool.Build
	Test      = tool.Test
)

func roles() []Role { return []Role{Format, Lint, Typecheck, Check, Build, Test} }

// Kinds of projects, by language as the catalogue of tools names them. A command without a
// kind covers all of them.
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

// Reasons that a name gives.
const (
	needsMore = "end-to-end tests need more than the work tree"
	neverEnds = "never ends"
)

// unfitName is why something of that name is not a gate, although it checks.
func unfitName(name string) string {
	for _, w := range tool.Words(name) {
		switch w {
		case "e2e", "playwright", "cypress", "browser", "browsers", "acceptance", "smoke", "storybook":
			return needsMore
		case "watch", "dev", "serve", "debug":
			return neverEnds
		case "fix", "autofix", "update", "write", "apply":
			return "rewrites files"
		case "generate", "generator", "codegen":
			return "generates files; it does not check"
		case "install", "uninstall", "bootstrap", "provision":
			return "installs something"
		case "publish", "prepublish", "prepublishonly", "prepack", "release", "deploy", "upload", "push", "docker", "image":
			return "publishes or deploys"
		case "bench", "benchmark", "benchmarks", "perf", "fuzz", "mutation":
			return "measures or searches; it does not check"
		}
	}
	return ""
}
