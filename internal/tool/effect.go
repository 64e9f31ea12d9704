package tool

import (
	"slices"
	"strings"
)

// Effect is what a command does besides checking.
type Effect string

// The effects.
const (
	NoEffect    Effect = ""
	Write       Effect = "write"       // rewrites files of the work tree
	Install     Effect = "install"     // downloads, or needs the network
	Publish     Effect = "publish"     // publishes or deploys
	Leave       Effect = "leave"       // leaves a program in the work tree
	Outside     Effect = "outside"     // writes outside the work tree
	Endless     Effect = "endless"     // does not end by itself
	Rights      Effect = "rights"      // needs another user's rights
	Container   Effect = "container"   // needs a container or a machine
	Environment Effect = "environment" // needs an environment of its own
	Terminal    Effect = "terminal"    // needs a terminal or a desktop
	Compare     Effect = "compare"     // fails for any uncommitted change
	Repository  Effect = "repository"  // changes the repository
	harmless    Effect = "none"        // an exception from what holds for every program
)

// Effect returns what the command does besides checking, and how: the words that make it
// do so.
func (c Call) Effect() (e Effect, how string) {
	if len(c.argv) == 0 {
		return NoEffect, ""
	}
	e, how = c.effect(c.is.effects)
	if e == NoEffect || e == Write || e == harmless {
		every, everyHow := c.effect(everyProgram().effects)
		if every == Endless || e == NoEffect {
			e, how = every, everyHow
		}
	}
	if e == harmless {
		return NoEffect, ""
	}
	return e, how
}

// effect is the first rule that fits.
func (c Call) effect(rules string) (Effect, string) {
	for line := range strings.Lines(rules) {
		e, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		how, when, _ := strings.Cut(rest, "\t")
		if _, ok := c.fits(when); !ok {
			continue
		}
		sub := ""
		if words := c.Operands(); len(words) > 0 {
			sub = words[0]
		}
		shown := c.Name
		if len(sub) < 20 {
			shown = strings.TrimSpace(shown + " " + sub)
		}
		return Effect(e), strings.NewReplacer("PROGRAM", c.Name, "SUB", sub, "COMMAND", shown).Replace(how)
	}
	return NoEffect, ""
}

// everyProgram is what holds for every program.
func everyProgram() record {
	i, _ := lookup("*")
	return records[i]
}

// Lists reports whether the command only prints what it would do, or something about
// itself.
func (c Call) Lists() bool {
	if len(c.argv) == 0 {
		return false
	}
	for flag := range strings.FieldsSeq(everyProgram().lists) {
		if c.Has(flag) {
			return true
		}
	}
	if len(c.argv) > 1 && c.argv[len(c.argv)-1] == "-h" { // elsewhere it may be the host, or sizes for people
		return true
	}
	own := c
	own.argv = c.ownWords()
	operands := own.Operands()
	for word := range strings.FieldsSeq(c.is.lists) {
		if word[0] == '-' {
			if own.Has(word) {
				return true
			}
		} else if _, asked := own.asks(word, operands); asked {
			return true
		}
	}
	return false
}

// ownWords are the words that the program reads itself: not those after --, nor those that
// a task runner passes on to a task.
func (c Call) ownWords() []string {
	argv := c.argv
	if i := slices.Index(argv, "--"); i > 0 && !c.Is("beyond") {
		argv = argv[:i]
	}
	words := c.is.own
	for i, arg := range argv[1:] {
		if words > 0 && !strings.HasPrefix(arg, "-") {
			if words--; words == 0 {
				return argv[:i+2]
			}
		}
	}
	return argv
}

// Narrows reports whether a flag makes the command do only a part of its work.
func (c Call) Narrows() bool {
	for flag := range strings.FieldsSeq(c.is.narrows) {
		if c.Has(flag) {
			return true
		}
	}
	return false
}

// Variant reports whether the command is one that CI runs beside the plain one: with other
// features, of one package, for another machine.
func (c Call) Variant() bool {
	for when := range strings.Lines(c.is.variants) {
		if _, ok := c.fits(when); ok {
			return true
		}
	}
	return false
}

// WithoutPrinting is a command without the flags that change only what is printed, those of
// what it runs included. Two commands that are equal then do the same.
func WithoutPrinting(argv []string) []string {
	c := Of(argv)
	inner := c.Inner()
	if n := len(argv) - len(inner); len(inner) > 0 && n > 0 && slices.Equal(inner[1:], argv[n+1:]) && !c.Guessed() {
		return slices.Concat(argv[:n+1], WithoutPrinting(inner)[1:])
	}
	return c.withoutPrinting()
}

func (c Call) withoutPrinting() []string {
	if len(c.argv) == 0 {
		return nil
	}
	out := []string{c.argv[0]}
	for i := 1; i < len(c.argv); i++ {
		arg := c.argv[i]
		if arg == "--" && !c.Is("prints-beyond") {
			return append(out, c.argv[i:]...)
		}
		flag, _, glued := strings.Cut(arg, "=")
		switch {
		case !hasWord(c.is.prints, flag):
			out = append(out, arg)
		case !glued && hasWord(c.is.values, flag):
			i++
		}
	}
	return out
}

// Missing is what runs the same thing when the program is not installed: uv run pytest is
// .venv/bin/pytest, then pytest.
func (c Call) Missing() [][]string {
	inner := c.Inner()
	if len(inner) == 0 {
		return nil
	}
	var out [][]string
	for where := range strings.FieldsSeq(c.is.without) {
		if where == "." {
			out = append(out, inner)
			continue
		}
		out = append(out, append([]string{where + inner[0]}, inner[1:]...))
	}
	return out
}

// ByProducts are the files that the program leaves behind, as globs; lock files included.
func (c Call) ByProducts() []string { return strings.Fields(c.is.leaves + " " + c.is.locks) }

// IgnoreFile is the file in which a project lists what the program leaves alone; "" if there
// is none.
func (c Call) IgnoreFile() string { return c.is.ignores }
