package setup

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/tool"
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

// renderConfig writes config.yml, with the checkpoint section.
func renderConfig(entries []Entry, reviewers []string, checkpoint string) string {
	var b strings.Builder
	b.WriteString("# What a coding agent has to pass here before it may stop.\n")
	b.WriteString("# Try it: gauntlet run --all. All settings: gauntlet config. Errors: gauntlet config check.\n\n")
	b.WriteString("stop_hook:\n  preset: strict # judge every stop, verify fixes, judge only what the session changed\n")
	if len(reviewers) > 0 {
		b.WriteString("\ncli:\n" + sequence("  ", "default_preference", reviewers))
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
			b.WriteString(sequence("    ", "exclude", e.Exclude))
		}
		b.WriteString(sequence("    ", "checks", e.Gates))
		if e.Dir == "." && len(reviewers) > 0 && len(e.Exclude) == 0 {
			b.WriteString("    reviews: [" + sampleReview + "]\n")
			reviewed = true
		}
	}
	if len(reviewers) > 0 && !reviewed {
		b.WriteString("  - path: .\n    reviews: [" + sampleReview + "]\n")
	}
	b.WriteString("\n" + checkpoint)
	return b.String()
}

// renderCheck writes one check.
func renderCheck(g Gate) string {
	text := "# from " + comment(g.Why) + "\n"
	switch {
	case g.trial.Named():
		text += "# It failed when init tried it on the untouched tree" + detail(g.trial.Detail) + ".\n" +
			"# What failed then is in " + BaselineFile + ": only new failures block.\nnew_only: baseline\n"
	case g.trial.State == Red:
		text += "# It failed when init tried it on the untouched tree" + detail(g.trial.Detail) + ".\n" +
			"# It is only recorded until it passes: gauntlet gate " + g.Name + " enforce\nmode: observe\n"
	case g.trial.Hollow != "":
		text += "# It passed with broken files when init tried it (" + comment(g.trial.Hollow) + "), so it checks nothing.\nmode: observe\n"
	case g.trial.State == Late:
		text += "# It is tried while agents work, and blocks once it has passed.\nmode: " + config.NotTried + "\n"
	}
	text += "command: " + scalar(g.Run) + "\n"
	if len(g.Env) > 0 {
		text += "env:\n"
		for _, k := range slices.Sorted(maps.Keys(g.Env)) {
			text += "  " + scalar(k) + ": " + quoted(g.Env[k]) + "\n"
		}
	}
	switch g.Role {
	case Lint, Format, Typecheck:
		text += "parallel: true\n"
	case Build, Check, Test, tool.NoRole:
	}
	if len(g.trial.Outputs) > 0 {
		text += "# The command leaves these files behind; they are not a change.\n" + sequence("", "outputs", g.trial.Outputs)
	}
	if took := g.trial.Took; took > Slow {
		text += fmt.Sprintf("timeout: %d # it took %s when init tried it\n", g.timeout(), took.Round(time.Second))
	}
	return text
}

// timeout is the time limit of a slow gate in seconds: twice what it took.
func (g Gate) timeout() int { return max(300, int(2*g.trial.Took.Seconds())) }

func detail(s string) string {
	if s == "" {
		return ""
	}
	return ": " + comment(s)
}

// comment keeps a text within its line.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r == 0x85 {
			return '?'
		}
		return r
	}, s)
}

// renderCheckpoint writes the checkpoint section: the stack's preset if one fits, else a
// category per part of the repository with its own test command.
func renderCheckpoint(entries []Entry, gates []Gate) string {
	tests := testsOf(entries, gates)
	text := "# What is still owed when the agent stops: see gauntlet explain --next.\ncheckpoint:\n" +
		"  commit_step: false\n  capture: false\n"
	if len(tests) == 0 {
		return text
	}
	if len(entries) == 1 && entries[0].Dir == "." && len(entries[0].Kinds) == 1 {
		kind := entries[0].Kinds[0]
		if usual := presetTest(kind); usual.Run != "" {
			text += "  preset: " + kind + "\n"
			if t := tests[0]; t.Run != usual.Run {
				text += "  always:\n" + action("    ", "tests", t.Run, t.Evidence)
			}
			return text
		}
	}
	text += "  categories:\n"
	for _, t := range tests {
		id := "tests"
		if len(tests) > 1 {
			id = "tests-" + slug(t.label)
		}
		text += "    - name: " + scalar(t.label) + "\n" + sequence("      ", "paths", t.paths)
		if len(t.exclude) > 0 {
			text += sequence("      ", "exclude", t.exclude)
		}
		text += "      actions:\n" + action("        ", id, t.shown(), t.Evidence)
	}
	return text
}

