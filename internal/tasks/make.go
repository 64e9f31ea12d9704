package tasks

import (
	"path"
	"strings"
)

// makefile reads the rules of a Makefile and of the files it includes. Both sides of a
// conditional count: it is unknown which one applies.
func (s *Set) makefile(dir string) (File, bool) {
	return s.makefileOf(dir, "GNUmakefile", "makefile", "Makefile")
}

// makefileOf reads the first of several files that exists.
func (s *Set) makefileOf(dir string, names ...string) (File, bool) {
	name, text := s.text(dir, names...)
	if name == "" {
		return File{}, false
	}
	m := &makeReader{set: s, dir: dir, vars: map[string]string{"MAKE": "make", "CURDIR": ".", "SHELL": "sh", "CC": "cc", "CXX": "c++", "AR": "ar", "RM": "rm -f"}, rules: map[string]int{}}
	m.read(text, 0)
	for i := range m.out {
		m.target = m.out[i].Name
		for j, line := range m.out[i].Lines {
			line = m.expand(line, 0)
			body := strings.TrimLeft(line, prefixes)
			if strings.Contains(line[:len(line)-len(body)], "-") {
				body = ignoringErrors(body)
			}
			m.out[i].Lines[j] = body
		}
	}
	return File{Name: name, Runner: "make", Recipes: m.out}, true
}

// stem and target stand for $* and $@ in the lines of a pattern rule until a
// target is known.
const (
	stemMark   = "\x01"
	targetMark = "\x02"
)

// byPattern is the rule of a pattern such as "test-%" for a target that has no
// rule of its own. A pattern with a dot or a slash makes files.
func (f File) byPattern(target string) (Recipe, bool) {
	for _, r := range f.Recipes {
		before, after, ok := strings.Cut(r.Name, "%")
		if !ok || strings.ContainsAny(r.Name, "./") || len(target) < len(r.Name) || !strings.HasPrefix(target, before) || !strings.HasSuffix(target, after) {
			continue
		}
		stem := target[len(before) : len(target)-len(after)]
		fill := strings.NewReplacer(stemMark, stem, targetMark, target)
		out := Recipe{Name: target, Dir: r.Dir}
		for _, need := range r.Needs {
			out.Needs = append(out.Needs, strings.ReplaceAll(need, "%", stem))
		}
		for _, line := range r.Lines {
			out.Lines = append(out.Lines, fill.Replace(line))
		}
		return out, true
	}
	return Recipe{}, false
}

type makeReader struct {
	set   *Set
	dir   string
	vars  map[string]string
	rules map[string]int // name → index in out
	out   []Recipe
	// target is the rule whose lines are expanded.
	target string
}

const maxInclude = 3

func (m *makeReader) read(text string, depth int) {
	var current []string // targets whose recipe follows
	inDefine := false
	for _, line := range joinContinued(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "define "):
			inDefine = true
			continue
		case trimmed == "endef":
			inDefine = false
			continue
		case inDefine || trimmed == "":
			continue
		}
		if strings.HasPrefix(line, "\t") {
			for _, target := range current {
				m.addLine(target, trimmed)
			}
			continue
		}
		if strings.HasPrefix(trimmed, "#") {
			continue
		}
		switch word, rest, _ := strings.Cut(trimmed, " "); word {
		case "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "export", "unexport", "override", "vpath", "endif\r":
			if word == "export" && strings.Contains(rest, "=") {
				m.assign(rest)
			}
			continue
		case "include", "-include", "sinclude":
			if depth < maxInclude {
				for name := range strings.FieldsSeq(m.expand(rest, 0)) {
					if _, included := m.set.text(m.dir, path.Clean(name)); included != "" {
						m.read(included, depth+1)
					}
				}
			}
			continue
		}
		if m.assign(trimmed) {
			current = nil
			continue
		}
		current = m.rule(trimmed)
	}
}

// assign reads a variable's definition; ok is false when the line is not one.
func (m *makeReader) assign(line string) bool {
	i := strings.IndexByte(line, '=')
	if i < 0 {
		return false
	}
	name := strings.TrimRight(line[:i], ":?+! ")
	if name == "" || strings.ContainsAny(name, " \t:$()") {
		return false
	}
	value := strings.TrimSpace(m.withoutComment(line[i+1:]))
	switch {
	case strings.HasSuffix(strings.TrimSpace(line[:i]), "+"):
		m.vars[name] = strings.TrimSpace(m.vars[name] + " " + value)
	case strings.HasSuffix(strings.TrimSpace(line[:i]), "?") && m.vars[name] != "":
	default:
		m.vars[name] = value
	}
	return true
}

