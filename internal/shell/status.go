package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// anything is the ProofLine when any output at all proves the command.
const anything = "\x00"

// echoedStatus is the line that an echo of $?, or of a variable set to it, prints when the
// status was zero.
func echoedStatus(next []*syntax.Stmt) (line string, first bool) {
	if status, first := statusWord(next[0]); status != "" {
		for _, s := range next[1:] {
			if assigns(s, status) {
				break
			}
			if line := filledIn(s, "$"+status); line != "" {
				return line, first
			}
		}
		return "", false
	}
	if line := filledIn(next[0], "$?"); line != "" {
		return line, false
	}
	return filledIn(next[0], "$PIPESTATUS[0]"), true
}

// assigns reports whether the statement may give the variable another value.
func assigns(s *syntax.Stmt, name string) bool {
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			found = found || n.Name != nil && n.Name.Value == name
		case *syntax.CallExpr:
			command, _ := nameAndArg(n)
			found = found || command == "read" || command == "eval"
		}
		return !found
	})
	return found
}

// statusWord is the variable that an assignment like rc=$? sets.
func statusWord(s *syntax.Stmt) (name string, first bool) {
	c, isCall := s.Cmd.(*syntax.CallExpr)
	if !isCall || len(c.Args) > 0 || len(c.Assigns) != 1 || c.Assigns[0].Name == nil || c.Assigns[0].Value == nil {
		return "", false
	}
	switch source(c.Assigns[0].Value) {
	case "$?":
		return c.Assigns[0].Name.Value, false
	case "$PIPESTATUS[0]":
		return c.Assigns[0].Name.Value, true
	}
	return "", false
}

// filledIn is what an echo of word prints when word is zero.
func filledIn(s *syntax.Stmt, word string) string {
	text, hasEcho := echoed(s)
	before, after, found := strings.Cut(text, word)
	if !hasEcho || !found || strings.Count(text, "$") != 1 || after != "" && isNameByte(after[0]) {
		return ""
	}
	return before + "0" + after
}

func isNameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// announced is what `make && echo ok` prints only when make succeeded.
func announced(s *syntax.Stmt) string {
	c, isBinary := s.Cmd.(*syntax.BinaryCmd)
	if !isBinary || c.Op != syntax.AndStmt || s.Negated {
		return ""
	}
	text, hasEcho := echoed(c.Y)
	if !hasEcho || strings.Contains(text, "$") {
		return ""
	}
	return strings.TrimSpace(text)
}

func echoed(s *syntax.Stmt) (string, bool) {
	c, isCall := s.Cmd.(*syntax.CallExpr)
	if !isCall || s.Negated || s.Background || len(s.Redirs) > 0 || len(c.Args) < 2 {
		return "", false
	}
	var words []string
	for _, arg := range c.Args[1:] {
		words = append(words, source(arg))
	}
	switch c.Args[0].Lit() {
	case "echo":
		return strings.Join(words, " "), true
	case "printf":
		return printed(words[0], words[1:])
	}
	return "", false
}

// printed is the one line that printf prints for plain words.
func printed(format string, words []string) (string, bool) {
	format = strings.TrimSuffix(strings.TrimSuffix(format, "\n"), `\n`)
	if strings.Count(format, "%") != len(words) || strings.Contains(format, `\`) {
		return "", false
	}
	for _, word := range words {
		i := strings.IndexByte(format, '%')
		if i+1 == len(format) || format[i+1] != 'd' && format[i+1] != 's' {
			return "", false
		}
		format = format[:i] + strings.ReplaceAll(word, "%", "") + format[i+2:]
	}
	return format, true
}

// silentList reports whether the statements are tests that print nothing.
func silentList(stmts []*syntax.Stmt) bool {
	return !slices.ContainsFunc(stmts, func(s *syntax.Stmt) bool { return !silent(s) })
}

func silent(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.TestClause:
		return true
	case *syntax.BinaryCmd:
		return (c.Op == syntax.AndStmt || c.Op == syntax.OrStmt) && silent(c.X) && silent(c.Y)
	case *syntax.CallExpr:
		name, _ := nameAndArg(c)
		return isSilent(name) || intoNothing(s.Redirs)
	}
	return false
}

// isSilent reports whether a command prints nothing unless it fails.
func isSilent(name string) bool {
	return slices.Contains([]string{"test", "[", "true", "false", ":", "sleep", "mkdir", "touch"}, name)
}

// intoNothing reports whether the output is discarded.
func intoNothing(redirs []*syntax.Redirect) bool {
	for _, r := range redirs {
		out := r.Op == syntax.RdrOut || r.Op == syntax.RdrAll
		if out && (r.N == nil || r.N.Value == "1") && r.Word.Lit() == "/dev/null" {
			return true
		}
	}
	return false
}

// onlyOnce removes a ProofLine when another echo of the line may print the same text.
func onlyOnce(commands []Command) {
	var echoes []string
	for _, c := range commands {
		if argv := c.Argv(); argv[0] == "echo" || argv[0] == "printf" {
			echoes = append(echoes, strings.Join(argv[1:], " "))
		}
	}
	for i := range commands {
		line := commands[i].ProofLine
		if line == "" {
			continue
		}
		if line == anything {
			if !onlyPrinter(commands) {
				commands[i].ProofLine = ""
			}
			continue
		}
		n := 0
		for _, text := range echoes {
			open := strings.IndexAny(text, "$%")
			if text == line || open >= 0 && strings.HasPrefix(line, text[:open]) {
				n++
			}
		}
		if n != 1 {
			commands[i].ProofLine = ""
		}
	}
}

// onlyPrinter reports whether nothing in the line prints, apart from what depends on it.
func onlyPrinter(commands []Command) bool {
	branch := 0
	for _, c := range commands {
		switch {
		case c.branch == 0:
			if !isSilent(c.Name()) && c.Into != "/dev/null" {
				return false
			}
		case branch == 0:
			branch = c.branch
		case branch != c.branch:
			return false
		}
	}
	return true
}
