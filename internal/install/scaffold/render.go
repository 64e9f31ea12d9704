package scaffold

import (
	"encoding/json"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/install/stack"
)

const sampleReview = "code-quality"

const sampleReviewText = `---
num_reviews: 1
---

# Code quality

Review the diff for real defects: wrong results, unhandled errors, races, leaks, security holes, and tests that
cannot fail. Name the file and line, say what goes wrong and when, and how to fix it. Leave style, naming and
matters of taste alone. A diff without a defect passes.
`

// renderConfig writes config.yml.
func renderConfig(entries []stack.Entry, gates []stack.Gate, reviewers []string) string {
	var b strings.Builder
	b.WriteString("# What a coding agent has to pass here before it may stop.\n")
	b.WriteString("# See it work: gauntlet run. All settings: gauntlet config. Errors: gauntlet validate.\n\n")
	b.WriteString("stop_hook:\n  run_interval_minutes: 0 # judge every stop; what did not change is not run again\n")
	if len(reviewers) > 0 {
		b.WriteString("\ncli:\n  default_preference: " + list(reviewers) + "\n")
	}
	switch {
	case len(entries) > 0 || len(reviewers) > 0:
		b.WriteString("\nentry_points:\n")
	default:
		b.WriteString("\n# No command was found that checks this project. Put one in .gauntlet/checks/test.yml\n" +
			"# (command: …) and name it here:\n# entry_points:\n#   - path: .\n#     checks: [test]\n")
	}
	reviewed := false
	for _, e := range entries {
		b.WriteString("  - path: " + scalar(e.Dir) + "\n")
		if len(e.Exclude) > 0 {
			b.WriteString("    exclude: " + list(e.Exclude) + "\n")
		}
		b.WriteString("    checks: " + list(e.Gates) + "\n")
		if e.Dir == "." && len(reviewers) > 0 && len(e.Exclude) == 0 {
			b.WriteString("    reviews: [" + sampleReview + "]\n")
			reviewed = true
		}
	}
	if len(reviewers) > 0 && !reviewed {
		b.WriteString("  - path: .\n    reviews: [" + sampleReview + "]\n")
	}
	b.WriteString("\n" + renderCheckpoint(entries, gates))
	return b.String()
}

// renderCheck writes one check.
func renderCheck(g stack.Gate) string {
	text := "# from " + comment(g.Why) + "\ncommand: " + scalar(g.Run) + "\n"
	switch g.Role {
	case stack.Lint, stack.Format, stack.Typecheck:
		text += "parallel: true\n"
	}
	return text
}

// comment keeps a file's name within its line.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}

// renderCheckpoint writes the checkpoint section: the stack's preset where one
// fits, else a category per part of the repository with its own test command.
func renderCheckpoint(entries []stack.Entry, gates []stack.Gate) string {
	tests := testsOf(entries, gates)
	text := "# What is still owed when the agent stops: see gauntlet checkpoint.\ncheckpoint:\n"
	if len(tests) == 0 {
		return text + "  commit_step: true\n"
	}
	if len(entries) == 1 && entries[0].Dir == "." && len(entries[0].Kinds) == 1 {
		if usual := presetTest(entries[0].Kinds[0]); usual != "" {
			text += "  preset: " + entries[0].Kinds[0] + "\n"
			if t := tests[0]; t.Run != usual {
				text += "  always:\n" + action("    ", "tests", t.Run, t.Evidence)
			}
			return text
		}
	}
	text += "  categories:\n"
	for _, t := range tests {
		id := "tests"
		if len(tests) > 1 {
			id = "tests-" + stack.Slug(t.label)
		}
		text += "    - name: " + scalar(t.label) + "\n      paths: " + list(t.paths) + "\n"
		if len(t.exclude) > 0 {
			text += "      exclude: " + list(t.exclude) + "\n"
		}
		text += "      actions:\n" + action("        ", id, t.shown(), t.Evidence)
	}
	return text
}

func action(indent, id, run string, evidence []string) string {
	return indent + "- id: " + scalar(id) + "\n" + indent + "  run: " + scalar(run) + "\n" + indent + "  evidence: " + list(evidence) + "\n"
}

// presetTest is the test command that a preset asks for, "" without a preset.
func presetTest(kind string) string {
	for _, a := range config.PresetOf(kind).Always {
		if a.ID == "tests" {
			return a.Run
		}
	}
	return ""
}

// part is a part of the repository and its test command.
type part struct {
	stack.Command
	dir, label     string
	paths, exclude []string
}

// shown is the test command as typed at the project root.
func (p part) shown() string {
	if p.dir == "." {
		return p.Run
	}
	return "cd " + shellWord(p.dir) + " && " + p.Run
}

func testsOf(entries []stack.Entry, gates []stack.Gate) []part {
	var out []part
	for _, e := range entries {
		for _, name := range e.Gates {
			i := slices.IndexFunc(gates, func(g stack.Gate) bool { return g.Name == name })
			if g := gates[i]; g.Role == stack.Test {
				out = append(out, partOf(e, g, out))
			}
		}
	}
	return out
}

// partOf is what a test command answers for. A Makefile's answers for all that
// is in its folder.
func partOf(e stack.Entry, g stack.Gate, before []part) part {
	kinds := []string{g.Kind}
	if g.Kind == stack.Make {
		kinds = e.Kinds
	}
	p := part{Command: g.Command, dir: e.Dir, label: e.Dir, exclude: folders(e.Exclude)}
	if e.Dir == "." {
		p.label = strings.Join(kinds, "-")
	}
	if slices.ContainsFunc(before, func(o part) bool { return o.label == p.label }) {
		p.label += " " + strings.Join(kinds, "-")
	}
	for _, kind := range kinds {
		p.paths = append(p.paths, sources(e.Dir, kind)...)
	}
	return p
}

func folders(dirs []string) []string {
	var out []string
	for _, d := range dirs {
		out = append(out, d+"/**")
	}
	return out
}

// sources are globs of the files that a kind of project is made of.
func sources(dir, kind string) []string {
	prefix := ""
	if dir != "." {
		prefix = dir + "/"
	}
	endings := map[string]string{
		stack.Go:     "{go,mod,sum}",
		stack.Node:   "{js,jsx,mjs,cjs,ts,tsx,mts,cts,vue,svelte}",
		stack.Python: "{py,pyi}",
		stack.Rust:   "{rs,toml}",
		stack.Java:   "{java,kt,kts,groovy,gradle,xml}",
		stack.Make:   "{c,cc,cpp,h,hpp,go,py,js,ts,rs,java,sh}",
	}
	return []string{prefix + "**/*." + endings[kind]}
}

// list writes a flow sequence.
func list(items []string) string {
	out := make([]string, 0, len(items))
	for _, s := range items {
		out = append(out, scalar(s))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// scalar writes a text that YAML reads as that very text, in a block or in a
// flow sequence.
func scalar(s string) string {
	plain := s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] == '.')
	for _, r := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ._/=-", r) {
			plain = false
		}
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n", ".inf", ".nan":
		plain = false
	}
	if len(s) > 1 && s[0] == '.' && s[1] >= '0' && s[1] <= '9' { // a number
		plain = false
	}
	if plain && strings.TrimSpace(s) == s {
		return s
	}
	var quoted strings.Builder
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // cannot be: a text always encodes
		return `""`
	}
	return strings.TrimSuffix(quoted.String(), "\n")
}

// shellWord quotes a folder for sh.
func shellWord(s string) string {
	if strings.HasPrefix(s, "-") {
		s = "./" + s // not an option
	}
	for _, r := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-", r) {
			return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
	}
	return s
}