// rule reads "targets: prerequisites ; command" and returns the targets.
func (m *makeReader) rule(line string) []string {
	names, rest, ok := strings.Cut(m.withoutComment(line), ":")
	if !ok {
		return nil
	}
	rest = strings.TrimPrefix(rest, ":") // a double-colon rule
	if strings.Contains(rest, "=") && !strings.Contains(rest, ";") {
		return nil // a variable of one target
	}
	needs, command, inline := strings.Cut(rest, ";")
	needs, _, _ = strings.Cut(needs, "|")
	var targets []string
	for name := range strings.FieldsSeq(m.expand(names, 0)) {
		if strings.Contains(name, "$") || strings.HasPrefix(name, ".") && !strings.Contains(name, "/") {
			continue
		}
		targets = append(targets, name)
		i, known := m.rules[name]
		if !known {
			i = len(m.out)
			m.rules[name] = i
			m.out = append(m.out, Recipe{Name: name})
		}
		m.out[i].Needs = append(m.out[i].Needs, strings.Fields(m.expand(needs, 0))...)
		if inline {
			m.addLine(name, command)
		}
	}
	return targets
}

func (m *makeReader) withoutComment(line string) string {
	line, _, _ = strings.Cut(line, " #")
	line, _, _ = strings.Cut(line, "\t#")
	return line
}

func (m *makeReader) addLine(target, line string) {
	line = strings.TrimSpace(line)
	if body := strings.TrimLeft(line, prefixes); body == "" || strings.HasPrefix(body, "#") {
		return
	}
	i := m.rules[target]
	m.out[i].Lines = append(m.out[i].Lines, line)
}

// expand replaces variables; what only make can compute becomes an underscore.
func (m *makeReader) expand(text string, depth int) string {
	if depth > 8 || !strings.Contains(text, "$") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case '$':
			b.WriteByte('$')
		case '(', '{':
			end := closing(text, i)
			if end < 0 {
				return b.String()
			}
			b.WriteString(m.value(text[i+1:end], depth))
			i = end
		case '@':
			b.WriteString(m.targetName(targetMark))
		case '*':
			b.WriteString(m.targetName(stemMark))
		default: // $<, $^, $x
			b.WriteByte('_')
		}
	}
	return b.String()
}

// targetName is the target whose lines are expanded; of a pattern, the mark.
func (m *makeReader) targetName(mark string) string {
	if strings.Contains(m.target, "%") {
		return mark
	}
	return m.target
}

func (m *makeReader) value(name string, depth int) string {
	if name == "@" || name == "*" {
		return m.expand("$"+name, depth)
	}
	if v, ok := m.vars[name]; ok {
		return m.expand(v, depth+1)
	}
	if v, ok := m.branch(name, depth); ok {
		return v
	}
	name, _, replaced := strings.Cut(name, ":") // $(X:.c=.o)
	if v, ok := m.vars[name]; ok && !replaced {
		return m.expand(v, depth+1)
	}
	if strings.Contains(name, " ") || replaced {
		return "_"
	}
	return ""
}

// prefixes of a line are for make and not for the shell; a variable may hold them, too.
const prefixes = "@-+ "

// ignoringErrors is a line whose failure the runner ignores, as make and just write it.
func ignoringErrors(line string) string { return ignoreMark + line }

const ignoreMark = "-"

// branch is what a condition adds to a line: $(if COND,then,else). The branch that is a
// command counts; one that only decides how much make prints adds nothing.
func (m *makeReader) branch(call string, depth int) (string, bool) {
	rest, ok := strings.CutPrefix(call, "if ")
	if !ok {
		return "", false
	}
	var parts []string
	start, open := 0, 0
	for i, c := range rest {
		switch {
		case c == '(' || c == '{':
			open++
		case c == ')' || c == '}':
			open--
		case c == ',' && open == 0:
			parts = append(parts, rest[start:i])
			start = i + 1
		}
	}
	quiet := true
	for _, part := range append(parts, rest[start:])[min(1, len(parts)):] {
		part = strings.Trim(part, prefixes)
		if strings.Contains(part, " ") {
			return m.expand(part, depth+1), true
		}
		quiet = quiet && part == ""
	}
	if quiet {
		return "", true
	}
	return "_", true
}

// closing finds the bracket that closes the one at i.
func closing(text string, i int) int {
	open, shut := text[i], byte(')')
	if open == '{' {
		shut = '}'
	}
	for depth := 0; i < len(text); i++ {
		switch text[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// joinContinued splits a text into lines, those that end in a backslash joined.
func joinContinued(text string) []string {
	var out []string
	var open strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if head, more := strings.CutSuffix(line, "\\"); more {
			open.WriteString(head + " ")
			continue
		}
		if open.Len() > 0 {
			line = open.String() + strings.TrimLeft(line, " \t")
			open.Reset()
		}
		out = append(out, line)
	}
	if open.Len() > 0 {
		out = append(out, open.String())
	}
	return out
}
