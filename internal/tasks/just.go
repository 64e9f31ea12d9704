package tasks

import "strings"

// justfile reads the recipes of a justfile: a header at the start of a line,
// then an indented body.
func (s *Set) justfile(dir string) (File, bool) {
	name, text := s.text(dir, "justfile", "Justfile", ".justfile", "JUSTFILE")
	if name == "" {
		return File{}, false
	}
	f := File{Name: name, Runner: "just"}
	vars := map[string]string{}
	at := -1
	aliases := map[string]string{}
	for _, line := range joinContinued(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			if at >= 0 {
				body := strings.TrimLeft(trimmed, "@-")
				line := interpolate(body, vars)
				if strings.Contains(trimmed[:len(trimmed)-len(body)], "-") {
					line = ignoringErrors(line)
				}
				f.Recipes[at].Lines = append(f.Recipes[at].Lines, line)
			}
			continue
		}
		at = -1
		if i := strings.Index(trimmed, ":="); i > 0 {
			left := strings.Fields(trimmed[:i])
			if len(left) == 2 && left[0] == "alias" {
				aliases[left[1]] = strings.TrimSpace(trimmed[i+2:])
			} else if n := len(left); n > 0 && left[0] != "set" && !strings.ContainsAny(left[n-1], `"'`) && (n == 1 || left[0] == "export") {
				vars[left[n-1]] = unquote(strings.TrimSpace(trimmed[i+2:]))
			}
			if len(left) < 3 {
				continue
			}
		}
		if r, ok := justHeader(trimmed); ok {
			f.Recipes = append(f.Recipes, r)
			at = len(f.Recipes) - 1
		}
	}
	for alias, target := range aliases {
		if r, ok := f.Find(target); ok {
			r.Name = alias
			f.Recipes = append(f.Recipes, r)
		}
	}
	return f, true
}

// justHeader reads "name param='x': need (need arg) && after".
func justHeader(line string) (Recipe, bool) {
	if strings.HasPrefix(line, "[") { // attributes, perhaps before the name
		if end := strings.IndexByte(line, ']'); end < 0 || end == len(line)-1 {
			return Recipe{}, false
		} else {
			line = strings.TrimSpace(line[end+1:])
		}
	}
	head, needs, ok := strings.Cut(line, ":")
	fields := strings.Fields(strings.TrimPrefix(head, "@"))
	if !ok || len(fields) == 0 {
		return Recipe{}, false
	}
	switch fields[0] {
	case "set", "import", "mod", "alias", "export", "unexport":
		return Recipe{}, false
	}
	needs, _, _ = strings.Cut(needs, "#")
	r := Recipe{Name: fields[0]}
	for word := range strings.FieldsSeq(strings.NewReplacer("(", " ( ", ")", " ) ", "&&", " ").Replace(needs)) {
		switch word {
		case "(", ")":
		default:
			r.Needs = append(r.Needs, strings.Trim(word, `"'`))
		}
	}
	return r, true
}

// interpolate replaces {{ name }}; what just would compute becomes an underscore.
func interpolate(line string, vars map[string]string) string {
	var b strings.Builder
	for {
		head, rest, ok := strings.Cut(line, "{{")
		b.WriteString(head)
		if !ok {
			return b.String()
		}
		name, tail, closed := strings.Cut(rest, "}}")
		if !closed {
			return b.String() + rest
		}
		v, known := vars[strings.TrimSpace(name)]
		if !known {
			v = "_"
		}
		b.WriteString(v)
		line = tail
	}
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
