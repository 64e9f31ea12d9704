package config

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"gauntlet/internal/safefile"
)

// The parts of a policy besides the gates that have a mode.
const (
	PartCheckpoint = "checkpoint"
	PartStopHook   = "stop_hook"
)

// NotTried is the mode of a check that init had no time to try, as it stands in its file.
// A command that sets the mode after that has tried it, or decided.
const (
	NotTried = string(ModeObserve) + notTried
	notTried = " # not tried yet"
)

// SetMode writes the mode of a gate, of the checkpoint or of the stop hook into the
// project's policy. Everything else in the file, comments included, stays unchanged. It
// returns the file and the previous mode.
func SetMode(l *Loaded, part string, mode Mode) (file string, before Mode, err error) {
	section := ""
	review := false
	switch {
	case l.Checks[part] != nil:
		file, before = l.Checks[part].File, l.Checks[part].Mode
	case l.Reviews[part] != nil:
		file, before = l.Reviews[part].File, l.Reviews[part].Mode
		review = filepath.Ext(file) == ".md"
	case part == PartCheckpoint && l.Project.Checkpoint != nil:
		file, before, section = Dir+"/"+File, l.Project.Checkpoint.Mode, PartCheckpoint
	case part == PartStopHook:
		file, before, section = Dir+"/"+File, l.Project.StopHook.Mode, PartStopHook
	default:
		return "", "", fmt.Errorf("no gate named %s (see `gauntlet list`)", quote(part))
	}
	if section == "" && file == Dir+"/"+File {
		return file, before, fmt.Errorf("%s is written in %s; give it a file of its own first: gauntlet config migrate", quote(part), file)
	}
	path := filepath.Join(l.Root, filepath.FromSlash(file))
	data, fail := readIn(l.Root, path, file)
	if fail != nil {
		return file, before, fail
	}
	edited, err := editMode(data, section, mode, review)
	if err != nil {
		return file, before, fmt.Errorf("%s: %w; write mode: %s there yourself", file, err, mode)
	}
	edited = bytes.ReplaceAll(edited, []byte(notTried), nil)
	if bytes.Equal(edited, data) {
		return file, before, nil
	}
	return file, before, safefile.WriteIn(l.Root, path, edited, 0o644)
}

var errShape = errors.New("cannot be edited without changing more of it")

// editMode sets the mode in the text of a file: of a whole check, of the front
// matter of a review, or of a section.
func editMode(data []byte, section string, mode Mode, review bool) ([]byte, error) {
	text := string(data)
	if n := strings.Count(text, "\r\n"); n > 0 && n == strings.Count(text, "\n") {
		edited, err := editMode([]byte(strings.ReplaceAll(text, "\r\n", "\n")), section, mode, review)
		return bytes.ReplaceAll(edited, []byte("\n"), []byte("\r\n")), err
	}
	if !review {
		out, err := setMode(text, section, mode)
		return []byte(out), err
	}
	head, body, ok := frontMatter(text)
	if !ok || strings.Contains(text, "\r\n") {
		return nil, errShape
	}
	if head == "" && !strings.HasPrefix(text, "---") {
		return []byte("---\nmode: " + string(mode) + "\n---\n" + text), nil
	}
	edited, err := setMode(head, "", mode)
	if err != nil {
		return nil, err
	}
	if edited != "" && !strings.HasSuffix(edited, "\n") {
		edited += "\n"
	}
	first, _, _ := strings.Cut(text, "\n")
	closing := text[len(first)+1+len(head) : len(text)-len(body)]
	return []byte(first + "\n" + edited + closing + body), nil
}

// setMode sets the key mode of a YAML document, or of one of its sections. The result is
// read again: a file that would not say what was asked for is never written.
func setMode(text, section string, mode Mode) (string, error) {
	edited, err := placeMode(text, section, mode)
	if err != nil {
		return "", err
	}
	node, fail := parseYAML([]byte(strings.ReplaceAll(edited, "\r\n", "\n")), "")
	if fail != nil {
		return "", errShape
	}
	at := mapping(node)
	if section != "" {
		in := valueOf(at, section)
		if in == nil {
			return "", errShape
		}
		at = mapping(in.Value)
	}
	if value := valueOf(at, "mode"); value == nil || value.Value.GetToken().Value != string(mode) {
		return "", errShape
	}
	return edited, nil
}

