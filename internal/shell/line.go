package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Proof is what the success of a whole line proves about one command in it.
type Proof int

const (
	// Unproven: it may not have run, it may have failed, or it is still running.
	Unproven Proof = iota
	// Swallowed: what follows hides its status; only its output can prove it.
	Swallowed
	// Proven: the line cannot succeed unless this command did.
	Proven
)

// Command is one command that a line runs, as far as the text shows.
type Command struct {
	// Views are the command as written and as seen through each wrapper and
	// runner: `sudo uv run pytest -q` is that, `uv run pytest -q` and `pytest -q`.
	Views [][]string
	Proof Proof
	// ProofLine is the line of output that proves the command when its status does not:
	// `make; echo "exit: $?"` has ProofLine "exit: 0".
	ProofLine string
	// Filters are the commands its output went through before it was shown.
	Filters [][]string
	// Into is the file that received its output ("" when it stayed visible).
	Into string
	// MaySkip: it ran only if something else succeeded that may have failed.
	MaySkip bool
	// IfQuiet: the same, but what may have failed would have printed something.
	IfQuiet bool
	// Dir is where it ran, relative to where the line started, or absolute.
	Dir string
	// Seq orders the commands and the files of a line.
	Seq int

	// branch numbers the branch that runs only if a silent test succeeded; 0 outside.
	branch int
}

// Argv is the innermost view.
func (c Command) Argv() []string {
	if len(c.Views) == 0 {
		return nil
	}
	return c.Views[len(c.Views)-1]
}

// Name is the base name of the innermost command.
func (c Command) Name() string {
	if argv := c.Argv(); len(argv) > 0 {
		return base(argv[0])
	}
	return ""
}

// File is a file (or a glob of files) that a line showed or wrote.
type File struct {
	Path string // resolved against the directory changes within the line
	Seq  int
	// Formatted: by a formatter, which writes it only if that changes it.
	Formatted bool
}

// Line is one analysed command line.
type Line struct {
	// Parsed is false when the text is not shell that can be parsed: then everything else
	// is empty.
	Parsed   bool
	Commands []Command
	Shown    []File
	Written  []File
	// Restored are files that got content that git has: git checkout FILE, git restore. A
	// name may also be a branch.
	Restored []File
	// Stashed and Unstashed are the places of git stash and git stash pop.
	Stashed, Unstashed []int
	// Rewriters are the places of commands that may rewrite files without
	// naming them: formatters on directories, generators, scripts, git checkout.
	Rewriters []int
}

const (
	maxLine     = 128 << 10
	maxOpeners  = 8000 // bounds the parser's recursion
	maxCommands = 2000
	maxSteps    = 20000
	maxPipe     = 64
	maxDepth    = 8 // shells within shells, functions within functions
)

// Parse analyses a command line that succeeded. It never panics and its work is bounded.
func Parse(text string) Line { return parseAs(text, ok) }

// ParseFailed analyses a command line of which it is only known that it ended.
func ParseFailed(text string) Line { return parseAs(text, passed) }

func parseAs(text string, k know) (line Line) {
	defer func() {
		if recover() != nil {
			line = Line{}
		}
	}()
	w := newWalker()
	if !w.script(text, k) && !w.pieces(text) {
		return Line{}
	}
	w.line.Parsed = true
	onlyOnce(w.line.Commands)
	return *w.line
}

// pieces walks what can be read of a PowerShell line that is not also a line of bash,
// command by command. It is unknown what the status means for any of them.
func (w *walker) pieces(text string) bool {
	if len(text) > maxLine || strings.Contains(text, "<<") || !strings.Contains(text, "$env:") && !strings.Contains(text, "$LASTEXITCODE") && !strings.Contains(text, "-Object") &&
		!strings.Contains(text, "Out-") && !strings.Contains(text, "Get-") && !strings.Contains(text, "Set-") && !strings.HasPrefix(text, "& ") {
		return false
	}
	found := false
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		piece = strings.TrimPrefix(strings.TrimSpace(piece), "& ")
		found = w.script(piece, passed) || found
	}
	return found
}

// parse reads a script, within bounds.
func parse(text string) (*syntax.File, bool) {
	if len(text) > maxLine || !shallow(text) {
		return nil, false
	}
	// agents run bash, or what the person logs in with
	for _, lang := range []syntax.LangVariant{syntax.LangBash, syntax.LangZsh} {
		if file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), ""); err == nil {
			return file, true
		}
	}
	return nil, false
}

// shallow reports whether text cannot nest deeper than the parser's stack allows: every
// level of nesting needs at least one of these openers.
func shallow(text string) bool {
	n := 0
	arithmetic := strings.Contains(text, "((") || strings.Contains(text, "$[") || strings.Contains(text, "let ")
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '[', '`':
			n++
		case '-', '+', '!', '~', '?', '=':
			if arithmetic {
				n++
			}
		}
	}
	for _, word := range []string{"if", "while", "until", "for", "case", "time", "coproc", "|", "&&"} {
		n += strings.Count(text, word)
	}
	return n <= maxOpeners
}

func base(name string) string {
	name = strings.TrimRight(name, "/")
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	return strings.TrimSuffix(name, ".exe")
}
