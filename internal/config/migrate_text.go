package config

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// keys rewrites or removes the keys of older versions in a document.
func (m *migration) keys(text string, t reflect.Type) (string, error) {
	for range maxErrors {
		node, fail := parseYAML([]byte(text), "")
		if fail != nil {
			return "", fail
		}
		in, kv, old := firstLegacy(mapping(node), t)
		if kv == nil {
			return text, nil
		}
		if in.IsFlowStyle {
			return "", fmt.Errorf("%s is within braces; change it by hand", quote(keyText(kv.Key)))
		}
		var err error
		if text, err = m.key(text, in, kv, old); err != nil {
			return "", err
		}
	}
	return text, nil
}

// firstLegacy finds a key of an older version in a mapping or in one of its sections.
func firstLegacy(in *ast.MappingNode, t reflect.Type) (at *ast.MappingNode, kv *ast.MappingValueNode, old legacyKey) {
	if in == nil {
		return nil, nil, legacyKey{}
	}
	for _, kv := range in.Values {
		key := keyText(kv.Key)
		index, known := fieldIndex(t, key)
		if !known {
			if old, ok := legacyOf(t, key); ok {
				return in, kv, old
			}
			continue
		}
		field := t.Field(index)
		if _, number := numberOf(kv.Value); number && field.Tag.Get("once") != "" {
			return in, kv, legacyKey{}
		}
		if field.Type.Kind() == reflect.Struct {
			inner := mapping(kv.Value)
			if at, found, old := firstLegacy(inner, field.Type); found != nil {
				if len(inner.Values) == 1 && old.set == nil && !inner.IsFlowStyle {
					return in, kv, old // nothing would be left of the section
				}
				return at, found, old
			}
		}
	}
	return nil, nil, legacyKey{}
}

// key replaces one key of an older version by its present form.
func (m *migration) key(text string, in *ast.MappingNode, kv *ast.MappingValueNode, old legacyKey) (string, error) {
	row, col := position(kv.Key)
	if keyText(kv.Key) == "adapters" && valueOf(in, "default_preference") == nil {
		line := strings.Repeat(" ", col-1) + "default_preference: [" + strings.Join(keysOf(kv.Value), ", ") + "]"
		return insertBefore(text, row, line), nil // the next round removes the key
	}
	var key, value string
	if old.line != nil {
		key, value = old.line(kv.Value)
	}
	if key == "" || valueOf(in, key) != nil {
		return cutKey(text, kv, nil)
	}
	if value != "" {
		tk := kv.Value.GetToken()
		var err error
		if text, err = replaceAt(text, tk.Position.Line, tk.Position.Column, tk.Value, value); err != nil {
			return "", err
		}
	}
	if skill, ok := stringOf(kv.Value); ok && value == skillFile(skill) {
		if err := m.add(value, skillFix(skill)); err != nil {
			return "", err
		}
	}
	return replaceAt(text, row, col, keyText(kv.Key), key)
}

// skillFile is where the instructions to use a skill are written.
func skillFile(skill string) string {
	return path.Join("fix", strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, skill)+".md")
}

// blockEnd is the line after the last one of a key and its value; rows count from 0.
func blockEnd(lines []string, kv *ast.MappingValueNode) int {
	row, col := position(kv.Key)
	_, isList := kv.Value.(*ast.SequenceNode)
	end := row
	for i := row; i < len(lines); i++ {
		trimmed := strings.TrimSpace(lines[i])
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " "))
		if indent < col-1 || indent == col-1 && (!isList || trimmed[0] != '-') {
			break
		}
		end = i + 1
	}
	last := lastLine{end}
	ast.Walk(&last, kv.Value) // braces may end further left
	return min(last.row, len(lines))
}

// lastLine is the last line that a node has a token on.
type lastLine struct{ row int }

func (l *lastLine) Visit(n ast.Node) ast.Visitor {
	if m, ok := n.(*ast.MappingNode); ok && m.IsFlowStyle && m.End != nil {
		l.row = max(l.row, m.End.Position.Line)
	}
	if s, ok := n.(*ast.SequenceNode); ok && s.IsFlowStyle && s.End != nil {
		l.row = max(l.row, s.End.Position.Line)
	}
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		l.row = max(l.row, tk.Position.Line)
	}
	return l
}

