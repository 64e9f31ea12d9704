package protocol

import (
	"bytes"
	_ "embed" // the documents
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/shape"
	"gauntlet/internal/text"
	"gauntlet/internal/tokens"
	"gauntlet/internal/workflow/handoff"
)

// The one rename that an existing document gets.
const (
	oldName = "previous_findings"
	newName = "previous_summary"
)

// The documents, with places in braces that the types fill.
var (
	//go:embed handoff.md
	handoffText string
	//go:embed enforcement.md
	enforcementText string
	//go:embed mode.md
	modeText string
)

func newHandoff() []byte {
	places := []string{"{limit}", strconv.Itoa(tokens.Limit), "{enforcement}", enforcement(false)}
	for _, kind := range []handoff.Kind{handoff.RequestKind, handoff.ResponseKind} {
		fields := handoff.Fields(kind)
		places = append(places, "{"+string(kind)+" example}", example(fields, ""), "{"+string(kind)+" table}", shape.Table(fields))
	}
	return []byte(strings.NewReplacer(places...).Replace(handoffText))
}

// example is an object whose values describe what is allowed.
func example(list []shape.Field, indent string) string {
	var rows []string
	for _, f := range list {
		value := `"…"`
		switch {
		case len(f.Enum) > 0:
			value = `"` + strings.Join(f.Enum, "|") + `"`
		case f.Type == shape.Integer:
			value = "0"
		case f.Type == shape.Texts:
			value = `["…"]`
		case f.Type == shape.List:
			value = "[]"
		case f.Type == shape.Object:
			value = example(f.Fields, indent+"  ")
		}
		rows = append(rows, fmt.Sprintf("%s  %q: %s", indent, f.Key, value))
	}
	return "{\n" + strings.Join(rows, ",\n") + "\n" + indent + "}"
}

// enforcement is the added section. withMode also explains mode, for documents whose
// request has no suitable place for it.
func enforcement(withMode bool) string {
	doc := enforcementText
	if withMode {
		doc += modeText
	}
	return strings.NewReplacer(
		"{limit}", strconv.Itoa(tokens.Limit), "{bytes}", strconv.Itoa(tokens.ByteLimit), "{summary}", newName,
		"{message}", tokens.Validate(strings.Repeat("x ", tokens.Limit+1), tokens.Limit).Error,
		"{modes}", modeValues(), "{doc}", modeField().Doc,
	).Replace(doc)
}

func modeField() shape.Field {
	list := handoff.Fields(handoff.RequestKind)
	return list[slices.IndexFunc(list, func(f shape.Field) bool { return f.Key == "mode" })]
}

// mergeHandoff extends an existing document: the rename, mode in the request's
// example and table, and the Enforcement section. Lines are only added.
func mergeHandoff(old []byte) []byte {
	if len(bytes.TrimSpace(old)) == 0 {
		return newHandoff() // nothing to keep
	}
	doc := document{eol: "\n"}
	text := rename(string(old))
	if strings.Contains(text, "\r\n") {
		doc.eol = "\r\n"
	}
	doc.lines = strings.SplitAfter(text, "\n")
	if doc.lines[len(doc.lines)-1] == "" {
		doc.lines = doc.lines[:len(doc.lines)-1]
	}
	hasMode := doc.hasMode()
	if !hasMode {
		inExample := doc.addToExample()
		inTable := doc.addToTable()
		hasMode = inExample || inTable
	}
	if !doc.hasHeading("Enforcement") {
		doc.append(enforcement(!hasMode))
	} else if !hasMode {
		section := enforcement(true)
		doc.append(section[strings.Index(section, "### "):])
	}
	return []byte(strings.Join(doc.lines, ""))
}

// rename replaces the old name where it is a word of its own.
func rename(s string) string {
	word := text.IsWord[byte]
	var b strings.Builder
	for {
		i := strings.Index(s, oldName)
		if i < 0 {
			return b.String() + s
		}
		after := i + len(oldName)
		alone := (i == 0 || !word(s[i-1])) && (after == len(s) || !word(s[after]))
		b.WriteString(s[:i])
		if alone {
			b.WriteString(newName)
		} else {
			b.WriteString(oldName)
		}
		s = s[after:]
	}
}

// document is a Markdown file as lines with their ends.
type document struct {
	lines []string
	eol   string
}

// fences marks the lines inside code blocks: 0 outside, else the number of the
// block. A fence belongs to its block.
func (d *document) fences() []int {
	in := make([]int, len(d.lines))
	open, n, from := "", 0, 0
	for i, line := range d.lines {
		t := strings.TrimSpace(line)
		mark := t[:len(t)-len(strings.TrimLeft(t, "`"))]
		if mark == "" {
			mark = t[:len(t)-len(strings.TrimLeft(t, "~"))]
		}
		switch {
		case open == "" && len(mark) >= 3:
			open, from = mark, i
			n++
			in[i] = n
		case open != "":
			in[i] = n
			if t == mark && mark[0:min(1, len(mark))] == open[:1] && len(mark) >= len(open) {
				open = ""
			}
		}
	}
	if open != "" { // never closed: a mistake, not a block to the end of the file
		clear(in[from:])
	}
	return in
}

func (d *document) hasHeading(text string) bool {
	in := d.fences()
	for i, line := range d.lines {
		title, ok := heading(line)
		if !ok && i+1 < len(d.lines) && underlines(d.lines[i+1]) {
			title, ok = strings.TrimSpace(line), true
		}
		if in[i] == 0 && ok && strings.EqualFold(title, text) {
			return true
		}
	}
	return false
}