// placeMode finds the place for the key mode and writes it there.
func placeMode(text, section string, mode Mode) (string, error) {
	node, fail := parseYAML([]byte(strings.ReplaceAll(text, "\r\n", "\n")), "")
	if fail != nil {
		return "", fail
	}
	top, line := mapping(node), "mode: "+string(mode)
	if section == "" {
		if top == nil {
			return appendLine(text, line), nil
		}
		return inMapping(text, top, mode)
	}
	at := valueOf(top, section)
	if at == nil {
		return appendLine(text, section+":\n  "+line), nil
	}
	if inner := mapping(at.Value); inner != nil {
		return inMapping(text, inner, mode)
	}
	row, _ := position(at.Key)
	switch at.Value.(type) {
	case *ast.NullNode:
		return insertAfter(text, row, "  "+line), nil
	default:
		return "", errShape
	}
}

// inMapping replaces the value of mode, or adds the key.
func inMapping(text string, m *ast.MappingNode, mode Mode) (string, error) {
	if at := valueOf(m, "mode"); at != nil {
		tk := at.Value.GetToken()
		if tk == nil || tk.Position == nil {
			return "", errShape
		}
		return replaceAt(text, tk.Position.Line, tk.Position.Column, tk.Value, string(mode))
	}
	if m.IsFlowStyle {
		row, col := m.Start.Position.Line, m.Start.Position.Column
		add := "{mode: " + string(mode)
		if len(m.Values) > 0 {
			add += ", "
		}
		return replaceAt(text, row, col, "{", add)
	}
	if len(m.Values) == 0 {
		return appendLine(text, "mode: "+string(mode)), nil
	}
	row, col := position(m.Values[0].Key)
	if col == 1 { // the document itself: its end is the obvious place
		return appendLine(text, "mode: "+string(mode)), nil
	}
	return insertBefore(text, row, strings.Repeat(" ", col-1)+"mode: "+string(mode)), nil
}

func mapping(n ast.Node) *ast.MappingNode {
	switch v := n.(type) {
	case *ast.MappingNode:
		return v
	case *ast.MappingValueNode:
		return ast.Mapping(v.GetToken(), false, v)
	case *ast.AnchorNode:
		return mapping(v.Value)
	}
	return nil
}

func valueOf(m *ast.MappingNode, key string) *ast.MappingValueNode {
	if m == nil {
		return nil
	}
	for _, v := range m.Values {
		if k, ok := v.Key.(ast.Node); ok && k.GetToken() != nil && k.GetToken().Value == key {
			return v
		}
	}
	return nil
}

// replaceAt replaces old, plain or quoted, at a place of the text.
func replaceAt(text string, row, col int, old, to string) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	if row < 1 || row > len(lines) {
		return "", errShape
	}
	line := lines[row-1]
	at := 0
	for range col - 1 {
		_, n := utf8.DecodeRuneInString(line[at:])
		at += n
	}
	for _, spelled := range []string{old, `"` + old + `"`, "'" + old + "'"} {
		if rest, ok := strings.CutPrefix(line[at:], spelled); ok {
			lines[row-1] = line[:at] + to + rest
			return strings.Join(lines, ""), nil
		}
	}
	return "", errShape
}

func insertBefore(text string, row int, line string) string {
	lines := strings.SplitAfter(text, "\n")
	lines = append(lines[:row-1:row-1], append([]string{line + "\n"}, lines[row-1:]...)...)
	return strings.Join(lines, "")
}

func insertAfter(text string, row int, line string) string {
	lines := strings.SplitAfter(text, "\n")
	if row == len(lines) || !strings.HasSuffix(lines[row-1], "\n") {
		return strings.TrimRight(text, "\n") + "\n" + line + "\n"
	}
	return insertBefore(text, row+1, line)
}

// appendLine adds a line at the end of a document, before a line that closes it.
func appendLine(text, line string) string {
	if body, ok := strings.CutSuffix(strings.TrimRight(text, "\n"), "\n..."); ok {
		return appendLine(body, line) + text[len(body)+1:]
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + line + "\n"
}
