package shape

import (
	"fmt"
	"strings"

	"gauntlet/internal/tokens"
)

// TypeScript is the struct as an interface, its objects as interfaces of their
// own after it.
func TypeScript(name string, list []Field) string {
	var b strings.Builder
	fmt.Fprintf(&b, "interface %s {\n", name)
	var nested []Field
	for _, f := range list {
		if f.Doc != "" {
			fmt.Fprintf(&b, "  /** %s */\n", f.Doc)
		}
		optional := "?"
		if f.Required {
			optional = ""
		}
		fmt.Fprintf(&b, "  %s%s: %s;\n", f.Key, optional, f.ts())
		if f.GoName != "" {
			nested = append(nested, f)
		}
	}
	b.WriteString("}\n")
	for _, f := range nested {
		b.WriteString("\n" + TypeScript(f.GoName, f.Fields))
	}
	return b.String()
}

func (f Field) ts() string {
	t := "unknown"
	switch f.Type {
	case Text:
		t = "string"
	case Integer, Decimal:
		t = "number"
	case Flag:
		t = "boolean"
	case Texts:
		t = "string[]"
	case Integers:
		t = "number[]"
	case List, Objects:
		t = "unknown[]"
	case Object:
		t = f.GoName
	case Map:
		t = "Record<string, " + f.GoName + ">"
	case TextMap:
		t = "Record<string, string>"
	case Any:
	}
	if len(f.Enum) > 0 {
		t = Union(f.Enum)
	}
	if f.TS != "" {
		t = f.TS
	}
	if f.Nullable {
		t += " | null"
	}
	return t
}

// Union is a TypeScript union of string literals.
func Union(values []string) string { return `"` + strings.Join(values, `" | "`) + `"` }

// Table is the fields as rows of a Markdown table, nested ones by their path.
func Table(list []Field) string {
	var b strings.Builder
	b.WriteString("| Field | Type | Required | Meaning |\n| --- | --- | --- | --- |\n")
	rows(&b, "", list)
	return b.String()
}

func rows(b *strings.Builder, prefix string, list []Field) {
	for _, f := range list {
		required := "no"
		if f.Required {
			required = "yes"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", prefix+f.Key, f.cell(), required, f.Doc)
		if f.Type == Object {
			rows(b, prefix+f.Key+".", f.Fields)
		}
	}
}

// cell is the type in a table, where a bar would end the column.
func (f Field) cell() string {
	t := f.ts()
	if len(f.Enum) > 0 {
		t = "`" + strings.Join(f.Enum, "`, `") + "`"
	}
	if f.Type == Object {
		t = "object"
	}
	if f.Summary {
		t = fmt.Sprintf("%s, at most %d tokens", t, tokens.Limit)
	}
	return strings.ReplaceAll(t, " | null", " or null")
}
