package setup

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/tasks"
)

// hazard is why a command must not run at a stop; "" if there is no objection.
func hazard(step tasks.Step) string {
	for _, argv := range step.Views {
		if len(argv) == 0 {
			continue
		}
		if why := hazardOf(argv); why != "" {
			return why
		}
	}
	return ""
}

func hazardOf(argv []string) string {
	c := callIn(argv)
	for _, row := range hazards() {
		if row.fits(c) {
			return strings.TrimPrefix(strings.NewReplacer("PROGRAM", c.name, "SUB", c.word(0), "COMMAND", c.shown()).Replace(row.why), "-")
		}
	}
	if how := c.writes(); how != "" {
		return "rewrites files (" + how + ")"
	}
	return ""
}

// isFetch reports whether a package manager only installs what a project depends on.
func isFetch(argv []string) bool {
	switch path.Base(argv[0]) {
	case "npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pdm", "pipenv", "bundle", "composer", "mix", "go", "cargo", "dotnet":
		return strings.HasPrefix(hazardOf(argv), "downloads")
	}
	return false
}

// hazardCall is a command as the table of hazards sees it.
type hazardCall struct {
	name  string
	words []string // without flags
	flags []string // without their values, unless that is false; and the words
}

func callIn(argv []string) hazardCall {
	c := hazardCall{name: strings.TrimSuffix(path.Base(argv[0]), ".cmd")}
	if c.name == "git" {
		argv = withoutGitOptions(argv)
	}
	c.words = plainWords(argv[1:])
	for _, a := range argv[1:] {
		if flag, value, _ := strings.Cut(a, "="); value != "false" {
			a = flag
		}
		c.flags = append(c.flags, a)
	}
	return c
}

// withoutGitOptions drops the options before the sub-command: git -c a=b -C dir ls-files.
func withoutGitOptions(argv []string) []string {
	rest := argv[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		if (rest[0] == "-c" || rest[0] == "-C") && len(rest) > 1 {
			rest = rest[1:]
		}
		rest = rest[1:]
	}
	return append([]string{argv[0]}, rest...)
}

// word is the nth word, "" when there are fewer.
func (c hazardCall) word(n int) string {
	if n < len(c.words) {
		return c.words[n]
	}
	return ""
}

// shown is the program with its sub-command, if that is short.
func (c hazardCall) shown() string {
	if len(c.word(0)) < 20 {
		return strings.TrimSpace(c.name + " " + c.word(0))
	}
	return c.name
}

// is reports whether the sub-command is this one, as the table writes it.
func (c hazardCall) is(sub string) bool {
	for i, pattern := range strings.Split(sub, "+") {
		begin, open := strings.CutSuffix(pattern, "*")
		switch word := c.word(i); {
		case pattern == "@" && strings.Contains(strings.TrimPrefix(word, "@"), "@"):
		case open && strings.HasPrefix(word, begin):
		case word != strings.TrimPrefix(pattern, "."):
			return false
		}
	}
	return true
}

func (c hazardCall) has(flags ...string) bool {
	return slices.ContainsFunc(flags, func(f string) bool { return slices.Contains(c.flags, f) })
}

// writes describes the changes of commands for which sub-command and flags do not decide.
func (c hazardCall) writes() string {
	switch c.name {
	case "go":
		if c.is("build") && len(c.words) == 2 && !strings.Contains(c.words[1], "...") && !c.has("-o") {
			return "go build writes a binary into the work tree"
		}
	case "gradle", "gradlew", "mvn", "mvnw":
		for _, w := range c.words {
			if w == "install" && strings.HasPrefix(c.name, "mvn") {
				return c.name + " install writes into the local repository"
			}
			if strings.HasSuffix(w, ":apply") || strings.HasSuffix(w, "Apply") || w == "ktlintFormat" {
				return c.name + " " + w
			}
		}
	}
	return ""
}

//go:embed hazards.txt
var hazardRows string

// hazardRow is a row of hazards.txt, where its form is described.
type hazardRow struct {
	why               string
	programs          []string
	subs, flags, none []string
}

func (r hazardRow) fits(c hazardCall) bool {
	return (r.programs[0] == "*" || slices.Contains(r.programs, c.name)) &&
		(len(r.subs) == 0 || slices.ContainsFunc(r.subs, c.is)) && (len(r.flags) == 0 || c.has(r.flags...)) && !c.has(r.none...)
}

// hazards are the rows of the table, read once.
var hazards = sync.OnceValue(func() (rows []hazardRow) {
	dry := []string{"--check", "--dry-run", "--diff", "--check-only", "--verify-no-changes", "--check-formatted", "--test", "--list-different", "--set-exit-if-changed", "--fail-on-change-only"}
	for line := range strings.Lines(hazardRows) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), " |")
		if strings.HasPrefix(line, "#") || len(cells) != 3 {
			continue
		}
		row := hazardRow{why: cells[0], programs: strings.Fields(cells[1])}
		for when := range strings.FieldsSeq(cells[2]) {
			switch {
			case when == "!dry":
				row.none = append(row.none, dry...)
			case when[0] == '!':
				row.none = append(row.none, when[1:])
			case when[0] == '-':
				row.flags = append(row.flags, when)
			default:
				row.subs = append(row.subs, when)
			}
		}
		rows = append(rows, row)
	}
	return rows
})
