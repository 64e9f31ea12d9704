package config

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"gauntlet/internal/text"
)

// fieldIndex finds the field of a struct type that a YAML key sets.
func fieldIndex(t reflect.Type, key string) (int, bool) {
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name == key && name != "-" {
			return i, true
		}
	}
	return 0, false
}

// keys lists the YAML keys of a struct type.
func keys(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" && name != "-" {
			out = append(out, name)
		}
	}
	return out
}

// keyText is a mapping key as written.
func keyText(n ast.Node) string {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value
	case *ast.MappingKeyNode:
		return keyText(v.Value)
	case *ast.AnchorNode:
		return keyText(v.Value)
	}
	if n == nil {
		return ""
	}
	if tk := n.GetToken(); tk != nil {
		return tk.Value
	}
	return ""
}

func stringOf(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	}
	return "", false
}

func numberOf(n ast.Node) (float64, bool) {
	switch v := n.(type) {
	case *ast.IntegerNode:
		switch i := v.Value.(type) {
		case int64:
			return float64(i), true
		case uint64:
			return float64(i), true
		}
	case *ast.FloatNode:
		return v.Value, !math.IsInf(v.Value, 0) && !math.IsNaN(v.Value)
	case *ast.StringNode:
		// 1e3 is a number in YAML; the parser requires a dot in it.
		if v.Token.Type != token.StringType || strings.Trim(v.Value, "0123456789eE+-.") != "" {
			return 0, false
		}
		f, err := strconv.ParseFloat(v.Value, 64)
		return f, err == nil
	}
	return 0, false
}

// scalarText is a scalar as text, whatever type YAML gives it.
func scalarText(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return stringOf(v)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	case *ast.NullNode:
		return "", true
	}
	return "", false
}

// kindOf describes a node for a person.
func kindOf(n ast.Node) string {
	switch v := n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode:
		return "the text " + quote(v.Value)
	case *ast.LiteralNode:
		return "the text " + quote(v.Value.Value)
	case *ast.BoolNode:
		return strconv.FormatBool(v.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value
	}
	return "this"
}

// quote shows an untrusted text on one line, shortened.
func quote(s string) string {
	return strconv.Quote(text.CutRunes(s, 61))
}

// printable is quote without the quotes.
func printable(s string) string {
	q := quote(s)
	return q[1 : len(q)-1]
}

func quoteAdvice(n ast.Node) string {
	switch n.(type) {
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode:
		return "; put it in quotes"
	}
	return ""
}