// underlines reports whether a line makes the one before it a heading.
func underlines(line string) bool {
	t := strings.TrimSpace(line)
	return t != "" && (strings.Trim(t, "-") == "" || strings.Trim(t, "=") == "")
}

func heading(line string) (title string, ok bool) {
	t := strings.TrimSpace(line)
	rest := strings.TrimLeft(t, "#")
	if n := len(t) - len(rest); n < 1 || n > 6 || !strings.HasPrefix(rest, " ") {
		return "", false
	}
	return strings.TrimSpace(strings.TrimRight(rest, "# ")), true
}

// requestBlock is the code block with the request's example, 0 when none is.
func (d *document) requestBlock(in []int) int {
	body := map[int]string{}
	last := 0
	for i, n := range in {
		if n > 0 {
			body[n] += d.lines[i]
			last = n
		}
	}
	for n := 1; n <= last; n++ {
		if strings.Contains(body[n], "task_id") && strings.Contains(body[n], "instructions") {
			return n
		}
	}
	return 0
}

// hasMode reports whether the request's example, a table or a heading has mode.
func (d *document) hasMode() bool {
	in := d.fences()
	block := d.requestBlock(in)
	for i, line := range d.lines {
		t := strings.TrimSpace(line)
		title, isHeading := heading(line)
		switch {
		case in[i] > 0 && in[i] == block && isKey(t, "mode"),
			in[i] == 0 && firstCell(t) == "mode",
			in[i] == 0 && isHeading && strings.Contains(title, "`mode`"):
			return true
		}
	}
	return false
}

// isKey reports whether a line of an example gives key a value.
func isKey(line, key string) bool {
	for _, form := range []string{`"` + key + `":`, `"` + key + `" :`, key + ":", key + "?:"} {
		if strings.HasPrefix(line, form) {
			return true
		}
	}
	return false
}

// firstCell is the first cell of a table row, without its decoration.
func firstCell(line string) string {
	if !strings.HasPrefix(line, "|") {
		return ""
	}
	cell, _, _ := strings.Cut(line[1:], "|")
	return strings.Trim(strings.TrimSpace(cell), "`*\"")
}

// addToExample puts mode after phase in the request's example.
func (d *document) addToExample() bool {
	in := d.fences()
	block := d.requestBlock(in)
	for i, line := range d.lines {
		t := strings.TrimSpace(line)
		if block == 0 || in[i] != block || !isKey(t, "phase") {
			continue
		}
		indent := line[:strings.Index(line, t)]
		enum := modeField().Enum
		var added string
		switch {
		case strings.HasPrefix(t, `"`) && strings.HasSuffix(t, ","):
			added = `"mode": "` + strings.Join(enum, "|") + `",`
		case strings.HasSuffix(t, ";"):
			added = "mode: " + shape.Union(enum) + ";"
		default:
			return false // what follows phase cannot be guessed
		}
		d.insert(i+1, indent+added+d.eol)
		return true
	}
	return false
}

// addToTable adds a row for mode after that of phase to the first table that has one, with
// cells according to the header.
func (d *document) addToTable() bool {
	in := d.fences()
	for i, line := range d.lines {
		t := strings.TrimSpace(line)
		if in[i] > 0 || firstCell(t) != "phase" {
			continue
		}
		head := i
		for head > 0 && strings.HasPrefix(strings.TrimSpace(d.lines[head-1]), "|") {
			head--
		}
		titles, phase := cells(d.lines[head]), cells(t)
		row := make([]string, len(phase))
		row[0] = strings.Replace(phase[0], "phase", "mode", 1)
		described := false
		for c := 1; c < len(row); c++ {
			title := ""
			if c < len(titles) {
				title = strings.ToLower(titles[c])
			}
			switch {
			case strings.Contains(title, "type"), strings.Contains(title, "required"):
				row[c] = phase[c]
				if strings.Contains(phase[c], "validate") { // the type lists the values
					row[c], described = modeValues(), true
				}
			case !described:
				row[c], described = modeValues(), true
			}
		}
		d.insert(i+1, line[:strings.Index(line, t)]+"| "+strings.Join(row, " | ")+" |"+d.eol)
		return true
	}
	return false
}

func modeValues() string { return "`" + strings.Join(modeField().Enum, "`, `") + "`" }

func cells(row string) []string {
	row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
	list := strings.Split(strings.ReplaceAll(row, `\|`, "\x00"), "|")
	for i, c := range list {
		list[i] = strings.TrimSpace(strings.ReplaceAll(c, "\x00", `\|`))
	}
	return list
}

// insert adds a line; the one before it gets the line end that it may lack.
func (d *document) insert(at int, line string) {
	if at > 0 && !strings.HasSuffix(d.lines[at-1], "\n") {
		d.lines[at-1] += d.eol
		line = strings.TrimSuffix(line, d.eol)
	}
	d.lines = slices.Insert(d.lines, at, line)
}

// append adds text at the end, after one empty line.
func (d *document) append(text string) {
	if n := len(d.lines); n > 0 {
		if !strings.HasSuffix(d.lines[n-1], "\n") {
			d.lines[n-1] += d.eol
		}
		if strings.TrimSpace(d.lines[n-1]) != "" {
			d.lines = append(d.lines, d.eol)
		}
	}
	d.lines = append(d.lines, strings.ReplaceAll(text, "\n", d.eol))
}
