package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"gauntlet/internal/safefile"
)

const (
	maxFile   = 1 << 20 // bytes of one configuration file
	maxDepth  = 64      // nesting of a document
	maxMarks  = 200     // anchors and tags in a document
	maxTokens = 50_000  // the parser looks for duplicate keys in quadratic time
	maxValues = 20_000  // values of a document once aliases are followed
)

// readFile reads a bounded regular file of the user, which may be a link; name is its name
// in errors.
func readFile(path, name string) ([]byte, *Error) {
	data, err := safefile.ReadLinked(path, maxFile)
	if err != nil {
		return nil, &Error{File: name, Msg: openProblem(err)}
	}
	return plainText(data, name)
}

// readIn reads a bounded regular file of the project at root.
func readIn(root, path, name string) ([]byte, *Error) {
	data, err := safefile.Read(root, path, maxFile)
	if err != nil {
		return nil, &Error{File: name, Msg: openProblem(err)}
	}
	return plainText(data, name)
}

// plainText is the text of a file without its byte order mark.
func plainText(data []byte, name string) ([]byte, *Error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, notUTF8(data, name)
	}
	return data, nil
}

func openProblem(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "cannot be read: permission denied; make it readable for the user who runs the agent"
	case errors.Is(err, safefile.ErrNotRegular):
		return "is not a regular file; replace it by one"
	case errors.Is(err, safefile.ErrTooLarge):
		return "is larger than 1 MiB, which no configuration should be"
	case errors.Is(err, safefile.ErrOutside):
		return "is a symbolic link that leaves the project; replace it by a file"
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		err = errno
	}
	return "cannot be read: " + err.Error()
}

func notUTF8(data []byte, name string) *Error {
	line, col := 1, 1
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			break
		}
		if r == '\n' {
			line, col = line+1, 0
		}
		col++
		data = data[n:]
	}
	return &Error{File: name, Line: line, Column: col, Msg: "is not UTF-8 text; save it as UTF-8"}
}

// parseYAML returns the one document of a file, nil when it is empty.
func parseYAML(data []byte, name string) (node ast.Node, fail *Error) {
	// The parser is a dependency and the file is not trusted: anything that goes wrong in
	// it is reported as an error of the file, never as a crash.
	defer func() {
		if r := recover(); r != nil {
			node, fail = nil, &Error{File: name, Msg: fmt.Sprintf("is not valid YAML (%v)", r)}
		}
	}()
	tokens := lexer.Tokenize(string(data))
	if e := unreasonable(tokens, name); e != nil {
		return nil, e
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		if e := tabIndent(data, name); e != nil {
			return nil, e
		}
		e := syntaxError(err, name)
		e.Msg += quoteHint(data, e.Line, e.Column)
		return nil, e
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		switch doc.Body.(type) {
		case *ast.CommentGroupNode, *ast.DirectiveNode:
			continue
		}
		if node != nil {
			e := &Error{File: name, Msg: "has more than one YAML document; keep one"}
			e.Line, e.Column = position(doc.Body)
			return nil, e
		}
		node = doc.Body
	}
	return node, nil
}

func syntaxError(err error, name string) *Error {
	e := &Error{File: name, Msg: "is not valid YAML"}
	if ye, ok := errors.AsType[yaml.Error](err); ok {
		msg, _, _ := strings.Cut(strings.TrimSpace(ye.GetMessage()), "\n")
		e.Msg += ": " + msg
		if tk := ye.GetToken(); tk != nil && tk.Position != nil {
			e.Line, e.Column = tk.Position.Line, tk.Position.Column
		}
		return e
	}
	msg, _, _ := strings.Cut(err.Error(), "\n")
	e.Msg += ": " + msg
	return e
}

// quoteHint is what to do about a text that YAML reads as something else: commands contain
// ": " or begin with a bracket, patterns begin with "*".
func quoteHint(data []byte, line, column int) string {
	lines := strings.Split(string(data), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	text := strings.TrimRight(lines[line-1], "\r")
	key, value, ok := strings.Cut(text, ": ")
	value = strings.TrimSpace(value)
	if item, found := strings.CutPrefix(strings.TrimSpace(text), "- "); found && !ok {
		key, value = "", item
	}
	name := strings.TrimLeft(key, " -")
	switch {
	case value == "" || column <= len(key)+1 || strings.ContainsFunc(name, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }):
		return ""
	case name == "command":
		return `; put the whole command in quotes, or on the next line, indented, after "command: |"`
	case value[0] == '[':
		for item := range strings.SplitSeq(strings.Trim(value, "[]"), ",") {
			if item = strings.TrimSpace(item); item != "" && strings.IndexByte(reserved, item[0]) >= 0 {
				return "; put it in quotes: " + quote(item)
			}
		}
		return ""
	case strings.IndexByte("\"'{", value[0]) >= 0:
		return ""
	}
	return "; put it in quotes: " + quote(value)
}

// reserved are the characters with which a text cannot begin.
const reserved = "*&!@%`"

// tabIndent looks in a file that does not parse for a line indented by a tab,
// because the parser's own error then often points somewhere else. Lines of
// block scalars are text.
func tabIndent(data []byte, name string) *Error {
	line, block := 0, -1 // block: indent of the line that began a block scalar
	for text := range strings.Lines(string(data)) {
		line++
		text = strings.TrimRight(text, "\r\n")
		body := strings.TrimLeft(text, " ")
		indent := len(text) - len(body)
		if strings.TrimSpace(body) == "" {
			continue
		}
		if block >= 0 && indent > block {
			continue
		}
		if body[0] == '\t' {
			if block >= 0 {
				continue
			}
			return &Error{File: name, Line: line, Column: indent + 1, Msg: "is indented by a tab; YAML wants spaces"}
		}
		block = -1
		if head, _, _ := strings.Cut(body, " #"); blockScalar(head) {
			block = indent
		}
	}
	return nil
}

// blockScalar reports whether a line ends in | or >, with or without modifiers.
func blockScalar(line string) bool {
	last := line[strings.LastIndexByte(line, ' ')+1:]
	return strings.HasPrefix(last, "|") || strings.HasPrefix(last, ">")
}

// unreasonable refuses what would make the recursive parser descend without end, or keep it
// busy for seconds.
func unreasonable(tokens token.Tokens, name string) *Error {
	depth, run, marks := 0, 0, 0
	for i, tk := range tokens {
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
			run++
		case token.SequenceEndType, token.MappingEndType:
			depth--
			run = 0
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
			run++
		case token.AnchorType, token.TagType:
			marks++
		default:
			run = 0
		}
		var msg string
		switch {
		case depth > maxDepth || run > maxDepth:
			msg = "is nested too deeply"
		case marks > maxMarks:
			msg = "has too many anchors and tags"
		case i > maxTokens:
			msg = "has too many keys and values"
		default:
			continue
		}
		return &Error{File: name, Line: tk.Position.Line, Column: tk.Position.Column, Msg: msg}
	}
	return nil
}

// position is the most helpful position for a node.
func position(n ast.Node) (line, col int) {
	switch v := n.(type) {
	case *ast.MappingNode:
		if !v.IsFlowStyle && len(v.Values) > 0 {
			return position(v.Values[0])
		}
	case *ast.MappingValueNode:
		return position(v.Key)
	case *ast.SequenceNode:
		if !v.IsFlowStyle && v.Start != nil {
			return v.Start.Position.Line, v.Start.Position.Column
		}
	}
	if n == nil {
		return 1, 1
	}
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		return tk.Position.Line, tk.Position.Column
	}
	return 1, 1
}
