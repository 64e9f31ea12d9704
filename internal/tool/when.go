package tool

import "strings"

// dry are the flags with which formatters only look.
const dry = "--check --dry-run --diff --check-only --verify-no-changes --check-formatted --test --list-different --set-exit-if-changed --fail-on-change-only"

// fits reports whether a condition holds for a command, and which sub-command made it hold.
// A condition is a list of words: sub-commands (a+b is a, then b; * stands for anything at
// one end; _ is any; . is none, or no more; @ has a version behind an @), flags (--name, --name=value), one of each
// is enough; !word and !flag must be absent, !dry stands for every flag with which a
// formatter only looks. An empty condition always holds.
func (c Call) fits(when string) (sub string, ok bool) {
	var words, flags, wordFits, flagFits bool
	var operands []string
	for w := range strings.FieldsSeq(when) {
		switch {
		case w == "!dry":
			for flag := range strings.FieldsSeq(dry) {
				if c.Has(flag) {
					return "", false
				}
			}
		case w[0] == '!':
			if c.Has(w[1:]) {
				return "", false
			}
		case w[0] == '-':
			flags = true
			flagFits = flagFits || c.Has(w)
		default:
			if !words {
				words, operands = true, c.Operands()
			}
			if !wordFits {
				sub, wordFits = c.asks(w, operands)
			}
		}
	}
	return sub, (!words || wordFits) && (!flags || flagFits)
}

// asks reports whether the sub-command is this one.
func (c Call) asks(pattern string, operands []string) (sub string, ok bool) {
	if pattern == "." {
		return "", len(operands) == 0
	}
	starts := 1
	if c.is.goals != "" {
		starts = len(operands)
	}
	for from := range min(starts, len(operands)) {
		words := operands[from:]
		n, fits := 0, true
		for part := range strings.SplitSeq(pattern, "+") {
			if part == "." {
				fits = n == len(words)
				break
			}
			if fits = n < len(words) && c.isWord(part, words[n]); !fits {
				break
			}
			n++
		}
		if fits {
			return strings.Join(words[:n], " "), true
		}
	}
	return "", false
}

func (c Call) isWord(pattern, word string) bool {
	switch pattern {
	case "_":
		return true
	case "@":
		return strings.Contains(strings.TrimPrefix(word, "@"), "@")
	}
	return glob(pattern, word) || c.is.goals == "paths" && glob(pattern, word[strings.LastIndexByte(word, ':')+1:])
}

// glob compares with a pattern that may begin and end in *.
func glob(pattern, s string) bool {
	end, open := strings.CutPrefix(pattern, "*")
	begin, goesOn := strings.CutSuffix(end, "*")
	switch {
	case open && goesOn:
		return strings.Contains(s, begin)
	case open:
		return strings.HasSuffix(s, end)
	case goesOn:
		return strings.HasPrefix(s, begin)
	}
	return pattern == s
}

// Has reports whether the command has this flag or word, however its value is attached.
// A flag that is set to false is not there.
func (c Call) Has(flag string) bool {
	flag, want, valued := strings.Cut(flag, "=")
	for i, arg := range c.argv[1:] {
		name, value, glued := strings.Cut(arg, "=")
		if glued && value == "false" && !valued {
			name = arg
		}
		switch {
		case !glob(flag, name) && !c.bundles(flag, arg):
		case !valued, glued && glob(want, value):
			return true
		case !glued && i+2 < len(c.argv) && glob(want, c.argv[i+2]):
			return true
		}
	}
	return false
}

// HasAny is Has for one of several.
func (c Call) HasAny(flags ...string) bool {
	for _, flag := range flags {
		if c.Has(flag) {
			return true
		}
	}
	return false
}

// bundles reports whether a short flag is among several that are written together. What
// follows a flag that takes a value is the value.
func (c Call) bundles(flag, arg string) bool {
	if !c.is.bundled || len(flag) != 2 || len(arg) < 3 || arg[0] != '-' || arg[1] == '-' {
		return false
	}
	for _, r := range arg[1:] {
		if r == rune(flag[1]) {
			return true
		}
		if hasWord(c.is.values, "-"+string(r)) || c.Is("numbers") && (r == 'j' || r == 'l' || r == 'O') {
			return false
		}
	}
	return false
}

// FlagValues are the values of options, up to the next option: -t test lint, --target=a,b.
func (c Call) FlagValues(flags ...string) []string {
	var out []string
	for i := 1; i < len(c.argv); i++ {
		flag, value, glued := strings.Cut(c.argv[i], "=")
		fits := false
		for _, f := range flags {
			fits = fits || f == flag
		}
		switch {
		case !fits:
		case glued:
			out = append(out, strings.Split(value, ",")...)
		default:
			for i+1 < len(c.argv) && !strings.HasPrefix(c.argv[i+1], "-") {
				i++
				out = append(out, strings.Split(c.argv[i], ",")...)
			}
		}
	}
	return out
}