// cutKey removes a key and its value. Comments stay, but for those on moved lines; rows
// count from 0.
func cutKey(text string, kv *ast.MappingValueNode, moved func(row int) bool) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	row, col := position(kv.Key)
	start, end := row-1, blockEnd(lines, kv)
	if strings.TrimSpace(lines[start][:min(col-1, len(lines[start]))]) != "" {
		return "", fmt.Errorf("%s does not begin its line; change it by hand", quote(keyText(kv.Key)))
	}
	var kept []string
	for at, comment := range commentsOf(text) {
		if at >= start && at < end && (moved == nil || !moved(at)) {
			kept = append(kept, fmt.Sprintf("%09d%s#%s\n", at, strings.Repeat(" ", col-1), comment))
		}
	}
	slices.Sort(kept)
	for i := range kept {
		kept[i] = kept[i][9:]
	}
	blank := func(i int) bool { return i >= len(lines) || strings.TrimSpace(lines[i]) == "" }
	if len(kept) == 0 && (start == 0 || blank(start-1)) && end < len(lines) && blank(end) {
		end++
	}
	return strings.Join(slices.Concat(lines[:start], kept, lines[end:]), ""), nil
}

// commentsOf are the comments of a document by their rows, which count from 0.
func commentsOf(text string) map[int]string {
	out := map[int]string{}
	for _, tk := range lexer.Tokenize(text) {
		if tk.Type == token.CommentType && tk.Position != nil {
			out[tk.Position.Line-1] = tk.Value
		}
	}
	return out
}

// gateText is the text of a gate in config.yml as a file of its own.
func gateText(text string, gate *ast.MappingValueNode) (name, body string, err error) {
	name = keyText(gate.Key)
	value := mapping(gate.Value)
	if value == nil || len(value.Values) == 0 {
		return "", "", fmt.Errorf("%s is not a mapping of keys to values; change it by hand", quote(name))
	}
	lines := strings.SplitAfter(text, "\n")
	row, _ := position(gate.Key)
	var out strings.Builder
	for at := commentsAbove(lines, row-1); at < row-1; at++ {
		out.WriteString(strings.TrimLeft(lines[at], " "))
	}
	end := blockEnd(lines, gate)
	if value.IsFlowStyle {
		for _, kv := range value.Values {
			out.WriteString(keyText(kv.Key) + ": " + kv.Value.String() + "\n")
		}
		return name, out.String(), nil
	}
	if comment, ok := commentsOf(text)[row-1]; ok {
		out.WriteString("#" + comment + "\n")
	}
	_, col := position(value.Values[0].Key)
	for _, line := range lines[row:end] {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		out.WriteString(strings.TrimRight(line[min(indent, col-1):], "\n") + "\n")
	}
	return name, out.String(), nil
}

// commentsAbove is the first row of the comments directly above a row.
func commentsAbove(lines []string, row int) int {
	for row > 0 && strings.HasPrefix(strings.TrimSpace(lines[row-1]), "#") {
		row--
	}
	return row
}

// cutGate takes a gate out of config.yml: of its section, or of an entry point, where its
// name stays.
func cutGate(text string, gate, section *ast.MappingValueNode) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	row, col := position(gate.Key)
	start, end := row-1, blockEnd(lines, gate)
	if section != nil {
		if in := mapping(section.Value); in.IsFlowStyle {
			return "", fmt.Errorf("%s is within braces; change it by hand", quote(keyText(section.Key)))
		} else if len(in.Values) == 1 {
			first := commentsAbove(lines, start)
			return cutKey(text, section, func(at int) bool { return at >= first && at < end })
		}
		return strings.Join(slices.Concat(lines[:commentsAbove(lines, start)], lines[end:]), ""), nil
	}
	before := lines[start][:min(col-1, len(lines[start]))]
	if strings.Trim(before, " -") != "" {
		return "", fmt.Errorf("%s is within braces; change it by hand", quote(keyText(gate.Key)))
	}
	name := before + strings.TrimSpace(gate.Key.GetToken().Origin)
	first := commentsAbove(lines, start)
	return strings.Join(slices.Concat(lines[:first], []string{name + "\n"}, lines[end:]), ""), nil
}