func action(indent, id, run string, evidence []string) string {
	return indent + "- id: " + scalar(id) + "\n" + indent + "  run: " + scalar(run) + "\n" + sequence(indent+"  ", "evidence", evidence)
}

// presetTest is the test action of a language's preset, empty without one.
func presetTest(kind string) config.Action {
	switch kind {
	case Go, Node, Python, Rust:
		for _, a := range config.PresetOf(kind).Always {
			if a.ID == "tests" {
				return a
			}
		}
	}
	return config.Action{}
}

// union is a followed by what only b has.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// part is a part of the repository and its test command.
type part struct {
	Gate
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

// testsOf are the first test commands of each entry point, one per language. A failing one
// is not demanded.
func testsOf(entries []Entry, gates []Gate) []part {
	var out []part
	for _, e := range entries {
		covered := map[string]bool{}
		for _, name := range e.Gates {
			i := slices.IndexFunc(gates, func(g Gate) bool { return g.Name == name })
			g := gates[i]
			kinds := g.Kinds
			if len(kinds) == 0 {
				kinds = e.Kinds
			}
			if len(kinds) == 0 {
				kinds = []string{""}
			}
			fresh := slices.ContainsFunc(kinds, func(k string) bool { return !covered[k] })
			if g.Role != Test || g.trial.State == Red || !fresh {
				continue
			}
			for _, k := range kinds {
				covered[k] = true
			}
			out = append(out, partOf(e, g, kinds, out))
		}
	}
	return out
}

// partOf is the part of the project that a test command covers.
func partOf(e Entry, g Gate, kinds []string, before []part) part {
	p := part{Gate: g, dir: e.Dir, label: e.Dir, exclude: visited(e.Exclude)}
	if e.Dir == "." {
		if p.label = strings.Join(kinds, "-"); p.label == "" {
			p.label = "code"
		}
	}
	if slices.ContainsFunc(before, func(o part) bool { return o.label == p.label }) {
		p.label += " " + strings.TrimSpace(strings.Join(kinds, "-")+" "+g.Name)
	}
	for _, kind := range kinds {
		p.paths = append(p.paths, sources(e.Dir, kind)...)
	}
	return p
}

func visited(dirs []string) []string {
	var out []string
	for _, d := range dirs {
		out = append(out, d+"/**")
	}
	return out
}

// sources are globs of the source files of a kind of project.
func sources(dir, kind string) []string {
	prefix := ""
	if dir != "." {
		prefix = dir + "/"
	}
	endings := map[string]string{
		Go: "{go,mod,sum}", Node: "{js,jsx,mjs,cjs,ts,tsx,mts,cts,vue,svelte}", Python: "{py,pyi}", Rust: "rs",
		Java: "{java,kt,kts,groovy,gradle,xml}", Ruby: "{rb,rake,gemspec,erb}", PHP: "php", Dotnet: "{cs,fs,vb,csproj,fsproj,sln}",
		Elixir: "{ex,exs,eex,heex}", C: "{c,cc,cpp,cxx,h,hpp}", Zig: "zig", Deno: "{js,jsx,ts,tsx}", Shell: "{sh,bash,bats}",
		Swift: "swift", Dart: "dart", Scala: "{scala,sbt}", Haskell: "{hs,cabal}",
	}
	ending, ok := endings[kind]
	if !ok {
		ending = "{c,cc,cpp,h,hpp,go,py,js,ts,rs,java,kt,rb,php,cs,sh,zig,ex,swift,scala}"
	}
	globs := []string{prefix + "**/*." + ending}
	if kind == Rust { // the other .toml files are settings of tools
		globs = append(globs, prefix+"**/Cargo.{toml,lock}")
	}
	return globs
}

// sequence writes a list under a key, on one line if it fits, as formatters want it.
func sequence(indent, key string, items []string) string {
	out := make([]string, 0, len(items))
	for _, s := range items {
		out = append(out, scalar(s))
	}
	head := indent + key + ":"
	if line := head + " [" + strings.Join(out, ", ") + "]\n"; len(line) <= 81 {
		return line
	}
	between := "\n" + indent + "  - "
	return head + between + strings.Join(out, between) + "\n"
}

// scalar writes a text that YAML reads unchanged, in a block or in a flow sequence.
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
	return quoted(s)
}

// quoted writes a text in double quotes.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // cannot be: a text always encodes
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// shellWord quotes a directory for sh.
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
