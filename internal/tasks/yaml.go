package tasks

import (
	"errors"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

const (
	// maxValues is how many values a document may have once its aliases are followed:
	// a few lines of aliases of aliases can mean billions.
	maxValues = 100_000
	// maxBrackets is how deep brackets may nest; the parser takes the square of it.
	maxBrackets = 1_000
)

// DecodeYAML decodes a document that anyone may have written.
func DecodeYAML(text string, into any) error {
	if err := CheckYAML(text); err != nil {
		return err
	}
	return yaml.Unmarshal([]byte(text), into)
}

// CheckYAML refuses documents that unfold to more than can be held.
func CheckYAML(text string) error {
	for depth, i := 0, 0; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		}
		if depth > maxBrackets {
			return errors.New("its brackets nest too deep")
		}
	}
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return err
	}
	u := unfolder{anchors: map[string]int{}}
	for _, doc := range file.Docs {
		if u.size(doc.Body) > maxValues {
			return errors.New("its aliases unfold to too many values")
		}
	}
	return nil
}

// unfolder counts the values of a document as if every alias were written out. An
// anchor stands before its aliases, so each is counted once.
type unfolder struct {
	anchors map[string]int
}

func (u unfolder) size(n ast.Node) int {
	total := 1
	add := func(n ast.Node) { total = min(total+u.size(n), maxValues+1) }
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, value := range n.Values {
			add(value)
		}
	case *ast.MappingValueNode:
		add(n.Key)
		add(n.Value)
	case *ast.SequenceNode:
		for _, value := range n.Values {
			add(value)
		}
	case *ast.TagNode:
		add(n.Value)
	case *ast.AnchorNode:
		add(n.Value)
		u.anchors[n.Name.GetToken().Value] = total
	case *ast.AliasNode:
		total = max(u.anchors[n.Value.GetToken().Value], 1)
	}
	return total
}
